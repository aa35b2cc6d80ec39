"""The experiment `sequential-bias`: what repeated testing does to bounds made for one test.

Source: Webber, Bagdouri, Lewis & Oard (2013), "Sequential testing in classifier evaluation yields
biased estimates of effectiveness", SIGIR. Three protocols: the test grows, the training grows, both
grow. For the first, bounds that survive repeated looks exist, and they are measured beside.
"""

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.special import betaincinv

from assaymark.lab.corpora import frequent_topics, load_corpus, trained_world
from assaymark.lab.experiments.sequential_bias.figures import figures_of
from assaymark.lab.experiments.sequential_bias.growing_sample import (
    CONFIDENCE,
    grow_test,
    guided_passes,
)
from assaymark.lab.experiments.sequential_bias.growing_training import TrainingTask, run_training
from assaymark.lab.outcome import Outcome
from assaymark.lab.tasks import Order, TaskResult, rng_of, run_all
from assaymark.lab.worlds import Sketch, World, make_world

RUNS = 200
LABELS = 4_000  # training and test together
LABELS_FULL, CURVES_FULL = 15_000, 20  # the paper's: 29 topics, 20 learning curves each, 580
TOPICS = 29
GUIDED = 10  # one score-guided run for this many others: it takes as many times longer
CURVES = 50  # one learning curve per topic for this many growing tests
LEVELS = (*(round(0.5 + 0.01 * i, 2) for i in range(50)), 0.9925, 0.995, 0.9975, 0.999, 0.9995)
SKETCHES = tuple(
    Sketch(prevalence=prevalence, f1=f1)
    for prevalence in (0.01, 0.03, 0.1, 0.3)
    for f1 in (0.5, 0.7, 0.9)
)
PROTOCOLS = ("test grows", "training grows", "both grow")
# false acceptance of the 95 % bound, of the point estimate, coverage, level that gives 95 %
PAPER = {
    "test grows": (0.3155, 1.0, 0.9568, 0.995),
    "training grows": (0.0813, 0.5358, 0.9526, 0.97),
    "both grow": (0.0940, 0.6838, 0.9539, 0.98),
}
BOUNDS = {
    "point": "point estimate",
    "beta": "beta posterior, 95 %",
    "exact": "exact binomial, 95 %",
    "anytime": "anytime (S)",
    "budget": "budget (B)",
    "weighted": "score-guided (W)",
}


@dataclass(frozen=True, kw_only=True)
class TestTask:
    """Growing tests of one classifier: of a sketched world, or of a topic of a collection."""

    sketch: Sketch | None = None
    path: Path | None = None
    topic: str = ""
    runs: int
    seed: int

    @property
    def name(self) -> str:
        """What to show while it runs."""
        return f"test grows, {self.sketch.name if self.sketch else self.topic}"

    def world(self) -> World:
        """The population with its classifier."""
        if self.sketch is not None:
            return make_world(self.sketch, rng_of(self.seed, "world", self.name))
        if self.path is None:
            raise AssertionError("a task has a sketch or a path")
        corpus = load_corpus(self.path, self.seed)
        return trained_world(corpus, self.topic, rng_of(self.seed, "train", self.topic))


@dataclass(frozen=True, kw_only=True)
class Row:
    """How often one bound accepts falsely under one protocol, with a 95 % interval for that.

    `coverage_error` is the standard error of the coverage over runs, where training grows.
    """

    protocol: str
    where: str
    bound: str
    runs: int
    false_acceptance: float
    low: float
    high: float
    coverage: float | None = None
    coverage_error: float | None = None
    level_for_95: float | None = None
    paper_false_acceptance: float | None = None
    paper_coverage: float | None = None
    paper_level: float | None = None

    def __str__(self) -> str:
        return (
            f"{self.where}, {self.protocol}: {BOUNDS[self.bound]} accepts falsely in "
            f"{self.false_acceptance:.1%} of {self.runs:,} runs"
        )


