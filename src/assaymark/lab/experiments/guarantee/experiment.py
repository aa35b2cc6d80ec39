"""How often the guaranteed figures of an estimate err, at every look, and what reading ones cover.

A guaranteed figure errs when a bettor at the true value becomes rich. So each run draws once, bets
on both sides of the truth with the product's own code, and notes when either got rich first: that
is the error at every look at once, and no grid can hide it. The same labels say whether the interval
for reading covers the truth at each size.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy.special import bdtrc, ndtri

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.estimation.stats.confidence_axis import Floats, Ints
from assaymark.estimation.stats.guaranteed_interval import interval_recipe, margin_unit
from assaymark.estimation.stats.rank_strata import fixed_chances
from assaymark.estimation.stats.reading_intervals import StrataCounts, profile_cost
from assaymark.estimation.stats.stratifiers import stratify
from assaymark.lab.corpora import read_collection, vendor_worlds
from assaymark.lab.experiments.stratified.pools import of_world
from assaymark.lab.outcome import Outcome
from assaymark.lab.tasks import Order, Task, TaskResult, rng_of, run_all, worked_on
from assaymark.lab.weighted_runs import take
from assaymark.lab.worlds import Cut, Sketch, World, cut_world, make_world
from assaymark.stats.score_guided.supermartingale import Stratum, tests_at, walk, weighted_test
from assaymark.stats.score_guided.wealth import draw_strata

RUNS = 40
SIZES = (50, 100, 200, 400, 800)
NEVER = 10**9
PLANNED = 400  # the plan that fixes the bets; the draws go on beyond it, as batches may
CONFIDENCE = 0.95
METRICS = ("f1", "recall", "precision", "accuracy")
SIDES: tuple[Literal["lower"], Literal["upper"]] = ("lower", "upper")
MIXC_STRATA = 40
VENDOR = ("offensive at 0.5", "offensive at 0.8", "hate at 0.8")
SKETCHES = {
    "honest": Sketch(items=20_000, prevalence=0.05, f1=0.7),
    "rare": Sketch(items=40_000, prevalence=0.01, f1=0.6),
    "over-confident": Sketch(items=20_000, prevalence=0.05, f1=0.7, calibration="over-confident"),
    "ranks only": Sketch(items=20_000, prevalence=0.05, f1=0.7, calibration="ranks only"),
    "upside down": Sketch(items=20_000, prevalence=0.1, f1=0.7, trap="upside down"),
    "hidden misses": Sketch(items=20_000, prevalence=0.05, f1=0.7, trap="hidden misses"),
    "ties": Sketch(items=20_000, prevalence=0.1, f1=0.8, ties=True),
    "scores say nothing": Sketch(items=20_000, prevalence=0.1, f1=0.7, quality=0.0),
    "nearly perfect": Sketch(items=20_000, prevalence=0.05, f1=0.97),
    "small pool": Sketch(items=1_000, prevalence=0.2, f1=0.8),
}


@dataclass(frozen=True, kw_only=True)
class CoverTask(Task):
    """One world and one metric; the world is made, or one of a collection."""

    shown = "{0.world}, {0.metric}"

    world: str
    metric: str
    runs: int
    seed: int
    path: Path | None = None

    def make(self) -> World:
        """The world of this task."""
        if self.path is None:
            return make_world(SKETCHES[self.world], rng_of(self.seed, "cover", self.world))
        worlds = vendor_worlds(read_collection(self.path), (0.5, 0.8))
        return next(world for world in worlds if world.name == self.world)


@dataclass(frozen=True, kw_only=True, eq=False)
class Sampled:
    """A world in the strata of an estimate, with the chances of its draws."""

    cut: Cut
    chances: Floats


def sampled(world: World, name: str) -> Sampled:
    """The strata and chances that an estimate of this metric would be planned with."""
    if name != "accuracy":
        parts = cut_world(world, Claim(metric=name, side="lower", target=0.5))
        return Sampled(cut=parts, chances=fixed_chances(name, parts.strata))
    binned = of_world(world, real=False).binned()
    stratification = stratify(binned.axis, "mixc", min(MIXC_STRATA, len(binned.axis.z)))
    stratum_of = stratification.bins[binned.bins]
    strata, labels = [], []
    for k, doubt in enumerate(stratification.doubt.tolist()):
        side = bool(world.predicted[stratum_of == k][0])
        strata.append(
            Stratum(
                predicted=side,
                size=int((stratum_of == k).sum()),
                mean_score=1 - doubt if side else doubt,
            )
        )
        labels.append(world.labels[stratum_of == k].astype(np.int8))
    return Sampled(
        cut=Cut(strata=tuple(strata), labels=tuple(labels)), chances=stratification.shares
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Race:
    """Of every run: when either bettor at the truth first passed α and α/2, and the labels."""

    first: Ints  # runs x sides x levels
    labelled: Ints  # runs x sizes x strata
    positives: Ints


def race(
    world: World, name: str, *, runs: int, most: int, rng: np.random.Generator, bet: bool = True
) -> Race:
    """Draw and bet at the truth, this many times; without `bet` only draw, which is much faster."""
    design, truth = sampled(world, name), world.value(name)
    strata, chances = design.cut.strata, design.chances
    unit = margin_unit(name, strata, chances, labels=PLANNED, confidence=CONFIDENCE)
    tests = [
        weighted_test(
            Claim(metric=name, side=side, target=0.5), strata, recipe=interval_recipe(unit)
        )
        for side in SIDES
    ]
    rows = tests_at(tests[0], [truth]).joined(tests_at(tests[1], [truth]))
    levels = np.log([1 / (1 - CONFIDENCE), 2 / (1 - CONFIDENCE)])
    draws = min(most, int(tests[0].sizes.sum()))
    sizes = [min(size, draws) for size in SIZES if size <= most]
    first = np.full((runs, 2, 2), NEVER)
    labelled = np.zeros((runs, len(sizes), len(strata)), dtype=np.int64)
    positives = np.zeros_like(labelled)
    stored = np.tile(chances, (draws, 1))
    for run in range(runs):
        drawn = draw_strata(chances, tests[0].sizes, rng.random(draws))
        queues = [rng.permutation(part.astype(np.int64)) for part in design.cut.labels]
        labels = take(queues, np.zeros(len(queues), dtype=np.int64), drawn)
        if bet:
            log = walk(tests[0], rows).feed(drawn, labels, stored)
            rich = log[:, None, :] >= levels[:, None]
            first[run] = np.where(rich.any(axis=2), rich.argmax(axis=2) + 1, NEVER)
        for place, size in enumerate(sizes):
            labelled[run, place] = np.bincount(drawn[:size], minlength=len(strata))
            positives[run, place] = np.bincount(
                drawn[:size], weights=labels[:size], minlength=len(strata)
            )
    return Race(first=first, labelled=labelled, positives=positives)


def reading_misses(world: World, name: str, cut: Cut, race: Race, place: int) -> dict[str, Any]:
    """How often the profile likelihood misses the truth at one size, below and above."""
    ratio, truth = metric(name), np.array([world.value(name)])
    cost = float(ndtri((1 + CONFIDENCE) / 2)) ** 2 / 2
    side = np.array([part.predicted for part in cut.strata])
    items = np.array([part.size for part in cut.strata], dtype=np.int64)
    too_high = too_low = undefined = 0
    for labelled, positives in zip(race.labelled[:, place], race.positives[:, place], strict=True):
        if name == "recall" and positives.sum() == 0:
            undefined += 1
            continue
        counts = StrataCounts(predicted=side, sizes=items, labelled=labelled, positives=positives)
        too_high += bool(profile_cost(ratio, counts, truth, lower=True)[0] > cost)
        too_low += bool(profile_cost(ratio, counts, truth, lower=False)[0] > cost)
    return {"reading_high": too_high, "reading_low": too_low, "undefined": undefined}


def run_cover(task: CoverTask) -> TaskResult:
    """One world and one metric: errors up to each size, both levels, both sides."""
    world = task.make()
    rng = rng_of(task.seed, "cover runs", task.world, task.metric)
    result = race(world, task.metric, runs=task.runs, most=SIZES[-1], rng=rng)
    cut = sampled(world, task.metric).cut
    rows = []
    for place, size in enumerate(SIZES):
        by = result.first <= size
        rows.append(
            {
                "world": task.world,
                "where": "made" if task.path is None else "real",
                "metric": task.metric,
                "value": world.value(task.metric),
                "labels": size,
                "runs": task.runs,
                "low_too_high": int(by[:, 0, 0].sum()),
                "high_too_low": int(by[:, 1, 0].sum()),
                "interval_misses": int(by[:, :, 1].any(axis=1).sum()),
                **reading_misses(world, task.metric, cut, result, place),
            }
        )
    return {"rows": rows}


def chance_of(errors: int, runs: int, *, level: float = 1 - CONFIDENCE) -> float:
    """The chance of this many errors or more if each run errs with exactly the promised chance.

    >>> round(chance_of(12, 120), 3)
    0.017
    """
    return 1.0 if errors == 0 else float(bdtrc(errors - 1, runs, level))


def tasks_of(order: Order) -> list[CoverTask]:
    """Every world, made or brought, and every metric."""
    runs = order.runs or RUNS
    places: list[tuple[str, Path | None]] = [(name, None) for name in SKETCHES]
    for path in order.data:
        collection = read_collection(path)
        known = {world.name for world in vendor_worlds(collection, (0.5, 0.8))}
        wanted = [f"{collection.name} {name}" for name in VENDOR]
        usable = [(name, path) for name in wanted if name in known]
        places += worked_on(path, usable, needs="scores of a vendor that it knows")
    return [
        CoverTask(world=world, metric=name, runs=runs, seed=order.seed, path=path)
        for world, path in places
        for name in METRICS
    ]


def guarantee_cover(order: Order) -> Outcome:
    """Run on made worlds, and on the worlds of every collection that brings scores."""
    results = run_all(run_cover, tasks_of(order), order)
    cells = [row for part in results for row in part["rows"]]
    totals = summarise(cells)
    return Outcome(
        name="guarantee",
        tables={"cells": cells, "totals": totals},
        sentences=_sentences(cells, totals),
        settings={"runs": order.runs or RUNS, "seed": order.seed, "sizes": list(SIZES)},
    )


def summarise(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All cells of a size together, with the cell that errs most."""
    rows = []
    for size in SIZES:
        members = [cell for cell in cells if cell["labels"] == size]
        runs = sum(cell["runs"] for cell in members)
        row: dict[str, Any] = {"labels": size, "runs": runs}
        for name in ("low_too_high", "high_too_low", "interval_misses"):
            worst = max(members, key=lambda cell: cell[name] / cell["runs"])
            errors = sum(cell[name] for cell in members)
            row[name] = errors / runs
            row[f"{name}_worst"] = worst[name] / worst["runs"]
            row[f"{name}_chance"] = chance_of(errors, runs)
        defined = [cell for cell in members if cell["runs"] > cell["undefined"]]
        cover = [_covers(cell) for cell in defined]
        row["reading_covers"] = float(np.mean(cover))
        row["reading_worst"] = min(cover)
        row["reading_over_claims"] = max(
            cell["reading_high"] / (cell["runs"] - cell["undefined"]) for cell in defined
        )
        rows.append(row)
    return rows


