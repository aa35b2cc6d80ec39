"""Labels foreseen: the information limit times measured factors."""

import math

import numpy as np
import pytest

from assaymark.claims.claim import Claim
from assaymark.stats.score_guided.forecast import MEAN, forecast
from assaymark.stats.score_guided.supermartingale import Stratum, weighted_test


def one_stratum(target: float, size: int = 100_000, **changes):
    claim = Claim(metric="precision", side="lower", target=target)
    return weighted_test(claim, [Stratum(predicted=True, size=size)], **changes)


def test_one_stratum_needs_walds_number_of_labels():
    found = forecast(one_stratum(0.7), np.array([0.8]))
    kl = 0.8 * math.log(0.8 / 0.7) + 0.2 * math.log(0.2 / 0.3)
    assert found.ideal == pytest.approx(math.log(20) / kl, rel=1e-6)
    assert found.mean == math.ceil(MEAN[0] * found.ideal + MEAN[1])
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
