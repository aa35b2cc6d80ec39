"""The chance to pass that a plan prints is the share of plans that pass, where the expectation is true."""

import numpy as np
import pytest
from scipy.special import bdtr, bdtrc

from assaymark.claims.claim import Counts
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.stats.beta_posterior import cells, from_expectation
from assaymark.stats.binomial_bounds import bound
from assaymark.stats.sample_size import Planner, labels_needed
from assaymark.stats.sequential.alpha_spending import SpendingTest, crossing, items_to_pass

RUNS = 2000
DOUBT = 1e-4  # the chance of a false alarm, per side and case


def likely(passed: int, chance: float) -> bool:
    """Whether so many of the runs pass by chance if each passes with this one."""
    return bdtr(passed, RUNS, chance) > DOUBT and bdtrc(passed - 1, RUNS, chance) > DOUBT


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


@pytest.mark.parametrize(("null", "share", "planned"), [(0.7, 0.78, 349), (0.9, 0.94, 539)])
def test_a_budget_passes_as_often_as_it_says(null, share, planned, measured):
    test = SpendingTest(null_share=null, confidence=0.95, planned=planned)
    power = items_to_pass(test, share=share).passes
    rng = np.random.default_rng(42)
    passed = sum(crossing(test, rng.random(planned) < share).passed for _ in range(RUNS))
    where = f"made: budget, {null:g} against {share:g} (a forecast)"
    measured("chance-to-pass", where, RUNS - passed, nominal=1 - power, runs=RUNS)
    assert power >= 0.93
    assert likely(passed, power), (passed, power)
