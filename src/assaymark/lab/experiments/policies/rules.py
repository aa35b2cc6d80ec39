"""How each stopping policy ends on one learning curve whose truth is known.

The paper's policies commit to a fixed test whose size cross-validation suggests; ours train, then
certify score-guided until the budget ends. Beside both stands a clairvoyant who knows the true
classifier at every size and stops where the expected total is least.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from assaymark.claims.claim import Claim
from assaymark.lab.experiments.policies.fixed_tests import (
    CONFIDENCE,
    POWER,
    claim_of,
    fixed_test,
    suggested,
)
from assaymark.lab.experiments.policies.growth import GrowthTask, Sight, sights_of
from assaymark.lab.tasks import Task, TaskResult, rng_of
from assaymark.lab.weighted_runs import certify_pool
from assaymark.records.training import TrainingGoal
from assaymark.stats.beta_posterior import Belief
from assaymark.stats.sample_size import Planner, roughly_needed
from assaymark.stats.score_guided.forecast import limit_of
from assaymark.stats.score_guided.supermartingale import Stratum, WeightedTest, weighted_test
from assaymark.training.stats.certification_cost import in_collection
from assaymark.training.stats.stopping_policy import POLICIES, Outlook

FACTORS = (1.3, 2.0, 4.0)
OURS = ("split", "adaptive", "first-in-budget")


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How a policy ended: 1 where the certification passed; None where none was tried.

    `optimism` is what cross-validation had above the true F1 at the stop.
    """

    policy: str
    factor: float
    budget: int
    training: int | None
    total: float | None
    passed: float | None
    optimism: float | None = None


@dataclass(frozen=True, kw_only=True)
class YardstickTask(Task):
    """What a clairvoyant would pay on one run, certifying score-guided or by a fixed test."""

    shown = "clairvoyant, {0.growth.name}"

    growth: GrowthTask
    target: float
    found: TaskResult = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class JudgeTask(Task):
    """Every policy on one run; `yardstick` is the clairvoyant's mean total on this topic."""

    shown = "policies, {0.growth.name}"

    growth: GrowthTask
    target: float
    yardstick: float
    found: TaskResult = field(repr=False)


def true_test(sight: Sight, claim: Claim) -> WeightedTest:
    """The score-guided test of a look's classifier in the population."""
    strata = [
        Stratum(predicted=b.predicted, size=b.items, mean_score=min(1.0, b.expected / b.items))
        for b in sight.look.bands
    ]
    return weighted_test(claim, strata, confidence=CONFIDENCE)


def measure(task: YardstickTask) -> TaskResult:
    """The least expected total of a run: score-guided, and with an exact fixed test."""
    claim, sights = claim_of(task.target), sights_of(task.found)
    guided = [(s.look.labels, _guided_price(s, claim)) for s in sights]
    best = min(((r + p, r) for r, p in guided if p is not None), default=(None, None))
    total, size = _fixed_best(sights, claim)
    return {
        "guided": best[0],
        "guided_at": best[1],
        "fixed": total,
        "fixed_at": size,
        "top": max((s.f1 for s in sights), default=None),
    }


def _guided_price(sight: Sight, claim: Claim) -> float | None:
    if sight.f1 <= claim.target:
        return None
    rates = np.array([h / b.items for h, b in zip(sight.positives, sight.look.bands, strict=True)])
    limit = limit_of(true_test(sight, claim), rates)
    return None if limit is None else in_collection(limit.ideal, float(sight.truth.total))


def _fixed_best(sights: Sequence[Sight], claim: Claim) -> tuple[float | None, int | None]:
    best: tuple[float, int] | None = None
    for sight in sights:
        most = 40_000 if best is None else int(best[0]) - sight.look.labels
        size = true_size(sight, claim, most=most)
        if size is not None:
            best = (float(sight.look.labels + size), sight.look.labels)
    return best or (None, None)


