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
from assaymark.lab.experiments.policies.growth import (
    MADE,
    GrowthTask,
    collection_at,
    grow,
    make_features,
    sights_of,
)
from assaymark.lab.experiments.policies.rules import JudgeTask, YardstickTask, judge, measure
from assaymark.lab.experiments.policies.tables import (
    Curve,
    Group,
    Row,
    Totals,
    optimism_rows,
    paper_rows,
    policy_rows,
    sampled_topic,
    saving_rows,
    topic_of,
    topic_rows,
    wait_rows,
)
from assaymark.lab.outcome import Outcome
from assaymark.lab.tasks import Found, Order, run_all

RUNS = 20
TOPICS = 20
LEAST_SHARE = 0.03
MOST, MOST_ACTIVE = 10_000, 5_000
TARGET = 0.9  # of the best true F1 of a topic's first random run, as in the paper
# How many of the runs are repeated with each sampling.
SAMPLINGS = {"random": 1.0, "uncertainty": 0.2, "relevance": 0.1}
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
        (task, found)
        for task, found in zip(tasks, grown, strict=True)
        if found["sights"] and topic_of(task) in targets
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
        (task, found, measured)
        for (task, found), measured in zip(usable, yard, strict=True)
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
        _part(order, 0.7, 1.0),
    )
    curves = [
        Curve(task=t, found=f, target=targets[topic_of(t)], yardstick=m, verdict=v)
        for (t, f, m), v in zip(kept, verdicts, strict=True)
    ]
    grown_of = Counter((task.path.stem, task.sampling) for task in tasks)
    return _told(curves, totals, grown_of, order, runs)


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
        for sampling, share in SAMPLINGS.items()
        for repeat in range(max(1, int(share * runs)))
        for topic in topics
    ]


def _targets(tasks: Sequence[GrowthTask], grown: Sequence[Found]) -> dict[tuple[str, str], float]:
    """The target of each topic: a share of the best true F1 of its first random run."""
    return {
        topic_of(task): round(TARGET * max(sight.f1 for sight in sights_of(found)), 4)
        for task, found in zip(tasks, grown, strict=True)
        if task.sampling == "random" and task.repeat == 0 and found["sights"]
    }


def _yardsticks(tasks: Sequence[GrowthTask], yard: Sequence[Found]) -> Totals:
    """The clairvoyant's mean total on each topic; only runs that reach the target have one."""
    parts: dict[tuple[str, str, str], list[float]] = {}
    for task, found in zip(tasks, yard, strict=True):
        if found["guided"] is not None:
            parts.setdefault(sampled_topic(task), []).append(found["guided"])
    return {key: float(np.mean(own)) for key, own in parts.items()}


def _told(
    curves: Sequence[Curve], totals: Totals, grown: Counter[Group], order: Order, runs: int
) -> Outcome:
    tables = {
        "policies": policy_rows(curves, totals),
        "paper": paper_rows(curves),
        "waits": wait_rows(curves, WAITS_FULL if order.full else WAITS),
        "optimism": optimism_rows(curves),
        "savings": saving_rows(curves, totals, grown),
        "topics": topic_rows(curves, totals),
        "one-run": _shown_run(curves),
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


def _shown_run(curves: Sequence[Curve]) -> list[Row]:
    """The looks of one run: of random training, with as many totals within the budget as possible."""
    random = [curve for curve in curves if curve.task.sampling == "random"]
    most = max(random, key=lambda c: sum(p["size"] is not None for p in c.verdict["paper"]))
    name = f"{most.collection}, {most.task.topic}"
    return [{"run": name, **point} for point in most.verdict["paper"]]


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
        said.append(f"{row['figure']}: {row['ours']}% here, {row['paper']}% in the paper.")
    return tuple(said)


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:.1f}%"
