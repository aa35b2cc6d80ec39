"""The floor: irrelevant items that every method with this guarantee reads on average.

Take any method that is valid for all labelings and stops surely. Flip a random set of s irrelevant
items, s the least number whose presence makes its certificate false: unless the run touches the set
it is the same run and errs. Averaging over the set and Jensen's inequality give the bound.
"""

import math
from fractions import Fraction

from assaymark.reviewing.stats.bound import row_of_target


def floor_labels(items: int, relevant: int, target: Fraction, confidence: Fraction) -> int:
    """Irrelevant items that any method must read on average, if `relevant` items are relevant.

    >>> floor_labels(10_000, 50, Fraction("0.95"), Fraction("0.95"))
    6284
    """
    hidden = row_of_target(relevant, target) - relevant
    if hidden > items - relevant:
        return 0  # this many cannot hide: reading the relevant ones is proof enough
    share = 1 - math.pow(1 - confidence, 1 / hidden)
    return math.ceil((items - relevant - hidden + 1) * share - 1e-9)


def floor_share(relevant: int, target: Fraction, confidence: Fraction) -> float:
    """The floor as a share of the irrelevant items of a large pool.

    >>> [round(floor_share(r, Fraction("0.9"), Fraction("0.95")), 3) for r in (10, 100, 1000)]
    [0.776, 0.221, 0.026]
    """
    hidden = row_of_target(relevant, target) - relevant
    return 1 - math.pow(1 - confidence, 1 / hidden)
