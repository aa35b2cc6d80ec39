"""Pairs of classifiers with known truth: how often the intervals cover, and what the designs err."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from assaymark.errors import InputError
from assaymark.lab.tasks import Task, TaskResult, rng_of
from assaymark.pair_recall.overlap import CellSample
from assaymark.pair_recall.stats.allocation import allocate, cost
from assaymark.pair_recall.stats.capture_recapture import recall_from_pair
from assaymark.pair_recall.stats.outside_union import with_outside
from assaymark.pair_recall.stats.printed_equations import recall_by_independence

Counts = Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class PairWorld:
    """Positives and items of each cell, all known. Cells are named by who flags them."""

    positives: dict[str, int]
    items: dict[str, int]

    @property
    def recalls(self) -> tuple[float, float]:
        """The true recalls."""
        total, both = sum(self.positives.values()), self.positives["11"]
        return (both + self.positives["10"]) / total, (both + self.positives["01"]) / total

    @property
    def delta1(self) -> float:
        """The dependence among positives."""
        a, b = self.recalls
        return self.positives["11"] / sum(self.positives.values()) / (a * b)

    @property
    def delta2(self) -> float | None:
        """The dependence among negatives; None where a classifier has no false positive."""
        false = {name: self.items[name] - self.positives[name] for name in self.items}
        first, second = false["11"] + false["10"], false["11"] + false["01"]
        total = sum(false.values())
        return false["11"] * total / (first * second) if first and second else None

    @property
    def overlap(self) -> tuple[float, float]:
        """What independence makes of the recalls with every label known: recall times δ1."""
        both = self.positives["11"]
        return both / (both + self.positives["01"]), both / (both + self.positives["10"])

    def sample(self, labels: Counts, rng: np.random.Generator) -> dict[str, CellSample]:
        """This many labels of each cell, drawn without replacement."""
        return {
            name: CellSample(
                items=self.items[name],
                labels=m,
                positives=int(
                    rng.hypergeometric(
                        self.positives[name], self.items[name] - self.positives[name], m
                    )
                )
                if m
                else 0,
            )
            for name, m in labels.items()
        }


def sketched(
    *,
    recalls: tuple[float, float],
    delta: float,
    precisions: tuple[float, float, float] = (0.9, 0.6, 0.5),
    positives: int = 3000,
    items: int = 1_000_000,
) -> PairWorld:
    """A world with these recalls, this dependence, and these precisions of "11", "10" and "01"."""
    both = round(positives * delta * recalls[0] * recalls[1])
    singles = [round(positives * recall) - both for recall in recalls]
    counts = {"11": both, "10": singles[0], "01": singles[1], "00": positives - both - sum(singles)}
    if min(counts.values()) < 0:
        raise InputError(f"A dependence of {delta:g} is impossible with recalls {recalls}.")
    sizes = {
        name: max(1, round(counts[name] / p))
        for name, p in zip(("11", "10", "01"), precisions, strict=True)
    }
    return PairWorld(positives=counts, items=sizes | {"00": items - sum(sizes.values())})


@dataclass(frozen=True, kw_only=True)
class CoverageTask(Task):
    """Many samples from one sketched world."""

    shown = "δ1 {0.delta:g}, recalls {0.recalls}, {0.labels} labels"

    recalls: tuple[float, float]
    delta: float
    labels: int
    runs: int
    seed: int
    outside: int = 2000


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """How often each interval held the truth. `plain` asks the sampling interval for the recall."""

    recall: float
    delta: float
    labels: int
    runs: int
    interval: float
    plain: float
    band: float
    combined: float
    band_width: float
    combined_width: float


def run_coverage(task: CoverageTask) -> TaskResult:
    """Coverage of the sampling interval for δ1·r1, and of band and combination for r1."""
    world = sketched(recalls=task.recalls, delta=task.delta)
    rng = rng_of(task.seed, "coverage", task.name)
    labels = allocate(
        {n: CellSample(items=world.items[n]) for n in ("11", "10", "01")}, task.labels
    )
    labels = labels | {"00": task.outside}
    target, truth = world.overlap[0], world.recalls[0]
    hits = np.zeros(4)
    widths = np.zeros(2)
    for _ in range(task.runs):
        cells = world.sample(labels, rng)
        pair = recall_from_pair({name: cells[name] for name in ("11", "10", "01")})
        both = with_outside(pair, cells).recalls[0]
        recall = pair.recalls[0]
        hits += (
            recall.low <= target <= recall.high,
            recall.low <= truth <= recall.high,
            recall.band_low <= truth <= recall.band_high,
            both.band_low <= truth <= both.band_high,
        )
        widths += (recall.band_high - recall.band_low, both.band_high - both.band_low)
    rates, wide = hits / task.runs, widths / task.runs
    coverage = Coverage(
        recall=truth,
        delta=task.delta,
        labels=task.labels,
        runs=task.runs,
        interval=float(rates[0]),
        plain=float(rates[1]),
        band=float(rates[2]),
        combined=float(rates[3]),
        band_width=float(wide[0]),
        combined_width=float(wide[1]),
    )
    return {"coverage": asdict(coverage)}


@dataclass(frozen=True, kw_only=True)
class DesignTask(Task):
    """The paper's design against the stratified one at equal labels."""

    shown = "designs at recall {0.recall:g}, {0.labels} labels"

    recall: float
    labels: int
    runs: int
    seed: int
    other: float = 0.6
    precisions: tuple[float, float, float] = (0.9, 0.6, 0.5)


