"""Intervals for reading: measured to cover, not proved; never called a guarantee.

Accuracy: Clopper and Pearson's interval at the effective sample size (Korn and Graubard), or
Wilson's. Any other ratio of counts: profile likelihood over the strata, which asks how far the
rates must move, and what that costs in likelihood, until the metric has another value.
"""

from dataclasses import dataclass

import numpy as np

from assaymark.claims.ratio_metrics import Metric
from assaymark.estimation.stats.confidence_axis import Floats, Ints
from assaymark.estimation.stats.stratified_estimator import smoothed_variance
from assaymark.stats.score_guided.kl_projection import divergence, lower_to
from assaymark.stats.special import betaincinv, ndtri

GRID = 48
# Half a label against each end, in the stratum where being wrong is cheapest. Without it a stratum
# that shows no miss among n labels is believed to 1.92/n, where an exact limit has 3.69/n.
IMAGINED = 0.5


@dataclass(frozen=True, kw_only=True)
class Ends:
    """The two ends of an interval, and how it was made."""

    low: float
    high: float
    method: str


def korn_graubard(
    sizes: Ints,
    labelled: Ints,
    correct: Ints,
    *,
    promised: Floats | None = None,
    confidence: float = 0.95,
) -> Ends:
    """Clopper and Pearson at the effective sample size, two imagined labels in every stratum.

    *Source* Korn and Graubard (1998), *Confidence intervals for proportions with small expected
    number of positive counts estimated from survey data*. Only the variance is smoothed; see
    `imagined_rate` for the imagined labels. `promised` are the scores' rates.
    """
    low, high = effective_ends(
        sizes,
        labelled,
        correct,
        prior=imagined_rate(sizes, labelled, correct, promised),
        confidence=confidence,
        method="korn-graubard",
    )
    return Ends(low=float(low), high=float(high), method="korn-graubard")


def imagined_rate(sizes: Ints, labelled: Ints, correct: Ints, promised: Floats | None) -> Floats:
    """The rate of the imagined labels: half the scores' word, half what the whole sample shows.

    Scores alone would call a stratum safe that they only believe to be safe: intervals then cover
    as little as 83 % where the errors lie among the surest items.
    """
    labels = labelled.sum(axis=-1)
    # strata without a label show nothing: they must not pass for strata that are all wrong
    items = np.where(labelled > 0, sizes, 0)
    rates = correct / np.maximum(labelled, 1)
    centre = (items * rates).sum(axis=-1) / np.maximum(items.sum(axis=-1), 1)
    shown = ((centre * labels + 1.0) / (labels + 2.0))[..., None]
    if promised is None:
        return np.broadcast_to(shown, np.shape(labelled)).astype(np.float64)
    return np.asarray((promised + shown) / 2)


def wilson(sizes: Ints, labelled: Ints, correct: Ints, *, confidence: float = 0.95) -> Ends:
    """Wilson's interval at the effective sample size, one imagined label of each kind: cautious."""
    low, high = effective_ends(
        sizes, labelled, correct, prior=0.5, confidence=confidence, method="wilson"
    )
    return Ends(low=float(low), high=float(high), method="wilson")


def effective_ends(
    sizes: Ints,
    labelled: Ints,
    correct: Ints,
    *,
    prior: Floats | float,
    confidence: float,
    method: str,
) -> tuple[Floats, Floats]:
    """The ends for many samples at once (leading axes of `labelled` and `correct`).

    A stratum without a label is centred at what the others show and may be anything: its variance
    says so.
    """
    weight = sizes / sizes.sum()
    shown = imagined_rate(sizes, labelled, correct, None)
    share = np.where(labelled > 0, correct / np.maximum(labelled, 1), shown)
    centre = (weight * share).sum(axis=-1)
    smooth = (weight * (correct + 2.0 * np.asarray(prior)) / (labelled + 2.0)).sum(axis=-1)
    variance = smoothed_variance(sizes, labelled, correct, prior=prior)
    effective = smooth * (1 - smooth) / np.maximum(variance, 1e-300)
    effective = np.maximum(effective, 1e-9)
    tail = (1 - confidence) / 2
    if method == "wilson":
        return _wilson(centre, effective, float(ndtri(1 - tail)))
    hits, misses = centre * effective, (1 - centre) * effective
    low = np.where(hits > 0, betaincinv(np.maximum(hits, 1e-12), misses + 1, tail), 0.0)
    high = np.where(misses > 0, betaincinv(hits + 1, np.maximum(misses, 1e-12), 1 - tail), 1.0)
    known = variance <= 0  # every item is labelled
    return np.where(known, centre, low), np.where(known, centre, high)


