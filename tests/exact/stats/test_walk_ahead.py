"""The range of items ahead holds two thirds of the walks that pass, by enumeration."""

import numpy as np
import pytest

from assaymark.stats.sequential.alpha_spending import SpendingTest, spending_boundary
from assaymark.stats.sequential.stopping_boundary import stopping
from assaymark.stats.sequential.walk_ahead import JEFFREYS, items_ahead

BOUNDARY = spending_boundary(SpendingTest(null_share=0.7, confidence=0.95, planned=200))


@pytest.mark.parametrize(("successes", "failures"), [(9, 2), (40, 12), (90, 30)])
def test_a_sixth_of_the_passes_lies_on_each_side(successes, failures):
    """As far as whole items allow: one more item would take in too many, one fewer too few."""
    start = successes + failures
    law = stopping(BOUNDARY, JEFFREYS, successes=successes, failures=failures)
    ahead = items_ahead(BOUNDARY, successes=successes, failures=failures)
    reached = np.cumsum(law.chance) / law.passes
    assert ahead.chance == law.passes
    assert reached[start + ahead.low - 1] < 1 / 6 <= reached[start + ahead.low]
    assert reached[start + ahead.high - 1] < 5 / 6 <= reached[start + ahead.high]
    assert ahead.low <= ahead.middle <= ahead.high <= 200 - start


def test_a_walk_that_cannot_pass_any_more_has_no_range():
    assert items_ahead(BOUNDARY, successes=100, failures=95) is None


def test_a_smaller_tail_gives_a_wider_range():
    usual, wide = (
        items_ahead(BOUNDARY, successes=40, failures=12, tail=tail) for tail in (1 / 6, 0.12)
    )
    assert wide.low <= usual.low < usual.high <= wide.high
    assert (wide.low, wide.high) != (usual.low, usual.high)
    assert wide.middle == usual.middle
