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
from assaymark.lab.experiments.policies.growth import GrowthTask, Sight, sights_of
from assaymark.lab.tasks import Found, rng_of
from assaymark.lab.weighted_runs import certify_pool
from assaymark.records.training import TrainingGoal
from assaymark.stats.beta_posterior import Belief, from_pilot
from assaymark.stats.binomial_bounds import pass_counts
from assaymark.stats.sample_size import Planner, roughly_needed
from assaymark.stats.score_guided.forecast import forecast
from assaymark.stats.score_guided.supermartingale import Stratum, WeightedTest, weighted_test
from assaymark.training.stats.certification_cost import OVER_LIMIT
from assaymark.training.stats.stopping_policy import POLICIES, Outlook

CONFIDENCE, POWER = 0.95, 0.93
PAPER_BUDGET = 10_000
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
class YardstickTask:
    """What a clairvoyant would pay on one run, certifying score-guided or by a fixed test."""

    growth: GrowthTask
    target: float
    found: Found = field(repr=False)

    @property
    def name(self) -> str:
        """What to show while it runs."""
        return f"clairvoyant, {self.growth.name}"


@dataclass(frozen=True, kw_only=True)
class JudgeTask:
    """Every policy on one run; `yardstick` is the clairvoyant's mean total on this topic."""

    growth: GrowthTask
    target: float
    yardstick: float
    found: Found = field(repr=False)

    @property
    def name(self) -> str:
        """What to show while it runs."""
        return f"policies, {self.growth.name}"


def claim_of(target: float) -> Claim:
    """The claim that F1 reaches the target."""
    return Claim(metric="f1", side="lower", target=target)


def true_test(sight: Sight, claim: Claim) -> WeightedTest:
    """The score-guided test of a look's classifier in the population."""
    strata = [
        Stratum(predicted=b.predicted, size=b.items, mean_score=min(1.0, b.expected / b.items))
        for b in sight.look.bands
    ]
    return weighted_test(claim, strata, confidence=CONFIDENCE)


def measure(task: YardstickTask) -> Found:
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
    ideal = forecast(true_test(sight, claim), rates).ideal
    # whoever labels everything is certain
    return None if ideal is None else min(max(30.0, OVER_LIMIT * ideal), float(sight.truth.total))


def _fixed_best(sights: Sequence[Sight], claim: Claim) -> tuple[float | None, int | None]:
    best: tuple[float, int] | None = None
    for sight in sights:
        tp, fp, fn, tn = sight.truth.cells
        most = 40_000 if best is None else int(best[0]) - sight.look.labels
        if sight.f1 <= claim.target or most < 1:
            continue
        known = (tp / max(1, tp + fp), fn / max(1, fn + tn))
        share = (tp + fp) / sight.truth.total
        belief = Belief(share=share, retrieved=(1, 1), rest=(1, 1), known=known)
        planner = Planner(claim=claim, belief=belief, confidence=CONFIDENCE)
        size = roughly_needed(planner, power=POWER, most=most)
        if size is not None:
            best = (float(sight.look.labels + size), sight.look.labels)
    return best or (None, None)


def judge(task: JudgeTask) -> Found:
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
    return {
        "endings": [asdict(one) for one in (*ours, *fixed)],
        "paper": paper_points(sights, claim, rng),
    }


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


def paper_points(sights: Sequence[Sight], claim: Claim, rng: np.random.Generator) -> list[Found]:
    """Every look as the paper sees it: the size suggested within 10,000 labels, one test of it."""
    points = []
    for sight in sights:
        size = suggested(sight, claim, budget=PAPER_BUDGET)
        passed = None if size is None else fixed_test(sight, claim, size, rng)
        points.append(
            {
                "labels": sight.look.labels,
                "size": size,
                "passed": passed,
                "cross_validated": sight.cross_validated,
                "f1": sight.f1,
            }
        )
    return points


@dataclass(frozen=True, kw_only=True)
class Stop:
    """Where a policy with fixed tests stopped; None as total where it never did."""

    total: int | None
    passed: bool


def paper_stop(points: Sequence[Found], *, wait: int = 0) -> Stop:
    """The paper's wait-a-while policy: first within budget, and `wait` further points within it."""
    within = [point for point in points if point["size"] is not None]
    return _stop(within[wait]) if len(within) > wait else Stop(total=None, passed=False)


def blind_oracle(points: Sequence[Found]) -> Stop:
    """The least total, whether its test passes or not; nobody can know it in time."""
    within = [point for point in points if point["size"] is not None]
    return _stop(min(within, key=_total)) if within else Stop(total=None, passed=False)


def sighted_oracle(points: Sequence[Found]) -> Stop:
    """The least total whose test passes; a bound for every policy with fixed tests."""
    passing = [point for point in points if point["size"] is not None and point["passed"]]
    return _stop(min(passing, key=_total)) if passing else Stop(total=None, passed=False)


def _total(point: Found) -> int:
    return int(point["labels"] + point["size"])


def _stop(point: Found) -> Stop:
    return Stop(total=_total(point), passed=bool(point["passed"]))


def spread(values: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The mean over all values and its standard error, topics being the independent parts."""
    parts = [np.asarray(own, dtype=np.float64) for own in values if len(own)]
    everything = np.concatenate(parts) if parts else np.zeros(0)
    if not len(everything):
        return math.nan, math.nan
    mean = float(everything.mean())
    if len(parts) < 2:
        return mean, math.nan
    # ratio estimator over clusters: each topic's sum of deviations
    sums = np.array([float((own - mean).sum()) for own in parts])
    count = len(parts)
    return mean, float(np.sqrt((sums**2).sum() * count / (count - 1)) / len(everything))
