"""Protocol 1: a classifier that does not change, and a test that grows until it looks good enough.

The target is the classifier's true F1, so every acceptance is an error. A growing random sample of
a large collection is a sequence of independent cells, so thousands of runs are cheap.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.claim import Claim
from assaymark.lab.experiments.sequential_bias.looks import Ints, doubts
from assaymark.lab.tasks import TaskResult
from assaymark.lab.weighted_runs import certify_pool
from assaymark.lab.worlds import World, cut_world
from assaymark.stats.score_guided.supermartingale import weighted_test
from assaymark.stats.sequential.alpha_spending import spending_boundary, spending_test
from assaymark.stats.sequential.beta_mixture import mixture_boundary, mixture_test
from assaymark.stats.sequential.stopping_boundary import Boundary

STEP, MOST = 20, 10_000
ENOUGH = 100  # coverage is read from points with at least this many items
CONFIDENCE = 0.95
AT_ONCE = 50  # runs simulated together


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """How a test grows: looks every `step` labels up to `most`."""

    step: int = STEP
    most: int = MOST

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Labels at each look."""
        return np.arange(self.step, self.most + 1, self.step)


def grow_test(shares: NDArray[np.float64], *, runs: int, rng: np.random.Generator) -> TaskResult:
    """What every bound does on growing tests of a classifier with these shares of tp, fp, fn, tn.

    `least_*` are the smallest p-values of each run, from which every nominal level can be read.
    """
    plan = Schedule()
    claim = Claim(metric="f1", side="lower", target=_f1(shares))
    result: TaskResult = {"runs": runs, "truth": claim.target, "points": 0, "least_beta": []}
    result |= {"least_exact": [], "point": 0, "covered_beta": 0, "covered_exact": 0}
    boundaries = _boundaries(claim, plan, informative=float(shares[:3].sum()))
    result |= dict.fromkeys(boundaries, 0)
    for first in range(0, runs, AT_ONCE):
        some = min(AT_ONCE, runs - first)
        cells = np.searchsorted(np.cumsum(shares)[:3], rng.random((some, plan.most)), side="right")
        _add_looks(result, counts_at(cells, plan.step), claim.target, plan)
        for name, boundary in boundaries.items():
            result[name] += sum(_passes(boundary, cell) for cell in cells)
    return result


def _f1(shares: NDArray[np.float64]) -> float:
    return float(2 * shares[0] / (2 * shares[0] + shares[1] + shares[2]))


def counts_at(cells: NDArray[np.int64], step: int) -> Ints:
    """Counts of tp, fp, fn, tn (last axis) after every `step` items of each run."""
    looks = cells.reshape(len(cells), -1, step)
    counts = np.stack([(looks == cell).sum(axis=2) for cell in range(4)], axis=-1)
    return np.cumsum(counts, axis=1)


def _boundaries(claim: Claim, plan: Schedule, *, informative: float) -> dict[str, Boundary]:
    planned = max(1, round(plan.most * informative))
    anytime = mixture_boundary(mixture_test(claim, confidence=CONFIDENCE), plan.most)
    budget = spending_test(claim, confidence=CONFIDENCE, planned=planned)
    return {"anytime": anytime, "budget": spending_boundary(budget)}


def _passes(boundary: Boundary, cells: NDArray[np.int64]) -> bool:
    return boundary.first_pass(cells[cells < 3] == 0) is not None


def _add_looks(result: TaskResult, counts: Ints, target: float, plan: Schedule) -> None:
    doubt = doubts(counts, target)
    settled = plan.sizes >= ENOUGH
    result["points"] += int(settled.sum()) * len(counts)
    result["point"] += int((doubt.point == 0).any(axis=1).sum())
    for name, values in (("beta", doubt.beta), ("exact", doubt.exact)):
        result[f"least_{name}"] += values.min(axis=1).tolist()
        result[f"covered_{name}"] += int((values[:, settled] >= 1 - CONFIDENCE).sum())


def guided_passes(
    world: World, *, runs: int, rng: np.random.Generator, most: int = MOST
) -> TaskResult:
    """How often the score-guided wealth reaches its level on a claim exactly at the truth.

    Certainty is left out: at exhaustion the claim "at least the true value" is simply right.
    """
    claim = Claim(metric="f1", side="lower", target=world.value())
    cut = cut_world(world, claim)
    test = weighted_test(claim, cut.strata, confidence=CONFIDENCE)
    passed = 0
    for _ in range(runs):
        run = certify_pool(test, cut.labels, rng, most=most, stop_at_fail=False)
        passed += bool(run.path.log_wealth.max(initial=0.0) >= test.log_needed)
    return {"runs": runs, "weighted": passed}
