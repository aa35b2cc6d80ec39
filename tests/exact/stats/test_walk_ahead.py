"""The range of draws ahead holds about two thirds of the walks that pass, by enumeration."""

import numpy as np
import pytest

from assaymark.stats.sequential.alpha_spending import SpendingTest, spending_boundary
from assaymark.stats.sequential.stopping_boundary import stopping
from assaymark.stats.sequential.walk_ahead import (
    JEFFREYS,
    MIDDLE,
    ItemsAhead,
    draws_ahead,
    items_ahead,
)

BOUNDARY = spending_boundary(SpendingTest(null_share=0.7, confidence=0.95, planned=200))
STARTS = [(9, 2), (40, 12), (90, 30)]


def law_of(successes: int, failures: int) -> np.ndarray:
    """The chance to pass after 0, 1, 2, … more items, given that the walk passes."""
    law = stopping(BOUNDARY, JEFFREYS, successes=successes, failures=failures)
    return law.chance[successes + failures :] / law.passes


def held(law: np.ndarray, low: int, high: int) -> float:
    return float(law[low : high + 1].sum())


@pytest.mark.parametrize(("successes", "failures"), STARTS)
def test_the_range_holds_two_thirds_as_far_as_whole_items_allow(successes, failures):
    """It comes at least as near to it as the range with a sixth on each side, whose ends it may move."""
    law = law_of(successes, failures)
    ahead = draws_ahead(items_ahead(BOUNDARY, successes=successes, failures=failures), rate=1.0)
    first, last = (int(np.argmax(np.cumsum(law) >= share)) for share in (1 / 6, 5 / 6))
    here, sixths = (
        abs(held(law, *ends) - MIDDLE) for ends in ((ahead.low, ahead.high), (first, last))
    )
    assert here <= sixths + 1e-9
    assert here < 0.06
    likely = np.flatnonzero(law > 1e-9)
    assert law[first] > 0
    assert ahead.low <= likely[likely > first][0]
    assert likely[likely < last][-1] <= ahead.high <= last
    assert ahead.low <= ahead.middle <= ahead.high


def test_draws_are_negative_binomial_waits_for_the_items():
    """Of 20,000 waits drawn by numpy as many lie within the range as the law says, and in its middle."""
    ahead = items_ahead(BOUNDARY, successes=40, failures=12)
    draws = draws_ahead(ahead, rate=0.2)
    rng = np.random.default_rng(5)
    items = rng.choice(ahead.items, size=20_000, p=ahead.chance / ahead.chance.sum())
    waits = items + rng.negative_binomial(items, 0.2)
    inside = ((draws.low <= waits) & (waits <= draws.high)).mean()
    assert abs(inside - MIDDLE) < 0.03  # chance is 0.003; ends lie on a grid of some per cent
    assert abs((waits <= draws.middle).mean() - 0.5) < 0.03


def test_no_more_draws_than_are_left():
    ahead = items_ahead(BOUNDARY, successes=40, failures=12)
    assert draws_ahead(ahead, rate=0.2).high > 150
    assert draws_ahead(ahead, rate=0.2, most=150).high <= 150


def test_too_few_draws_left_for_any_pass_have_no_range():
    """A pass takes 9 items that count, and 5 draws are left: there was a range of numbers, by 0/0."""
    ahead = ItemsAhead(items=np.array([9, 12]), chance=np.array([0.4, 0.6]))
    assert draws_ahead(ahead, rate=0.5, most=5) is None
    assert draws_ahead(ahead, rate=1.0, most=8) is None
    assert draws_ahead(ahead, rate=1.0, most=9).high == 9


def test_one_number_with_nearly_all_of_the_chance_is_the_range():
    three = ItemsAhead(items=np.array([1, 5, 9]), chance=np.array([0.1, 0.8, 0.1]))
    draws = draws_ahead(three, rate=1.0)
    assert (draws.middle, draws.high) == (5, 5)
    assert draws.low > 1


def test_a_walk_that_cannot_pass_any_more_has_no_range():
    assert items_ahead(BOUNDARY, successes=100, failures=95) is None
