"""What peeking costs: mean informative items as a share of the fixed exact test, by exact sums.

Claim F1 >= 0.7 at 95 % confidence, true F1 of 0.72, 0.75, 0.80. The yardstick is the fixed exact
(Clopper–Pearson) test with 93 % power: the least size from which the next 50 sizes have it too.
Labels are informative items divided by the same share for every method, so the ratios hold for
labels as well.
"""

import numpy as np
import pytest
from scipy import special

from assaymark.claims.claim import Claim
from assaymark.stats.sequential import alpha_spending as spending
from assaymark.stats.sequential import beta_mixture as mixture
from assaymark.stats.sequential.stopping_boundary import Boundary, stopping

NULL = 0.7 / 1.3
TRUTHS = {0.72: 4243, 0.75: 656, 0.80: 151}
CLAIM = Claim(metric="f1", side="lower", target=0.7)


def share_of(f1):
    return f1 / (2 - f1)


def fixed_size(share, power=0.93, error=0.05):
    """The least size from which it and the next 50 sizes pass with the asked power."""
    items = np.arange(1, 6000)
    low, high = np.zeros_like(items), items + 1
    while (high - low > 1).any():
        middle = (low + high) // 2
        passes = special.betainc(middle, items - middle + 1, NULL) <= error
        split = high - low > 1
        high = np.where(split & passes, middle, high)
        low = np.where(split & ~passes, middle, low)
    possible = np.minimum(high, items)
    chance = special.betainc(possible, items - possible + 1, share) * (high <= items)
    runs = np.lib.stride_tricks.sliding_window_view(chance >= power, 51).all(axis=1)
    return int(items[np.flatnonzero(runs)[0]])


@pytest.mark.parametrize(("truth", "size"), TRUTHS.items())
def test_the_yardstick(truth, size):
    assert fixed_size(share_of(truth)) == size


@pytest.mark.parametrize(
    ("truth", "mean", "quantile"), [(0.72, 0.82, 1.98), (0.75, 0.67, 1.57), (0.80, 0.73, 1.43)]
)
def test_the_anytime_mode(truth, mean, quantile):
    """Two thirds to four fifths on average; the unlucky 7 % need up to twice the fixed size."""
    size = TRUTHS[truth]
    test = mixture.mixture_test(CLAIM, confidence=0.95)
    course = mixture.items_to_pass(test, share=share_of(truth), horizon=8 * size)
    assert course.passes > 0.99999
    assert course.mean_items / size == pytest.approx(mean, abs=0.006)
    assert course.quantile(0.93) / size == pytest.approx(quantile, abs=0.006)


@pytest.mark.parametrize(
    ("truth", "mean", "planned"), [(0.72, 0.56, 4963), (0.75, 0.55, 750), (0.80, 0.54, 167)]
)
def test_the_budget_mode_with_the_least_plan(truth, mean, planned):
    """A little over half on average, and never more than about 1.17 times the fixed size."""
    size = TRUTHS[truth]
    courses = [
        spending.items_to_pass(
            spending.SpendingTest(null_share=NULL, confidence=0.95, planned=items),
            share=share_of(truth),
        )
        for items in range(planned, planned - 4, -1)
    ]
    assert [course.passes >= 0.93 for course in courses] == [True, False, False, False]
    assert planned / size <= 1.17
    assert courses[0].mean_items / size == pytest.approx(mean, abs=0.006)


@pytest.mark.parametrize(
    ("truth", "mean", "quantile"), [(0.72, 0.56, 1.17), (0.75, 0.56, 1.15), (0.80, 0.55, 1.13)]
)
def test_the_budget_mode_with_a_plan_of_117_percent(truth, mean, quantile):
    size = TRUTHS[truth]
    test = spending.SpendingTest(null_share=NULL, confidence=0.95, planned=round(1.17 * size))
    course = spending.items_to_pass(test, share=share_of(truth))
    assert course.passes >= 0.93
    assert course.mean_items / size == pytest.approx(mean, abs=0.006)
    assert course.quantile(0.93) / size == pytest.approx(quantile, abs=0.006)


@pytest.mark.parametrize(("truth", "mean"), [(0.72, 0.61), (0.75, 0.60), (0.80, 0.60)])
def test_one_who_knew_the_truth(truth, mean):
    """Wald's likelihood ratio against the true share itself: no anytime test can know it."""
    size, share = TRUTHS[truth], share_of(truth)
    items = np.arange(8 * size + 1)
    up, down = np.log(share / NULL), np.log((1 - share) / (1 - NULL))
    least = np.ceil((np.log(20) - items * down) / (up - down)).astype(np.int64)
    course = stopping(Boundary(least=np.where(least > items, len(items), least)), share)
    assert course.mean_items / size == pytest.approx(mean, abs=0.006)
