"""A lower bound on the accuracy of all items of several units, each unit by its size.

Each unit's draws are made at random without replacement. With x the verdict on draw i (right 1,
wrong 0), S the right ones drawn before it and N the unit's items, Z = (S + (N − i + 1)x)/N has
exactly the unit's accuracy as its mean, given what was drawn before. Bets on Z, weighed by
w = N/(nB) ≤ 1, multiply to a supermartingale while the accuracy of all items so far is at most a:
Π(1 + λw(A − a)) ≤ exp(λ Σ N(A − a)/B) ≤ 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.checks import open_share
from assaymark.errors import InputError
from assaymark.stats import special

Floats = NDArray[np.float64]
BETS = np.array([0.05, 0.1, 0.2, 0.4, 0.7, 0.95])
BISECTIONS = 60


@dataclass(frozen=True, kw_only=True)
class UnitDraws:
    """All draws of a unit in order, right or not, and how many items the unit holds."""

    right: tuple[bool, ...]
    items: int


def readings(unit: UnitDraws) -> Floats:
    """Z of each draw: its mean given the draws before it is the unit's accuracy.

    >>> readings(UnitDraws(right=(True, False, True), items=4)).tolist()
    [1.0, 0.25, 0.75]
    """
    right = np.asarray(unit.right, dtype=np.float64)
    before = np.cumsum(right) - right
    left = unit.items - np.arange(len(right))
    return np.asarray((before + left * right) / unit.items)


def log_evidence(units: Sequence[UnitDraws], *, above: float, spread: float) -> float:
    """The log of the bets' mean wealth against "at most `above` of all items are right".

    `spread` is B, sealed: every unit has at least one draw in B items.
    """
    total = np.zeros(len(BETS))
    for unit in units:
        weight = unit.items / (len(unit.right) * spread)
        if weight > 1 + 1e-9:
            raise InputError(
                f"{len(unit.right):,} draws of {unit.items:,} items are fewer than one in "
                f"{spread:g}, which was sealed as the least."
            )
        bets = weight * (readings(unit) - above)
        total += np.log1p(BETS[:, None] * bets[None, :]).sum(axis=1)
    return float(special.logsumexp(total) - np.log(len(BETS)))


def items_lower(units: Sequence[UnitDraws], *, spread: float, confidence: float) -> float:
    """The largest accuracy of all items so far that the draws prove; 0 if they prove nothing.

    For one level fixed beforehand, such as the target, "at least that level" is true at every look
    at once. The bound itself, which moves with the items, is one for a single look.
    """
    open_share("confidence", confidence)
    needed = -np.log1p(-confidence)
    if not units or log_evidence(units, above=0.0, spread=spread) < needed:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        proved = log_evidence(units, above=middle, spread=spread) >= needed
        low, high = (middle, high) if proved else (low, middle)
    return low
