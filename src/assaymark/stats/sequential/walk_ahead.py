"""Where a walk that has not passed yet will probably pass: the predictive law of what is still to come.

One idea: after s successes and f failures the share of successes is believed to be Beta(s + ½, f + ½),
and the chance to pass first after exactly m items is then a finite sum (`stopping`). Items that count
come at a rate, so the draws that they take are a mixture of negative binomial laws. The range holds the
middle two thirds of it, given that the walk passes.
"""

import math
from dataclasses import dataclass

import numpy as np

from assaymark.stats.sequential.stopping_boundary import (
    Belief,
    Boundary,
    FloatArray,
    IntArray,
    stopping,
)
from assaymark.stats.special import bdtrc

JEFFREYS = Belief(successes=0.5, failures=0.5)
MIDDLE = 2 / 3  # of what may happen lies in the range
ATOMS, EXACT, COARSE = (
    80,
    60,
    200,
)  # waits that are distinguished; draws looked at one by one, and beyond
SURE = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class ItemsAhead:
    """Informative items still to come, and the chance of each number, given that the walk passes."""

    items: IntArray
    chance: FloatArray


@dataclass(frozen=True, kw_only=True)
class DrawsAhead:
    """Draws still to come: the range, and the middle of it."""

    low: int
    middle: int
    high: int


def items_ahead(boundary: Boundary, *, successes: int, failures: int) -> ItemsAhead | None:
    """The informative items still to come, where the walk passes by the horizon; None if it cannot."""
    walk = stopping(boundary, JEFFREYS, successes=successes, failures=failures)
    if walk.passes <= 0:
        return None
    stops = np.flatnonzero(walk.chance)
    return ItemsAhead(
        items=np.maximum(stops - successes - failures, 1), chance=walk.chance[stops] / walk.passes
    )


def draws_ahead(ahead: ItemsAhead, *, rate: float, most: int | None = None) -> DrawsAhead | None:
    """The draws that a number of informative items takes, when `rate` of the draws are such.

    No more than `most` draws are left; None where these are too few for any of the numbers.

    >>> three = ItemsAhead(items=np.array([1, 5, 9]), chance=np.array([0.1, 0.8, 0.1]))
    >>> draws_ahead(three, rate=1.0)
    DrawsAhead(low=5, middle=5, high=5)
    """
    waits, chance = _fewer(ahead)
    top = (waits[-1] + 4 * math.sqrt(waits[-1]) + 10) / rate
    draws = _numbers(top if most is None else max(min(top, most), 1))
    reached = waits <= draws[:, None]
    if rate < 1:
        fewest = np.minimum(waits - 1, draws[:, None])
        reached = np.where(reached, bdtrc(fewest, draws[:, None], rate), 0.0)
    passed = (reached * chance).sum(axis=1)
    return middle_of(draws, passed) if passed[-1] > 0 else None


def middle_of(draws: IntArray, reached: FloatArray) -> DrawsAhead:
    """The middle two thirds of a law, given the chance of at most each number of draws.

    Where few numbers have nearly all of the chance no range has just two thirds: of those whose ends are
    a number nearer the one that comes nearest to it is taken.
    """
    within = reached / reached[-1]
    chance = np.diff(within, prepend=0.0)
    first, half, last = (
        min(int(np.searchsorted(within, share - SURE)), len(within) - 1)
        for share in ((1 - MIDDLE) / 2, 0.5, (1 + MIDDLE) / 2)
    )
    likely = np.flatnonzero(chance > SURE)
    lows, highs = [first, *likely[likely > first][:1]], [last, *likely[likely < last][-1:]]
    _, low, high = min(
        (abs(within[b] - within[a] + chance[a] - MIDDLE), a, b)
        for a in lows
        for b in highs
        if a <= half <= b
    )
    earliest = draws[low - 1] + 1 if low else draws[0]
    return DrawsAhead(low=int(earliest), middle=int(draws[half]), high=int(draws[high]))


def _fewer(ahead: ItemsAhead) -> tuple[IntArray, FloatArray]:
    """Waits of about the same chance joined, where there are many."""
    if len(ahead.items) <= ATOMS:
        return ahead.items, ahead.chance
    place = np.minimum((np.cumsum(ahead.chance) * ATOMS).astype(np.int64), ATOMS - 1)
    chance = np.bincount(place, ahead.chance, ATOMS)
    total = np.bincount(place, ahead.chance * ahead.items, ATOMS)
    some = chance > 0
    joined: FloatArray = np.asarray(chance[some], dtype=np.float64)
    return np.rint(total[some] / joined).astype(np.int64), joined


def _numbers(top: float) -> IntArray:
    """Numbers of draws up to the top: all small ones, and beyond them some."""
    far = np.geomspace(EXACT, max(top, EXACT), COARSE)
    numbers = np.unique(np.rint(np.append(np.arange(1, EXACT), far)).astype(np.int64))
    return numbers[numbers <= max(top, 1)]
