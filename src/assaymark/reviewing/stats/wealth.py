"""Test martingale of one row "R relevant items or more exist": a mixture of three constant bets.

With q = (R − F)/n, the share of relevant items that the row claims among the n unread ones, a bet r
multiplies its wealth by (1 − r·q)/(1 − q) for an irrelevant draw and by r for a relevant one. If the
row is true the expectation of the factor is 1; by Ville's inequality the wealth ever reaches 1/α
with chance at most α. For a larger R every factor is at least as large, so one row covers all
above it.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from assaymark.reviewing.stats.sequence import Draws

BETS = (0.0, 0.1, 0.3)
WEIGHTS = (0.40, 0.35, 0.25)
SLACK = 1e-9  # of the logarithm: rounding never decides in favour of a certificate


def log_level(confidence: Fraction) -> float:
    """Logarithm of the wealth that certifies: ln(1/α).

    >>> round(math.exp(log_level(Fraction("0.95"))), 6)
    20.0
    """
    return math.log(1 / (1 - confidence)) + SLACK


Floats = NDArray[np.float64]


def log_wealth(draws: Draws, row: int) -> float:
    """Largest logarithm of the row's wealth over all prefixes; infinite where it is refuted surely.

    Assumes draws uniform on the unread items given everything before. Wealth at a look may be
    compared with 1/α and with nothing else while drawn items wait for their labels.

    >>> none = np.zeros(0, dtype=np.int64)
    >>> log_wealth(Draws(left=none, found=none, hits=none.astype(bool)), 3)
    0.0
    """
    path = wealth_path(draws, row)
    return math.inf if path is None else max(0.0, float(path.max(initial=0.0)))


def wealth_path(draws: Draws, row: int) -> Floats | None:
    """Logarithm of the row's wealth after each draw; None where the row is refuted surely."""
    claimed = row - draws.found
    if bool(np.any((claimed > draws.left) | ((claimed == draws.left) & ~draws.hits))):
        return None
    share = claimed / draws.left
    total = np.full(draws.count, -np.inf)
    for bet, weight in zip(BETS, WEIGHTS, strict=True):
        with np.errstate(divide="ignore"):  # a relevant draw where the row claims that all are
            miss = np.log1p(-bet * share) - np.log1p(-share)
        hit = math.log(bet) if bet else -math.inf
        steps = np.where(draws.hits, hit, miss)
        total = np.logaddexp(total, math.log(weight) + np.cumsum(steps))
    return total


@dataclass(kw_only=True)
class RowWealth:
    """Wealth of one row, kept while labels come: constant time per draw.

    `best` is what `log_wealth` gives for the same draws.
    """

    row: int
    best: float = 0.0
    logs: list[float] = field(default_factory=lambda: [math.log(w) for w in WEIGHTS])

    def add(self, *, left: int, relevant: int, hit: bool) -> None:
        """Take in one more draw in draw order."""
        claimed = self.row - relevant
        if self.best == math.inf or claimed > left or (claimed == left and not hit):
            self.best = math.inf  # a flag that stays: never 0·∞
            return
        share = claimed / left
        for number, bet in enumerate(BETS):
            if hit:
                self.logs[number] += math.log(bet) if bet else -math.inf
            else:
                self.logs[number] += math.log1p(-bet * share) - math.log1p(-share)
        self.best = max(self.best, self.now)

    @property
    def now(self) -> float:
        """The logarithm after the latest draw."""
        top = max(self.logs)
        return top + math.log(sum(math.exp(log - top) for log in self.logs))
