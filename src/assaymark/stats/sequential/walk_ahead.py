"""Where a walk that has not passed yet will probably pass: quantiles of the items still to come.

One idea: after s successes and f failures the share of successes is believed to be Beta(s + ½, f + ½),
and the chance to pass first after exactly m items is then a finite sum (`stopping`). The range holds
the middle of it, given that the walk passes: the same share, a `tail`, ends earlier and later.
"""

from dataclasses import dataclass

import numpy as np

from assaymark.stats.sequential.stopping_boundary import Belief, Boundary, stopping

JEFFREYS = Belief(successes=0.5, failures=0.5)
SIXTH = 1 / 6


@dataclass(frozen=True, kw_only=True)
class ItemsAhead:
    """Informative items still to come: the range, its middle, and the chance that the walk passes."""

    low: int
    middle: int
    high: int
    chance: float


def items_ahead(
    boundary: Boundary, *, successes: int, failures: int, tail: float = SIXTH
) -> ItemsAhead | None:
    """The informative items still to come, where the walk passes by the horizon; None if it cannot."""
    walk = stopping(boundary, JEFFREYS, successes=successes, failures=failures)
    passes = walk.passes
    if passes <= 0:
        return None
    reached = np.cumsum(walk.chance)
    low, middle, high = (
        max(1, int(np.searchsorted(reached, share * passes)) - successes - failures)
        for share in (tail, 0.5, 1.0 - tail)
    )
    return ItemsAhead(low=low, middle=middle, high=high, chance=passes)
