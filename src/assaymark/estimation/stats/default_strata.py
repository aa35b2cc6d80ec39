"""Our default strata for accuracy: labels go where the scores doubt and where the scores are rare.

One idea: labels follow mass. One part of the mass follows the standard deviation that the scores
promise, so that doubtful items get their share; one part follows the inverse root of the density,
so that a thin region is looked at even if the scores are sure of it; a small part follows size, so
that no region can be starved. Strata never cross predicted classes. Nothing is learnt from labels,
so the estimate is unbiased.
"""

import numpy as np

from assaymark.estimation.stats.confidence_axis import Axis, Floats, Ints
from assaymark.estimation.stats.kernel_density import kernel_density

DOUBT, THIN, SIZE = 0.45, 0.45, 0.1
LABELS_EACH, FEWEST, MOST = 3, 5, 40


def strata_wanted(labels: int) -> int:
    """How many strata a sample of this size is spread over: three labels each, 5 to 40 strata.

    >>> [strata_wanted(n) for n in (15, 50, 100, 1000)]
    [5, 16, 33, 40]
    """
    return min(MOST, max(FEWEST, labels // LABELS_EACH))


def believed_error(axis: Axis) -> Floats:
    """The scores' doubts, kept away from certainty: never below a third of their mean."""
    edge = min(axis.mean_doubt / 3, 1 / 3)
    return np.clip(axis.doubt, edge, 1 - edge)


def mixed_mass(axis: Axis) -> Floats:
    """The mass of each bin, summing to one: deviation, inverse root of density, and size."""
    share = axis.counts / axis.counts.sum()
    e = believed_error(axis)
    deviation = np.sqrt(e * (1 - e))
    thin = kernel_density(axis) ** -0.5
    spread = float((share * deviation).sum())
    first = deviation / spread if spread > 0 else np.ones(len(share))
    return np.asarray(share * (DOUBT * first + THIN * thin / (share * thin).sum() + SIZE))


def label_shares(axis: Axis, bins: Ints) -> Floats:
    """The share of the labels that each stratum gets: its mass, at least half an even share.

    Strata of equal mass get equal labels; a spike that no cut could split gets what it is due.
    """
    mass = np.bincount(bins, weights=mixed_mass(axis))
    kept = np.maximum(mass, 0.5 / len(mass))
    return np.asarray(kept / kept.sum())


def mixc(axis: Axis, strata: int) -> Ints:
    """Strata of equal mass inside each predicted class, each class by its mass, at least one each.

    With more classes than strata, the classes with the least mass share one stratum.
    """
    mass = mixed_mass(axis)
    masses = np.bincount(axis.group, weights=mass)
    quota = _quota(masses / masses.sum(), strata)
    strata_of = np.zeros(len(mass), dtype=np.int64)
    start = 1  # stratum 0 is for classes too small to have their own
    for group, parts in enumerate(quota):
        if parts:
            mine = axis.group == group
            strata_of[mine] = start + _equal_parts(mass[mine], int(parts))
            start += int(parts)
    return strata_of


def _equal_parts(mass: Floats, parts: int) -> Ints:
    """Bins cut one part after the other, so that a spike takes one part and leaves the others."""
    parts_of = np.zeros(len(mass), dtype=np.int64)
    left, rest, current, filled = float(mass.sum()), parts, 0, 0.0
    for place, amount in enumerate(mass.tolist()):
        goal = left / rest
        over = filled + amount - goal
        if filled > 0 and rest > 1 and over > 0 and over > goal - filled:
            left, rest, current, filled = left - filled, rest - 1, current + 1, 0.0
        parts_of[place] = current
        filled += amount
    return parts_of


def _quota(share: Floats, strata: int) -> Ints:
    """Strata per class: at least one each, the rest by largest remainder."""
    present = share > 0
    if present.sum() > strata:
        kept = np.argsort(-share, kind="stable")[: strata - 1]
        quota = np.zeros(len(share), dtype=np.int64)
        quota[kept] = 1
        return quota
    quota = np.where(present, np.maximum(1, np.floor(share * strata)), 0).astype(np.int64)
    while quota.sum() < strata:
        quota[np.argmax(np.where(present, share * strata - quota, -np.inf))] += 1
    while quota.sum() > strata:
        quota[np.argmax(np.where(quota > 1, quota - share * strata, -np.inf))] -= 1
    return quota
