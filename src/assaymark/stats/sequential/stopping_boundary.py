"""Walks that stop at a boundary: exact chances, by carrying the weight of every path.

One idea: after m informative items a path is known by its successes s alone. So the chance of
every s among paths that have not passed yet is a vector, one more item shifts it, and a look
removes what has reached the boundary. Nothing is simulated and nothing is approximated.
"""

import math
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assaymark.claims.checks import open_share
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import binomial_test
from assaymark.errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Array = TypeVar("Array", bound=NDArray[Any])

# Weights below this are dropped: they would only become slow denormal numbers. At most two are
# dropped per success count, so over 100,000 items less than 1e-24 of the weight is lost.
NEGLIGIBLE = 1e-30
TRIM_EVERY = 32
TAIL = 64  # success counts that are summed first to find a boundary


@dataclass(frozen=True, kw_only=True)
class Belief:
    """What is believed of an unknown share of successes: Beta(successes, failures)."""

    successes: float
    failures: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Boundary:
    """The least successes that pass after m informative items, `least[m]` for m = 0, 1, …

    `never`, one more than the horizon, stands where no count passes.
    """

    least: IntArray

    @property
    def horizon(self) -> int:
        """The greatest number of informative items the boundary speaks about."""
        return len(self.least) - 1

    def first_pass(self, wins: ArrayLike) -> int | None:
        """After how many informative items, in draw order, the path first passed; None if never.

        Every look up to the end of the path counts, whoever was or was not there to see it.
        What lies beyond the horizon is not read.
        """
        successes = successes_after(wins)[: self.horizon + 1]
        crossed = np.flatnonzero(successes >= self.least[: len(successes)])
        return int(crossed[0]) if crossed.size else None


@dataclass(frozen=True, kw_only=True, eq=False)
class Stopping:
    """How likely a walk is to pass first after exactly m informative items: `chance[m]`."""

    share: float | Belief
    chance: FloatArray

    @property
    def horizon(self) -> int:
        """The number of informative items after which nobody goes on."""
        return len(self.chance) - 1

    @property
    def passes(self) -> float:
        """The chance to pass at all: power at a good share, false acceptance at the null."""
        return min(1.0, math.fsum(self.chance))

    @property
    def mean_items(self) -> float:
        """Mean informative items used by someone who stops at a pass or at the horizon."""
        spent = math.fsum(np.arange(len(self.chance)) * self.chance)
        return spent + self.horizon * (1 - self.passes)

    @property
    def median(self) -> int | None:
        """Informative items by which half of all walks have passed."""
        return self.quantile(0.5)

    def quantile(self, level: float) -> int | None:
        """Informative items by which this share of all walks has passed; None if fewer ever do."""
        reached = np.flatnonzero(np.cumsum(self.chance) >= open_share("level", level))
        return int(reached[0]) if reached.size else None

    def __str__(self) -> str:
        return (
            f"passes with chance {self.passes:.4f} within {self.horizon} informative items, "
            f"using {self.mean_items:.0f} on average"
        )


class Walk:
    """The weight of every path that has not passed, by successes; it is moved on in place."""

    def __init__(self, *, successes: int = 0, failures: int = 0) -> None:
        self.seen = successes + failures
        self.low = successes
        self.weight: FloatArray = np.ones(1)

    def step(self, share: float | Belief) -> None:
        """One more informative item, a success with this share."""
        chance = self._chance(share) if isinstance(share, Belief) else share
        won = self.weight * chance
        moved = np.empty(len(self.weight) + 1)
        moved[:-1] = self.weight - won
        moved[-1] = 0.0
        moved[1:] += won
        self.weight = moved
        self.seen += 1
        if self.seen % TRIM_EVERY == 0:
            self._trim()

    def absorb(self, least: int) -> float:
        """Stop every path with at least this many successes, and give back their weight."""
        cut = max(0, least - self.low)
        if cut >= len(self.weight):
            return 0.0
        stopped = float(self.weight[cut:].sum())
        self.weight = self.weight[:cut]
        return stopped

    def least_within(self, allowed: float) -> int:
        """The least count such that the paths at or above it weigh no more than `allowed`."""
        size = len(self.weight)
        for top in (TAIL, size):  # what is allowed is little, so the first few counts mostly decide
            above = np.cumsum(self.weight[: -top - 1 : -1])
            if top >= size or above[-1] > allowed:
                break
        return self.low + size - int(np.searchsorted(above, allowed, side="right"))

    def _chance(self, share: Belief) -> FloatArray:
        # given s successes in m items the next one is a success with the posterior mean of the
        # share, so carrying it along the path integrates over what is believed, exactly
        successes = self.low + np.arange(len(self.weight))
        known = share.successes + share.failures + self.seen
        return np.asarray((share.successes + successes) / known, dtype=np.float64)

    def _trim(self) -> None:
        kept = np.flatnonzero(self.weight > NEGLIGIBLE)
        if kept.size:
            self.low += int(kept[0])
            self.weight = self.weight[kept[0] : kept[-1] + 1]
        else:
            self.weight = self.weight[:0]


def stopping(
    boundary: Boundary, share: float | Belief, *, successes: int = 0, failures: int = 0
) -> Stopping:
    """When a walk that starts from these counts first passes the boundary, exactly.

    Assumes: informative items are independent successes with the given share, or with a share
    drawn once from the given belief, which the start has *not* yet been counted into.
    """
    walk = Walk(successes=successes, failures=failures)
    chance = np.zeros(boundary.horizon + 1)
    if walk.seen <= boundary.horizon:
        chance[walk.seen] = walk.absorb(int(boundary.least[walk.seen]))
    for items in range(walk.seen + 1, boundary.horizon + 1):
        if not len(walk.weight):
            break
        walk.step(share)
        chance[items] = walk.absorb(int(boundary.least[items]))
    return Stopping(share=share, chance=frozen(chance))


def null_share_of(claim: Claim) -> float:
    """The share of successes among informative items that a claim's walk must beat."""
    test = binomial_test(claim)
    if test is None:
        raise InputError(
            f"'{claim.metric}' has no binomial test: its informative items have more than two "
            "different gains. Claim f1, precision or recall, or use the weighted design."
        )
    return test.null_share


def successes_after(wins: ArrayLike) -> IntArray:
    """Successes after 0, 1, 2, … informative items in draw order."""
    flags = np.asarray(wins)
    if flags.ndim != 1 or not (flags.size == 0 or np.isin(flags, (0, 1)).all()):
        raise InputError(
            f"'wins' must be one true or false per informative item, got {_shown(flags)}. "
            "Pass success (true) or failure (false) in draw order, not counts."
        )
    return np.concatenate(([0], np.cumsum(flags.astype(np.int64))))


def frozen(array: Array) -> Array:
    """The same array, which nobody can write to from now on."""
    array.setflags(write=False)
    return array


def _shown(flags: NDArray[Any]) -> str:
    return f"an array of shape {flags.shape} such as {flags.ravel()[:5].tolist()}"
