"""Labels of a sample with replacement: the formula is the exact mean, by enumeration of occupancy."""

import numpy as np
import pytest

from assaymark.stats.distinct_items import distinct_items, mean_labels
from assaymark.stats.sequential.alpha_spending import SpendingTest, spending_boundary
from assaymark.stats.sequential.stopping_boundary import stopping


@pytest.mark.parametrize("items", [1, 2, 7, 50])
def test_the_mean_of_different_items_is_that_of_the_occupancy_law(items):
    """P(d different ones) is carried from draw to draw; its mean is the formula."""
    law = np.zeros(items + 1)
    law[0] = 1.0
    counts = np.arange(items + 1)
    for draws in range(1, 3 * items):
        again = law * counts / items
        law = again + np.concatenate(([0.0], (law * (1 - counts / items))[:-1]))
        assert distinct_items(draws, items) == pytest.approx((law * counts).sum(), abs=1e-10)


def test_a_pool_without_end_repeats_nothing():
    assert distinct_items(300, None) == 300
    assert distinct_items(300, 10**9) == pytest.approx(300, rel=1e-6)
    assert distinct_items(300, 600) < 240


@pytest.mark.parametrize("rate", [1.0, 0.4])
@pytest.mark.parametrize("items", [40, 400])
def test_the_mean_number_of_labels_sums_over_every_wait(rate, items):
    """The closed form against the sum over stops m and draws t of P(m)·P(t | m)·distinct(t)."""
    boundary = spending_boundary(SpendingTest(null_share=0.6, confidence=0.9, planned=30))
    stop = stopping(boundary, 0.8)
    ends = np.array(stop.chance)
    ends[-1] += 1 - stop.passes
    waits, total = np.zeros(800), 0.0  # P(the m-th informative item is draw t)
    waits[0] = 1.0
    for chance in ends:
        total += chance * sum(p * distinct_items(t, items) for t, p in enumerate(waits))
        step = np.zeros(800)
        for t in range(1, 800):
            step[t] = (1 - rate) * step[t - 1] + rate * waits[t - 1]
        waits = step
    assert mean_labels(stop, rate=rate, items=items) == pytest.approx(total, rel=1e-9)
    assert mean_labels(stop, rate=rate, items=None) == pytest.approx(stop.mean_items / rate)
