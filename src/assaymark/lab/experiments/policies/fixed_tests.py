"""The paper's policies: train, plan a fixed test from cross-validation, and judge it once.

Source: Bagdouri, Webber, Lewis & Oard (2013), sections 4 and 6. Three ways to plan and to judge the
test: exact (ours), the printed algorithms without the slip in equation 5 ("mended"), and as printed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from assaymark.claims.claim import Claim
from assaymark.lab.experiments.policies.growth import GrowthTask, Sight, sights_of
from assaymark.lab.experiments.test_size.printed_plan import Printed, lower_ends, printed_sizes
from assaymark.lab.tasks import Task, TaskResult, rng_of
from assaymark.stats.beta_posterior import from_pilot
from assaymark.stats.binomial_bounds import pass_counts
from assaymark.stats.sample_size import Planner, roughly_needed

CONFIDENCE, POWER = 0.95, 0.93
PAPER_BUDGET = 10_000
WAYS = ("exact", "mended", "printed")


@dataclass(frozen=True, kw_only=True)
class PointsTask(Task):
    """Every look of one run as the paper sees it, with each way to plan and judge."""

    shown = "fixed tests, {0.growth.name}"

    growth: GrowthTask
    target: float
    found: TaskResult = field(repr=False)


def claim_of(target: float) -> Claim:
    """The claim that F1 reaches the target."""
    return Claim(metric="f1", side="lower", target=target)


def points(task: PointsTask) -> TaskResult:
    """The looks of a run by way: the size suggested within 10,000 labels, and one test of it."""
    claim, sights = claim_of(task.target), sights_of(task.found)
    result: TaskResult = {}
    for way in WAYS:
        words = (way, task.growth.path.name, task.growth.name)
        rng = rng_of(task.growth.seed, "points", *words)
        result[way] = _points(sights, claim, way, rng)
    return result


def _points(
    sights: Sequence[Sight], claim: Claim, way: str, rng: np.random.Generator
) -> list[TaskResult]:
    if way == "exact":
        sizes = [suggested(sight, claim, budget=PAPER_BUDGET) for sight in sights]
        passed = [
            None if size is None else fixed_test(sight, claim, size, rng)
            for sight, size in zip(sights, sizes, strict=True)
        ]
    else:
        ask = Printed(
            target=claim.target, literal=way == "printed", confidence=CONFIDENCE, power=POWER
        )
        sizes = _printed_within(sights, ask, rng)
        passed = [
            None if size is None else _printed_test(sight, ask, size, rng)
            for sight, size in zip(sights, sizes, strict=True)
        ]
    return [
        {
            "labels": sight.look.labels,
            "size": size,
            "passed": verdict,
            "cross_validated": sight.cross_validated,
            "f1": sight.f1,
        }
        for sight, size, verdict in zip(sights, sizes, passed, strict=True)
    ]


def suggested(sight: Sight, claim: Claim, *, budget: int) -> int | None:
    """The fixed test's size that cross-validation suggests; None where it exceeds the budget."""
    planner = Planner(claim=claim, belief=from_pilot(sight.look.counts), confidence=CONFIDENCE)
    return roughly_needed(planner, power=POWER, most=budget - sight.look.labels)


def fixed_test(sight: Sight, claim: Claim, size: int, rng: np.random.Generator) -> bool:
    """Whether one fixed test of this size passes."""
    tp, fp, fn, _ = sight.truth.cells
    informative = int(rng.binomial(size, (tp + fp + fn) / sight.truth.total))
    wins = int(rng.binomial(informative, tp / max(1, tp + fp + fn)))
    null = claim.target / (2 - claim.target)
    return wins >= int(pass_counts(null, informative, 1 - CONFIDENCE)[informative])


def _printed_within(
    sights: Sequence[Sight], ask: Printed, rng: np.random.Generator
) -> list[int | None]:
    """Algorithm 2 on every look; None where it gives no size, or one beyond the budget."""
    if not sights:
        return []
    pilots = np.array([sight.look.counts.cells for sight in sights], dtype=np.int64)
    sizes = printed_sizes(pilots, ask, rng).sizes
    return [
        int(size) if 0 < size <= PAPER_BUDGET - sight.look.labels else None
        for sight, size in zip(sights, sizes, strict=True)
    ]


def _printed_test(sight: Sight, ask: Printed, size: int, rng: np.random.Generator) -> bool:
    """One test of the true population, judged by the normal interval of appendix A."""
    cells = np.array(sight.truth.cells, dtype=np.float64)
    drawn = rng.multinomial(size, cells / cells.sum())
    return bool(lower_ends(drawn[None, :], ask)[0] >= ask.target)


@dataclass(frozen=True, kw_only=True)
class Stop:
    """Where a policy with fixed tests stopped; None as total where it never did."""

    total: int | None
    passed: bool
    labels: int | None = None


def paper_stop(looks: Sequence[TaskResult], *, wait: int = 0) -> Stop:
    """The paper's wait-a-while policy: first within budget, and `wait` further points within it."""
    within = [point for point in looks if point["size"] is not None]
    return _stop(within[wait]) if len(within) > wait else Stop(total=None, passed=False)


def blind_oracle(looks: Sequence[TaskResult]) -> Stop:
    """The least total of the run, whether its test passes or not."""
    within = [point for point in looks if point["size"] is not None]
    return _stop(min(within, key=_total)) if within else Stop(total=None, passed=False)


def sighted_oracle(looks: Sequence[TaskResult]) -> Stop:
    """The least total whose test passes; a bound for every policy with fixed tests."""
    passing = [point for point in looks if point["size"] is not None and point["passed"]]
    return _stop(min(passing, key=_total)) if passing else Stop(total=None, passed=False)


def _total(point: TaskResult) -> int:
    return int(point["labels"] + point["size"])


def _stop(point: TaskResult) -> Stop:
    return Stop(total=_total(point), passed=bool(point["passed"]), labels=int(point["labels"]))
