"""Rates below the threshold fall faster than a line, keep the levels, and move no more than the labels forecast."""

import numpy as np
import pytest

from assaymark.certification.planning.belief import BENDS, stratum_rates
from assaymark.certification.planning.guided_forecast import (
    GuidedClaim,
    ceiling_forecast,
    rehearsed,
    weighted_forecast,
)
from assaymark.claims.claim import Claim
from assaymark.records.plan import Stratum
from assaymark.stats.beta_posterior import Belief
from assaymark.stats.betting.hedge import ceiling
from assaymark.stats.score_guided.forecast import limit_of

SCORES = (0.002, 0.02, 0.1, 0.6, 0.9)
STRATA = tuple(
    Stratum(items=1000, prediction=int(score > 0.5), mean_score=score) for score in SCORES
)
BELIEF = Belief(share=0.4, retrieved=(1, 1), rest=(1, 1), known=(0.8, 0.05))
CLAIM = Claim(metric="f1", side="lower", target=0.78)


def test_a_bend_moves_positives_towards_the_threshold():
    line, bent = (stratum_rates(STRATA, BELIEF, bend=bend) for bend in (0.0, 0.2))
    assert bent[0] < line[0]
    assert bent[2] > line[2]
    assert bent[:3].mean() == pytest.approx(0.05, abs=1e-6)
    assert bent[3:].mean() == pytest.approx(0.8, abs=1e-6)
    assert np.all(np.diff(bent) > 0)


def test_scores_taken_as_probabilities_and_one_class_are_not_bent():
    assert stratum_rates(STRATA, None, bend=0.2).tolist() == pytest.approx(SCORES)
    for one_class in (STRATA[3:], STRATA[:3]):
        line, bent = (stratum_rates(one_class, BELIEF, bend=bend) for bend in (0.0, 0.2))
        assert bent.tolist() == line.tolist()


def test_a_forecast_is_that_of_both_pools_together():
    """Recall in a large pool: the bent line needs a fifth less, and bad luck lies between both."""
    parts = ((9000, 0.002), (3000, 0.02), (1500, 0.1), (800, 0.3), (900, 0.7), (900, 0.9))
    strata = tuple(
        Stratum(items=items, prediction=int(score > 0.5), mean_score=score)
        for items, score in parts
    )
    belief = Belief(share=0.1, retrieved=(1, 1), rest=(1, 1), known=(0.8, 0.02))
    claim = Claim(metric="recall", side="lower", target=0.8)
    guided = GuidedClaim(claim=claim, strata=strata, belief=belief, confidence=0.95)
    answer, labels = weighted_forecast(guided), rehearsed(guided, None, BENDS).labels
    line, bent = labels.reshape(len(BENDS), -1)
    assert bent.mean() < 0.9 * line.mean()
    assert answer.expected == np.ceil((line.mean() + bent.mean()) / 2)
    low, high = sorted(np.quantile(pool, 0.93) for pool in (line, bent))
    assert low < (answer.quantile or 0) < high


def test_what_is_sealed_follows_from_the_straight_line(monkeypatch):
    """Size, chance to pass and information limit are the same whatever the bends; the labels are not."""
    guided = GuidedClaim(claim=CLAIM, strata=STRATA, belief=BELIEF, confidence=0.95)
    before = ceiling_forecast(guided, power=0.93)
    home = "assaymark.certification.planning.guided_forecast.BENDS"
    monkeypatch.setattr(home, (0.9, 0.9))
    after = ceiling_forecast(guided, power=0.93)
    for name in ("labels", "power", "ideal", "if_margin", "quantile"):
        assert getattr(before, name) == getattr(after, name)
    assert before.expected != after.expected
    test = guided.test()
    limit = limit_of(test, stratum_rates(STRATA, BELIEF))
    assert before.ideal == limit.ideal
    assert before.labels == ceiling(limit.ideal, level=1 - 0.95, power=0.93)
