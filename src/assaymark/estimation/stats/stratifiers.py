"""Where to cut the axis of confidence: the named ways of a paper, and two of our own.

*Source* Kumar and Raj (2016), *Classifier risk estimation under limited labeling resources*,
section 3.5: cum √f, cum f^⅓, equal weighted mean, k-means, Gaussian mixture, equal size, equal
width. All work on bins: their cost does not grow with the pool.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assaymark.claims.checks import choice
from assaymark.errors import InputError
from assaymark.estimation.stats.confidence_axis import Axis, Floats, Ints
from assaymark.estimation.stats.default_strata import label_shares, mixc
from assaymark.estimation.stats.kernel_density import density_on

MOST_STEPS, MIXTURE_STEPS = 200, 60


@dataclass(frozen=True, kw_only=True, eq=False)
class Stratification:
    """Which stratum each bin of the axis belongs to; strata are numbered from 0, none is empty."""

    axis: Axis
    bins: Ints
    asked: int
    name: str

    @property
    def strata(self) -> int:
        """How many strata came out: fewer than asked where ties or spikes left nothing to cut."""
        return int(self.bins.max()) + 1

    @property
    def sizes(self) -> Ints:
        """Items per stratum."""
        return np.bincount(self.bins, weights=self.axis.counts).astype(np.int64)

    @property
    def doubt(self) -> Floats:
        """The mean believed error rate of each stratum."""
        total = np.bincount(self.bins, weights=self.axis.counts * self.axis.doubt)
        return np.asarray(total / self.sizes, dtype=np.float64)

    @property
    def shares(self) -> Floats:
        """The share of labels that each stratum gets by mass."""
        return label_shares(self.axis, self.bins)

    def __str__(self) -> str:
        return f"{self.strata} strata ({self.name}) of {self.axis.items:,} items"


def stratify(axis: Axis, name: str, strata: int) -> Stratification:
    """The strata of that name; at most as many as asked for, never an empty one."""
    rule = STRATIFIERS[choice("stratifier", name, STRATIFIERS)]
    if isinstance(strata, bool) or not isinstance(strata, int | np.integer) or strata < 1:
        raise InputError(f"'strata' must be a whole number of at least 1, got {strata!r}.")
    if strata > len(axis.z):
        raise InputError(
            f"{strata} strata were asked for, and the scores have only {len(axis.z)} distinct "
            f"bins. Ask for at most {len(axis.z)}."
        )
    strata_of = rule(axis, int(strata))
    _, bins = np.unique(strata_of, return_inverse=True)
    return Stratification(axis=axis, bins=bins.astype(np.int64), asked=int(strata), name=name)


def cut_equal(mass: Floats, strata: int) -> Ints:
    """The stratum of each bin when the running mass is cut into equal parts; bins stay whole."""
    total = float(mass.sum())
    if total <= 0:
        return np.zeros(len(mass), dtype=np.int64)
    middle = np.cumsum(mass) - mass / 2
    return np.minimum(strata - 1, (strata * middle / total).astype(np.int64))


def _power_of_density(power: float) -> Callable[[Axis, int], Ints]:
    def rule(axis: Axis, strata: int) -> Ints:
        low, high = float(axis.low.min()), float(axis.high.max())
        if high <= low:
            return np.zeros(len(axis.z), dtype=np.int64)
        running = np.cumsum(density_on(axis, low, high) ** power)
        edges = np.linspace(low, high, len(running) + 1)[1:]
        inner = np.interp(np.arange(1, strata) / strata * running[-1], running, edges)
        return np.searchsorted(inner, axis.z, side="right").astype(np.int64)

    return rule


def weighted_mean(axis: Axis, strata: int) -> Ints:
    """Equal totals of z: size times mean is the same in every stratum."""
    return cut_equal(np.asarray(axis.counts * np.maximum(axis.z, 0.0), dtype=np.float64), strata)


def equal_size(axis: Axis, strata: int) -> Ints:
    """Equal numbers of items."""
    return cut_equal(axis.counts.astype(np.float64), strata)


def equal_width(axis: Axis, strata: int) -> Ints:
    """Ranges of z of equal width."""
    low, high = float(axis.z.min()), float(axis.z.max())
    if high <= low:
        return np.zeros(len(axis.z), dtype=np.int64)
    share = (axis.z - low) / (high - low)
    return np.minimum(strata - 1, (strata * share).astype(np.int64))


def k_means(axis: Axis, strata: int) -> Ints:
    """Clusters with the least squared distance, from equal-size strata on (Lloyd's steps)."""
    clusters = equal_size(axis, strata)
    for _ in range(MOST_STEPS):
        size = np.bincount(clusters, weights=axis.counts, minlength=strata)
        total = np.bincount(clusters, weights=axis.counts * axis.z, minlength=strata)
        centre = np.sort(total[size > 0] / size[size > 0])
        again = np.searchsorted((centre[1:] + centre[:-1]) / 2, axis.z, side="right")
        if np.array_equal(again, clusters):
            break
        clusters = again.astype(np.int64)
    return clusters


def mixture(axis: Axis, strata: int) -> Ints:
    """The likeliest component of a Gaussian mixture fitted to the bins, from k-means on."""
    share = axis.counts / axis.counts.sum()
    weight, mean, spread = _start(axis, share, k_means(axis, strata))
    least = 1e-6 * max(float(axis.z.max() - axis.z.min()), 1e-12) ** 2
    before = -np.inf
    for _ in range(MIXTURE_STEPS):
        log = np.log(weight) - 0.5 * np.log(spread) - 0.5 * (axis.z[:, None] - mean) ** 2 / spread
        top = log.max(axis=1, keepdims=True)
        part = np.exp(log - top)
        total = part.sum(axis=1, keepdims=True)
        fit = float((share * (top + np.log(total))[:, 0]).sum())
        part = share[:, None] * part / total
        weight = np.maximum(part.sum(axis=0), 1e-12)
        mean = (part * axis.z[:, None]).sum(axis=0) / weight
        spread = np.maximum((part * (axis.z[:, None] - mean) ** 2).sum(axis=0) / weight, least)
        if fit - before < 1e-7:
            break
        before = fit
    return np.asarray(np.argmax(part, axis=1), dtype=np.int64)


def _start(axis: Axis, share: Floats, clusters: Ints) -> tuple[Floats, Floats, Floats]:
    weight = np.bincount(clusters, weights=share).astype(np.float64)
    kept = weight > 0
    mean = np.bincount(clusters, weights=share * axis.z)[kept] / weight[kept]
    square = np.bincount(clusters, weights=share * axis.z**2)[kept] / weight[kept] - mean**2
    floor = 1e-4 * max(float(axis.z.max() - axis.z.min()), 1e-12) ** 2
    return weight[kept], mean, np.asarray(np.maximum(square, floor), dtype=np.float64)


def equal_variance(axis: Axis, strata: int) -> Ints:
    """Equal totals of the believed standard deviation, doubts kept above 1 %."""
    e = np.clip(axis.doubt, 0.01, 0.99)
    return cut_equal(np.asarray(axis.counts * np.sqrt(e * (1 - e)), dtype=np.float64), strata)


STRATIFIERS: dict[str, Callable[[Axis, int], Ints]] = {
    "sqrt": _power_of_density(1 / 2),
    "cbrt": _power_of_density(1 / 3),
    "weighted-mean": weighted_mean,
    "k-means": k_means,
    "mixture": mixture,
    "equal-size": equal_size,
    "equal-width": equal_width,
    "equal-variance": equal_variance,
    "mixc": mixc,
}
PAPER = tuple(STRATIFIERS)[:7]
