"""Any metric from items that were drawn with known chances: each label counts 1/chance.

One idea: a ratio of weighted counts is estimated by the ratio of the weighted sums (Hájek), and
its variance by that of the residuals a − M·b. It serves many classes too: accuracy is one ratio,
and a macro figure is a mean of ratios. Estimates for reading, never claims.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.checks import open_share
from assaymark.claims.ratio_metrics import Metric
from assaymark.errors import InputError
from assaymark.estimation.stats.confidence_axis import Floats, Ints
from assaymark.stats.special import betaincinv, ndtri, stdtrit

LEAST_PER_CLASS = 10  # below it intervals of macro figures covered 54 to 93 %


@dataclass(frozen=True, kw_only=True, eq=False)
class Weighted:
    """Labelled items: how much each counts, and the stratum within which they may be compared.

    `cluster` where items came together (threads, custodians): then clusters are what was drawn.
    """

    weight: Floats
    stratum: Ints
    cluster: Ints | None = None

    def __post_init__(self) -> None:
        if len(self.weight) == 0:
            raise InputError("The file has no labelled item, so there is nothing to estimate from.")
        if np.any(~np.isfinite(self.weight)) or np.any(self.weight < 1):
            raise InputError(
                "A weight is 1 divided by the chance to be drawn, so it is at least 1."
            )

    def only(self, kept: NDArray[np.bool_]) -> "Weighted | None":
        """These items alone; None where there are none."""
        if not kept.any():
            return None
        # renumbered: a stratum without items has no mean
        return Weighted(
            weight=self.weight[kept],
            stratum=numbered(self.stratum[kept]),
            cluster=None if self.cluster is None else numbered(self.cluster[kept]),
        )

    @cached_property
    def groups(self) -> Ints:
        """The group of each item: those of one stratum and one weight, in their order, from 0."""
        _, weight = np.unique(self.weight, return_inverse=True)
        _, group = np.unique(self.stratum * (weight.max() + 1) + weight, return_inverse=True)
        return group


def numbered(codes: Ints) -> Ints:
    """Whole numbers without gaps in the order of the codes, from 0: by counting, without a sort.

    >>> numbered(np.array([7, 2, 2, 9])).tolist()
    [1, 0, 0, 2]
    """
    present = np.bincount(codes) > 0
    return (np.cumsum(present) - 1)[codes]


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
        if self.low is None or self.high is None:
            return f"{self.point:.4f}, no interval: {self.reason}"
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


def binary_estimate(
    ratio: Metric,
    sample: Weighted,
    *,
    predicted: NDArray[np.bool_],
    label: NDArray[np.bool_],
    confidence: float = 0.95,
) -> RatioEstimate:
    """A metric of two classes, from the items that it is about: precision from predicted positives."""
    tp, fp, fn, tn = ratio.denominator
    kept = np.where(predicted, tp + fp > 0, fn + tn > 0)
    mine = sample.only(kept)
    if mine is None:
        return RatioEstimate(
            point=None, low=None, high=None, effective=None, reason="no labelled item counts for it"
        )
    above, below = binary_parts(ratio, predicted[kept], label[kept])
    return ratio_estimate(above, below, mine, confidence=confidence)


def ratio_estimate(
    above: Floats, below: Floats, sample: Weighted, *, confidence: float = 0.95
) -> RatioEstimate:
    """Σ w·above / Σ w·below over the sample, at its effective sample size."""
    open_share("confidence", confidence)
    total = float((sample.weight * below).sum())
    if total == 0:
        return RatioEstimate(
            point=None, low=None, high=None, effective=None, reason="no labelled item counts for it"
        )
    point = float((sample.weight * above).sum()) / total
    error = _Error(
        residual=above - point * below,
        total=total,
        trials=_trials(sample.weight, below),
    )
    return _interval(point, error, sample, confidence)


def mean_of_ratios(
    parts: Sequence[tuple[Floats, Floats]], sample: Weighted, *, confidence: float = 0.95
) -> RatioEstimate:
    """The plain mean of several ratios, such as macro F1; ratios without items are left out.

    Its interval is given only where it was seen to cover: equal weights, and at least
    `LEAST_PER_CLASS` items in the denominator of every ratio.
    """
    points, trials, all_items = [], [], float(sample.weight.sum())
    residual = np.zeros(len(sample.weight))
    for above, below in parts:
        total = float((sample.weight * below).sum())
        if total > 0:
            points.append(float((sample.weight * above).sum()) / total)
            residual += (above - points[-1] * below) * all_items / total
            trials.append(_trials(sample.weight, below))
    if not points:
        return RatioEstimate(
            point=None, low=None, high=None, effective=None, reason="no class was found"
        )
    # where nothing was wrong, the mean is known no better than its rarest class allows
    known = min(_trials(sample.weight, np.ones(len(residual))), len(points) * min(trials))
    error = _Error(residual=residual / len(points), total=all_items, trials=known)
    estimate = _interval(float(np.mean(points)), error, sample, confidence)
    why = _unmeasured(parts, sample)
    return estimate if why is None else replace(estimate, low=None, high=None, reason=why)


def _unmeasured(parts: Sequence[tuple[Floats, Floats]], sample: Weighted) -> str | None:
    """Why the interval of a mean over classes is not given; None where it was seen to cover."""
    if sample.cluster is not None or np.ptp(sample.weight) > 0:
        return "intervals of macro figures cover too little where chances differ or items cluster"
    least = min(int((below > 0).sum()) for _, below in parts)
    if least < LEAST_PER_CLASS:
        return f"a class has {least} items in the sample; {LEAST_PER_CLASS} of each are needed"
    return None


@dataclass(frozen=True, kw_only=True, eq=False)
class _Error:
    """The error of an estimate is Σ w·residual / total; `trials` are the items it is based on."""

    residual: Floats
    total: float
    trials: float


def _trials(weight: Floats, below: Floats) -> float:
    """How many equally weighted items the denominator is worth (Kish)."""
    return float((weight * below).sum() ** 2 / (weight**2 * below).sum())


def _interval(point: float, error: _Error, sample: Weighted, confidence: float) -> RatioEstimate:
    """Clopper and Pearson at the effective sample size; never of width zero."""
    effective = _effective(point, error, sample)
    tail = (1 - confidence) / 2
    hits, misses = point * effective, (1 - point) * effective
    low = float(betaincinv(hits, misses + 1, tail)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, misses, 1 - tail)) if misses > 0 else 1.0
    return RatioEstimate(
        point=point, low=min(low, point), high=max(high, point), effective=effective
    )


def _effective(point: float, error: _Error, sample: Weighted) -> float:
    """How many items of a simple random sample would be as precise as these.

    Two labels are imagined in every stratum, with the residuals of the whole sample and never none:
    a stratum whose few labels agree is not known exactly. The same imagined labels stand on both
    sides of the ratio, so a simple random sample of n items is worth n, whatever it shows.
    """
    w, d, k = sample.weight, error.residual, sample.stratum
    size = np.bincount(k).astype(np.float64)
    raw = float((w * d**2).sum() / w.sum())
    smooth = (point * error.trials + 1) / (error.trials + 2)
    per_item = error.total / float(w.sum())
    imagined = max(raw, per_item * smooth * (1 - smooth))

    def per(values: Floats) -> Floats:
        return np.bincount(k, weights=values, minlength=len(size)).astype(np.float64)

    square = (per((w * d) ** 2) + 2 * imagined * per(w**2) / size) / (size + 2)
    variance = float((size * (square - (per(w * d) / (size + 2)) ** 2)).sum()) / error.total**2
    variance = max(variance, _between(error, sample))
    mean, share = per(w) / size, per(w) / w.sum()
    spread = float((share * (per(w * d**2) / mean + 2 * imagined) / (size + 2)).sum())
    spread -= float((share * per(w * d) / mean / (size + 2)).sum()) ** 2
    # a ratio that counts some cells twice, such as F1, varies more than a share of its size would
    scale = point * (1 - point) * per_item / raw if raw > 0 else 1.0
    effective = scale * spread / per_item / max(variance, 1e-300)
    return max(effective if raw > 0 else min(effective, error.trials), 1e-9)


def _between(error: _Error, sample: Weighted) -> float:
    """The variance between clusters (ultimate clusters, by stratum), with Student's factor.

    *Source* Korn and Graubard (1999), *Analysis of health surveys*, ch. 2: n_eff times
    (z/t)², t with as many degrees of freedom as there are clusters less strata.
    """
    if sample.cluster is None:
        return 0.0
    totals = np.bincount(sample.cluster, weights=sample.weight * error.residual)
    home = np.zeros(len(totals), dtype=np.int64)
    home[sample.cluster] = sample.stratum
    size = np.bincount(home).astype(np.float64)
    present = size > 0
    mean = np.bincount(home, weights=totals) / np.maximum(size, 1)
    square = np.bincount(home, weights=(totals - mean[home]) ** 2)
    alone = np.maximum(size - 1, 1)
    variance = float((size * square / alone)[present].sum()) / error.total**2
    freedom = max(len(totals) - int(present.sum()), 1)
    return variance * (float(stdtrit(freedom, 0.975)) / float(ndtri(0.975))) ** 2


def binary_parts(
    ratio: Metric, predicted: NDArray[np.bool_], label: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Numerator and denominator of a metric for each item."""
    cell = np.where(predicted, np.where(label, 0, 1), np.where(label, 2, 3))
    return np.array(ratio.numerator, dtype=np.float64)[cell], np.array(
        ratio.denominator, dtype=np.float64
    )[cell]
