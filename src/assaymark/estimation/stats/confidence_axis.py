"""How sure the classifier is of each prediction: the whole pool on one axis, in bins.

One idea: strata are cut on z, the probability of the predicted class or, for other scores, their
distance from the cut-off. At most a thousand bins stand for any number of items, and equal values
of z in one predicted class always share a bin, so that no cut can split a tie.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assaymark.errors import InputError
from assaymark.stats.special import expit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BINS = 500  # per predicted class, at most
FINE = 16384
# At the mean distance from the cut-off, a prediction is believed wrong with chance 1.8 %.
MARGIN_SLOPE = 4.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Axis:
    """Bins in ascending order of z: items, mean z, range of z, predicted class, believed doubt.

    `doubt` is the chance, as the scores have it, that the prediction of an item is wrong. `source`
    is the place of the bin in its class, from the lowest score up.
    """

    z: Floats
    counts: Ints
    low: Floats
    high: Floats
    group: Ints
    doubt: Floats
    source: Ints

    @property
    def items(self) -> int:
        """How many items the pool has."""
        return int(self.counts.sum())

    @property
    def mean_doubt(self) -> float:
        """The error rate that the scores promise."""
        return float((self.counts * self.doubt).sum() / self.counts.sum())


def make_axis(
    *, z: Floats, counts: Ints, low: Floats, high: Floats, group: Ints, source: Ints, share: bool
) -> Axis:
    """The axis of these bins; `share` says that z is a probability. Empty bins are left out.

    Other scores get a doubt that falls with z as a logistic curve whose scale is the mean of z:
    only its shape matters, and validity never depends on it.
    """
    kept = counts > 0
    if not kept.any():
        raise InputError("There is no item to stratify: the pool is empty.")
    if share and (z[kept].min() < 0 or z[kept].max() > 1):
        raise InputError(
            f"Confidences that are probabilities lie between 0 and 1, got {z[kept].min():g} to "
            f"{z[kept].max():g}. Give margins as scores, not as probabilities."
        )
    order = np.flatnonzero(kept)[np.argsort(z[kept], kind="stable")]
    sorted_z = z[order].astype(np.float64)
    mean = float((counts[order] * sorted_z).sum() / counts[order].sum())
    doubt = 1.0 - sorted_z if share else expit(-MARGIN_SLOPE * sorted_z / max(mean, 1e-300))
    return Axis(
        z=sorted_z,
        counts=counts[order].astype(np.int64),
        low=low[order].astype(np.float64),
        high=high[order].astype(np.float64),
        group=group[order].astype(np.int64),
        doubt=np.asarray(doubt, dtype=np.float64),
        source=source[order].astype(np.int64),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class BinnedItems:
    """An axis made from single items, and the bin of the axis that each item is in."""

    axis: Axis
    bins: Ints


def bin_items(z: Floats, group: Ints, *, share: bool = True) -> BinnedItems:
    """The axis of items with these confidences and predicted classes (numbered from 0)."""
    if len(z) == 0 or not np.isfinite(z).all():
        raise InputError("Every item needs a finite confidence, and there must be at least one.")
    low, high = float(z.min()), float(z.max())
    fine = fine_position(z, low, high)
    groups = int(group.max()) + 1
    key = group * FINE + fine
    counts = np.bincount(key, minlength=groups * FINE)
    sums = np.bincount(key, weights=z, minlength=groups * FINE)
    bin_of = np.concatenate(
        [_merged(counts[g * FINE : (g + 1) * FINE]) + g * (BINS * 4) for g in range(groups)]
    )
    names, local = np.unique(bin_of, return_inverse=True)
    size = np.bincount(local, weights=counts)
    total = np.bincount(local, weights=sums)
    place = np.tile(np.arange(FINE), groups)
    first = np.full(len(names), FINE)
    last = np.zeros(len(names), dtype=np.int64)
    used = counts > 0
    np.minimum.at(first, local[used], place[used])
    np.maximum.at(last, local[used], place[used])
    edges = fine_edges(low, high)
    middle = np.divide(total, size, out=np.zeros(len(names)), where=size > 0)
    axis = make_axis(
        z=np.clip(middle, low, high),
        counts=size.astype(np.int64),
        low=edges[np.minimum(first, FINE)],
        high=edges[last + 1],
        group=names // (BINS * 4),
        source=np.arange(len(names)),
        share=share,
    )
    back = np.full(len(names), -1)
    back[axis.source] = np.arange(len(axis.z))
    return BinnedItems(axis=axis, bins=back[local[key]])


def fine_position(z: Floats, low: float, high: float) -> Ints:
    """The place of each value on a grid that is finest at both ends, where scores pile up."""
    if high <= low:
        return np.zeros(len(z), dtype=np.int64)
    u = (z - low) / (high - low)
    x = np.where(u < 0.5, np.sqrt(u / 2), 1 - np.sqrt(np.maximum(1 - u, 0) / 2))
    return np.minimum(FINE - 1, (FINE * x).astype(np.int64))


def fine_edges(low: float, high: float) -> Floats:
    """Where the places of that grid begin; the last edge is the highest value."""
    x = np.arange(FINE + 1) / FINE
    u = np.where(x < 0.5, 2 * x * x, 1 - 2 * (1 - x) ** 2)
    return np.asarray(low + u * (high - low), dtype=np.float64)


def _merged(counts: Ints) -> Ints:
    """A bin per place of the grid: about equal counts, and a spike in a bin of its own."""
    target = max(1, int(counts.sum()) // BINS)
    big = counts > target
    # bins end where the running count passes a multiple of the target, and around every spike
    steps = np.cumsum(np.where(big, 0, counts)) // target
    spikes = np.cumsum(big) + np.concatenate([[0], np.cumsum(big)[:-1]])
    _, bins = np.unique(steps * (2 * FINE) + spikes, return_inverse=True)
    return np.asarray(bins, dtype=np.int64)
