"""The experiment `estimate-errors`: how far estimates of F1, precision and recall are from the truth.

Both allocations of `estimate`, and four rivals, estimate the same metric of the same pool again and
again. Where a rival may be ahead the cell is measured again with new and more samples; where it then
is, by two standard errors, the row says why. Made pools without `--data`; of a collection the topics of
the race, and topics that no setting of ours was ever chosen on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from assaymark.claims.claim import Claim
from assaymark.estimation.stats.guaranteed_interval import guarantee, margin_unit
from assaymark.estimation.stats.rank_strata import fixed_chances
from assaymark.lab.corpora import Collection, read_collection
from assaymark.lab.experiments.certify_race.bars import geometric
from assaymark.lab.experiments.certify_race.experiment import race_topics, real_world
from assaymark.lab.experiments.estimate_errors.causes import CLEAR, Measured, measured, note, over
from assaymark.lab.experiments.estimate_errors.estimators import (
    OWN,
    RIVALS,
    Question,
    fixed_draws,
    renewed_draws,
)
from assaymark.lab.experiments.guarantee.experiment import SKETCHES
from assaymark.lab.outcome import Outcome
from assaymark.lab.tasks import Order, Task, TaskResult, rng_of, run_all, worked_on
from assaymark.lab.worlds import Sketch, World, cut_world, make_world

RUNS, AGAIN = 500, 6  # samples of a cell, and how many times as many where a rival may be ahead
METRICS, SIZES = ("f1", "precision", "recall"), (200, 800)
# Topics that no choice of ours was made on; those of the race had a part in some.
FRESH = {
    "arxiv_cs": ("cs.CR", "cs.DB", "cs.HC", "cs.LO"),
    "goemotions": ("joy", "curiosity", "sadness"),
    "newsgroups20": ("rec.autos", "comp.graphics"),
    "reuters21578": ("grain", "ship", "money-fx"),
}
MADE = {
    **SKETCHES,
    "buried misses": Sketch(items=20_000, prevalence=0.05, f1=0.7, trap="buried misses"),
    "under-confident": Sketch(items=20_000, prevalence=0.05, f1=0.7, calibration="under-confident"),
    "prevalence 0.002": Sketch(items=40_000, prevalence=0.002, f1=0.7),
    "tiny strata": Sketch(items=400, prevalence=0.1, f1=0.7),
}
DRAWS = {"fixed": fixed_draws, "renewed": renewed_draws}


@dataclass(frozen=True, kw_only=True)
class ErrorTask(Task):
    """The errors of every way on one world, metric and number of labels."""

    shown = "{0.topic}, errors of {0.metric} at {0.labels:,} labels"

    topic: str
    metric: str
    labels: int
    runs: int
    seed: int
    path: Path | None = None
    where: str = "made"
    heat: str = "errors"

    @property
    def world(self) -> World:
        """The pool with its classifier; a made one has the name of its sketch."""
        if self.path is not None:
            return real_world(self.path, self.topic, self.seed)
        one = make_world(MADE[self.topic], rng_of(self.seed, "cover", self.topic))
        return replace(one, name=self.topic)

    def rng(self, *names: str) -> np.random.Generator:
        """A generator of its own for everything that is done with the cell."""
        return rng_of(self.seed, self.heat, self.topic, self.name, *names)


def run_errors(task: ErrorTask) -> TaskResult:
    """One cell; nothing where all its items would be read. Measured again where a rival may be ahead."""
    world = task.world
    items = int(world.predicted.sum()) if task.metric == "precision" else world.items
    if task.labels >= items:
        return {}
    row = errors_of(world, task)
    if all(row[f"{own} over best rival"] + CLEAR * row[f"se of {own}"] < 1 for own in DRAWS):
        return row
    return errors_of(world, replace(task, runs=AGAIN * task.runs, heat="errors again"))


def errors_of(world: World, task: ErrorTask) -> dict[str, Any]:
    """Root mean squared error of every way; of ours bias, lead, guaranteed width, and why if behind."""
    ask = Question(world=world, metric=task.metric, labels=task.labels, runs=task.runs)
    truth = world.value(task.metric)
    found = {
        name: measured(way(ask, task.rng(name.removesuffix(", means"))), truth)
        for name, way in (OWN | RIVALS).items()
    }
    best = min(RIVALS, key=lambda name: found[name].error)
    row = {
        "world": world.name,
        "where": task.where,
        "metric": task.metric,
        "labels": task.labels,
        "runs": task.runs,
        **{name: one.error for name, one in found.items()},
        "best rival": best,
    }
    for own in DRAWS:
        row |= _beside(own, best, ask, task, found)
    return row


def _beside(
    way: str, best: str, ask: Question, task: ErrorTask, errors: Mapping[str, Measured]
) -> dict[str, Any]:
    """One of our allocations beside the best rival of the cell."""
    mine, rival = errors[way], errors[best]
    ratio, se = over(mine, rival)
    behind = ratio > 1 + CLEAR * se
    return {
        f"{way} over best rival": ratio,
        f"se of {way}": se,
        f"bias of {way}": mine.bias,
        f"guaranteed width of {way}": guaranteed_width(ask, way, task.rng("width", way)),
        f"why not {way}": ""
        if not behind
        else note(
            ask, mine, rival, name=best, renew=way == "renewed", rng=partial(task.rng, "why", way)
        ),
    }


def guaranteed_width(ask: Question, way: str, rng: np.random.Generator) -> float:
    """How wide the interval is that one of our samples guarantees; 1 if it says nothing.

    Rivals' intervals hold for many labels and one look; this one for any number and every look.
    """
    cut = cut_world(ask.world, Claim(metric=ask.metric, side="lower", target=0.5))
    unit = margin_unit(
        ask.metric,
        cut.strata,
        fixed_chances(ask.metric, cut.strata),
        labels=ask.labels,
        confidence=0.95,
    )
    draws = DRAWS[way](ask.metric, cut, ask.labels, rng)
    proved = guarantee(ask.metric, cut.strata, draws, unit=unit)
    return 1.0 if proved.low is None or proved.high is None else proved.high - proved.low


def estimate_errors(order: Order) -> Outcome:
    """Every cell of the collections given; of made pools without any."""
    runs = order.runs or RUNS
    places: Mapping[tuple[Path | None, str], Sequence[str]] = (
        {key: names for path in order.data for key, names in _topics(path, order).items()}
        if order.data
        else {(None, "made"): tuple(MADE)}
    )
    tasks = [
        ErrorTask(
            path=path, where=where, topic=topic, metric=metric, labels=labels, runs=runs,
            seed=order.seed,
        )
        for (path, where), names in places.items()
        for topic in names
        for metric in METRICS
        for labels in SIZES
    ]  # fmt: skip
    rows = [row for row in run_all(run_errors, tasks, order) if row]
    summary = summarise(rows)
    return Outcome(
        name="estimate-errors",
        tables={"errors": rows, "summary": summary},
        sentences=tuple(map(_sentence, summary)),
        settings={"runs": runs, "seed": order.seed, "labels": list(SIZES)},
    )


def _topics(path: Path, order: Order) -> dict[tuple[Path | None, str], Sequence[str]]:
    order.progress(f"reading {path.name}", None)
    pools = pools_of(read_collection(path))
    worked_on(path, [name for names in pools.values() for name in names], needs="topics or scores")
    return {(path, where): names for where, names in pools.items()}


def pools_of(collection: Collection) -> dict[str, tuple[str, ...]]:
    """The topics of the race in a collection, and those that chose nothing."""
    race = race_topics(collection)
    return {"race": race, "fresh": FRESH.get(collection.name, ())}


def summarise(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Per kind of pool, metric and size: how both allocations stand beside the best rival."""
    keys = dict.fromkeys((row["where"], row["metric"], row["labels"]) for row in rows)
    return [
        {"where": key[0], "metric": key[1], "labels": key[2], "pools": len(mine)}
        | {name: value for own in DRAWS for name, value in _standing(own, mine).items()}
        for key in keys
        for mine in [[r for r in rows if (r["where"], r["metric"], r["labels"]) == key]]
    ]


def _standing(way: str, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    ratios = [row[f"{way} over best rival"] for row in rows]
    return {
        f"{way} over best rival": geometric(ratios),
        f"{way}, worst": max(ratios),
        f"{way} best in": sum(ratio <= 1 for ratio in ratios),
        f"{way} clearly behind": sum(bool(row[f"why not {way}"]) for row in rows),
        f"guaranteed width of {way}": float(
            np.mean([row[f"guaranteed width of {way}"] for row in rows])
        ),
    }


def _sentence(row: dict[str, Any]) -> str:
    said = [
        f"{name} {row[f'{own} over best rival']:.2f} of the best rival's (worst {row[f'{own}, worst']:.2f}), "
        f"best in {row[f'{own} best in']}, clearly behind in {row[f'{own} clearly behind']}"
        for own, name in (("fixed", "fixed chances"), ("renewed", "renewed ones"))
    ]
    return (
        f"{row['where']}, {row['metric']} at {row['labels']} labels, {row['pools']} pools: error with "
        f"{'; '.join(said)}"
    )
