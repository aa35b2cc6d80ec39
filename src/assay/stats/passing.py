"""Which outcomes of a fixed-size test pass, and how likely they are: exact sums, no draws."""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlog1py, xlogy

from assay.stats.fixed import pass_counts
from assay.stats.metrics import BinomialTest

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEGLIGIBLE = 1e-12  # chances below this, relative to the likeliest, are left out of sums


def room_for(size: int) -> int:
    """The next power of two: tables are made in these sizes so that neighbours share them."""
    return 1 << max(size, 1023).bit_length()


@lru_cache(maxsize=32)
def _log_gamma(offset: float, room: int) -> Floats:
    return np.asarray(gammaln(np.arange(room + 1) + offset))


@dataclass(frozen=True, kw_only=True)
class Positives:
    """The law of the number of positives among n items: binomial or beta-binomial."""

    shape: tuple[float, float] = (1.0, 1.0)
    rate: float | None = None

    def window(self, n: int) -> tuple[int, int]:
        """The numbers of positives among n items that matter: 30 standard deviations around."""
        a, b = self.shape
        rate = self.rate if self.rate is not None else a / (a + b)
        spread = 1.0 if self.rate is not None else (a + b + n) / (a + b + 1)
        reach = 30 * math.sqrt(n * rate * (1 - rate) * spread) + 1
        return max(0, int(n * rate - reach)), min(n, int(n * rate + reach) + 1)

    def pmf(self, n: int) -> tuple[int, Floats]:
        """The least number of positives that matters, and the chances from there on."""
        left, right = self.window(n)
        x = np.arange(left, right + 1)
        room = room_for(n)
        factorial = _log_gamma(1.0, room)
        choose = factorial[n] - factorial[x] - factorial[n - x]
        if self.rate is not None:
            chance = np.exp(choose + xlogy(x, self.rate) + xlog1py(n - x, -self.rate))
        else:
            a, b = self.shape
            scale = float(gammaln(a + b) - gammaln(a) - gammaln(b) - gammaln(n + a + b))
            chance = np.exp(choose + _log_gamma(a, room)[x] + _log_gamma(b, room)[n - x] + scale)
        inside = np.flatnonzero(chance > NEGLIGIBLE * chance.max())
        return left + int(inside[0]), chance[inside[0] : inside[-1] + 1]


@dataclass(frozen=True, kw_only=True)
class Passing:
    """The passing region of an exact test, for samples of up to `largest` items."""

    test: BinomialTest
    tail: float
    largest: int

    @cached_property
    def least(self) -> Ints:
        """Least successes that pass at 0…largest informative items."""
        return pass_counts(self.test.null_share, self.largest, self.tail)

    @cached_property
    def allowed(self) -> Ints:
        """Failures that a pass can bear at 0…largest informative items; −1 where none passes."""
        return np.arange(self.largest + 1) - self.least

    def band(self, n1: int, t: Ints, n0: Ints) -> tuple[Ints, Ints]:
        """The positives among the rest that pass, from low to high; low > high where none does.

        A row per number n0 of rest items, a column per number t of positives among n1 retrieved.
        """
        n0 = n0[:, None]
        success, failure = self.test.success, self.test.failure
        wins = t * success[0] + (n1 - t) * success[1]
        losses = t * failure[0] + (n1 - t) * failure[1]
        missed, correct = success[2] - failure[2], success[3] - failure[3]  # roles of fn and tn
        none, everything = np.zeros_like(n0 + t), n0 + 0 * t
        if missed and correct:  # every item informative: f moves one count against the other
            need = self.least[wins + losses + n0] - wins
            return (need, everything) if missed > 0 else (none, n0 - need)
        if not missed and not correct:
            return np.where(wins >= self.least[wins + losses], none, n0 + 1), everything
        if missed + correct < 0:  # the rest can only add failures: at most this many
            most = np.searchsorted(self.least, wins, side="right") - 1 - wins - losses
            return (none, none + most) if missed else (n0 - most, everything)
        # the rest can only add successes: at least this many
        fewest = np.searchsorted(self.allowed, losses, side="left") - wins - losses
        return (none + fewest, everything) if missed else (none, n0 - fewest)


def passing_region(test: BinomialTest, tail: float, largest: int) -> Passing:
    """The region for samples of up to at least `largest` items; near sizes share one."""
    return _region(test, tail, room_for(largest))


@lru_cache(maxsize=8)
def _region(test: BinomialTest, tail: float, largest: int) -> Passing:
    return Passing(test=test, tail=tail, largest=largest)


def splits(size: int, share: float, nodes: int | None) -> tuple[Ints, Floats]:
    """Numbers of retrieved items with their weights: all that matter, or `nodes` equally likely."""
    left, pmf = Positives(rate=share).pmf(size)
    if nodes is None:
        return np.arange(left, left + len(pmf)), pmf
    middles = (np.arange(nodes) + 0.5) / nodes
    at, counts = np.unique(np.searchsorted(np.cumsum(pmf), middles), return_counts=True)
    return left + np.minimum(at, len(pmf) - 1), counts / nodes


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """Cumulative chances of the positives among n0 rest items, a row per n0, trimmed."""

    first_row: int
    first_column: int
    table: Floats

    def below(self, n0: Ints, f: Ints) -> Floats:
        """P(positives < f) among n0 items."""
        column = np.clip(f - self.first_column, 0, self.table.shape[1] - 1)
        return np.asarray(self.table[n0[:, None] - self.first_row, column])


def ladder(law: Positives, rows: Ints) -> Ladder:
    """The cumulative chances for these n0."""
    low = int(rows.min())
    parts = {int(n0): law.pmf(int(n0)) for n0 in np.unique(rows)}
    left = min(start for start, _ in parts.values())
    width = max(start + len(part) for start, part in parts.values()) - left
    table = np.ones((int(rows.max()) - low + 1, width + 1))
    for n0, (start, part) in parts.items():
        row = table[n0 - low]
        row[: start - left + 1] = 0.0
        np.cumsum(part, out=row[start - left + 1 : start - left + 1 + len(part)])
    return Ladder(first_row=low, first_column=left, table=table)


def pass_chances(
    passing: Passing,
    laws: tuple[Positives, Positives],
    share: float,
    sizes: range,
    nodes: int | None,
) -> Floats:
    """The chance to pass at each size.

    The laws depend on n1 and n0 alone, so neighbouring sizes share them: one pass over n1
    serves all sizes at once.
    """
    weights: dict[int, list[tuple[int, float]]] = {}
    for row, size in enumerate(sizes):
        for n1, weight in zip(*splits(size, share, nodes), strict=True):
            weights.setdefault(int(n1), []).append((row, float(weight)))
    rest = ladder(laws[1], np.array([sizes[r] - n for n, rows in weights.items() for r, _ in rows]))
    answer = np.zeros(len(sizes))
    for n1, entries in weights.items():
        rows = np.array([row for row, _ in entries])
        n0 = sizes[0] + rows - n1
        left, head = laws[0].pmf(n1)
        low, high = passing.band(n1, np.arange(left, left + len(head)), n0)
        low, high = np.maximum(low, 0), np.minimum(high, n0[:, None])
        inside = rest.below(n0, np.maximum(high + 1, low)) - rest.below(n0, low)
        answer[rows] += np.array([w for _, w in entries]) * (inside @ head)
    return answer
