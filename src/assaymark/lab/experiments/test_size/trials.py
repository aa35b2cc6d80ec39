"""Pilots from a known population, the test size each way gives them, and what comes of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.claim import Claim, Counts
from assaymark.lab.experiments.test_size.printed_plan import (
    Printed,
    drawn_tests,
    lower_ends,
    printed_sizes,
)
from assaymark.lab.experiments.test_size.tables import Population, TableSketch, make_population
from assaymark.lab.tasks import TaskResult, rng_of
from assaymark.stats.beta_posterior import Belief, from_pilot
from assaymark.stats.sample_size import LARGE, Planner, labels_needed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

CONFIDENCE = 0.95
POWER = 0.93
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9)
TESTS = 1000  # tests of the true population for each size of a printed plan


@dataclass(frozen=True, kw_only=True, eq=False)
class Sized:
    """One way's answers to all pilots of a population, for one target.

    `out_of_reach` and `no_end` are pilots without a size. `success` and `confidence` are, for the
    pilots with one, the chance that a test of the true population passes, and that its bound is
    not above the truth; `no_width` is the share of tests whose interval has no width.
    """

    sizes: Ints
    out_of_reach: Flags
    no_end: Flags
    success: Floats
    confidence: Floats
    no_width: float


Way = Callable[[Population, Ints, float, np.random.Generator], Sized]


def _printed(
    truth: Population, pilots: Ints, target: float, rng: np.random.Generator, *, literal: bool
) -> Sized:
    ask = Printed(target=target, literal=literal, confidence=CONFIDENCE, power=POWER)
    printed = printed_sizes(pilots, ask, rng)
    sizes = printed.sizes[printed.sizes > 0]
    tp, fp, fn, tn = truth.shares
    rates = tuple(np.full((len(sizes), TESTS), rate) for rate in (tp / (tp + fp), fn / (fn + tn)))
    tests = drawn_tests(sizes, np.full(len(sizes), tp + fp), (rates[0], rates[1]), rng)
    ends = lower_ends(tests, ask)
    certain = lower_ends(tests, replace(ask, confidence=0.5)) == ends
    return Sized(
        sizes=printed.sizes,
        out_of_reach=printed.below,
        no_end=printed.endless,
        success=(ends >= target).mean(axis=1),
        confidence=(ends <= truth.f1).mean(axis=1),
        no_width=float((certain & (ends > 0)).mean()) if len(sizes) else 0.0,
    )


def _as_printed(truth: Population, pilots: Ints, target: float, rng: np.random.Generator) -> Sized:
    return _printed(truth, pilots, target, rng, literal=True)


def _corrected(truth: Population, pilots: Ints, target: float, rng: np.random.Generator) -> Sized:
    return _printed(truth, pilots, target, rng, literal=False)


def _exact(truth: Population, pilots: Ints, target: float, rng: np.random.Generator) -> Sized:
    """Exact planning with the exact test: nothing is drawn, so `rng` is not used."""
    del rng
    claim = Claim(metric="f1", side="lower", target=target)
    solutions = [_exact_size(pilot, claim) for pilot in pilots]
    sizes = np.array([size or 0 for size, _ in solutions], dtype=np.int64)
    reachable = np.array([chance > POWER for _, chance in solutions])
    known = _known(truth)
    passing = Planner(claim=claim, belief=known, confidence=CONFIDENCE)
    false = replace(passing, claim=replace(claim, target=truth.f1))
    sized = sizes[sizes > 0]
    return Sized(
        sizes=sizes,
        out_of_reach=(sizes == 0) & ~reachable,
        no_end=(sizes == 0) & reachable,
        success=np.array([_chance(passing, int(size)) for size in sized]),
        confidence=np.array([1 - _chance(false, int(size)) for size in sized]),
        no_width=0.0,
    )


def _exact_size(pilot: Ints, claim: Claim) -> tuple[int | None, float]:
    """The size, and the power that can be reached (1 where there is a size)."""
    tp, fp, fn, tn = (int(count) for count in pilot)
    belief = from_pilot(Counts(tp=tp, fp=fp, fn=fn, tn=tn))
    planner = Planner(claim=claim, belief=belief, confidence=CONFIDENCE)
    size = labels_needed(planner, power=POWER).labels
    return size, 1.0 if size else planner.reachable()


def _known(truth: Population) -> Belief:
    tp, fp, fn, tn = truth.shares
    rates = (tp / (tp + fp), fn / (fn + tn))
    return Belief(share=tp + fp, retrieved=(1, 1), rest=(1, 1), known=rates)


def _chance(planner: Planner, size: int) -> float:
    # the planner itself takes few nodes for sizes as large as these
    nodes = None if size < LARGE else 61
    return float(planner.powers(range(size, size + 1), nodes=nodes)[0])


WAYS: dict[str, Way] = {"printed": _as_printed, "mended": _corrected, "exact": _exact}
TITLES = {
    "printed": "as printed",
    "mended": "printed, corrected",
    "exact": "exact",
}


@dataclass(frozen=True, kw_only=True)
class SizingTask:
    """All targets and ways for the pilots of one table."""

    table: TableSketch
    pilots: int

    @property
    def name(self) -> str:
        """What to show while it runs."""
        return self.table.name


def run_table(task: SizingTask) -> TaskResult:
    """A row for every target and way."""
    truth = make_population(task.table)
    rows = []
    for share in SHARES:
        # every way sees the same pilots
        words = (task.table.name, f"{share:g}")
        pilots = rng_of(task.table.seed, "pilots", *words).multinomial(
            truth.pilot, truth.shares, size=task.pilots
        )
        for way, plan in WAYS.items():
            rng = rng_of(task.table.seed, "plan", way, *words)
            sized = plan(truth, pilots, share * truth.f1, rng)
            rows.append(_row(truth, share, way, sized, rng))
    return {"rows": rows}


def _row(
    truth: Population, share: float, way: str, sized: Sized, rng: np.random.Generator
) -> dict[str, Any]:
    sizes = sized.sizes[sized.sizes > 0]
    some = len(sizes) > 0
    tp, _, fn, tn = truth.shares
    return {
        "where": truth.where,
        "table": truth.name,
        "pilot_items": truth.pilot,
        "informative": truth.pilot * (1 - tn),
        "prevalence": tp + fn,
        "f1": truth.f1,
        "share": share,
        "way": way,
        "pilots": len(sized.sizes),
        "out_of_reach": int(sized.out_of_reach.sum()),
        "no_end": int(sized.no_end.sum()),
        "sized": len(sizes),
        "success": float(sized.success.mean()) if some else None,
        # one test for each size, as the paper does: its chance is that of a coin
        "drawn": int((rng.random(len(sizes)) < sized.success).sum()),
        "confidence": float(sized.confidence.mean()) if some else None,
        "no_width": sized.no_width,
        "median_size": float(np.median(sizes)) if some else None,
        "mean_size": float(sizes.mean()) if some else None,
    }
