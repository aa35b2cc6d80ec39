"""The experiment `certify-race`: how many labels each way to certify the same claim needs.

Every entrant certifies "F1 is at least its true value minus a margin" at 95 % confidence, again and
again, in pools whose labels are all known. Beside them stands ln(1/α)/V*, the least that any test
on the same strata can need on average. In real pools our own ways also certify precision and recall.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import product
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
from assaymark.lab.experiments.certify_race.bars import (
    WIDE,
    bar_sentence,
    forecast_table,
    geometric,
    race_bars,
)
from assaymark.lab.experiments.certify_race.entrants import ENTRANTS, Course
from assaymark.lab.experiments.certify_race.figure import race_figure
from assaymark.lab.experiments.certify_race.forecasts import FORECASTS, Promise
from assaymark.lab.outcome import Outcome
from assaymark.lab.tasks import Order, Task, TaskResult, rng_of, run_all, worked_on
from assaymark.lab.worlds import Sketch, World, claim_below, make_world

RUNS = 20
MARGINS = (0.02, 0.05, 0.10)
REAL_MARGINS = (0.01, 0.02, 0.05, 0.10)
REAL_METRICS = ("f1", "precision", "recall")
HIGH, NINETY = 0.93, 0.90
WORST, AGAIN = 5, 20  # how many claims are run again, and with how many times the runs
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
    "goemotions": ("gratitude", "anger", "admiration"),
    "spamassassin": ("spam",),
    "crisislex_t6": ("on-topic",),
}
THRESHOLDS = (0.5, 0.8)
ONE_BY_ONE, FEWER, FEWEST = ("weighted", "weighted, no scores"), 5, 2
OURS = ("fixed", "budget", "anytime", "weighted", "method 2", "method 2, ceiling")


@dataclass(frozen=True, kw_only=True)
class RaceTask:
    """One claim: a sketched world, or a topic of a collection (with a threshold: vendor scores)."""

    sketch: Sketch | None = None
    path: Path | None = None
    topic: str = ""
    metric: str = "f1"
    margin: float
    runs: int
    seed: int
    entrants: tuple[str, ...] = tuple(ENTRANTS)
    again: bool = False

    @property
    def name(self) -> str:
        """What to show while it runs."""
        metric = "" if self.metric == "f1" else f"{self.metric}, "
        return f"{self.sketch.name if self.sketch else self.topic}, {metric}margin {self.margin:g}"

    @property
    def heat(self) -> str:
        """Names the random numbers: a second heat must not repeat the runs of the first."""
        return "lap again" if self.again else "lap"

    def world(self) -> World:
        """The pool with its classifier; the same for every margin."""
        if self.sketch is not None:
            return make_world(self.sketch, rng_of(self.seed, "race world", self.sketch.name))
        if self.path is None:
            raise AssertionError("a task has a sketch or a path")
        return real_world(self.path, self.topic, self.seed)


@lru_cache(maxsize=8)
def real_world(path: Path, topic: str, seed: int) -> World:
    """The pool of a collection with a classifier of the topic, or with its vendor's scores."""
    collection = read_collection(path)
    if collection.scores is not None:
        worlds = vendor_worlds(collection, THRESHOLDS)
        return next(world for world in worlds if world.name == topic)
    return trained_world(load_corpus(path, seed), topic, rng_of(seed, "race", topic))


@dataclass(frozen=True, kw_only=True)
class Lap:
    """What one entrant used for one claim, and what its planner says who expects the truth.

    `predicted` is the plan's mean, `unlucky` what it calls enough in 93 % of cases, `chance` what it
    says of its chance to pass, `items` what it draws from.
    """

    world: str
    where: str
    collection: str
    prevalence: float
    f1: float
    metric: str
    margin: float
    entrant: str
    runs: int
    mean: float
    median: float
    ninety: float
    high: float
    pass_rate: float
    ideal: float | None
    of_fixed: float
    of_draws: float
    of_anytime: float
    used: tuple[int, ...]
    items: int
    predicted: float | None = None
    unlucky: float | None = None
    chance: float | None = None

    @property
    def within_unlucky(self) -> float | None:
        """The share of runs that needed no more than what the plan calls bad luck."""
        return None if self.unlucky is None else float(np.mean(np.array(self.used) <= self.unlucky))

    def row(self) -> dict[str, Any]:
        """The lap as a line of a table: how the runs spread is in its quantiles."""
        figures = asdict(self) | {"within_unlucky": self.within_unlucky}
        return {name: value for name, value in figures.items() if name != "used"}


