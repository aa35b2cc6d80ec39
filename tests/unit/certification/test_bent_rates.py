"""Rates below the threshold fall faster than a line, and keep the levels that are expected."""

import numpy as np
import pytest

from assaymark.certification.planning.belief import stratum_rates
from assaymark.records.strata import Stratum
from assaymark.stats.beta_posterior import Belief

SCORES = (0.002, 0.02, 0.1, 0.6, 0.9)
STRATA = tuple(
    Stratum(items=1000, prediction=int(score > 0.5), mean_score=score) for score in SCORES
)
BELIEF = Belief(share=0.4, retrieved=(1, 1), rest=(1, 1), known=(0.8, 0.05))


def test_a_bend_moves_positives_towards_the_threshold():
    line, bent = (stratum_rates(STRATA, BELIEF, bend=bend) for bend in (0.0, 0.2))
    assert bent[0] < line[0]
    assert bent[2] > line[2]
    assert bent[:3].mean() == pytest.approx(0.05, abs=1e-6)
    assert bent[3:].mean() == pytest.approx(0.8, abs=1e-6)
    assert np.all(np.diff(bent) > 0)


def test_scores_taken_as_probabilities_and_one_class_are_not_bent():
    assert stratum_rates(STRATA, None, bend=0.2).tolist() == pytest.approx(SCORES)
    flagged = STRATA[3:]
    line, bent = (stratum_rates(flagged, BELIEF, bend=bend) for bend in (0.0, 0.2))
    assert bent.tolist() == line.tolist()