def run_designs(task: DesignTask) -> TaskResult:
    """Root mean squared errors for the first classifier's recall.

    The paper labels half of the budget in A12 and half in A2, apart. The stratified form labels A12
    and A2∖A12, in equal parts and in the parts that `allocate` chooses after a quarter of the labels.
    """
    world = sketched(
        recalls=(task.recall, task.other),
        delta=1.0,
        precisions=task.precisions,
        positives=100_000,
        items=100_000_000,
    )
    rng = rng_of(task.seed, "designs", task.name)
    truth, half = world.overlap[0], task.labels // 2
    errors = {"paper": 0.0, "halves": 0.0, "allocated": 0.0}
    for _ in range(task.runs):
        errors["paper"] += (_paper(world, half, rng) - truth) ** 2
        even = world.sample({"11": half, "01": half}, rng)
        errors["halves"] += (_ratio(even) - truth) ** 2
        errors["allocated"] += (_ratio(_two_steps(world, task.labels, rng)) - truth) ** 2
    return {
        "design": {
            "recall": task.recall,
            "labels": task.labels,
            "runs": task.runs,
            **{name: math.sqrt(error / task.runs) for name, error in errors.items()},
        }
    }


def _paper(world: PairWorld, half: int, rng: np.random.Generator) -> float:
    n12, n2 = world.items["11"], world.items["11"] + world.items["01"]
    t12, t2 = world.positives["11"], world.positives["11"] + world.positives["01"]
    p12 = rng.hypergeometric(t12, n12 - t12, min(half, n12)) / min(half, n12)
    p2 = rng.hypergeometric(t2, n2 - t2, min(half, n2)) / min(half, n2)
    return recall_by_independence(joint_precision=p12, joint=n12, other_precision=p2, other=n2)


def _ratio(cells: Mapping[str, CellSample]) -> float:
    both, rest = (
        cells[name].items * cells[name].positives / cells[name].labels for name in ("11", "01")
    )
    return both / (both + rest)


def _two_steps(world: PairWorld, labels: int, rng: np.random.Generator) -> dict[str, CellSample]:
    eighth = labels // 8
    first = world.sample({"11": eighth, "01": eighth}, rng)
    more = allocate({**first, "10": CellSample(items=0)}, labels - 2 * eighth, target="a")
    made = {}
    for name, cell in first.items():
        left = cell.items - cell.labels
        remaining = world.positives[name] - cell.positives
        extra = (
            int(rng.hypergeometric(remaining, left - remaining, more[name])) if more[name] else 0
        )
        made[name] = CellSample(
            items=cell.items,
            labels=cell.labels + more[name],
            positives=cell.positives + extra,
        )
    return made


def savings() -> list[dict[str, Any]]:
    """Figure 1: labels by unbiased sampling and by the pair, and the honest saving."""
    shares = (1e-2, 1e-3, 1e-4)
    return [asdict(cost(prevalence=p, recall=0.7, precisions=(0.9, 0.5))) for p in shares]
