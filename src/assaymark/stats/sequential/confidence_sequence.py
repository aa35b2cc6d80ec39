"""Where a share lies, from draws in order, whenever one looks: both ends of a range.

One idea: the same mixture of bets that tests a claim bounds any share. Here it is spread evenly
over all shares, because no target was named in advance, and each side gets half of the risk.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assaymark.claims.checks import open_share
from assaymark.stats.sequential.beta_mixture import MixtureTest, lower_share

EVEN = 2.0  # the weight of a prior that takes every share for equally likely
NEAR_ZERO = 1e-9


@dataclass(frozen=True, kw_only=True)
class ShareRange:
    """The share of successes lies between `low` and `high`, at every look at once."""

    low: float
    high: float
    confidence: float

    def __str__(self) -> str:
        return f"between {self.low:.4g} and {self.high:.4g} with {self.confidence:.0%} confidence"


def anytime_low(wins: ArrayLike, *, confidence: float) -> float:
    """The lower bound of the share of successes that holds after every item at once.

    Assumes: independent items in draw order. Source: as `mixture.lower_share_path`, with the
    uniform prior.

    >>> round(anytime_low(([True] * 9 + [False]) * 10, confidence=0.975), 3)
    0.795
    """
    test = MixtureTest(
        null_share=NEAR_ZERO,
        alternative_share=0.5,
        confidence=open_share("confidence", confidence),
        strength=EVEN,
    )
    return lower_share(test, wins)


def anytime_range(
    wins: ArrayLike, *, confidence: float = 0.95, pessimist: ArrayLike | None = None
) -> ShareRange:
    """Both ends of the range of the share, each at half of the risk.

    `wins` are the successes as the lower end counts them; `pessimist`, if given, as the upper end
    does, where items that nobody could tell count the other way and may be left out or in.
    """
    half = (1 + open_share("confidence", confidence)) / 2
    other = np.asarray(wins if pessimist is None else pessimist, dtype=bool)
    return ShareRange(
        low=anytime_low(np.asarray(wins, dtype=bool), confidence=half),
        high=1 - anytime_low(~other, confidence=half),
        confidence=confidence,
    )
