"""Where a single claim stands: its path, the decision, and the bound that goes with it.

One idea: the claim is one row of a ladder of targets, and a row counts only after every easier one.
So the hardest target that was reached is the bound, and one level covers it together with the claim.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from assaymark.claims.ratio_metrics import metric
from assaymark.stats.betting.binary import BinaryTest
from assaymark.stats.betting.chances import next_chances
from assaymark.stats.betting.path import RowPath, judged_path
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.rulings import Ruling, claim_doubted, rule_on
from assaymark.stats.betting.sealed import check_draws
from assaymark.stats.score_guided.bound import MetricBound, RowWealth
from assaymark.stats.score_guided.checkpoints import log_wealth, same_draws, state_after
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.supermartingale import Draws, first_draws


@dataclass(frozen=True, kw_only=True, eq=False)
class ClaimStanding:
    """Everything the labels prove about one claim."""

    found: BinaryTest
    path: RowPath
    ruling: Ruling
    bound: MetricBound

    @property
    def decision(self) -> Literal["pass", "fail", "continue"]:
        """Pass or fail; a claim that is open, or out of reach without being refuted, goes on."""
        word = self.ruling.decision
        return word if word == "pass" or word == "fail" else "continue"

    @property
    def log_wealth(self) -> Floats:
        """The log wealth of the claim's own row after each draw."""
        row: Floats = self.path.log_wealth[self.found.claim_row]
        return row

    @property
    def doubted(self) -> bool:
        """Whether the bets speak against the claim at `rulings.GOAL` to one, short of a refutation."""
        return self.decision == "continue" and claim_doubted(self.path, self.found.claim_row)

    @property
    def evidence(self) -> float:
        """The largest log wealth of the claim so far."""
        return max(0.0, float(self.log_wealth.max(initial=0.0)))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Bounds:
    """The bounds that were asked for last, by the number of draws."""

    test: BinaryTest
    draws: Draws
    bounds: Mapping[int, MetricBound]


_latest: _Bounds | None = None


def standing(test: BinaryTest, draws: Draws) -> ClaimStanding:
    """The path, the decision and the bound, in one run over the draws."""
    return _standing(test, draws, _path(test, draws))


def bounds_after(test: BinaryTest, draws: Draws, ends: Sequence[int]) -> tuple[MetricBound, ...]:
    """The bound as it stood after each of these numbers of draws."""
    global _latest
    kept = _latest if _latest is not None and _latest.test == test else None
    same = 0 if kept is None else same_draws(kept.draws, draws)
    path, bounds = _path(test, draws), {}
    for end in ends:
        if kept is not None and end <= same and end in kept.bounds:
            bounds[end] = kept.bounds[end]  # a bound follows from the draws up to its end alone
        else:
            bounds[end] = _standing(test, first_draws(draws, end), path.until(end)).bound
    _latest = _Bounds(test=test, draws=draws.copy(), bounds=bounds)
    return tuple(bounds[end] for end in ends)


def row_wealth(test: BinaryTest, draws: Draws) -> RowWealth:
    """What the row of every target, and the refutation, holds after each draw."""
    log, count = _log(test, draws), len(test.targets)
    return RowWealth(
        targets=tuple(float(t) for t in test.targets),
        log=log[:count],
        log_doubt=log[count + test.claim_row],
    )


def segment_chances(test: BinaryTest, known: Draws) -> Floats:
    """The chances per stratum of a segment that may use these labels, all of them and no others."""
    check_draws(test.claim_test, known)
    start = partial(Race, test.claim_test)
    return next_chances(state_after(("chances", test), known, start=start))


def _log(test: BinaryTest, draws: Draws) -> Floats:
    check_draws(test.test, draws)
    return log_wealth(("rows", test), draws, start=lambda: Race(test.test))


_judged: tuple[BinaryTest, Floats, RowPath] | None = None


def _path(test: BinaryTest, draws: Draws) -> RowPath:
    """The path of the draws; the latest is kept, since a verdict and its bounds ask for the same."""
    global _judged
    log, kept = _log(test, draws), _judged
    if kept is None or kept[1] is not log or kept[0] != test:  # the same draws give the same array
        kept = (test, log, judged_path(test.test, draws, log))
        _judged = kept
    return kept[2]


def _standing(test: BinaryTest, draws: Draws, path: RowPath) -> ClaimStanding:
    ruling = rule_on(path)
    return ClaimStanding(
        found=test, path=path, ruling=ruling, bound=_bound(test, draws, path, ruling)
    )


def _bound(test: BinaryTest, draws: Draws, path: RowPath, ruling: Ruling) -> MetricBound:
    """The hardest target proved, or what counting alone leaves possible, if that is better."""
    claim = test.claim
    sure, chosen = worst_value(test, draws), ruling.chosen
    refuted = bool(path.certainty.refuted[test.claim_row, -1])
    if chosen is not None and ruling.decision != "pass":
        chosen = min(chosen, test.claim_row - 1)
    proved = None if chosen is None or chosen < 0 or refuted else float(test.targets[chosen])
    known = [value for value in (proved, sure) if value is not None]
    value = (max if claim.side == "lower" else min)(known) if known else None
    return MetricBound(
        metric=claim.metric,
        side=claim.side,
        value=value,
        confidence=1.0 - test.level,
        certain=value is not None and value == sure and value != proved,
        reason=None if value is not None else "too few labels to exclude any value",
    )


def worst_value(test: BinaryTest, draws: Draws) -> float | None:
    """The metric if every item not labelled, or skipped, had the label that hurts the claim."""
    helpful = test.helpful
    helped = np.bincount(
        draws.strata[draws.labels == helpful[draws.strata]], minlength=len(helpful)
    )
    sizes = np.array([s.size for s in test.strata])
    positives = np.where(helpful == 1, helped, sizes - helped)
    predicted = np.array([s.predicted for s in test.strata])
    hits, missed = int(positives[predicted].sum()), int(positives[~predicted].sum())
    size, rest = int(sizes[predicted].sum()), int(sizes[~predicted].sum())
    cells = (hits, size - hits, missed, rest - missed)
    return metric(test.claim.metric).value([a + b for a, b in zip(cells, test.known, strict=True)])
