"""Positives by stratum with the scores as auxiliary variable: the combined regression estimator (GREG).

One idea: the mean score of every stratum is known, and that of its labelled items is seen. Where the
sample drew higher scores than the stratum has, it found too many positives, by the slope of labels on
scores times the difference. One slope serves all strata, so all labels help to find it; it is kept between
0 (scores say nothing: means of strata) and 1 (the difference estimator).
"""

from dataclasses import dataclass

import numpy as np

from assaymark.estimation.stats.confidence_axis import Floats, Ints

MEASURED = ("f1", "precision", "recall")  # what it was measured for


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreMoments:
    """The labelled items of each stratum: mean score, squares of scores and products with labels.

    Squares and products are sums about the means. Arrays may have leading axes, one sample a row.
    """

    mean: Floats
    squares: Floats
    products: Floats


def score_moments(strata: Ints, scores: Floats, labels: Ints, *, count: int) -> ScoreMoments:
    """The moments of labelled items (0 or 1) with these strata and scores."""

    def per(values: Floats | Ints) -> Floats:
        return np.asarray(np.bincount(strata, weights=values, minlength=count), dtype=np.float64)

    items = np.maximum(np.bincount(strata, minlength=count), 1)
    mean = per(scores) / items
    off = scores - mean[strata]
    surplus = labels - (per(labels) / items)[strata]
    return ScoreMoments(mean=mean, squares=per(off**2), products=per(off * surplus))


def combined_slope(pull: Floats, labelled: Ints, moments: ScoreMoments) -> Floats:
    """The slope that minimises the estimated variance of Σ pull·rate, between 0 and 1."""
    weight = (pull / np.maximum(labelled, 1)) ** 2
    squares = (weight * moments.squares).sum(axis=-1)
    products = (weight * moments.products).sum(axis=-1)
    slope = np.divide(products, squares, out=np.zeros_like(squares), where=squares > 0)
    return np.asarray(np.clip(slope, 0.0, 1.0))


def regression_positives(
    sizes: Ints,
    labelled: Ints,
    positives: Ints,
    *,
    scores: Floats,
    moments: ScoreMoments,
    pull: Floats,
) -> Floats:
    """Positives of each stratum that has labels, 0 in the others; never fewer than were found.

    `scores` are the mean scores of whole strata, `pull` how much a rate moves the metric.
    *Assumes* simple random samples within strata. Biased by the slope, which the labels give, in the
    order of 1/labels. *Source* Cochran (1977), *Sampling techniques*, section 7.10 (combined
    regression estimate); Särndal, Swensson and Wretman (1992), *Model assisted survey sampling*.
    """
    slope = combined_slope(pull, labelled, moments)[..., None]
    rate = positives / np.maximum(labelled, 1)
    known = (labelled == 0) | (labelled >= sizes)  # nothing to lean on, or nothing to estimate
    lean = np.where(known, 0.0, slope * (scores - moments.mean))
    most = sizes - (labelled - positives)
    return np.where(labelled > 0, np.clip(sizes * (rate + lean), positives, most), 0.0)