def run_tests(task: TestTask) -> TaskResult:
    """Every bound on growing tests of one classifier."""
    world = task.world()
    shares = np.array(world.cells, dtype=np.float64) / world.items
    result = grow_test(shares, runs=task.runs, rng=rng_of(task.seed, "test", task.name))
    guided = guided_passes(
        world, runs=max(1, task.runs // GUIDED), rng=rng_of(task.seed, "guided", task.name)
    )
    return (
        result
        | {"guided_runs": guided["runs"], "weighted": guided["weighted"]}
        | {
            "world": world.name,
            "prevalence": world.prevalence,
            "cells": list(world.cells),
        }
    )


def sequential_bias(order: Order) -> Outcome:
    """Run the protocols: the first on synthetic worlds, all three on every collection given."""
    runs = order.runs or RUNS
    tests = [TestTask(sketch=sketch, runs=runs, seed=order.seed) for sketch in SKETCHES]
    share = 1.0 / (1 + len(order.data))
    results = run_all(run_tests, tests, order, most=share)
    rows, worlds = _test_rows(results, "synthetic worlds"), _world_rows(results)
    curves: dict[str, list[TaskResult]] = {}
    levels = {"synthetic worlds, test grows": _levels(results)}
    for path in order.data:
        name, part = _on_collection(path, order, runs)
        rows += _test_rows(part["test grows"], name)
        worlds += _world_rows(part["test grows"])
        levels[f"{name}, test grows"] = _levels(part["test grows"])
        for protocol in PROTOCOLS[1:]:
            rows += _training_rows(part[protocol], protocol, name)
            early = np.array([run["early_beta"] for run in part[protocol]])
            levels[f"{name}, {protocol}"] = (1 - early.mean(axis=0)).tolist()
            curves[protocol] = part[protocol]
    actual = [
        {"where": where, "nominal": nominal, "actual": actual}
        for where, values in levels.items()
        for nominal, actual in zip(LEVELS, values, strict=True)
    ]
    return Outcome(
        name="sequential-bias",
        tables={"bounds": [asdict(row) for row in rows], "worlds": worlds, "levels": actual},
        figures=figures_of(results[len(results) // 2], curves, actual, rows, seed=order.seed),
        sentences=tuple(str(row) for row in rows),
        settings={
            "runs": runs,
            "seed": order.seed,
            "training_labels": LABELS_FULL if order.full else LABELS,
        },
    )


def _on_collection(path: Path, order: Order, runs: int) -> tuple[str, dict[str, list[TaskResult]]]:
    order.progress(f"reading {path.name}", None)
    collection = load_corpus(path, order.seed).collection
    topics = frequent_topics(collection, count=TOPICS)
    tests = [TestTask(path=path, topic=t, runs=runs, seed=order.seed) for t in topics]
    part = {PROTOCOLS[0]: run_all(run_tests, tests, order)}
    repeats = CURVES_FULL if order.full else max(1, runs // CURVES)
    for protocol in PROTOCOLS[1:]:
        tasks = [
            TrainingTask(
                path=path,
                topic=topic,
                both=protocol == "both grow",
                labels=LABELS_FULL if order.full else LABELS,
                repeat=repeat,
                seed=order.seed,
                levels=LEVELS,
            )
            for repeat in range(repeats)
            for topic in topics
        ]
        part[protocol] = run_all(run_training, tasks, order)
    return collection.name, part


def _row(protocol: str, where: str, bound: str, wrong: int, runs: int, **more: float | None) -> Row:
    paper = PAPER[protocol]
    known = {"beta": (paper[0], paper[2], paper[3]), "point": (paper[1], None, None)}
    false, coverage, level = known.get(bound, (None, None, None))
    return Row(
        protocol=protocol,
        where=where,
        bound=bound,
        runs=runs,
        false_acceptance=wrong / runs,
        low=float(betaincinv(wrong, runs - wrong + 1, 0.025)) if wrong else 0.0,
        high=float(betaincinv(wrong + 1, runs - wrong, 0.975)) if wrong < runs else 1.0,
        paper_false_acceptance=false,
        paper_coverage=coverage,
        paper_level=level,
        **more,
    )


def _test_rows(results: list[TaskResult], where: str) -> list[Row]:
    protocol, tail = PROTOCOLS[0], 1 - CONFIDENCE
    runs, points = sum(f["runs"] for f in results), sum(f["points"] for f in results)
    rows = [_row(protocol, where, "point", sum(f["point"] for f in results), runs)]
    for bound in ("beta", "exact"):
        least = np.concatenate([f[f"least_{bound}"] for f in results])
        rows.append(
            _row(
                protocol,
                where,
                bound,
                int((least < tail).sum()),
                runs,
                coverage=sum(f[f"covered_{bound}"] for f in results) / points,
                # the tail that a twentieth of all runs undercut at some look
                level_for_95=1 - float(np.sort(least)[int(tail * runs)]),
            )
        )
    for bound in ("anytime", "budget"):
        rows.append(_row(protocol, where, bound, sum(f[bound] for f in results), runs))
    guided = sum(f["guided_runs"] for f in results)
    rows.append(_row(protocol, where, "weighted", sum(f["weighted"] for f in results), guided))
    return rows


def _training_rows(results: list[TaskResult], protocol: str, where: str) -> list[Row]:
    runs, points = len(results), sum(f["points"] for f in results)
    rows = [_row(protocol, where, "point", sum(f["point"] for f in results), runs)]
    for bound in ("beta", "exact"):
        early = np.array([f[f"early_{bound}"] for f in results])
        enough = np.flatnonzero(early.mean(axis=0) <= 1 - CONFIDENCE)
        rows.append(
            _row(
                protocol,
                where,
                bound,
                int(early[:, LEVELS.index(CONFIDENCE)].sum()),
                runs,
                coverage=sum(f[f"covered_{bound}"] for f in results) / points,
                coverage_error=_error(
                    [f[f"covered_{bound}"] / f["points"] for f in results if f["points"]]
                ),
                level_for_95=LEVELS[int(enough[0])] if enough.size else None,
            )
        )
    return rows


def _error(shares: list[float]) -> float | None:
    """The standard error of a mean over runs: the looks of one run share a test and are one reading."""
    return float(np.std(shares, ddof=1) / np.sqrt(len(shares))) if len(shares) > 1 else None


def _world_rows(results: list[TaskResult]) -> list[TaskResult]:
    return [
        {
            "world": f["world"],
            "prevalence": f["prevalence"],
            "f1": f["truth"],
            "runs": f["runs"],
            "point": f["point"] / f["runs"],
            "beta": float((np.array(f["least_beta"]) < 1 - CONFIDENCE).mean()),
            "beta_at_99.5": float((np.array(f["least_beta"]) < 0.005).mean()),
            "exact": float((np.array(f["least_exact"]) <= 1 - CONFIDENCE).mean()),
            "anytime": f["anytime"] / f["runs"],
            "budget": f["budget"] / f["runs"],
            "weighted": f["weighted"] / f["guided_runs"],
        }
        for f in results
    ]


def _levels(results: list[TaskResult]) -> list[float]:
    least = np.concatenate([f["least_beta"] for f in results])
    return [float((least >= 1 - level).mean()) for level in LEVELS]
