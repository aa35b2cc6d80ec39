"""Speed bars of claims of several parts, and what groups cost on a real collection.

    python bench/claims.py                     # the bars
    python bench/claims.py --looks FOLDER      # looks alone, at projects that are made there once
    python bench/claims.py --data FOLDER       # and CrisisLex: recall in every event
    ASSAYMARK_PERFORMANCE=docs/evidence/results/performance-claims.json python bench/claims.py …

Bars: the plan of a comparison on 10 million rows against one scan of its columns (1.5 ×); 50 groups
of 5 classes planned (5 s); the judgement of 100 claims in one conjunction at 10,000 labels (1 s), and
the whole command `look` at such a claim in a project folder, beyond one with 60 labels (1 s). That of a
user who has drawn or looked before goes on from what was kept; the first one, for which nothing was, has
the same bar. All are processor time of the command.
CrisisLex: labels for "recall ≥ .83 in every event" as one claim, in separate projects
of one event each, and by separate random samples judged once (power .9), each also with Bonferroni's
correction; and for an accuracy gap between the events, drawn as claims are sealed today and as before.
"""

import argparse
import itertools
import math
import os
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

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
from measure import assaymark, first_look, keep, report

Claimed = tuple[SealedClaim, Outcomes]
IN_EVERY, GAP = "recall >= 0.83 in every event", 0.16


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
    report(f"plan of a comparison, {rows:,} rows, against one scan that groups by both predictions "
           "and counts distinct ids", took / once, 1.5, " × one scan")  # fmt: skip


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
    report("plan of 50 groups × 5 classes, 500,000 items", took, 5.0, " s CPU")


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
    parts = len(sealed.compiled[0].parts)
    report(
        f"judgement of {parts} parts at {len(strata):,} labels, median of 5", took[2], 1.0, " s CPU"
    )


LOOKS = {
    "100 groups": (100, "recall >= 0.7 in every lang"),
    "50 groups and 2 metrics": (50, "recall >= 0.7 and precision >= 0.7 in every lang"),
}
LABELS, FEW = 10_000, 60


def look_command_bar(folder: Path) -> None:
    """The command in a project folder: 100 parts, 10,000 labels; first and with what it kept."""
    for name, (groups, claim) in LOOKS.items():
        used = []
        for labels in (FEW, LABELS):
            project = _labelled_claim(folder / f"{groups}", groups, claim, labels)
            with (
                tempfile.TemporaryDirectory() as cache,
                mock.patch.dict(os.environ, XDG_CACHE_HOME=cache),
            ):
                again = [assaymark("look", "-p", project).cpu for _ in range(4)][1:]
            used.append((min(first_look(project) for _ in range(3)), min(again)))
        (first_few, few), (first, again) = used
        report(f"look at a claim of {name}, 10,000 labels, beyond one at {FEW}",
               again - few, 1.0, " s CPU")  # fmt: skip
        report(f"first look at a claim of {name}, 10,000 labels, nothing kept, beyond one at {FEW}",
               first - first_few, 1.0, " s CPU")  # fmt: skip


def _labelled_claim(work: Path, groups: int, claim: str, labels: int) -> Path:
    """A project with so many labels of a claim in so many groups, whose recall is 0.75."""
    work.mkdir(parents=True, exist_ok=True)
    pool, truth, project = work / "pool.parquet", work / "truth.csv", work / f"labels-{labels}"
    score = "(hash(range) % 1000) / 1000.0"
    if not pool.exists():
        duckdb.sql(
            f"COPY (SELECT 'i' || range AS id, 'g' || range % {groups} AS lang, {score} AS score "
            f"FROM range(100000)) TO '{pool}' (FORMAT parquet)"
        )
        duckdb.sql(
            f"COPY (SELECT 'i' || range AS id, ((hash(range + 7) % 1000) / 1000.0 < {score})::INT AS "
            f"label FROM range(100000)) TO '{truth}' (HEADER)"
        )
    if project.exists():
        return project
    assaymark("init", project, "--pool", pool, "--id", "id", "--score", "score",
              "--threshold", "0.5", "--group", "lang")  # fmt: skip
    assaymark("plan", claim, "-p", project)
    drawn = 0
    while drawn < labels:
        batch = work / f"{labels}-{drawn}.csv"
        assaymark("draw", labels - drawn, "-o", batch, "-p", project)
        assaymark("label", truth, "-p", project)
        drawn += len(batch.read_text().splitlines()) - 1
    return project


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
    about = f"labels for recall >= 0.83 in each of {count} CrisisLex events"
    for name, claims in (("one claim", together), ("a project per event", alone)):
        for corrected, share in (("", 1), (" with Bonferroni's correction", count)):
            _tell(f"{about}, {name}{corrected} (median of {runs} runs)",
                  _runs(claims, share, runs), runs)  # fmt: skip
    for name, level in (("", 0.05), (" with Bonferroni's correction", 0.05 / count)):
        total = sum(_fixed(y, score, np.array([n for n in kept if rows[n][2] == event]), level)
                    for event in sorted({row[2] for row in rows}))  # fmt: skip
        _tell(f"{about}, separate random samples judged once{name}, power .9", total, runs)
    _gap(folder / "gap", pool, truth, runs)


def _tell(what: str, labels: float, runs: int) -> None:
    """Print a number of labels, and keep it as a record where that was asked for."""
    keep(
        what,
        labels,
        None,
        "labels",
        anywhere=True,
        command=f"claims.py --runs {runs} --data FOLDER",
    )
    print(f"      {what}: {labels:,.0f}", flush=True)


def _gap(folder: Path, pool: dict[str, list[Any]], truth: dict[str, object], runs: int) -> None:
    """The accuracy gap between the events, whose true one is 0.059: how draws are shared matters."""
    sealed, outcomes = _sealed(folder, pool, truth, f"accuracy gap between event <= {GAP}")
    for name, allocation in (("", "shared"), (", one event at a time", "one at a time")):
        found = _runs([(replace(sealed, allocation=allocation), outcomes)], 1, runs)  # type: ignore[arg-type]
        _tell(f"labels for an accuracy gap of at most {GAP} between 6 CrisisLex events{name} "
              f"(median of {runs} runs)", found, runs)  # fmt: skip


def _sealed(
    folder: Path, pool: dict[str, list[Any]], truth: dict[str, object], claim: str = IN_EVERY
) -> Claimed:
    certify_parts(pool, claim, id="id", score="score", threshold=0.5, group="event", folder=folder)
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
    parser.add_argument(
        "--looks", type=Path, help="looks alone, at projects that are made there once"
    )
    parser.add_argument("--only-labels", action="store_true", help="leave out the bars")
    options = parser.parse_args()
    if options.looks is not None:
        look_command_bar(options.looks)
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if not options.only_labels:
            look_bar(folder)
            look_command_bar(folder)
            groups_bar(folder)
            compare_bar(folder, options.rows)
        if options.data is not None:
            crisislex(folder, options.data, options.runs)


if __name__ == "__main__":
    main()
