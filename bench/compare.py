"""Labels that a comparison needs, against tests of fixed size, in the same run.

    python bench/compare.py --runs 40

Accuracies .92 and .90 in a pool of 20,000 items of which 6 % differ, without scores. McNemar's test
on a random sample and the sign test on disagreements are given the labels at which they have
power .8 at one look; a comparison may be looked at after every label.
"""

import argparse
import math
import statistics

import numpy as np

from assaymark.claims.tree import Figure
from assaymark.composite.comparing import comparison_statements
from assaymark.composite.judging import judge_path
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import ClaimStratum, PoolColumns, SealedClaim
from assaymark.composite.target import aim_of
from assaymark.stats.betting.chances import next_chances
from assaymark.stats.betting.path import judged_path
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.renewal import segments
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.wealth import draw_strata

ITEMS, DIFFER, GAP = 20_000, 0.06, 0.02
Z = 1.959964 + 0.841621  # two-sided 5 %, power .8


def sealed_comparison() -> SealedClaim:
    """600 items that only a calls positive, 600 that only b does."""
    from fractions import Fraction

    half = round(ITEMS * DIFFER / 2)
    sizes = {
        ("1", "0"): half,
        ("0", "1"): half,
        ("1", "1"): 6_000,
        ("0", "0"): ITEMS - 2 * half - 6_000,
    }
    share = Fraction(2 * half, ITEMS)
    return SealedClaim(
        kind="comparison",
        claim="accuracy of b > accuracy of a",
        confidence=0.95,
        level=0.025,
        columns=PoolColumns(id="id", predictions=("a", "b")),
        strata=tuple(ClaimStratum(predictions=p, items=n) for p, n in sizes.items()),
        statements=comparison_statements(Figure(metric="accuracy"), None, share, None),
        chained=True,
        metric="accuracy",
    )


def labels_needed(sealed: SealedClaim, rng: np.random.Generator) -> tuple[str, int]:
    """The decision of one run, and after how many labels it was reached."""
    wins = (DIFFER + GAP) / 2 / DIFFER
    truth = [1 - wins, wins, 0.9, 0.05]  # share of label 1 among 10, 01, 11, 00
    queues = [
        rng.permutation(np.arange(s.items) < round(s.items * p)).astype(np.int64)
        for s, p in zip(sealed.strata, truth, strict=True)
    ]
    race = Race(row_test(sealed))
    strata, labels, sampling, logs = [], [], [], []
    for segment in segments(most=sealed.disagree):
        stored = next_chances(race, aim=aim_of(sealed, race))
        count = min(segment.last - segment.first + 1, int(race.remaining[stored > 0].sum()))
        drawn = draw_strata(stored, race.remaining, rng.random(count))
        used = np.array(race.test.sizes) - race.remaining
        told = np.empty(count, dtype=np.int64)
        for k in set(drawn.tolist()):
            mine = np.flatnonzero(drawn == k)
            told[mine] = queues[k][used[k] : used[k] + len(mine)]
        part = Draws(strata=drawn, labels=told, sampling=np.tile(stored, (count, 1)))
        logs.append(race.feed(part))
        strata.append(drawn)
        labels.append(told)
        sampling.append(part.sampling)
        draws = Draws(
            strata=np.concatenate(strata),
            labels=np.concatenate(labels),
            sampling=np.concatenate(sampling),
        )
        path = judged_path(race.test, draws, np.concatenate(logs, axis=1))
        found = judge_path(sealed, path, draws)
        if found.decided_at is not None:
            return found.decision, found.decided_at
    return "undecided", sealed.disagree


def main() -> None:
    """Print one line per method."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=40)
    runs = parser.parse_args().runs
    sealed = sealed_comparison()
    found = [labels_needed(sealed, np.random.default_rng(seed)) for seed in range(runs)]
    needed = sorted(n for _, n in found)
    better = sum(decision == "better" for decision, _ in found)
    mcnemar = math.ceil((Z / GAP) ** 2 * DIFFER)
    share = (DIFFER + GAP) / 2 / DIFFER
    sign = math.ceil(
        (1.959964 * 0.5 + 0.841621 * math.sqrt(share * (1 - share))) ** 2 / (share - 0.5) ** 2
    )
    print(f"accuracy .92 against .90, 6 % differ, {runs} runs")
    print(f"  comparison, any time   median {statistics.median(needed):.0f}, "
          f"80 % within {needed[math.ceil(0.8 * runs) - 1]}, better in {better}")  # fmt: skip
    print(f"  McNemar, random sample n80 about {mcnemar:,} (one look)")
    print(f"  sign test, disagreements n80 about {sign:,} (one look)")


if __name__ == "__main__":
    main()
