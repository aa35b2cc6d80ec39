"""The experiment `stratified`: every way to stratify and allocate, by true error and by the paper's.

For each pool, stratifier, allocation, number of strata and sample size, thousands of samples are
drawn and their errors compared with those of simple random sampling. The paper's yardstick, the
ratio of variances that both samples *estimate* of themselves, stands beside it.
"""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assaymark.errors import InputError
from assaymark.estimation.stats.default_strata import strata_wanted
from assaymark.estimation.stats.neyman_allocation import Tuning
from assaymark.estimation.stats.reading_intervals import effective_ends, imagined_rate
from assaymark.estimation.stats.stratified_estimator import stratified_point
from assaymark.estimation.stats.stratifiers import PAPER, stratify
from assaymark.lab.corpora import read_collection
from assaymark.lab.experiments.stratified.figures import (
    accuracy_figure,
    ratio_figure,
    tuning_figure,
)
from assaymark.lab.experiments.stratified.pools import (
    ACCURACIES,
    EstimationPool,
    made_pools,
    news_pool,
    real_pools,
)
from assaymark.lab.experiments.stratified.printed_study import (
    last_figure,
    one_percent,
    random_errors,
    study,
    tuned,
)
from assaymark.lab.experiments.stratified.runs import Samples, floor_vr, sample, score, truth_of
from assaymark.lab.outcome import Outcome
from assaymark.lab.tasks import Order, TaskResult, rng_of, run_all, worked_on

RUNS, RUNS_FULL = 300, 3000  # the second as in the paper
FEWEST = 2  # a single sample has no spread
SIZES = (50, 100, 200, 400, 800, 1600)
STRATA = (2, 5, 10)
ALLOCATIONS = ("proportional", "equal", "optimal-once", "optimal-steps")
LEARNING = (100, 200, 400, 800)
FIRST, STEPS = (5, 10, 20), (10, 20)
PAPERS_WAY = "equal size, K = 6, OPT-A2 5-10"
ONE_PERCENT = tuple(range(50, 1601, 50))
TARGET = 0.01


@dataclass(frozen=True, kw_only=True)
class StratifiedTask:
    """One pool: a made one by number, or one of a collection by number."""

    path: Path | None
    number: int
    label: str
    runs: int
    seed: int

    @property
    def name(self) -> str:
        """What to show while it runs."""
        return self.label

    def pool(self) -> EstimationPool:
        """The pool of this task."""
        if self.path is None:
            return made_pools(rng_of(self.seed, "stratified worlds"))[self.number]
        return real_pools(self.path, self.seed)[self.number]


def run_pool(task: StratifiedTask) -> TaskResult:
    """Everything about one pool."""
    pool = task.pool()
    binned = pool.binned()
    rng = rng_of(task.seed, "stratified", pool.name)
    where = {"pool": pool.name, "where": "real" if pool.real else "made"}
    most = len(binned.axis.z)
    cells = []
    for stratifier in PAPER:
        for wanted in (k for k in STRATA if k <= most):
            truth = truth_of(pool, binned, stratify(binned.axis, stratifier, wanted))
            for name, labels, guard in _grid(len(truth.sizes)):
                scored = score(
                    sample(
                        truth, labels, name, runs=task.runs, rng=rng, tuning=Tuning(guard=guard)
                    ),
                    rng,
                )
                setting = {"stratifier": stratifier, "allocation": name, "strata": wanted}
                cells.append(
                    {**where, **setting, "guard": guard, "labels": labels, **asdict(scored)}
                )
    defaults, cover = _defaults(task, pool, where)
    studied = rng_of(task.seed, "printed study", pool.name)
    printed = study(pool, runs=task.runs, rng=studied)
    errors = random_errors(pool, runs=10 * task.runs, rng=studied)
    return {
        "cells": cells,
        "defaults": defaults,
        "coverage": cover,
        "one_percent": _one_percent(task, pool, where),
        "tuning": _tuning(task, pool, where),
        "printed": printed,
        "printed_one_percent": one_percent(pool, printed, errors),
        "printed_tuning": tuned(pool, "equal-size", runs=task.runs, rng=studied),
        "pools": [{**where, "accuracy": pool.accuracy, "items": len(pool.z)}],
    }


def _grid(strata: int) -> Iterable[tuple[str, int, bool]]:
    for name in ALLOCATIONS:
        for labels in LEARNING:
            if labels >= 5 * strata:
                yield name, labels, True
                if name.startswith("optimal"):
                    yield name, labels, False


