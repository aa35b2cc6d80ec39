"""What a sample drawn by strata proves about a claim: exact limits per stratum, put together.

One idea: a ratio metric moves one way only with the share of positives in each part of the
collection, if a part holds one predicted class. So the worst shares that the labels allow give the
worst metric.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from assaymark.claims.claim import Claim, Side
from assaymark.claims.ratio_metrics import metric


@dataclass(frozen=True, kw_only=True)
class SampledPart:
    """A part of the collection with one predicted class: its items, and a random sample of them."""

    predicted: bool
    items: int
    labels: int
    positives: int


def least_positives(part: SampledPart, alpha: float) -> int:
    """Exact lower limit of the positives of a part: fewer would show as many with chance <= α.

    *Assumes* a simple random sample of the part without replacement. *Source* inversion of the
    hypergeometric test.

    >>> least_positives(SampledPart(predicted=True, items=10, labels=10, positives=7), 0.05)
    7
    """
    from scipy.stats import hypergeom  # takes a second to load, and only claims need it

    low, high = part.positives, part.positives + part.items - part.labels
    # P(X >= seen) rises with the positives: the first number that the sample does not refute
    while low < high:
        middle = (low + high) // 2
        if hypergeom.sf(part.positives - 1, part.items, middle, part.labels) > alpha:
            high = middle
        else:
            low = middle + 1
    return low


def most_positives(part: SampledPart, alpha: float) -> int:
    """Exact upper limit of the positives of a part: all but the fewest negatives."""
    turned = SampledPart(
        predicted=part.predicted,
        items=part.items,
        labels=part.labels,
        positives=part.labels - part.positives,
    )
    return part.items - least_positives(turned, alpha)


def stratified_bound(
    claim: Claim, parts: Sequence[SampledPart], *, confidence: float, side: Side
) -> float | None:
    """The bound on one side for a sample whose size did not depend on its labels.

    None where the metric may be undefined. *Assumes* a simple random sample within every part.
    *Source* the union bound over the parts that matter, each with its share of the risk.
    """
    slopes = [_slope(claim, predicted=part.predicted) for part in parts]
    share = (1 - confidence) / max(sum(slope != 0 for slope in slopes), 1)
    cells = [0, 0, 0, 0]
    for part, slope in zip(parts, slopes, strict=True):
        limit = least_positives if (slope > 0) == (side == "lower") else most_positives
        positives = limit(part, share) if slope else part.positives
        hit, miss = (0, 1) if part.predicted else (2, 3)
        cells[hit] += positives
        cells[miss] += part.items - positives
    return metric(claim.metric).value(cells)


def _slope(claim: Claim, *, predicted: bool) -> float:
    """How a positive more moves the metric; its sign is the same at every value of the metric."""
    ratio = metric(claim.metric)
    tp, fp, fn, tn = (
        a - claim.target * b for a, b in zip(ratio.numerator, ratio.denominator, strict=True)
    )
    return tp - fp if predicted else fn - tn
