"""Intervals for metrics that the strata were not made for: the wider of two methods.

Profile likelihood takes strata of three labels each at their word and covered as little as 86 % for
side metrics; the linearised ratio at its effective sample size covered as little as 77 % where a
few heavy labels decide. They fail in different places: the wider end of both covered at least 93 %
wherever it is printed (see docs/explanation/stratified.md).
"""

from dataclasses import replace

import numpy as np

from assaymark.claims.ratio_metrics import Metric
from assaymark.estimation.stats.horvitz_thompson import (
    RatioEstimate,
    Weighted,
    binary_estimate,
    numbered,
)
from assaymark.estimation.stats.reading_intervals import Ends, StrataCounts, profile_interval

METHOD = "the wider of two methods"
FEW_POSITIVES = 5  # positive labels below which no interval of a side metric was seen to cover


def side_interval(
    ratio: Metric, counts: StrataCounts, *, confidence: float = 0.95, point: float
) -> Ends:
    """The wider end of the profile likelihood and of Korn and Graubard's interval, on each side."""
    profile = profile_interval(ratio, counts, confidence=confidence, point=point)
    linear = _linearised(ratio, counts, confidence)
    if linear is None:
        return Ends(low=profile.low, high=profile.high, method=METHOD)
    return Ends(
        low=min(profile.low, linear.low), high=max(profile.high, linear.high), method=METHOD
    )


def weighted_estimate(
    ratio: Metric,
    sample: Weighted,
    *,
    predicted: np.ndarray,
    label: np.ndarray,
    confidence: float = 0.95,
) -> RatioEstimate:
    """A metric from items of known chances; where these differ, the wider of both intervals.

    The strata of the profile likelihood are the items of one stratum, one weight and one predicted
    class, at the sizes that their weights add up to. Where hardly two items share a weight there
    are no such strata, and in clusters items say less than their number: then the linearised
    interval stands alone.
    """
    estimate = binary_estimate(
        ratio, sample, predicted=predicted, label=label, confidence=confidence
    )
    if estimate.point is None or sample.cluster is not None or np.ptp(sample.weight) == 0:
        return estimate
    if sample.groups.max() + 1 > len(label) / 2:
        return estimate
    counts = _cells(predicted, label, sample)
    point = min(max(estimate.point, 0.0), 1.0)
    profile = profile_interval(ratio, counts, confidence=confidence, point=point)
    low = profile.low if estimate.low is None else min(estimate.low, profile.low)
    high = profile.high if estimate.high is None else max(estimate.high, profile.high)
    return replace(estimate, low=low, high=high)


def _cells(predicted: np.ndarray, label: np.ndarray, sample: Weighted) -> StrataCounts:
    """Labelled items as strata of one predicted class each; sizes are the sums of the weights."""
    cells = numbered(2 * sample.groups + predicted)
    labelled = np.bincount(cells).astype(np.int64)
    sizes = np.rint(np.bincount(cells, weights=sample.weight)).astype(np.int64)
    return StrataCounts(
        predicted=np.bincount(cells, weights=predicted) > 0,
        sizes=np.maximum(sizes, labelled),
        labelled=labelled,
        positives=np.bincount(cells, weights=label).astype(np.int64),
    )


def _linearised(ratio: Metric, counts: StrataCounts, confidence: float) -> Ends | None:
    """Korn and Graubard's interval on the linearised ratio; None where no label counts for it."""
    labelled = counts.labelled
    strata_of = np.repeat(np.arange(len(labelled)), labelled)
    place = np.arange(len(strata_of)) - np.repeat(np.cumsum(labelled) - labelled, labelled)
    estimate = binary_estimate(
        ratio,
        Weighted(
            weight=(counts.sizes / np.maximum(labelled, 1))[strata_of], stratum=numbered(strata_of)
        ),
        predicted=counts.predicted[strata_of],
        label=place < counts.positives[strata_of],
        confidence=confidence,
    )
    if estimate.low is None or estimate.high is None:
        return None
    return Ends(low=estimate.low, high=estimate.high, method="Korn-Graubard on weights")