def true_size(sight: Sight, claim: Claim, *, most: int) -> int | None:
    """The fixed test that the true classifier of a look needs; None where it exceeds `most`."""
    if sight.f1 <= claim.target or most < 1:
        return None
    tp, fp, fn, tn = sight.truth.cells
    known = (tp / max(1, tp + fp), fn / max(1, fn + tn))
    share = (tp + fp) / sight.truth.total
    belief = Belief(share=share, retrieved=(1, 1), rest=(1, 1), known=known)
    planner = Planner(claim=claim, belief=belief, confidence=CONFIDENCE)
    return roughly_needed(planner, power=POWER, most=most)


def judge(task: JudgeTask) -> TaskResult:
    """Every policy on one run."""
    claim, sights = claim_of(task.target), sights_of(task.found)
    rng = rng_of(task.growth.seed, "judge", str(task.growth.path.name), task.growth.name)
    ours = [
        _sequential(policy, factor, task.yardstick, sights, claim, rng)
        for factor in FACTORS
        for policy in OURS
    ]
    fixed = [
        _fixed_first(factor, round(factor * task.yardstick), sights, claim, rng)
        for factor in FACTORS
    ]
    return {"endings": [asdict(one) for one in (*ours, *fixed)]}


def _sequential(
    policy: str,
    factor: float,
    yardstick: float,
    sights: Sequence[Sight],
    claim: Claim,
    rng: np.random.Generator,
) -> Ending:
    """Train as the policy says, then certify score-guided to the end of the budget."""
    budget = round(factor * yardstick)
    goal = TrainingGoal(
        claim=claim, confidence=CONFIDENCE, power=POWER, budget=budget, policy=policy
    )
    stop = stopping_look(goal, sights)
    labels = [
        np.repeat(np.array([1, 0], dtype=np.int8), [hits, band.items - hits])
        for hits, band in zip(stop.positives, stop.look.bands, strict=True)
    ]
    left = max(1, budget - stop.look.labels)
    run = certify_pool(true_test(stop, claim), labels, rng, most=left)
    return Ending(
        policy=policy,
        factor=factor,
        budget=budget,
        training=stop.look.labels,
        total=float(stop.look.labels + run.labels),
        passed=float(run.decision == "pass"),
        optimism=stop.cross_validated - stop.f1,
    )


def stopping_look(goal: TrainingGoal, sights: Sequence[Sight]) -> Sight:
    """Where the goal's policy stops; the last look if it never does."""
    decide = POLICIES[goal.policy]
    for number, sight in enumerate(sights, start=1):
        looks = tuple(one.look for one in sights[:number])
        if decide(Outlook(goal=goal, looks=looks)).action == "certify":
            return sight
    return sights[-1]


def _fixed_first(
    factor: float, budget: int, sights: Sequence[Sight], claim: Claim, rng: np.random.Generator
) -> Ending:
    """The paper's first policy at this budget: stop at the first total within it, one fixed test."""
    for sight in sights:
        size = suggested(sight, claim, budget=budget)
        if size is not None:
            return Ending(
                policy="first-in-budget, fixed test",
                factor=factor,
                budget=budget,
                training=sight.look.labels,
                total=float(sight.look.labels + size),
                passed=float(fixed_test(sight, claim, size, rng)),
                optimism=sight.cross_validated - sight.f1,
            )
    return Ending(
        policy="first-in-budget, fixed test",
        factor=factor,
        budget=budget,
        training=None,
        total=None,
        passed=None,
    )


def spread(values: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The mean over all values and its standard error, topics being the independent parts."""
    parts = [np.asarray(part, dtype=np.float64) for part in values if len(part)]
    everything = np.concatenate(parts) if parts else np.zeros(0)
    if not len(everything):
        return math.nan, math.nan
    mean = float(everything.mean())
    if len(parts) < 2:
        return mean, math.nan
    # ratio estimator over clusters: each topic's sum of deviations
    sums = np.array([float((part - mean).sum()) for part in parts])
    count = len(parts)
    return mean, float(np.sqrt((sums**2).sum() * count / (count - 1)) / len(everything))
