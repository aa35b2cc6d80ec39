"""The information limit of a score-guided claim."""

import math

import numpy as np
import pytest

from assaymark.claims.claim import Claim
from assaymark.stats.score_guided.forecast import limit_of
from assaymark.stats.score_guided.supermartingale import Stratum, weighted_test


def one_stratum(target: float, **changes):
    claim = Claim(metric="precision", side="lower", target=target)
    return weighted_test(claim, [Stratum(predicted=True, size=100_000)], **changes)


def test_one_stratum_needs_walds_number_of_labels():
    kl = 0.8 * math.log(0.8 / 0.7) + 0.2 * math.log(0.2 / 0.3)
    found = limit_of(one_stratum(0.7), np.array([0.8]))
    assert found.ideal == pytest.approx(math.log(20) / kl, rel=1e-6)
    surer = limit_of(one_stratum(0.7, confidence=0.99), np.array([0.8]))
    assert surer.ideal == pytest.approx(math.log(100) / kl, rel=1e-6)


def test_a_claim_that_is_not_expected_to_hold_has_no_limit():
    assert limit_of(one_stratum(0.9), np.array([0.8])) is None
