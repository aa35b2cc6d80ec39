"""The regression estimate by enumeration of every sample of a tiny pool: its bias and its error."""

from itertools import combinations, product

import numpy as np
import pytest

from assaymark.claims.ratio_metrics import metric
from assaymark.estimation.stats.regression_estimator import regression_positives, score_moments

SIZES, TAKEN = np.array([6, 8]), np.array([4, 5])
LABELS = (np.array([0, 0, 1, 1, 1, 1]), np.array([0, 0, 0, 0, 0, 0, 1, 1]))
CELLS = (4, 2, 2, 6)
SCORES = {
    "informative": (
        np.array([0.3, 0.4, 0.6, 0.8, 0.9, 1.0]),
        np.array([0.0, 0.0, 0.1, 0.1, 0.2, 0.3, 0.4, 0.5]),
    ),
    "noise": (
        np.array([0.8, 0.5, 0.3, 0.9, 0.6, 0.9]),
        np.array([0.2, 0.0, 0.4, 0.1, 0.2, 0.3, 0.3, 0.1]),
    ),
    "upside down": (
        np.array([1.0, 0.9, 0.8, 0.6, 0.4, 0.3]),
        np.array([0.5, 0.4, 0.3, 0.2, 0.1, 0.1, 0.0, 0.0]),
    ),
}


def points(scores):
    """F1 of all 840 samples by the means of strata, and by regression on these scores."""
    means, moved = [], []
    draws = (combinations(range(n), k) for n, k in zip(SIZES, TAKEN, strict=True))
    for sample in product(*draws):
        picked = [np.array(one) for one in sample]
        labels = [y[i] for y, i in zip(LABELS, picked, strict=True)]
        found = np.array([int(one.sum()) for one in labels])
        moments = score_moments(
            np.repeat([0, 1], TAKEN),
            np.concatenate([x[i] for x, i in zip(scores, picked, strict=True)]),
            np.concatenate(labels),
            count=2,
        )
        better = regression_positives(
            SIZES, TAKEN, found, scores=np.array([x.mean() for x in scores]), moments=moments,
            pull=SIZES.astype(float),
        )  # fmt: skip
        for kept, (tp, fn) in ((means, SIZES * found / TAKEN), (moved, better)):
            kept.append(metric("f1").value((tp, 6 - tp, fn, 8 - fn)))
    return np.array(means), np.array(moved)


@pytest.mark.parametrize(
    ("scores", "bias", "error"),
    [("informative", 0.0008, 0.651), ("noise", -0.0113, 1.0886), ("upside down", -0.0025, 1.0)],
)
def test_it_errs_less_on_scores_that_say_something_and_hardly_more_on_others(scores, bias, error):
    """Scores that are wrong get the slope 0 in every sample, and then nothing is changed.

    Noise costs 9 % with nine labels, which are the extreme: the slope is all luck.
    """
    truth = metric("f1").value(CELLS)
    means, moved = points(SCORES[scores])
    before, after = (float(np.sqrt(np.mean((one - truth) ** 2))) for one in (means, moved))
    assert len(means) == 840
    assert float(means.mean() - truth) == pytest.approx(-0.0025, abs=5e-4)
    assert float(moved.mean() - truth) == pytest.approx(bias, abs=5e-4)
    assert after / before == pytest.approx(error, abs=5e-4)
