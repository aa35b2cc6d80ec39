"""The experiment `policies`: when to stop training, and what training and certification cost together.

Classifiers grow on topics whose labels are all known. Every policy stops them somewhere and
certifies; beside them stand the paper's figures (Bagdouri and others 2013, RCV1, 580 runs) and a
clairvoyant. The population of every claim is the part of the collection that training never draws
from.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from assaymark.errors import InputError
from assaymark.lab.corpora import frequent_topics
from assaymark.lab.experiments.policies.figures import FIGURES
from assaymark.lab.experiments.policies.fixed_tests import PointsTask, points
from assaymark.lab.experiments.policies.growth import (
    MADE,
    GrowthTask,
    collection_at,
    grow,
    make_features,
    sights_of,
)
from assaymark.lab.experiments.policies.paper_tables import (
    ideal_rows,
    one_run,
    optimism_rows,
    paper_rows,
    shown_curve,
    stop_rows,
    wait_rows,
)
from assaymark.lab.experiments.policies.rules import JudgeTask, YardstickTask, judge, measure
from assaymark.lab.experiments.policies.tables import (
    Curve,
    Group,
    Row,
    Totals,
    policy_rows,
    sampled_topic,
    saving_rows,
    topic_of,
    topic_rows,
)
from assaymark.lab.outcome import Outcome
from assaymark.lab.tasks import Order, TaskResult, run_all

RUNS = 20
TOPICS = 20
LEAST_SHARE = 0.03
MOST, MOST_ACTIVE = 10_000, 5_000
TARGET = 0.9  # of the best true F1 of a topic's first random run, as in the paper
# How many of the runs are repeated with each sampling.
SAMPLINGS = {"random": 1.0, "uncertainty": 0.2, "relevance": 0.1}
AS_IN_THE_PAPER = {"random": 1.0}
WAY_TITLES = {
    "exact": "exact plan and test",
    "mended": "printed plan and test, corrected",
    "printed": "plan and test as printed",
}
WAITS = (0, 1, 2, 3, 5, 8, 12)
WAITS_FULL = (0, 5, 10, 25, 50, 100, 150, 200)


def policies(order: Order) -> Outcome:
    """Grow, measure, judge, tell."""
    if order.folder is not None:
        return _run(order, order.folder)
    with TemporaryDirectory() as folder:
        return _run(order, Path(folder))


def _run(order: Order, folder: Path) -> Outcome:
    runs = order.runs or RUNS
    tasks = [t for path in order.data or (MADE,) for t in _tasks(path, runs, order, folder)]
    grown = run_all(grow, tasks, _part(order, 0.0, 0.6))
    targets = _targets(tasks, grown)
    usable = [
        (task, growth)
        for task, growth in zip(tasks, grown, strict=True)
        if growth["sights"] and topic_of(task) in targets
    ]
    yard = run_all(
        measure,
        [YardstickTask(growth=t, target=targets[topic_of(t)], found=f) for t, f in usable],
        _part(order, 0.6, 0.7),
    )
    totals = _yardsticks([task for task, _ in usable], yard)
    if not totals:
        raise InputError(
            "No run of any topic reached its own target, so there is nothing to compare. Give "
            "collections with more items, or more --runs."
        )
    kept = [
        (task, growth, measured)
        for (task, growth), measured in zip(usable, yard, strict=True)
        if sampled_topic(task) in totals
    ]
    verdicts = run_all(
        judge,
        [
            JudgeTask(
                growth=t, target=targets[topic_of(t)], yardstick=totals[sampled_topic(t)], found=f
            )
            for t, f, _ in kept
        ],
        _part(order, 0.7, 0.9),
    )
    looks = run_all(
        points,
        [PointsTask(growth=t, target=targets[topic_of(t)], found=f) for t, f, _ in kept],
        _part(order, 0.9, 1.0),
    )
    curves = [
        Curve(task=t, found=f, target=targets[topic_of(t)], yardstick=m, verdict=v, points=p)
        for (t, f, m), v, p in zip(kept, verdicts, looks, strict=True)
    ]
    grown_of = Counter((task.path.stem, task.sampling) for task in tasks)
    return _outcome(curves, totals, grown_of, order, runs)


def _part(order: Order, start: float, stop: float) -> Order:
    def shown(message: str, share: float | None) -> None:
        order.progress(message, None if share is None else start + (stop - start) * share)

    return replace(order, progress=shown)


def _tasks(path: Path, runs: int, order: Order, folder: Path) -> list[GrowthTask]:
    order.progress(f"reading the texts of {path.stem}", None)
    features = folder / "features" / path.stem
    make_features(path, features, order.seed)
    topics = frequent_topics(collection_at(path, order.seed), count=TOPICS, least=LEAST_SHARE)
    return [
        GrowthTask(
            path=path,
            topic=topic,
            repeat=repeat,
            seed=order.seed,
            sampling=sampling,
            most=MOST if sampling == "random" else MOST_ACTIVE,
            every=order.full,
            features=features,
        )
        for sampling, share in (AS_IN_THE_PAPER if order.full else SAMPLINGS).items()
        for repeat in range(max(1, int(share * runs)))
        for topic in topics
    ]


def _targets(
    tasks: Sequence[GrowthTask], grown: Sequence[TaskResult]
) -> dict[tuple[str, str], float]:
    """The target of each topic: a share of the best true F1 of its first random run."""
    return {
        topic_of(task): round(TARGET * max(sight.f1 for sight in sights_of(growth)), 4)
        for task, growth in zip(tasks, grown, strict=True)
        if task.sampling == "random" and task.repeat == 0 and growth["sights"]
    }


def _yardsticks(tasks: Sequence[GrowthTask], yard: Sequence[TaskResult]) -> Totals:
    """The clairvoyant's mean total on each topic; only runs that reach the target have one."""
    parts: dict[tuple[str, str, str], list[float]] = {}
    for task, result in zip(tasks, yard, strict=True):
        if result["guided"] is not None:
            parts.setdefault(sampled_topic(task), []).append(result["guided"])
    return {key: float(np.mean(totals)) for key, totals in parts.items()}


