"""Any metric from items that were drawn with known chances: each label counts 1/chance.

One idea: a ratio of weighted counts is estimated by the ratio of the weighted sums (Hájek), and
its variance by that of the residuals a − M·b. It serves many classes too: accuracy is one ratio,
and a macro figure is a mean of ratios. Estimates for reading, never claims.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from assay.errors import InputError
from assay.stats.axis import Floats, Ints
from assay.stats.metrics import Metric
from assay.types.checks import open_share


@dataclass(frozen=True, kw_only=True, eq=False)
class Weighted:
    """Labelled items: how much each counts, and the stratum within which they may be compared."""

    weight: Floats
    stratum: Ints

    def __post_init__(self) -> None:
        if len(self.weight) == 0:
            raise InputError("The file has no labelled item, so there is nothing to estimate from.")
        if np.any(~np.isfinite(self.weight)) or np.any(self.weight < 1):
            raise InputError(
                "A weight is 1 divided by the chance to be drawn, so it is at least 1."
            )


@dataclass(frozen=True, kw_only=True)
class RatioEstimate:
    """A ratio of weighted sums with its interval; None with a reason where it is undefined."""

    point: float | None
    low: float | None
    high: float | None
    effective: float | None
    reason: str | None = None

    def __str__(self) -> str:
        if self.point is None:
            return f"undefined: {self.reason}"
        return f"{self.point:.4f} ({self.low:.4f} to {self.high:.4f})"


def chances_to_weights(chances: Sequence[float]) -> Floats:
    """1/chance for each item; refused where a chance is not in (0, 1].

    >>> chances_to_weights([0.5, 1.0]).tolist()
    [2.0, 1.0]
    """
    for number, value in enumerate(chances, start=1):
        if not 0 < value <= 1:
            raise InputError(
                f"Row {number} has the probability {value:g}. The chance to be drawn is above 0 and "
                "at most 1."
            )
    return 1 / np.array(chances, dtype=np.float64)


def ratio_estimate(
    above: Floats, below: Floats, sample: Weighted, *, confidence: float = 0.95
) -> RatioEstimate:
    """Σ w·above / Σ w·below over the sample, at its effective sample size."""
    open_share("confidence", confidence)
    total = float((sample.weight * below).sum())
    if total == 0:
        return RatioEstimate(
            point=None, low=None, high=None, effective=None, reason="no item of it was found"
        )
    point = float((sample.weight * above).sum()) / total
    residual = sample.weight * (above - point * below) / total
    return _interval(point, residual, below, sample, confidence)


def mean_of_ratios(
    parts: Sequence[tuple[Floats, Floats]], sample: Weighted, *, confidence: float = 0.95
) -> RatioEstimate:
    """The plain mean of several ratios, such as macro F1; ratios without items are left out."""
    points, residual = [], np.zeros(len(sample.weight))
    for above, below in parts:
        total = float((sample.weight * below).sum())
        if total > 0:
            points.append(float((sample.weight * above).sum()) / total)
            residual += sample.weight * (above - points[-1] * below) / total
    if not points:
        return RatioEstimate(
            point=None, low=None, high=None, effective=None, reason="no class was found"
        )
    point = float(np.mean(points))
    ones = np.ones(len(sample.weight))
    return _interval(point, residual / len(points), ones, sample, confidence)


def _interval(
    point: float, residual: Floats, below: Floats, sample: Weighted, confidence: float
) -> RatioEstimate:
    """Clopper and Pearson at the effective sample size; never of width zero."""
    spread = sample.weight * np.abs(below)
    kish = float(spread.sum() ** 2 / (spread**2).sum())
    smooth = (point * kish + 1) / (kish + 2)
    # where all labels agree the residuals say nothing; the size alone keeps an honest width
    variance = max(_variance(residual, sample.stratum), 0.25 * smooth * (1 - smooth) / kish)
    middle = min(max(point, smooth * 1e-3), 1 - (1 - smooth) * 1e-3)
    effective = max(middle, 1 - middle) * min(smooth, 1 - smooth) / variance
    if 0 < point < 1:
        effective = point * (1 - point) / variance
    effective = min(max(effective, 1e-9), 4 * len(sample.weight))
    tail = (1 - confidence) / 2
    hits, misses = point * effective, (1 - point) * effective
    low = float(betaincinv(hits, misses + 1, tail)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, misses, 1 - tail)) if misses > 0 else 1.0
    return RatioEstimate(
        point=point, low=min(low, point), high=max(high, point), effective=effective
    )


def _variance(residual: Floats, stratum: Ints) -> float:
    """The variance of a sum of residuals, within strata of at least two labels, else all at once."""
    size = np.bincount(stratum)
    place = np.where(size[stratum] >= 2, stratum, len(size))
    total = 0.0
    for k in np.unique(place):
        own = residual[place == k]
        n = len(own)
        total += n / max(n - 1, 1) * float(((own - own.mean()) ** 2).sum() if n > 1 else own @ own)
    return total


def binary_parts(
    ratio: Metric, predicted: NDArray[np.bool_], label: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Numerator and denominator of a metric for each item."""
    cell = np.where(predicted, np.where(label, 0, 1), np.where(label, 2, 3))
    return np.array(ratio.numerator, dtype=np.float64)[cell], np.array(
        ratio.denominator, dtype=np.float64
    )[cell]
