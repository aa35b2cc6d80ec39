"""The experiment `certify-race`: how many labels each way to certify the same claim needs.

Every entrant certifies "F1 is at least its true value minus a margin" at 95 % confidence, again and
again, in pools whose labels are all known. Beside them stands ln(1/α)/V*, the least that any test
on the same strata can need on average.
"""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from assaymark.lab.corpora import (
    Collection,
    load_corpus,
    read_collection,
    trained_world,
    vendor_worlds,
)
from assaymark.lab.experiments.certify_race.entrants import ENTRANTS, Course
from assaymark.lab.experiments.certify_race.figure import race_figure
from assaymark.lab.outcome import Outcome
from assaymark.lab.tasks import Found, Order, rng_of, run_all, worked_on
from assaymark.lab.worlds import Sketch, World, claim_below, make_world

RUNS = 20
MARGINS = (0.02, 0.05, 0.10)
REAL_MARGINS = (0.01, 0.02, 0.05, 0.10)
HIGH = 0.93
WORST, AGAIN = 3, 5  # so many claims are run again, with so many times the runs
LEAST_TARGET = 0.05
SKETCHES = tuple(
    Sketch(prevalence=prevalence, quality=quality)
    for prevalence in (0.01, 0.05, 0.2)
    for quality in (0.0, 1.5, 3.0)
)
ODD = tuple(
    Sketch(prevalence=0.05, quality=1.5, **odd)
    for odd in (
        {"scored": False},
        {"ties": True},
        {"calibration": "over-confident"},
        {"calibration": "ranks only"},
        {"trap": "hidden misses"},
        {"trap": "upside down"},
    )
)
# Topics from rare to frequent; other collections take part with their vendor's scores.
TOPICS = {
    "arxiv_cs": ("cs.OS", "cs.MS", "cs.AR", "cs.MM", "eess.IV", "cs.GT", "cs.SY", "cs.NI"),
    "reuters21578": ("coffee", "interest", "crude", "acq"),
    "newsgroups20": ("talk.religion.misc", "sci.space"),
}
THRESHOLDS = (0.5, 0.8)


@dataclass(frozen=True, kw_only=True)
class RaceTask:
    """One claim: a sketched world, or a topic of a collection (with a threshold: vendor scores)."""

    sketch: Sketch | None = None
    path: Path | None = None
    topic: str = ""
    margin: float
    runs: int
    seed: int
    entrants: tuple[str, ...] = tuple(ENTRANTS)

    @property
    def name(self) -> str:
        """What to show while it runs."""
        return f"{self.sketch.name if self.sketch else self.topic}, margin {self.margin:g}"

    @property
    def heat(self) -> str:
        """Names the random numbers: a second heat must not repeat the runs of the first."""
        return "lap" if self.entrants == tuple(ENTRANTS) else "lap again"

    def world(self) -> World:
        """The pool with its classifier; the same for every margin."""
        if self.sketch is not None:
            return make_world(self.sketch, rng_of(self.seed, "race world", self.sketch.name))
        if self.path is None:
            raise AssertionError("a task has a sketch or a path")
        collection = read_collection(self.path)
        if collection.scores is not None:
            worlds = vendor_worlds(collection, THRESHOLDS)
            return next(world for world in worlds if world.name == self.topic)
        corpus = load_corpus(self.path, self.seed)
        return trained_world(corpus, self.topic, rng_of(self.seed, "race", self.topic))


@dataclass(frozen=True, kw_only=True)
class Lap:
    """What one entrant used for one claim. `predicted` is the plan's mean if it expects the truth."""

    world: str
    where: str
    prevalence: float
    f1: float
    margin: float
    entrant: str
    runs: int
    mean: float
    median: float
    high: float
    pass_rate: float
    predicted: float | None
    ideal: float | None
    of_fixed: float
    of_anytime: float


def run_race(task: RaceTask) -> Found:
    """Every entrant on one claim; nothing where the margin leaves no claim to make."""
    world = task.world()
    if world.value() - task.margin < LEAST_TARGET:
        return {"laps": []}
    course = Course(world=world, claim=claim_below(world, task.margin))
    laps, ideal = [], course.ideal
    results = {
        name: ENTRANTS[name](
            course, task.runs, rng_of(task.seed, task.heat, world.name, task.name, name)
        )
        for name in task.entrants
    }
    means = {name: float(np.mean(labels.used)) for name, labels in results.items()}
    for name, labels in results.items():
        lap = Lap(
            world=world.name,
            where="synthetic" if task.sketch else "real",
            prevalence=world.prevalence,
            f1=world.value(),
            margin=task.margin,
            entrant=name,
            runs=task.runs,
            mean=means[name],
            median=float(np.median(labels.used)),
            high=float(np.quantile(labels.used, HIGH)),
            pass_rate=labels.passed / task.runs,
            predicted=labels.predicted,
            ideal=ideal,
            of_fixed=means[name] / means["fixed"],
            of_anytime=means[name] / means["anytime"],
        )
        laps.append(asdict(lap))
    return {"laps": laps}


