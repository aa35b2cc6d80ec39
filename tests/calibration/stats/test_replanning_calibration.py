"""Abandon a plan that goes badly, seal another: how often a claim at its target passes within 20 plans.

Strata and mean scores are like those of a good classifier on a collection of mails: scores roughly
calibrated, misses among the rejected. The target of the claim is the truth, so every pass is an
error. A plan is given up after 300 labels, or earlier once its wealth is below 0.3. The wrong ways to
carry wealth on are run beside the right one: the attack must succeed against them, or a low rate of
the right one would show nothing. `tests/exact/stats/test_twenty_plans.py` enumerates the same.
"""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import bdtrc

from assaymark.claims.claim import Claim
from assaymark.lab.side_by_side.runs import certify_rows
from assaymark.stats.betting.binary import binary_test, claim_row
from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.betting.rows import Rows
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.risk_account import ClosedPlan, ClosedRow, at_closing, carried, plan_level
from assaymark.stats.score_guided.supermartingale import Stratum

RISK, PLANS, ALARM = 0.05, 20, 1e-4
# Fewer, longer blocks and batches make many runs affordable; the law is the same.
QUICK = Recipe(first_block=50, block_share=4, rest_share=3, hedged_share=2)
# predicted, items, positives, mean score
CUT = (
    (True, 300, 285, 0.95),
    (True, 250, 200, 0.8),
    (True, 200, 120, 0.6),
    (False, 400, 120, 0.3),
    (False, 800, 80, 0.1),
    (False, 2000, 20, 0.01),
)
TRUTH = Fraction(2 * 605, 750 + 825)
EASY = Fraction(70, 100)
LABELS = [np.arange(items) < positives for _, items, positives, _ in CUT]
STRATA = [Stratum(predicted=p, size=n, mean_score=m) for p, n, _, m in CUT]


def sealed(level: float, target: Fraction) -> RowTest:
    claim = Claim(metric="f1", side="lower", target=float(target))
    test = binary_test(claim, STRATA, level=level, bounds=False, recipe=QUICK).test
    row = claim_row(claim, STRATA, target=target)
    return replace(test, rows=Rows(rows=(row,), strata=len(STRATA), outcomes=2))


def wealth_of_plan(rng, level: float, target: Fraction) -> np.ndarray:
    """The log wealth by draw of one plan, up to where it passes or is given up."""
    test = sealed(level, target)
    log = certify_rows(test, LABELS, rng, most=300, batch=50, stop_at_fail=False).log[0]
    ends = np.flatnonzero((log >= test.log_needed) | (log <= math.log(0.3)))
    return log[: ends[0] + 1] if ends.size else log


def left_by(build: str, log: np.ndarray) -> float:
    wealth = np.exp(log).tolist()
    return (
        max(wealth)
        if build == "largest"
        else at_closing(wealth, labelled=len(wealth), drawn=len(wealth))
    )


def money(build: str, closed: list[ClosedPlan]) -> float:
    if build == "fresh":
        return 1.0
    if build == "easier whole":  # whatever target it was won at
        return math.prod(row.wealth for plan in closed for row in plan.rows)
    return carried(closed, target=float(TRUTH), side="lower")


def false_pass(rng, build: str) -> bool:
    """Whether any of the plans of one attempt states the false claim."""
    closed: list[ClosedPlan] = []
    for number in range(PLANS):
        # an easier, true claim first, where its wealth is said to help; given up before it passes
        easy = build == "easier whole" and number == 0
        level = RISK if easy else plan_level(risk=RISK, wealth=money(build, closed))
        if level >= 1:
            return True
        if level < 1e-9:
            return False
        target = EASY if easy else TRUTH
        log = wealth_of_plan(rng, level, target)
        if not easy and log[-1] >= -math.log(level):
            return True
        row = ClosedRow(target=float(target), wealth=left_by(build, log))
        closed.append(ClosedPlan(side="lower", rows=(row,)))
    return False


def false_passes(build: str, runs: int, seed: int = 42) -> int:
    rng = np.random.default_rng(seed)
    return sum(false_pass(rng, build) for _ in range(runs))


def chance_of(count: int, runs: int) -> float:
    """The chance of at least so many errors if each has 5 %."""
    return float(bdtrc(count - 1, runs, RISK)) if count else 1.0


@pytest.mark.slow
def test_twenty_plans_on_one_claim_keep_one_risk(record_property, measured) -> None:
    runs = 400
    count = false_passes("right", runs)
    world = "adversary: 20 plans on scores, given up and sealed again"
    measured("claim-certified", world, count, nominal=RISK, runs=runs)
    record_property("errors", count)
    record_property("runs", runs)
    assert chance_of(count, runs) >= ALARM, f"{count} of {runs}"


@pytest.mark.slow
@pytest.mark.parametrize(("build", "runs"), [("fresh", 100), ("largest", 40), ("easier whole", 40)])
def test_the_same_attack_beats_every_wrong_way_to_carry_wealth_on(build, runs, record_property):
    count = false_passes(build, runs)
    record_property("errors", count)
    record_property("runs", runs)
    assert chance_of(count, runs) < ALARM, f"{count} of {runs}"
