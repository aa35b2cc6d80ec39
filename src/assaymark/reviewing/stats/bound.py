"""Upper bound on the number of relevant items, certified recall, and the stop test for a target."""

from dataclasses import dataclass
from fractions import Fraction

from assaymark.reviewing.stats.sequence import Draws
from assaymark.reviewing.stats.wealth import log_level, log_wealth


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A review at one look: everything that the bound depends on.

    `found` relevant by any road; `unclear` that nobody could tell, or whose label was taken back;
    `unread` without a final label now, pending draws and half-read items included.
    """

    found: int
    unclear: int
    unread: int
    draws: Draws

    @property
    def played(self) -> int:
        """Items that play as relevant: no row at or below this number is asked about."""
        return self.found + self.unclear

    @property
    def most(self) -> int:
        """The number of relevant items cannot be larger than this."""
        return self.played + self.unread


def row_of_target(relevant: int, target: Fraction) -> int:
    """The least number of relevant items with which `relevant` of them miss the target.

    >>> row_of_target(2, Fraction("0.6666666667")), row_of_target(80, Fraction("0.8"))
    (3, 101)
    """
    return relevant * target.denominator // target.numerator + 1


def is_refuted(standing: Standing, row: int, confidence: Fraction) -> bool:
    """Whether "at least `row` relevant items exist" is refuted with this confidence."""
    if row <= standing.played:
        return False
    return row > standing.most or log_wealth(standing.draws, row) >= log_level(confidence)


def is_certified(standing: Standing, target: Fraction, confidence: Fraction) -> bool:
    """Whether recall is at least the target, valid at any look and for any target.

    Nothing is certified before a relevant item was found.
    """
    if not standing.found:
        return False
    return is_refuted(standing, row_of_target(standing.found, target), confidence)


def upper_bound(standing: Standing, confidence: Fraction) -> int:
    """Largest number of relevant items that is not refuted: bisection over the rows.

    Wealth grows with the row, so the rows that are refuted are all those above the bound.
    """
    low, high = standing.played, standing.most
    while low < high:
        middle = (low + high) // 2
        if is_refuted(standing, middle + 1, confidence):
            high = middle
        else:
            low = middle + 1
    return low


def certified_recall(relevant: int, bound: int) -> float | None:
    """Recall that is proved: found over the upper bound; None before anything was found."""
    return relevant / bound if relevant else None