def _covers(cell: dict[str, Any]) -> float:
    missed = int(cell["reading_high"]) + int(cell["reading_low"])
    return 1 - missed / (int(cell["runs"]) - int(cell["undefined"]))


def _sentences(cells: list[dict[str, Any]], totals: list[dict[str, Any]]) -> tuple[str, ...]:
    last = totals[-1]
    said = [
        f"{row['labels']} labels: guaranteed low too high in {row['low_too_high']:.2%} of "
        f"{row['runs']:,} runs (worst cell {row['low_too_high_worst']:.1%}), high too low in "
        f"{row['high_too_low']:.2%} (worst {row['high_too_low_worst']:.1%}), interval misses in "
        f"{row['interval_misses']:.2%}; profile likelihood covers {row['reading_covers']:.1%} "
        f"(worst {row['reading_worst']:.1%})"
        for row in totals
    ]
    beyond = [
        cell
        for cell in cells
        if cell["labels"] == last["labels"]
        and min(
            chance_of(cell[name], cell["runs"])
            for name in ("low_too_high", "high_too_low", "interval_misses")
        )
        < 0.01 / (3 * max(1, len(cells) // len(SIZES)))
    ]
    said.append(
        f"cells beyond 5 % at the 1 % level, all tests together: {len(beyond)}"
        + (
            f" ({', '.join(cell['world'] + ' ' + cell['metric'] for cell in beyond)})"
            if beyond
            else ""
        )
    )
    return tuple(said)
