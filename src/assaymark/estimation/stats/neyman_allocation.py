"""How many labels each stratum gets: in proportion, equally, or where they disagree most.

*Source* Kumar and Raj (2016), section 3.3, equations 7 to 10 and algorithms OPT-A1 and OPT-A2.
The algorithms as printed stop sampling a stratum whose first labels agree, because its estimated
deviation is then zero, and their error does not shrink any more. The guard, on by default, keeps
a deviation above zero everywhere and catches up on every stratum's share over all batches.
Arrays may have leading axes: thousands of simulated samples are allocated at once.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assaymark.claims.checks import choice
from assaymark.errors import InputError
from assaymark.estimation.stats.confidence_axis import Floats, Ints


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """Of the optimal allocations: labels per stratum before learning, per step, and the guard.

    `guard=False` is the printed algorithm; it can be worse than simple random sampling.
    """

    first: int = 5
    step: int = 10
    guard: bool = True

    def __post_init__(self) -> None:
        if self.first < 1 or self.step < 1:
            raise InputError(
                f"First labels per stratum and step must be at least 1, got {self.first} and "
                f"{self.step}."
            )


@dataclass(frozen=True, kw_only=True, eq=False)
class Progress:
    """What was labelled per stratum so far, and how many items each stratum holds.

    `shares` are those of the allocation "mass", fixed with the strata.
    """

    sizes: Ints
    labelled: Ints
    correct: Ints
    replace: bool = False
    shares: Floats | None = None

    @property
    def room(self) -> Ints:
        """How many more labels each stratum can take."""
        if self.replace:
            return np.full(np.shape(self.labelled), np.iinfo(np.int64).max // 4)
        return np.asarray(self.sizes - self.labelled, dtype=np.int64)


def schedule(name: str, labels: int, strata: int, tuning: Tuning) -> tuple[int, ...]:
    """The sizes of the batches that a budget is spent in.

    >>> schedule("optimal-steps", 45, 4, Tuning())
    (20, 10, 10, 5)
    """
    choice("allocation", name, ALLOCATIONS)
    if labels < strata:
        raise InputError(
            f"{labels} labels cannot cover {strata} strata. Ask for fewer strata or more labels."
        )
    if not name.startswith("optimal"):
        return (labels,)
    start = min(labels, strata * tuning.first)
    rest = labels - start
    if name == "optimal-once":
        return (start, rest) if rest else (start,)
    whole, last = divmod(rest, tuning.step)
    return (start, *[tuning.step] * whole, *([last] if last else []))


def allocate(name: str, batch: int, progress: Progress, tuning: Tuning | None = None) -> Ints:
    """How many of the next `batch` labels each stratum gets; never more than it has items."""
    rule = ALLOCATIONS[choice("allocation", name, ALLOCATIONS)]
    if batch < 0:
        raise InputError(f"A batch has at least 0 labels, got {batch}.")
    return rule(batch, progress, tuning or Tuning())


def proportional(batch: int, progress: Progress, _tuning: Tuning) -> Ints:
    """By the size of the stratum (equation 7); later batches catch up on what rounding left."""
    return by_shares(batch, progress.sizes / progress.sizes.sum(), progress)


def equal(batch: int, progress: Progress, _tuning: Tuning) -> Ints:
    """The same for every stratum (equation 8)."""
    count = progress.sizes.shape[-1]
    return by_shares(batch, np.full(count, 1 / count), progress)


def by_mass(batch: int, progress: Progress, _tuning: Tuning) -> Ints:
    """By the shares that the strata were cut for."""
    if progress.shares is None:
        raise InputError("The allocation 'mass' needs the shares of the strata.")
    return by_shares(batch, progress.shares, progress)


def optimal(batch: int, progress: Progress, tuning: Tuning) -> Ints:
    """By size times deviation (equation 9), from the labels so far; equal where there are none."""
    if int(np.max(progress.labelled, initial=0)) == 0:
        return equal(batch, progress, tuning)
    pull = progress.sizes * deviations(progress, guard=tuning.guard)
    total = pull.sum(axis=-1, keepdims=True)
    # as printed, strata that all agree leave nothing to divide by; sizes are all that is known then
    share = np.where(total > 0, pull / np.where(total > 0, total, 1.0), _sizes(progress))
    if tuning.guard:
        return by_shares(batch, share, progress)
    return _fitted(batch, batch * share, progress.room)


def _sizes(progress: Progress) -> Floats:
    return np.asarray(progress.sizes / progress.sizes.sum(), dtype=np.float64)


def deviations(progress: Progress, *, guard: bool) -> Floats:
    """S_k: by equation 3 as printed, or with one imagined label of each kind."""
    n = progress.labelled.astype(np.float64)
    if guard:
        share = (progress.correct + 1.0) / (n + 2.0)
        return np.asarray(np.sqrt(share * (1.0 - share)))
    share = progress.correct / np.maximum(n, 1.0)
    return np.asarray(np.sqrt(share * (1.0 - share) * n / np.maximum(n - 1.0, 1.0)))


def by_shares(batch: int, share: Floats, progress: Progress) -> Ints:
    """The batch that brings all labels so far nearest to these shares.

    Strata without a label come first, one each where the batch can: an estimate that leaves a
    stratum out is biased, however small the share of it.
    """
    room = np.broadcast_to(progress.room, np.shape(progress.labelled))
    bare = (progress.labelled == 0) & (room > 0)
    first = (bare & (bare.sum(axis=-1, keepdims=True) <= batch)).astype(np.int64)
    rest = np.asarray(batch - first.sum(axis=-1), dtype=np.int64)
    wanted = share * (progress.labelled.sum(axis=-1, keepdims=True) + batch)
    behind = np.maximum(wanted - progress.labelled - first, 0.0)
    total = behind.sum(axis=-1, keepdims=True)
    parts = rest[..., None] * behind / np.where(total > 0, total, 1.0)
    return np.asarray(first + _fitted(rest, parts, room - first), dtype=np.int64)


def _fitted(batch: Ints | int, wanted: Floats, room: Ints) -> Ints:
    """Whole numbers near these that sum to the batch, none above the room in its stratum."""
    allocation = np.minimum(_rounded(wanted, np.broadcast_to(batch, wanted.shape[:-1])), room)
    for _ in range(wanted.shape[-1]):
        missing = batch - allocation.sum(axis=-1)
        open_room = room - allocation
        if not np.any((missing > 0) & (open_room.sum(axis=-1) > 0)):
            break
        live = (open_room > 0) * (wanted + 1e-9)
        total = live.sum(axis=-1, keepdims=True)
        more = missing[..., None] * live / np.where(total > 0, total, 1.0)
        allocation = allocation + np.minimum(_rounded(more, missing), open_room)
    return allocation


def _rounded(wanted: Floats, total: Ints) -> Ints:
    """Largest remainder: whole numbers with this sum."""
    base = np.floor(wanted + 1e-12)
    left = total - base.sum(axis=-1)
    rank = np.argsort(np.argsort(-(wanted - base), axis=-1, kind="stable"), axis=-1)
    up = (rank < left[..., None]) & (wanted > 0)
    return np.asarray(base + up, dtype=np.int64)


ALLOCATIONS: dict[str, Callable[[int, Progress, Tuning], Ints]] = {
    "proportional": proportional,
    "equal": equal,
    "mass": by_mass,
    "optimal-once": optimal,
    "optimal-steps": optimal,
}