def certify_race(order: Order) -> Outcome:
    """Race on synthetic worlds and on every collection given."""
    runs = order.runs or RUNS
    tasks = [
        RaceTask(sketch=sketch, margin=margin, runs=runs, seed=order.seed)
        for sketch in SKETCHES
        for margin in MARGINS
    ]
    tasks += [RaceTask(sketch=odd, margin=0.05, runs=runs, seed=order.seed) for odd in ODD]
    for path in order.data:
        order.progress(f"reading {path.name}", None)
        tasks += [
            RaceTask(path=path, topic=topic, margin=margin, runs=runs, seed=order.seed)
            for topic in worked_on(
                path, race_topics(read_collection(path)), needs="topics or scores to claim about"
            )
            for margin in REAL_MARGINS
        ]
    parts = [[Lap(**lap) for lap in found["laps"]] for found in run_all(run_race, tasks, order)]
    laps = [lap for part in parts for lap in part]
    again = run_all(run_race, _worst(tasks, parts), order)
    worst = [Lap(**lap) for found in again for lap in found["laps"] if lap["entrant"] == "weighted"]
    summary = [row for where in ("synthetic", "real") for row in summarise(laps, where)]
    return Outcome(
        name="certify-race",
        tables={
            "summary": summary,
            "laps": [asdict(lap) for lap in laps],
            "worst": [asdict(lap) for lap in worst],
        },
        figures={"labels": race_figure(laps)},
        sentences=_sentences(summary, worst),
        settings={"runs": runs, "seed": order.seed, "confidence": 0.95, "margins": list(MARGINS)},
    )


def race_topics(collection: Collection) -> tuple[str, ...]:
    """What to race on in a collection: named topics, or its vendor's scores at each threshold."""
    if collection.scores is not None:
        return tuple(world.name for world in vendor_worlds(collection, THRESHOLDS))
    return TOPICS[collection.name]


def summarise(laps: Iterable[Lap], where: str) -> list[dict[str, Any]]:
    """Per entrant and margin: geometric means over claims, and the worst claim."""
    mine = [lap for lap in laps if lap.where == where]
    rows = []
    for entrant in ENTRANTS:
        for margin in (*MARGINS, None):
            own = [lap for lap in mine if lap.entrant == entrant and margin in (lap.margin, None)]
            if own:
                rows.append(_summary_row(where, entrant, margin, own))
    return rows


def _summary_row(where: str, entrant: str, margin: float | None, own: list[Lap]) -> dict[str, Any]:
    ideal = [lap.mean / lap.ideal for lap in own if lap.ideal]
    planned = [lap.mean / lap.predicted for lap in own if lap.predicted]
    return {
        "where": where,
        "entrant": entrant,
        "margin": "all" if margin is None else margin,
        "claims": len(own),
        "of_fixed": _geometric([lap.of_fixed for lap in own]),
        "worst_of_fixed": max(lap.of_fixed for lap in own),
        "of_anytime": _geometric([lap.of_anytime for lap in own]),
        "worst_of_anytime": max(lap.of_anytime for lap in own),
        "of_ideal": _geometric(ideal) if ideal else None,
        "used_of_predicted": _geometric(planned) if planned else None,
        "pass_rate": float(np.mean([lap.pass_rate for lap in own])),
    }


def _geometric(values: list[float]) -> float:
    return math.exp(float(np.mean(np.log(values))))


def _worst(tasks: list[RaceTask], parts: list[list[Lap]]) -> list[RaceTask]:
    """The claims where score-guided looks worst against anytime, with new and more runs.

    The worst of many noisy ratios is bad luck for the most part; new runs tell how much.
    """
    ratio = {
        number: lap.of_anytime
        for number, part in enumerate(parts)
        for lap in part
        if lap.entrant == "weighted"
    }
    chosen = sorted(ratio, key=lambda number: -ratio[number])[:WORST]
    return [
        replace(
            tasks[number],
            runs=AGAIN * tasks[number].runs,
            entrants=("fixed", "anytime", "weighted"),
        )
        for number in chosen
    ]


def _sentences(summary: list[dict[str, Any]], worst: list[Lap]) -> tuple[str, ...]:
    said = [
        f"{row['where']}, {row['entrant']}: {row['of_fixed']:.2f} of the labels of the fixed test "
        f"(worst claim {row['worst_of_fixed']:.2f}), {row['claims']} claims"
        for row in summary
        if row["margin"] == "all"
    ]
    said += [
        f"score-guided where it looked worst, {lap.runs} new runs: {lap.of_anytime:.2f} times the "
        f"labels of anytime on simple draws ({lap.world}, margin {lap.margin:g}: {lap.mean:,.0f})"
        for lap in worst
    ]
    return tuple(said)
