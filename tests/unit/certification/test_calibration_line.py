"""Expected values of both predicted classes say how sharp the scores are."""

import numpy as np
import pytest

from assaymark.certification.planning.belief import stratum_rates
from assaymark.records.plan import Stratum
from assaymark.stats.beta_posterior import Belief

TRUTH = np.array([0.95, 0.8, 0.5, 0.2, 0.02, 0.001])
ITEMS = np.array([200, 200, 100, 300, 2000, 7000])
SIDE = (True, True, True, False, False, False)


def known(rates) -> Belief:
    positive = np.array(SIDE)
    means = tuple(
        float((rates * ITEMS)[side].sum() / ITEMS[side].sum()) for side in (positive, ~positive)
    )
    return Belief(share=0.05, retrieved=(1, 1), rest=(1, 1), known=means)


def strata(scores):
    return tuple(
        Stratum(items=int(items), prediction=side, mean_score=float(score))
        for items, side, score in zip(ITEMS, SIDE, scores, strict=True)
    )


def bent(slope, height):
    odds = np.log(TRUTH / (1 - TRUTH))
    return 1 / (1 + np.exp(-(odds - height) / slope))


@pytest.mark.parametrize(("slope", "height"), [(1.0, 0.0), (2.0, 0.5), (0.6, -1.0), (1.5, 2.0)])
def test_scores_bent_by_a_line_are_straightened(slope, height):
    """Under-confident scores made claims look harder than they are: each class was only shifted."""
    found = stratum_rates(strata(bent(slope, height)), known(TRUTH))
    assert found == pytest.approx(TRUTH, rel=1e-3)


def test_both_levels_are_kept_where_no_line_fits():
    upside_down = 1 - TRUTH
    found = stratum_rates(strata(upside_down), known(TRUTH))
    assert known(found).known == pytest.approx(known(TRUTH).known, rel=1e-4)


def test_one_class_alone_is_shifted():
    only = strata(bent(2.0, 0.0))[:3]
    found = stratum_rates(only, known(TRUTH))
    sizes = ITEMS[:3]
    assert (found * sizes).sum() / sizes.sum() == pytest.approx(known(TRUTH).known[0])
    assert np.ptp(np.log(found / (1 - found))) == pytest.approx(
        np.ptp([np.log(s.mean_score / (1 - s.mean_score)) for s in only])
    )


def test_without_scores_every_stratum_of_a_class_has_its_level():
    plain = tuple(Stratum(items=10, prediction=side, mean_score=None) for side in SIDE)
    belief = Belief(share=0.5, retrieved=(1, 1), rest=(1, 1), known=(0.9, 0.01))
    assert stratum_rates(plain, belief) == pytest.approx([0.9] * 3 + [0.01] * 3)
