"""Speed bars of claims of several parts, and what groups cost on a real collection.

    python bench/claims.py                     # the bars
    python bench/claims.py --data FOLDER       # and CrisisLex: recall in every event

Bars: the plan of a comparison on 10 million rows against one scan of its columns (1.5 ×); 50 groups
of 5 classes planned (5 s); a look with 100 claims in one conjunction at 10,000 labels, beyond
start-up (1 s). CrisisLex: labels for "recall ≥ .83 in every event" as one claim, in separate projects
of one event each, and by separate random samples judged once (power .9), each also with Bonferroni's
correction.
"""

import argparse
import itertools
import math
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from scipy.stats import binom

from assaymark.api.several_parts import certify_parts
from assaymark.composite.judging import judge_path
from assaymark.composite.planning.comparing import ComparisonRequest, seal_comparison
from assaymark.composite.planning.sealing import Terms, draft_conjunction
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import SealedClaim
from assaymark.project.class_names import with_classes
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.pool import Columns
from assaymark.stats.betting.path import replay
from assaymark.stats.score_guided.supermartingale import Draws
from claim_runs import Outcomes, outcomes_of, run_claim

Claimed = tuple[SealedClaim, Outcomes]


def seconds(call: object) -> float:
    """Processor time, which other work on the machine does not lengthen much."""
    start = time.process_time()
    call()  # type: ignore[operator]
    return time.process_time() - start


def compare_bar(folder: Path, rows: int) -> None:
    """One scan against the seal of a comparison; the project is registered before."""
    pool = folder / "large.parquet"
    duckdb.sql(
        f"COPY (SELECT 'i' || range AS id, hash(range) % 2 AS a, (hash(range) % 2 + "
        f"(hash(range + 7) % 20 = 0)::INT) % 2 AS b FROM range({rows})) TO '{pool}' (FORMAT parquet)"
    )
    init(folder / "large", pool=str(pool), columns=Columns(id="id"))
    scan = (
        f"SELECT a::VARCHAR, b::VARCHAR, count(*), min(id), count(DISTINCT id) FROM '{pool}' "
        "GROUP BY ALL"
    )
    once = min(seconds(lambda: duckdb.sql(scan).fetchall()) for _ in range(2))
    project = Project(folder=folder / "large")
    took = seconds(lambda: seal_comparison(project, ComparisonRequest(a="a", b=("b",)), Terms()))
    print(f"plan of a comparison, {rows:,} rows: {took:.2f} s, one scan {once:.2f} s "
          f"({took / once:.2f} ×, bar 1.5 ×)", flush=True)  # fmt: skip


def groups_bar(folder: Path) -> None:
    """50 groups × 5 classes."""
    pool = folder / "groups.parquet"
    duckdb.sql(
        "COPY (SELECT 'i' || range AS id, 'c' || hash(range) % 5 AS topic, 'g' || hash(range + 1) % 50 "
        f"AS lang, (hash(range + 2) % 1000) / 1000.0 AS sure FROM range(500000)) TO '{pool}' (FORMAT parquet)"
    )
    columns = Columns(id="id", prediction="topic", score="sure", groups=("lang",))
    init(
        folder / "groups",
        pool=str(pool),
        columns=with_classes(str(pool), columns, predicted_by=("topic",), named=()),
    )
    project = Project(folder=folder / "groups")
    claim = "recall of every class >= 0.7 in every lang"
    took = seconds(lambda: draft_conjunction(project, claim, Terms()))
    print(f"50 groups × 5 classes of 500,000 items planned in {took:.2f} s (bar 5 s)", flush=True)


def look_bar(folder: Path) -> None:
    """100 parts, 10,000 labels, one look."""
    pool = folder / "look.parquet"
    duckdb.sql(
        "COPY (SELECT 'i' || range AS id, 'g' || range % 100 AS lang, (hash(range) % 1000) / 1000.0 AS "
        f"score FROM range(100000)) TO '{pool}' (FORMAT parquet)"
    )
    certify_parts(pool, "recall >= 0.7 in every lang", id="id", score="score", threshold=0.5,
                  group="lang", folder=folder / "look")  # fmt: skip
    sealed, _ = outcomes_of(folder / "look", {f"i{n}": 0 for n in range(100_000)})
    rng = np.random.default_rng(1)
    order = list(
        itertools.chain.from_iterable([k] * min(17, s.items) for k, s in enumerate(sealed.strata))
    )
    strata = np.array(order[:10_000])
    labels = (rng.random(len(strata)) < 0.5).astype(np.int64)
    sizes = np.array([s.items for s in sealed.strata], dtype=float)
    draws = Draws(
        strata=strata, labels=labels, sampling=np.tile(sizes / sizes.sum(), (len(strata), 1))
    )
    took = sorted(seconds(lambda: _judged(replace(sealed), draws)) for _ in range(5))
    print(f"look with {len(sealed.compiled[0].parts)} parts at {len(strata):,} labels: {took[2]:.2f} s "
          f"(median of 5 runs, {took[0]:.2f} to {took[-1]:.2f}; bar 1 s)", flush=True)  # fmt: skip


