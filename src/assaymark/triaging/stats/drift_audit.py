"""The alarm `every-batch`: evidence draw by draw against "every batch keeps the promise".

Its false-alarm chance is at most 1 − confidence over an unlimited number of looks, while every batch
holds at most the promised share of wrong items, or every item is wrong with at most that chance
whatever came before. Bets start afresh again and again, so that a long good past cannot hide a bad
present. Two draws of one batch share its luck: batches that scatter around a kept promise ring this
alarm far more often, and the alarms of unit_alarm are for them.

Every item counts once. A repeat would be evidence about one small batch.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assaymark.claims.checks import open_share

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
# how far from the null the bets are, in log odds
BETS = np.array([0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0])
FIRST_SHARE = 0.5  # of the stake is on "wrong from the start", the rest on later starts
RESTART = 20
LARGEST = 1e200


@dataclass(frozen=True, kw_only=True, eq=False)
class AlarmPath:
    """The bettor's wealth after 0, 1, 2, … draws, if it had started with 1."""

    wealth: Floats
    fresh: Floats

    def rings(self, confidence: float) -> int | None:
        """The first draw at which the alarm is raised; None if it has not."""
        above = np.flatnonzero(self.wealth >= 1 / (1 - confidence))
        return int(above[0]) if len(above) else None


def start_shares(draws: int) -> Floats:
    """The stake put on "broken from draw k on", k = 1, 2, …; with what is kept back they sum to 1.

    Half on the first draw; the remainder on every 20th, shrinking as 1/(j(j+1)).
    """
    stakes = np.zeros(draws)
    if draws:
        stakes[0] = FIRST_SHARE
    later = np.arange(RESTART, draws, RESTART)
    j = np.arange(1, len(later) + 1)
    stakes[later] = (1 - FIRST_SHARE) / (j * (j + 1))
    return stakes


def kept_rates(right: Sequence[ArrayLike], items: Sequence[int], *, target: float) -> Floats:
    """The largest chance to be wrong that each draw has while the promise is kept.

    `right` are the draws of each batch in order, without replacement, `items` the sizes of the
    batches. There are two ways to keep a promise, and the alarm must be patient with both: every
    item is wrong with chance at most 1 − target, whatever came before it; or every batch holds at
    most that share of wrong items, those drawn already among them.

    >>> kept_rates([[True] * 5], [10], target=0.8).round(3).tolist()
    [0.2, 0.222, 0.25, 0.286, 0.333]
    """
    rate = 1 - Fraction(repr(float(target)))
    rates = [np.zeros(0)]
    for flags, size in zip(right, items, strict=True):
        wrong = ~np.asarray(flags, dtype=np.bool_)
        before = np.asarray(np.cumsum(wrong) - wrong, dtype=np.int64)
        share = (math.floor(rate * size) - before) / (size - np.arange(len(wrong)))
        rates.append(np.clip(share, float(rate), 1.0))
    return np.concatenate(rates)


def alarm_path(right: ArrayLike, *, target: float, rates: ArrayLike | None = None) -> AlarmPath:
    """The wealth of bets against the promise, along the draws in order.

    While each draw is wrong with conditional chance at most its rate (1 − target where `rates` are
    not given), the wealth is a supermartingale that starts at 1. Source: Ville (1939); restarts as
    in Shiryaev (1963) with stakes that sum to 1, so that the false-alarm chance stays bounded for
    ever.
    """
    open_share("target", target)
    null = 1 - target if rates is None else np.asarray(rates, dtype=np.float64)
    wealth, fresh = _wealth(~np.atleast_2d(np.asarray(right, dtype=np.bool_)), null)
    return AlarmPath(wealth=wealth[0], fresh=fresh[0])


def _wealth(wrong: Flags, null: float | Floats) -> tuple[Floats, Floats]:
    """The wealth along each row of draws, and the part of it earned by later starts.

    A bet b pays e^b for a wrong draw and 1 for a right one, over what that costs at the null rate.
    """
    rates = np.broadcast_to(np.asarray(null, dtype=np.float64), wrong.shape)
    rows, draws = wrong.shape
    first = np.full((rows, len(BETS)), FIRST_SHARE)
    later = np.zeros((rows, len(BETS)))
    wealth, fresh = np.ones((rows, draws + 1)), np.zeros((rows, draws + 1))
    kept = 1 - FIRST_SHARE
    for number, stake in enumerate(start_shares(draws).tolist()):
        if number and stake:
            later, kept = later + stake, kept - stake
        factor = _gain(wrong[:, number], rates[:, number])
        first = np.minimum(first * factor, LARGEST)
        later = np.minimum(later * factor, LARGEST)
        fresh[:, number + 1] = later.mean(axis=1)
        wealth[:, number + 1] = first.mean(axis=1) + fresh[:, number + 1] + kept
    return wealth, fresh


def _gain(wrong: Flags, rates: Floats) -> Floats:
    """What every bet multiplies its stake by, at each of these draws."""
    paid = np.where(wrong[:, None], np.exp(BETS), 1.0)
    return np.asarray(paid / (1 + rates[:, None] * np.expm1(BETS)))


def likely_since(right: ArrayLike, *, target: float, rates: ArrayLike | None = None) -> int:
    """The draw from which on things have probably been wrong: the start whose bets earned most."""
    wrong = ~np.asarray(right, dtype=np.bool_)
    null = np.broadcast_to(np.asarray(1 - target if rates is None else rates), wrong.shape)
    steps = np.log(_gain(wrong, null))
    earned = np.cumsum(steps[::-1], axis=0)[::-1].max(axis=1)
    return int(np.argmax(earned)) + 1
