"""Random labels that are still needed until a target is certified; and the floor under every method."""

import math
from dataclasses import dataclass
from fractions import Fraction

from assaymark.reviewing.stats.bound import Standing, row_of_target
from assaymark.reviewing.stats.wealth import log_level, wealth_path

OVERHEAD = 0.3  # what the mixture pays above ln(1/α) on average
HOPELESS = 0.58  # share of the allowed misses from which on every bet shrinks
DOUBT = 0.3


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """Random labels to go; `low` if nothing relevant is left, `high` if some is."""

    expected: int
    low: int
    high: int


def growth(share: float) -> float:
    """Information per draw, if this share of the allowed misses is really left: 1 − ρ + ρ·ln ρ.

    >>> growth(0.0), round(growth(0.3), 3)
    (1.0, 0.339)
    """
    return 1 - share + share * math.log(share) if share else 1.0


def forecast(
    standing: Standing, target: Fraction, confidence: Fraction, *, left: float
) -> Forecast | None:
    """Labels until the target is certified, if about `left` relevant items are still unread.

    None where nothing was found yet, or where too many may be left to name a number.
    """
    allowed = row_of_target(standing.found, target) - standing.found
    if not standing.found or left / allowed > HOPELESS:
        return None
    row = row_of_target(standing.found, target)
    if row <= standing.played:
        return None
    if row > standing.most:
        return Forecast(expected=0, low=0, high=0)
    missing = log_level(confidence) + OVERHEAD - _wealth_now(standing, row)

    def labels(share: float) -> int:
        need = max(0.0, missing) / (allowed * growth(share))
        return math.ceil(standing.unread * -math.expm1(-need))

    expected = labels(max(0.01, left / allowed))
    return Forecast(
        expected=expected, low=min(labels(0.0), expected), high=max(labels(DOUBT), expected)
    )


def _wealth_now(standing: Standing, row: int) -> float:
    path = wealth_path(standing.draws, row)
    if path is None:
        return math.inf
    return float(path[-1]) if len(path) else 0.0


def floor_labels(items: int, relevant: int, target: Fraction, confidence: Fraction) -> int:
    """Irrelevant items that any method must read on average, if `relevant` items are relevant.

    Take any method that is valid for all labelings and stops surely. Flip a random set of s irrelevant
    items, s the least number whose presence makes its certificate false: unless the run touches the set
    it is the same run and errs. Averaging over the set and Jensen's inequality give the bound.

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