def _default_samples(
    task: StratifiedTask, pool: EstimationPool, labels: int, rng: np.random.Generator
) -> Samples:
    binned = pool.binned()
    wanted = min(strata_wanted(labels), len(binned.axis.z))
    truth = truth_of(pool, binned, stratify(binned.axis, "mixc", wanted))
    return sample(truth, labels, "mass", runs=task.runs, rng=rng)


def _defaults(
    task: StratifiedTask, pool: EstimationPool, where: dict[str, str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Our default strata: true ratio with the floor beside it, and what its intervals cover."""
    rng = rng_of(task.seed, "mixc", pool.name)
    floor = floor_vr(pool, pool.binned())
    rows, cover = [], []
    for labels in SIZES:
        samples = _default_samples(task, pool, labels, rng)
        truth = samples.truth
        about = {"accuracy": pool.accuracy, "labels": labels, "floor": floor}
        rows.append({**where, **about, **asdict(score(samples, rng))})
        promised = 1 - truth.doubt
        rate = imagined_rate(truth.sizes, samples.labelled, samples.correct, promised)
        for method, prior in (("korn-graubard", rate), ("wilson", np.array(0.5))):
            low, high = effective_ends(
                truth.sizes,
                samples.labelled,
                samples.correct,
                prior=prior,
                confidence=0.95,
                method=method,
            )
            inside = (low <= truth.accuracy) & (high >= truth.accuracy)
            cover.append(
                {
                    **where,
                    "labels": labels,
                    "method": method,
                    "covers": float(inside.mean()),
                    "over_claims": float((low > truth.accuracy).mean()),
                    "width": float((high - low).mean()),
                }
            )
    return rows, cover


def _one_percent(
    task: StratifiedTask, pool: EstimationPool, where: dict[str, str]
) -> list[dict[str, Any]]:
    """Labels for a mean absolute error of one point: at random, and with our default strata."""
    rng = rng_of(task.seed, "one percent", pool.name)
    right = int(pool.correct.sum())
    sizes: dict[str, int | None] = {"random": None, "mixc": None}
    for labels in ONE_PERCENT:
        if sizes["random"] is None:
            hits = rng.hypergeometric(right, len(pool.correct) - right, labels, size=task.runs)
            if float(np.abs(hits / labels - pool.accuracy).mean()) <= TARGET:
                sizes["random"] = labels
        if sizes["mixc"] is None:
            samples = _default_samples(task, pool, labels, rng)
            point = stratified_point(samples.truth.sizes, samples.labelled, samples.correct)
            if float(np.abs(point - pool.accuracy).mean()) <= TARGET:
                sizes["mixc"] = labels
        if None not in sizes.values():
            break
    return [{**where, **sizes}]


def _tuning(
    task: StratifiedTask, pool: EstimationPool, where: dict[str, str]
) -> list[dict[str, Any]]:
    """The two optimal allocations against their first labels and step, with and without guard."""
    rng = rng_of(task.seed, "tuning", pool.name)
    binned = pool.binned()
    truth = truth_of(pool, binned, stratify(binned.axis, "sqrt", min(5, len(binned.axis.z))))
    rows = []
    for first in FIRST:
        for name, steps in (("optimal-once", (10,)), ("optimal-steps", STEPS)):
            for step in steps:
                for guard in (True, False):
                    tuning = Tuning(first=first, step=step, guard=guard)
                    for labels in (200, 800):
                        samples = sample(
                            truth, labels, name, runs=task.runs, rng=rng, tuning=tuning
                        )
                        setting = {"allocation": name, "first": first, "step": step}
                        rows.append(
                            {
                                **where,
                                **setting,
                                "guard": guard,
                                "labels": labels,
                                **asdict(score(samples, rng)),
                            }
                        )
    return rows


def stratified(order: Order) -> Outcome:
    """Run on made pools and on every collection given."""
    runs = order.runs or (RUNS_FULL if order.full else RUNS)
    if runs < FEWEST:
        raise InputError(
            f"'runs' must be at least {FEWEST}, got {runs}: the spread is what it measures."
        )
    pools = made_pools(rng_of(order.seed, "stratified worlds"))
    tasks = [
        StratifiedTask(path=None, number=k, label=pool.name, runs=runs, seed=order.seed)
        for k, pool in enumerate(pools)
    ]
    accuracies = []
    for path in order.data:
        order.progress(f"reading {path.name}", None)
        tasks += [
            StratifiedTask(path=path, number=k, label=pool.name, runs=runs, seed=order.seed)
            for k, pool in enumerate(
                worked_on(
                    path, real_pools(path, order.seed), needs="texts that it has a learner for"
                )
            )
        ]
        if read_collection(path).name == "newsgroups20":
            accuracies += _accuracies(path, order, runs)
    results = run_all(run_pool, tasks, order)
    tables = {name: [row for part in results for row in part[name]] for name in results[0]}
    tables["summary"] = summarise(tables["cells"], tables["defaults"])
    tables["accuracies"] = accuracies
    figures = {
        "yardsticks": ratio_figure(tables["summary"]),
        "tuning": tuning_figure(tables["tuning"]),
    }
    if accuracies:
        figures["accuracies"] = accuracy_figure(accuracies)
    return Outcome(
        name="stratified",
        tables=tables,
        figures=figures,
        sentences=_sentences(tables),
        settings={"runs": runs, "seed": order.seed, "sizes": list(SIZES), "strata": list(STRATA)},
    )


def _accuracies(path: Path, order: Order, runs: int) -> list[dict[str, Any]]:
    """Three accuracies of the same learner, as in the paper's last figure."""
    rows = []
    for name, part in ACCURACIES.items():
        pool = news_pool(path, order.seed, part, f"newsgroups20 halves, {name} of the training")
        rng = rng_of(order.seed, "accuracies", name)
        task = StratifiedTask(path=path, number=0, label=name, runs=runs, seed=order.seed)
        about = {"training": name, "accuracy": pool.accuracy}
        for labels in LEARNING:
            scored = score(_default_samples(task, pool, labels, rng), rng)
            both = {"true_vr": scored.true_vr, "paper_vr": scored.paper_vr}
            rows.append({**about, "way": "mixc by mass", "labels": labels, **both})
        for row in last_figure(pool, runs=runs, rng=rng):
            both = {"true_vr": row["true_vr"], "paper_vr": row["paper_vr"]}
            rows.append({**about, "way": PAPERS_WAY, "labels": row["labels"], **both})
    return rows


def summarise(cells: list[dict[str, Any]], defaults: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Geometric means over pools (and stratifiers and K): both yardsticks, per way and size."""
    rows = []
    groups: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    for cell in cells:
        way = cell["allocation"] + (
            "" if cell["guard"] or not cell["allocation"].startswith("optimal") else ", as printed"
        )
        groups.setdefault((cell["where"], way, cell["labels"]), []).append(cell)
    for row in defaults:
        groups.setdefault((row["where"], "mixc by mass", row["labels"]), []).append(row)
    for (where, way, labels), members in sorted(groups.items()):
        rows.append(
            {
                "where": where,
                "way": way,
                "labels": labels,
                "cells": len(members),
                "true_vr": _geometric([cell["true_vr"] for cell in members]),
                "worst": max(cell["true_vr"] for cell in members),
                "paper_vr": _geometric([max(cell["paper_vr"], 1e-3) for cell in members]),
                "saves_65_percent": sum(cell["true_vr"] <= 0.35 for cell in members) / len(members),
                "seems_to_save_65_percent": sum(cell["paper_vr"] <= 0.35 for cell in members)
                / len(members),
                "worst_bias": max(abs(cell["bias"]) for cell in members),
            }
        )
    return rows


def _geometric(values: list[float]) -> float:
    return math.exp(float(np.mean(np.log(values))))


def _sentences(tables: dict[str, list[dict[str, Any]]]) -> tuple[str, ...]:
    said = [
        f"{row['where']}, {row['way']}, {row['labels']} labels: true VR {row['true_vr']:.2f} (worst "
        f"{row['worst']:.2f}), as the paper measures {row['paper_vr']:.2f}"
        for row in tables["summary"]
        if row["labels"] in (200, 800)
    ]
    for method in ("korn-graubard", "wilson"):
        members = [row for row in tables["coverage"] if row["method"] == method]
        least = min(members, key=lambda row: row["covers"])
        over = max(row["over_claims"] for row in members)
        said.append(
            f"{method}: covers at least {least['covers']:.3f} ({least['pool']}, {least['labels']} "
            f"labels), over-claims at most {over:.3f}"
        )
    return tuple(said)
