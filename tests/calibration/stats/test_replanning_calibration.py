"""Abandon a plan that goes badly, seal another: how often a claim at its target passes within 20 plans.

Strata and mean scores are those of a classifier's scores on a real kind of collection: few positives,
scores roughly calibrated, misses deep among the rejected. The claim's target is the truth, so every
pass is an error. A plan is given up once its wealth has fallen to a half, or after 60 labels. What a
new risk for every plan does is enumerated in `tests/exact/stats/test_one_risk.py`.
"""

import math

import numpy as np
import pytest
from scipy.special import bdtrc

from assaymark.claims.claim import Claim
from assaymark.lab.weighted_runs import certify_pool
from assaymark.stats.risk_account import ClosedPlan, ClosedRow, carried, plan_level
from assaymark.stats.score_guided.supermartingale import Stratum, weighted_test
from assaymark.stats.score_guided.wealth import Recipe

RISK, PLANS, ALARM = 0.05, 20, 1e-4
QUICK = Recipe(first_block=30, block_share=8, rest_share=3)
# predicted, items, positives, mean score
CUT = (
    (True, 90, 83, 0.93),
    (True, 80, 62, 0.78),
    (True, 70, 40, 0.58),
    (False, 120, 34, 0.31),
    (False, 300, 21, 0.08),
    (False, 900, 9, 0.012),
    (False, 2440, 3, 0.001),
)
TP, FP = 185, 55
FN = 67
TARGET = 2 * TP / (2 * TP + FP + FN)
LABELS = [np.arange(items) < positives for _, items, positives, _ in CUT]


def made_test(level: float):
    strata = [Stratum(predicted=p, size=n, mean_score=m) for p, n, _, m in CUT]
    claim = Claim(metric="f1", side="lower", target=TARGET)
    return weighted_test(claim, strata, confidence=1 - level, recipe=QUICK)


def given_up(log: np.ndarray) -> int:
    """After how many draws a plan is abandoned, by what was seen up to then."""
    low = np.flatnonzero(log[20:] <= math.log(0.5))
    return 21 + int(low[0]) if low.size else len(log)


def false_pass(rng, *, shared: bool, most: int) -> bool:
    """Whether any of the plans of one attempt states the claim."""
    left: list[ClosedPlan] = []
    for _ in range(PLANS):
        wealth = carried(left, target=TARGET, side="lower") if shared else 1.0
        level = plan_level(risk=RISK, wealth=wealth)
        if level >= 1:
            return True
        if level < 1e-9:
            return False
        run = certify_pool(made_test(level), LABELS, rng, most=most, stop_at_fail=False)
        end = given_up(run.path.log_wealth)
        log = run.path.log_wealth[:end]
        if log.max() >= -math.log(level):
            return True
        row = ClosedRow(target=TARGET, wealth=float(np.exp(log[-1])))
        left.append(ClosedPlan(side="lower", rows=(row,)))
    return False


def false_passes(runs: int, *, shared: bool, most: int = 60) -> int:
    rng = np.random.default_rng(42)
    return sum(false_pass(rng, shared=shared, most=most) for _ in range(runs))


def compatible(count: int, runs: int) -> bool:
    """Whether so many errors have a chance of at least the alarm level if each has 5 %."""
    return count == 0 or bdtrc(count - 1, runs, RISK) >= ALARM


def test_a_few_attempts_share_one_risk() -> None:
    runs = 12
    assert compatible(false_passes(runs, shared=True), runs)


@pytest.mark.slow
def test_twenty_plans_on_one_claim_keep_one_risk() -> None:
    runs = 400
    count = false_passes(runs, shared=True)
    assert compatible(count, runs), f"{count} of {runs}"