def run_race(task: RaceTask) -> TaskResult:
    """Every entrant on one claim; nothing where the margin leaves no claim to make."""
    world = task.world()
    if world.value(task.metric) - task.margin < LEAST_TARGET:
        return {"laps": []}
    course = Course(world=world, claim=claim_below(world, task.margin, name=task.metric))
    laps, ideal = [], course.ideal
    results = {
        name: ENTRANTS[name](
            course, _runs(task, name), rng_of(task.seed, task.heat, world.name, task.name, name)
        )
        for name in task.entrants
    }
    means = {name: float(np.mean(labels.used)) for name, labels in results.items()}
    for name, labels in results.items():
        lap = Lap(
            world=world.name,
            where="synthetic" if task.sketch else "real",
            collection=task.path.stem if task.path else "",
            prevalence=world.prevalence,
            f1=world.value(),
            metric=task.metric,
            margin=task.margin,
            entrant=name,
            runs=len(labels.used),
            mean=means[name],
            median=float(np.median(labels.used)),
            ninety=float(np.quantile(labels.used, NINETY)),
            high=float(np.quantile(labels.used, HIGH)),
            pass_rate=labels.passed / len(labels.used),
            ideal=ideal,
            of_fixed=means[name] / means["fixed"],
            of_draws=means[name] / course.fixed_draws,
            of_anytime=means[name] / means["anytime"],
            used=labels.used,
            items=course.items,
        )
        laps.append(asdict(lap))
    return {"laps": laps}


@dataclass(frozen=True, kw_only=True)
class ForecastTask(Task):
    """What the planner of every entrant says about one claim."""

    shown = "{0.claim.name}, forecasts"

    claim: RaceTask


def run_forecasts(task: ForecastTask) -> TaskResult:
    """The forecast of every entrant that has a planner."""
    world, claim = task.claim.world(), task.claim
    if world.value(claim.metric) - claim.margin < LEAST_TARGET:
        return {}
    course = Course(world=world, claim=claim_below(world, claim.margin, name=claim.metric))
    return {name: asdict(FORECASTS[name](course)) for name in claim.entrants if name in FORECASTS}


def _with_forecasts(laps: list[Any], forecasts: list[TaskResult]) -> list[list[Lap]]:
    """The laps of every claim beside what was forecast for it."""
    none = asdict(Promise())
    return [
        [
            Lap(**lap | promises.get(lap["entrant"], none) | {"used": tuple(lap["used"])})
            for lap in own
        ]
        for own, promises in zip(laps, forecasts, strict=True)
    ]


