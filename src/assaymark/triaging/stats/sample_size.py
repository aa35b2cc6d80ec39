"""How many labels a certified region will need, before any is bought."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.checks import open_share
from assaymark.errors import InputError
from assaymark.stats import special
from assaymark.triaging.stats.cutoffs import fewest_labels
from assaymark.triaging.triage import SizeForecast

Counts = NDArray[np.int64]
FARTHEST = 2_000_000
BLOCK = 4096


def passing_errors(sizes: Counts, target: float, delta: float) -> Counts:
    """The most errors at which each size still passes; −1 where none does."""
    rate = 1 - target
    # Bin(n, rate) quantiles rise by at most one from n to n+1, so one upward scan would do; the
    # bisection keeps it vectorised
    low, high = np.full(len(sizes), -1), np.ceil(sizes * rate).astype(np.int64)
    for _ in range(int(np.ceil(np.log2(max(2, int(high.max()) + 2)))) + 1):
        middle = (low + high + 1) // 2
        ok = special.bdtr(middle, sizes, rate) <= delta
        low, high = np.where(ok, middle, low), np.where(ok, high, np.maximum(middle - 1, low))
    return np.asarray(low, dtype=np.int64)


@lru_cache(maxsize=256)
def labels_to_pass(
    accuracy: float, *, target: float, delta: float = 0.1, power: float = 0.8
) -> SizeForecast:
    """The automated labels with which a region of this true accuracy passes with this power.

    >>> found = labels_to_pass(0.95, target=0.9)
    >>> found.first, found.stable, found.fewest
    (128, 152, 22)
    """
    for name, value in (("expected accuracy", accuracy), ("target", target), ("power", power)):
        open_share(name, value)
    open_share("delta", delta)
    if accuracy <= target:
        raise InputError(
            f"An accuracy of {accuracy:g} is not above the target {target:g}: no number of labels "
            "proves it. Expect more, or ask for less."
        )
    first: int | None = None
    last_short = 0
    calm = _calm(accuracy, target, delta, power)
    if calm > 8 * FARTHEST:  # four times the normal curve's size: hopeless, so do not search
        raise InputError(_too_close(accuracy, target))
    for begin in range(1, FARTHEST, BLOCK):
        sizes = np.arange(begin, begin + BLOCK, dtype=np.int64)
        chance = special.bdtr(passing_errors(sizes, target, delta), sizes, 1 - accuracy)
        good = np.nan_to_num(chance, nan=0.0) >= power
        if first is None and good.any():
            first = int(sizes[np.argmax(good)])
        if not good.all():
            last_short = int(sizes[~good][-1])
        if first is not None and sizes[-1] >= max(calm, 2 * first):
            break
    if first is None:
        raise InputError(_too_close(accuracy, target))
    return SizeForecast(
        target=target,
        expected=accuracy,
        delta=delta,
        power=power,
        first=first,
        stable=last_short + 1,
        fewest=fewest_labels(target, delta),
    )


def _too_close(accuracy: float, target: float) -> str:
    return (
        f"More than {FARTHEST:,} labels are needed to prove {target:g} if the accuracy is "
        f"{accuracy:g}. Ask for a target further below it."
    )


def _calm(accuracy: float, target: float, delta: float, power: float) -> int:
    """A size beyond which the power no longer dips below what is wanted, generously."""
    gap = accuracy - target
    z = special.ndtri(1 - delta) + special.ndtri(max(power, 0.5))
    return int(4 * (z / gap) ** 2 * target * (1 - target)) + 100