def _judged(sealed: SealedClaim, draws: Draws) -> object:
    """The judgement from a claim of which nothing is compiled yet, as a look begins."""
    return judge_path(sealed, replay(row_test(sealed), draws), draws)


def crisislex(folder: Path, data: Path, runs: int) -> None:
    """Recall in every event of CrisisLex: one claim, Bonferroni, separate fixed samples."""
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.linear_model import LogisticRegression

    rows = duckdb.sql(
        f"SELECT tweet_id, any_value(text), any_value(event), any_value(on_topic)::INT FROM "
        f"'{data / 'crisislex_t6.parquet'}' GROUP BY tweet_id ORDER BY tweet_id"
    ).fetchall()
    y = np.array([row[3] for row in rows])
    table = HashingVectorizer(n_features=2**16).transform([row[1] for row in rows])
    train = np.random.default_rng(1).random(len(y)) < 0.1
    score = (
        LogisticRegression(C=10, max_iter=300)
        .fit(table[train], y[train])
        .predict_proba(table)[:, 1]
    )
    kept = [n for n in range(len(rows)) if not train[n]]
    pool = {"id": [f"i{n}" for n in kept], "event": [rows[n][2] for n in kept],
            "score": [float(score[n]) for n in kept]}  # fmt: skip
    truth: dict[str, object] = {f"i{n}": int(y[n]) for n in kept}
    together = [_sealed(folder / "crisis", pool, truth)]
    events = sorted(set(pool["event"]))
    count = len(events)
    alone = [
        _sealed(folder / event, {name: [v for v, e in zip(values, pool["event"], strict=True)
                                        if e == event] for name, values in pool.items()}, truth)
        for event in events
    ]  # fmt: skip
    for name, claims in (("one claim", together), ("separate projects", alone)):
        for corrected, share in (("", 1), (", Bonferroni", count)):
            found = _runs(claims, share, runs)
            print(
                f"CrisisLex, {count} events, {name}{corrected}: median {found:,.0f} labels",
                flush=True,
            )
    for name, level in (("separate samples", 0.05), ("with Bonferroni", 0.05 / count)):
        total = sum(_fixed(y, score, np.array([n for n in kept if rows[n][2] == event]), level)
                    for event in sorted({row[2] for row in rows}))  # fmt: skip
        print(f"CrisisLex, {name}, judged once (power .9): {total:,} labels", flush=True)


def _sealed(folder: Path, pool: dict[str, list[Any]], truth: dict[str, object]) -> Claimed:
    certify_parts(pool, "recall >= 0.83 in every event", id="id", score="score", threshold=0.5,
                  group="event", folder=folder)  # fmt: skip
    return outcomes_of(folder, truth)


def _runs(claims: list[Claimed], share: int, runs: int) -> float:
    """Labels of all these claims together, each at this part of its level."""
    return statistics.median(
        sum(
            run_claim(
                replace(sealed, level=sealed.level / share), outcomes, np.random.default_rng(seed)
            )[1]
            for sealed, outcomes in claims
        )
        for seed in range(runs)
    )


def _fixed(y: np.ndarray, score: np.ndarray, where: np.ndarray, level: float) -> int:
    """Random labels of one event for a binomial test of recall with power .9."""
    positive = where[y[where] == 1]
    recall, share = float((score[positive] >= 0.5).mean()), len(positive) / len(where)
    for n in range(10, 100_000):
        least = int(binom.isf(level, n, 0.83)) + 1
        if binom.sf(least - 1, n, recall) >= 0.9:
            return math.ceil(n / share)
    return len(where)


def main() -> None:
    """Print one line per bar."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        look_bar(folder)
        groups_bar(folder)
        compare_bar(folder, options.rows)
        if options.data is not None:
            crisislex(folder, options.data, options.runs)


if __name__ == "__main__":
    main()