def _runs(task: RaceTask, name: str) -> int:
    """How many runs: method 1, which is simulated one by one, gets fewer, at small margins fewest."""
    if name not in ONE_BY_ONE:
        return task.runs
    return max(min(task.runs, FEWER if task.margin >= WIDE[0] else FEWEST), task.runs // 4)


def certify_race(order: Order) -> Outcome:
    """Race on every collection given; without any, on synthetic worlds."""
    runs = order.runs or RUNS
    sketches = [(sketch, margin) for sketch in SKETCHES for margin in MARGINS]
    sketches += [(odd, 0.05) for odd in ODD]
    tasks = [
        RaceTask(sketch=sketch, margin=margin, runs=runs, seed=order.seed)
        for sketch, margin in (() if order.data else sketches)
    ]
    topics = {path: _topics(path, order) for path in order.data}
    tasks += [
        RaceTask(
            path=path,
            topic=topic,
            metric=metric,
            margin=margin,
            runs=runs,
            seed=order.seed,
            entrants=OURS,
        )
        for path, names in topics.items()
        for topic in names
        for metric in REAL_METRICS
        for margin in REAL_MARGINS
    ]
    parts = _with_forecasts(
        [result["laps"] for result in run_all(run_race, tasks, order)],
        run_all(run_forecasts, [ForecastTask(claim=task) for task in tasks], order),
    )
    laps = [lap for part in parts for lap in part]
    again = run_all(run_race, _worst(tasks, parts), order)
    worst = [
        Lap(**lap | {"used": tuple(lap["used"])})
        for result in again
        for lap in result["laps"]
        if lap["entrant"] == "method 2"
    ]
    summary = [row for where in ("synthetic", "real") for row in summarise(laps, where)]
    bars = race_bars(laps, worst)
    return Outcome(
        name="certify-race",
        tables={
            "summary": summary,
            "laps": [lap.row() for lap in laps],
            "worst": [lap.row() for lap in worst],
            "bars": bars,
            "forecasts": forecast_table(laps),
        },
        figures={"labels": race_figure([lap for lap in laps if lap.metric == "f1"])},
        sentences=(*_sentences(summary, worst), *map(bar_sentence, bars)),
        settings={"runs": runs, "seed": order.seed, "confidence": 0.95, "margins": list(MARGINS)},
    )


def _topics(path: Path, order: Order) -> Sequence[str]:
    order.progress(f"reading {path.name}", None)
    return worked_on(
        path, race_topics(read_collection(path)), needs="topics or scores to claim about"
    )


def race_topics(collection: Collection) -> tuple[str, ...]:
    """What to race on in a collection: named topics, or its vendor's scores at each threshold."""
    if collection.scores is not None:
        return tuple(world.name for world in vendor_worlds(collection, THRESHOLDS))
    return TOPICS.get(collection.name, ())


def summarise(laps: Iterable[Lap], where: str) -> list[dict[str, Any]]:
    """Per metric, entrant and margin: geometric means over claims, and the worst claim."""
    mine = [lap for lap in laps if lap.where == where]
    rows = []
    for metric, entrant, margin in product(REAL_METRICS, ENTRANTS, (*REAL_MARGINS, None)):
        members = [
            lap
            for lap in mine
            if (lap.metric, lap.entrant) == (metric, entrant) and margin in (lap.margin, None)
        ]
        if members:
            rows.append(
                {"where": where, "metric": metric, **_summary_row(entrant, margin, members)}
            )
    return rows


def _summary_row(entrant: str, margin: float | None, laps: list[Lap]) -> dict[str, Any]:
    ideal = [lap.mean / lap.ideal for lap in laps if lap.ideal]
    planned = [lap.mean / lap.predicted for lap in laps if lap.predicted]
    return {
        "entrant": entrant,
        "margin": "all" if margin is None else margin,
        "claims": len(laps),
        "of_fixed": geometric([lap.of_fixed for lap in laps]),
        "worst_of_fixed": max(lap.of_fixed for lap in laps),
        "of_anytime": geometric([lap.of_anytime for lap in laps]),
        "worst_of_anytime": max(lap.of_anytime for lap in laps),
        "of_ideal": geometric(ideal) if ideal else None,
        "used_of_predicted": geometric(planned) if planned else None,
        "pass_rate": float(np.mean([lap.pass_rate for lap in laps])),
    }


def _worst(tasks: list[RaceTask], parts: list[list[Lap]]) -> list[RaceTask]:
    """The claims where score-guided looks worst against anytime, with new and more runs.

    The worst of many noisy ratios is bad luck for the most part; new runs tell how much.
    """
    ratio = {
        number: lap.of_anytime
        for number, part in enumerate(parts)
        for lap in part
        if lap.entrant == "method 2"
    }
    chosen = sorted(ratio, key=lambda number: -ratio[number])[:WORST]
    return [
        replace(
            tasks[number],
            runs=AGAIN * tasks[number].runs,
            entrants=("fixed", "anytime", "method 2"),
            again=True,
        )
        for number in chosen
    ]


def _sentences(summary: list[dict[str, Any]], worst: list[Lap]) -> tuple[str, ...]:
    said = [
        f"{row['where']}, {row['metric']}, {row['entrant']}: {row['of_fixed']:.2f} of the labels of "
        f"the fixed test (worst claim {row['worst_of_fixed']:.2f}), {row['claims']} claims"
        for row in summary
        if row["margin"] == "all"
    ]
    said += [
        f"score-guided where it looked worst, {lap.runs} new runs: {lap.of_anytime:.2f} times the "
        f"labels of anytime on simple draws ({lap.world}, {lap.metric}, margin {lap.margin:g}: "
        f"{lap.mean:,.0f})"
        for lap in worst
    ]
    return tuple(said)
