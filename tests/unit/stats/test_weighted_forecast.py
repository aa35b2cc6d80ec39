"""Labels foreseen: the information limit times measured factors."""

import math

import numpy as np
import pytest

from assaymark.claims.claim import Claim
from assaymark.stats.score_guided.forecast import MEAN, forecast, labels_in_pool
from assaymark.stats.score_guided.supermartingale import Stratum, weighted_test


def one_stratum(target: float, size: int = 100_000, **changes):
    claim = Claim(metric="precision", side="lower", target=target)
    return weighted_test(claim, [Stratum(predicted=True, size=size)], **changes)


def test_one_stratum_needs_walds_number_of_labels():
    found = forecast(one_stratum(0.7), np.array([0.8]))
    kl = 0.8 * math.log(0.8 / 0.7) + 0.2 * math.log(0.2 / 0.3)
    assert found.ideal == pytest.approx(math.log(20) / kl, rel=1e-6)
    in_pool = found.ideal / (1 + found.ideal / 100_000)
    assert found.mean == math.ceil(MEAN[0] * in_pool + MEAN[1])
    assert str(found) == f"about {found.mean} labels, {found.most} at most in 93% of certifications"


def test_a_claim_that_is_not_expected_to_hold_has_no_forecast():
    found = forecast(one_stratum(0.9), np.array([0.8]))
    assert (found.mean, found.ideal) == (None, None)
    assert str(found) == "no forecast: at the expected rates precision >= 0.9 does not hold"


def test_more_confidence_costs_more_and_a_pool_is_never_exceeded():
    rates = np.array([0.8])
    high = forecast(one_stratum(0.7, confidence=0.99), rates)
    assert high.mean > forecast(one_stratum(0.7), rates).mean
    assert forecast(one_stratum(0.79, size=500), rates).most == 500


def test_one_stratum_has_the_finite_population_correction():
    for ideal, items in ((10.0, 1e6), (500.0, 1000.0), (1e6, 1000.0)):
        found = labels_in_pool(ideal, sampling=np.ones(1), sizes=np.array([items]))
        assert found == pytest.approx(ideal / (1 + ideal / items))


def test_a_stratum_that_is_used_up_leaves_its_draws_to_the_others():
    """What is left of the variance is 1/ideal, and no stratum gives more than it has."""
    sampling, sizes, ideal = np.array([0.5, 0.3, 0.2]), np.array([40.0, 400.0, 1e5]), 900.0
    found = labels_in_pool(ideal, sampling=sampling, sizes=sizes)
    pace = (found - 40) / 0.5
    assert pace * 0.5 > 40
    rest = sampling[1:] / pace - sampling[1:] ** 2 / sizes[1:]
    assert rest.sum() == pytest.approx(1 / ideal)
    assert found < ideal


def test_no_claim_is_forecast_to_need_more_than_the_pool():
    sampling, sizes = np.array([0.7, 0.3, 0.0]), np.array([10.0, 20.0, 30.0])
    assert labels_in_pool(1e9, sampling=sampling, sizes=sizes) == pytest.approx(30.0, rel=1e-6)
