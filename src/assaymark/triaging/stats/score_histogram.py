"""What a triage is drawn with: the yield curve of the labels, and the histogram of the scores."""

import numpy as np

from assaymark.stats.labelled_scores import Floats, Labelled
from assaymark.triaging.stats.optimal_cutoffs import sweep, yield_curve
from assaymark.triaging.triage import Cutoffs, Route, ScoreBin, YieldPoint

TARGETS = tuple(round(0.5 + 0.01 * k, 2) for k in range(50))
BINS = 40


def curve_of(data: Labelled) -> tuple[YieldPoint, ...]:
    """The yield curve from an accuracy of 50 % up."""
    return yield_curve(sweep(data), TARGETS)


def histogram(scores: Floats, cutoffs: Cutoffs) -> tuple[ScoreBin, ...]:
    """Histogram of the scores; a bin never straddles a cut-off."""
    even = np.linspace(scores.min(), scores.max(), BINS + 1)
    width = float(even[1] - even[0])
    inner = [c for c in (cutoffs.low, cutoffs.high) if c is not None]
    inner = [c for c in inner if even[0] < c < even[-1]]
    # an edge close to a cut-off would leave a sliver, too thin to have a meaningful height
    apart = [e for e in even[1:-1] if all(abs(e - c) > width / 2 for c in inner)]
    edges = np.unique(np.concatenate([even[[0, -1]], apart, inner]))
    if cutoffs.low is not None:  # the lower cut-off itself is rejected: close its bin above it
        edges[edges == cutoffs.low] = np.nextafter(cutoffs.low, np.inf)
        edges = np.unique(edges)  # the upper cut-off may be that very number
    counts, _ = np.histogram(scores, bins=edges)
    return tuple(
        ScoreBin(
            low=float(left),
            high=float(right),
            items=int(number),
            height=float(number * width / (right - left)),
            route=_route(left, cutoffs),
        )
        for left, right, number in zip(edges[:-1], edges[1:], counts, strict=True)
    )


def _route(score: float, cutoffs: Cutoffs) -> Route:
    if cutoffs.high is not None and score >= cutoffs.high:
        return "accept"
    if cutoffs.low is not None and score <= cutoffs.low:
        return "reject"
    return "review"
