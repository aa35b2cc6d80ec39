"""The chance to pass that a plan prints is the share of plans that pass, where the expectation is true."""

import numpy as np
import pytest
from scipy.special import bdtr, bdtrc

from assaymark.claims.claim import Counts
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.stats.beta_posterior import cells, from_expectation
from assaymark.stats.binomial_bounds import bound
from assaymark.stats.sample_size import Planner, labels_needed
from assaymark.stats.sequential.alpha_spending import (
    SpendingTest,
    crossing,
    items_to_pass,
    spending_boundary,
)

RUNS = 2000
DOUBT = 1e-4  # the chance of a false alarm, per side and case


def likely(passed: int, chance: float, runs: int = RUNS) -> bool:
    """Whether so many of the runs pass by chance if each passes with this one."""
    return bdtr(passed, runs, chance) > DOUBT and bdtrc(passed - 1, runs, chance) > DOUBT


@pytest.mark.parametrize("words", ["f1 >= 0.7", "recall >= 0.7", "precision >= 0.7"])
def test_a_fixed_plan_passes_as_often_as_it_says(words, measured):
    claim = parse_claim(words)
    belief = from_expectation(precision=0.8, recall=0.8, prevalence=0.1)
    planner = Planner(claim=claim, belief=belief, confidence=0.95)
    size = labels_needed(planner, power=0.93)
    shares = np.array(cells(belief))
    if claim.metric == "precision":  # drawn from what was predicted positive
        shares = shares * [1, 1, 0, 0] / shares[:2].sum()
    counts = np.random.default_rng(42).multinomial(size.labels, shares, size=RUNS)
    passed = 0
    for tp, fp, fn, tn in counts.tolist():
        seen = bound(claim.metric, Counts(tp=tp, fp=fp, fn=fn, tn=tn), design="simple")
        passed += seen.interval.low >= claim.target
    where = f"made: fixed, {words} (a forecast)"
    measured("chance-to-pass", where, RUNS - passed, nominal=1 - size.power, runs=RUNS)
    assert size.power >= 0.93
    assert likely(passed, size.power), (passed, size.power)


BUDGETS = [(0.7, 0.78, 349), (0.9, 0.94, 539)]
MANY = 50_000


@pytest.mark.parametrize(("null", "share", "planned"), BUDGETS)
def test_a_budget_passes_as_often_as_it_says(null, share, planned, measured):
    """50,000 walks: of 2,000 one in forty strays beyond their interval, and one did."""
    test = SpendingTest(null_share=null, confidence=0.95, planned=planned)
    power = items_to_pass(test, share=share).passes
    rng, least, passed = np.random.default_rng(42), spending_boundary(test).least, 0
    for _ in range(MANY // RUNS):
        wins = rng.random((RUNS, planned)) < share
        crossed = (np.cumsum(wins, axis=1) >= least[1:]).any(axis=1)
        passed += int(crossed.sum())
    same = [crossing(test, walk).passed for walk in wins[:100]]  # what a plan is judged by
    assert same == crossed[:100].tolist()
    where = f"made: budget, {null:g} against {share:g} (a forecast)"
    measured("chance-to-pass", where, MANY - passed, nominal=1 - power, runs=MANY)
    assert power >= 0.93
    assert likely(passed, power, MANY), (passed, power)