def _wilson(centre: Floats, effective: Floats, z: float) -> tuple[Floats, Floats]:
    middle = (centre + z * z / (2 * effective)) / (1 + z * z / effective)
    half = z * np.sqrt(centre * (1 - centre) / effective + (z / (2 * effective)) ** 2)
    half = half / (1 + z * z / effective)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class StrataCounts:
    """Strata of one predicted class each: items, labels, positives among the labels."""

    predicted: np.ndarray
    sizes: Ints
    labelled: Ints
    positives: Ints

    @property
    def rates(self) -> Floats:
        """The share of positives among the labels of each stratum."""
        return np.asarray(self.positives / np.maximum(self.labelled, 1), dtype=np.float64)

    def cells(self, rates: Floats) -> tuple[float, float, float, float]:
        """The confusion cells of the pool at these rates of positives."""
        positives = self.sizes * rates
        side = self.predicted
        tp, fn = float(positives[side].sum()), float(positives[~side].sum())
        return (
            tp,
            float(self.sizes[side].sum()) - tp,
            fn,
            float(self.sizes[~side].sum()) - fn,
        )


def profile_interval(
    ratio: Metric,
    counts: StrataCounts,
    *,
    confidence: float = 0.95,
    point: float,
    imagined: float = IMAGINED,
) -> Ends:
    """All values of the metric that cost at most χ²/2 in log likelihood.

    Without replacement the labels of a stratum count as N·ln(N/(N − n)): the chance not to have met
    any of m items is ((N − n)/N)^m, and a stratum that is labelled to the end stands still. A
    stratum without labels may have any rate. For each end half a label is `imagined` against it.
    """
    cost = float(ndtri((1 + confidence) / 2)) ** 2 / 2
    low = _limit(ratio, counts, point, cost, lower=True, imagined=imagined)
    high = _limit(ratio, counts, point, cost, lower=False, imagined=imagined)
    return Ends(low=low, high=high, method="profile likelihood")


def _limit(
    ratio: Metric,
    counts: StrataCounts,
    point: float,
    cost: float,
    *,
    lower: bool,
    imagined: float,
) -> float:
    """The value where the cost is reached, by three rounds on a grid from the point outwards."""
    near, far = point, 0.0 if lower else 1.0
    for _ in range(3):
        targets = near + (far - near) * np.arange(1, GRID + 1) / GRID
        spent = profile_cost(ratio, counts, targets, lower=lower, imagined=imagined)
        over = np.flatnonzero(spent > cost)
        if len(over) == 0:
            return far
        first = int(over[0])
        near, far = (near if first == 0 else float(targets[first - 1])), float(targets[first])
    return far


def profile_cost(
    ratio: Metric,
    counts: StrataCounts,
    targets: Floats,
    *,
    lower: bool,
    imagined: float = IMAGINED,
) -> Floats:
    """The least log likelihood lost when the metric is pushed to each target and beyond.

    Labels and positives are those of one sample, or rows of many: then each row has its own target.
    """
    a, b = np.array(ratio.numerator), np.array(ratio.denominator)
    side, sizes = counts.predicted, counts.sizes
    gain = (a - targets[:, None] * b) * (1.0 if lower else -1.0)
    weight = np.where(side, (gain[:, [0]] - gain[:, [1]]), (gain[:, [2]] - gain[:, [3]]))
    base = gain[:, 1] * sizes[side].sum() + gain[:, 3] * sizes[~side].sum()
    labelled = np.broadcast_to(counts.labelled, weight.shape)
    # help: labels that raise the gain; the metric reaches the target when help falls to the need
    rates = counts.rates
    helps = np.where(weight > 0, rates, 1 - rates)
    pull = np.abs(weight) * sizes / sizes.sum()
    need = (-base - np.minimum(weight, 0) @ sizes) / sizes.sum()
    left = np.maximum(sizes - labelled, 0)
    known = (labelled > 0) & (left == 0)
    need = need - (pull * np.where(known, helps, 0)).sum(axis=1)
    live = ~known & (labelled > 0)  # a stratum without labels costs nothing to move to the worst
    worth = np.where(live, sizes * np.log(sizes / np.maximum(left, 1)), 0.0)
    pull = np.where(live, pull, 0.0)
    real, worth = worth, worth + _against(pull, worth, live, imagined)
    helps = helps * np.where(live, real / np.maximum(worth, 1e-300), 1.0)
    have = (pull * helps).sum(axis=1)
    spent = np.zeros(len(targets))
    move = (need < have) & (need > 1e-12)
    spent[(need <= 1e-12) & (have > 1e-12)] = np.inf
    if move.any():
        worth, live = worth[move], live[move]
        total = np.maximum(worth.sum(axis=1, keepdims=True), 1e-300)
        p = np.clip(helps[move], 1e-9, 1 - 1e-9)
        goal = np.minimum(need[move], (pull[move] * p).sum(axis=1))
        lowered = lower_to(p, pull=pull[move], sampling=worth / total, need=goal)
        t = np.clip(lowered.rates, 1e-15, 1 - 1e-15)
        spent[move] = (worth * np.where(live, divergence(p, t), 0.0)).sum(axis=1)
    return spent


def _against(pull: Floats, worth: Floats, live: np.ndarray, imagined: float) -> Floats:
    """The imagined labels: all in the stratum that moves the metric most for its labels."""
    ease = np.where(live, pull / np.maximum(worth, 1e-300), 0.0)
    easiest = live & (ease >= ease.max(axis=1, keepdims=True))
    return np.asarray(np.where(easiest, imagined, 0.0), dtype=np.float64)
