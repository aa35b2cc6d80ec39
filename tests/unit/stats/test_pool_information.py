"""What labels without replacement are worth in draws with it, and the course of a ceiling in a pool."""

from itertools import pairwise

import numpy as np
import pytest

from assaymark.stats.betting.hedge import ceiling, chance_to_pass
from assaymark.stats.score_guided.forecast import Limit, draws_in_pool

SAMPLING, SIZES = np.array([0.5, 0.3, 0.2, 0.0]), np.array([200.0, 900.0, 5000.0, 40.0])


@pytest.mark.parametrize("labels", [1.0, 150.0, 700.0, 5000.0])
def test_what_labels_tell_is_what_they_leave_of_the_variance(labels):
    """Σ q²(1/n − 1/N) over strata that are not used up is one over the draws they are worth."""
    draws = draws_in_pool(np.array([labels]), sampling=SAMPLING, sizes=SIZES)[0]
    low, high = 0.0, 1e6
    for _ in range(200):  # the pace at which labels follow the chances until a stratum is used up
        pace = (low + high) / 2
        short = np.minimum(pace * SAMPLING, SIZES).sum() < labels
        low, high = (pace, high) if short else (low, pace)
    told = np.minimum(pace * SAMPLING, SIZES)[:3]
    left = (SAMPLING[:3] ** 2 * (1 / told - 1 / SIZES[:3])).sum()
    assert 1 / draws == pytest.approx(left, rel=1e-6)


def test_one_stratum_has_the_finite_population_correction():
    for labels, items in ((10.0, 1e6), (500.0, 1000.0), (999.0, 1000.0)):
        draws = draws_in_pool(np.array([labels]), sampling=np.ones(1), sizes=np.array([items]))
        assert labels == pytest.approx(draws[0] / (1 + draws[0] / items))


def test_everything_that_can_be_drawn_tells_everything():
    found = draws_in_pool(np.array([6100.0, 6101.0]), sampling=SAMPLING, sizes=SIZES)
    assert np.isinf(found).all()
    assert np.isinf(draws_in_pool(np.ones(2), sampling=np.zeros(1), sizes=np.ones(1))).all()


def whole(items: float) -> Limit:
    return Limit(ideal=1000.0, sampling=np.ones(1), sizes=np.array([items]))


def test_a_pool_without_end_changes_nothing():
    most = ceiling(1000.0, level=0.05)
    told, endless = (
        chance_to_pass(most, ideal=1000.0, level=0.05, information=one)
        for one in (whole(1e9).information, None)
    )
    assert told == pytest.approx(endless, abs=1e-5)


def test_a_small_pool_passes_more_often():
    most = ceiling(1000.0, level=0.05)
    chances = [
        chance_to_pass(most, ideal=1000.0, level=0.05, information=whole(items).information)
        for items in (100_000, 10_000, 4000, 2000)
    ]
    assert all(a < b < 1 for a, b in pairwise(chances))