def _outcome(
    curves: Sequence[Curve], totals: Totals, grown: Counter[Group], order: Order, runs: int
) -> Outcome:
    waits, shown = WAITS_FULL if order.full else WAITS, shown_curve(curves)
    tables = {
        "policies": policy_rows(curves, totals),
        "paper": paper_rows(curves),
        "waits": wait_rows(curves, waits),
        "optimism": optimism_rows(curves),
        "savings": saving_rows(curves, totals, grown),
        "topics": topic_rows(curves, totals),
        "one-run": one_run(shown),
        "stops": stop_rows(shown, waits),
        "ideal": ideal_rows(shown),
    }
    return Outcome(
        name="policies",
        tables=tables,
        sentences=_sentences(tables),
        figures={name: make(tables) for name, make in FIGURES.items()},
        settings={
            "runs": runs,
            "seed": order.seed,
            "looks": "every 20 labels" if order.full else "sizes growing by a tenth",
            "population": "the part of the collection that training never draws from",
            "data": [path.name for path in order.data] or ["made texts"],
        },
    )


def _sentences(tables: dict[str, list[Row]]) -> tuple[str, ...]:
    said = []
    for row in tables["policies"]:
        if row["budget"] == 2.0 and row["policy"] in ("split", "adaptive"):
            said.append(
                f"{row['collection']}, {row['sampling']} training, {row['policy']}: success "
                f"{_percent(row['success'])} at {row['total']} of the clairvoyant's total "
                f"(budget twice that total, {row['runs']} runs)."
            )
    for row in tables["paper"]:
        said.append(
            f"{row['collection']}, {WAY_TITLES[row['way']]}, {row['figure']}: {row['ours']}% here "
            f"({row['runs']} runs), {row['paper']}% in the paper."
        )
    return tuple(said)


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:.1f}%"
