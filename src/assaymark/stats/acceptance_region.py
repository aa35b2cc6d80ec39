"""Which outcomes of a fixed-size test pass, and how likely they are: exact sums, no draws."""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.ratio_metrics import BinomialTest
from assaymark.stats.binomial_bounds import pass_counts
from assaymark.stats.special import gammaln, xlog1py, xlogy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEGLIGIBLE = 1e-12  # chances below this, relative to the likeliest, are left out of sums
TOGETHER = 128  # this many n at once: fast, and the tables stay small even for the vaguest belief


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
        chance = self._chances(np.asarray(n), x, n - x, room_for(n))
        inside = np.flatnonzero(chance > NEGLIGIBLE * chance.max())
        return left + int(inside[0]), chance[inside[0] : inside[-1] + 1]

    def block(self, ns: Ints) -> tuple[int, Floats]:
        """The chances for several n at once, a row each, over one range that holds all that matter.

        The range that matters moves up with n, so the smallest and the largest n give its ends.
        """
        (left, _), (last, final) = self.pmf(int(ns.min())), self.pmf(int(ns.max()))
        first, right = min(left, last), last + len(final) - 1
        x = np.arange(first, max(right, first + 1) + 1)
        n = ns[:, None]
        room = room_for(int(ns.max()) + 1)
        return first, np.where(x <= n, self._chances(n, x, np.maximum(n - x, 0), room), 0.0)

    def _chances(self, n: Ints, x: Ints, rest: Ints, room: int) -> Floats:
        """The chance of x positives and `rest` negatives among n items."""
        factorial = _log_gamma(1.0, room)
        log = factorial[n] - factorial[x] - factorial[rest]
        if self.rate is not None:
            return np.asarray(np.exp(log + xlogy(x, self.rate) + xlog1py(rest, -self.rate)))
        a, b = self.shape
        scale = gammaln(a + b) - gammaln(a) - gammaln(b) - gammaln(n + a + b)
        return np.asarray(np.exp(log + _log_gamma(a, room)[x] + _log_gamma(b, room)[rest] + scale))


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

    @cached_property
    def rest_only_harms(self) -> bool:
        """Whether positives among the rest can only fail the test, and negatives say nothing."""
        success, failure = self.test.success, self.test.failure
        return bool(success[2] - failure[2] == -1 and success[3] == failure[3])

    @cached_property
    def largest_with(self) -> Ints:
        """The most informative items among which 0…largest successes still pass."""
        return np.searchsorted(self.least, np.arange(self.largest + 1), side="right") - 1

    def ceiling(self, n1: Ints, t: Ints) -> Ints:
        """The most positives among the rest that pass: a row per n1, a column per t.

        Only where `rest_only_harms`; then the number of rest items does not matter.
        """
        success, failure = self.test.success, self.test.failure
        hits, others = t, np.maximum(n1[:, None] - t, 0)
        wins = hits * success[0] + others * success[1]
        losses = hits * failure[0] + others * failure[1]
        return np.asarray(self.largest_with[wins] - wins - losses)

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


@lru_cache(maxsize=32)
def _region(test: BinomialTest, tail: float, largest: int) -> Passing:
    return Passing(test=test, tail=tail, largest=largest)


def splits(size: int, share: float, nodes: int) -> tuple[Ints, Floats]:
    """This many equally likely numbers of retrieved items, with their weights."""
    left, pmf = Positives(rate=share).pmf(size)
    middles = (np.arange(nodes) + 0.5) / nodes
    at, counts = np.unique(np.searchsorted(np.cumsum(pmf), middles), return_counts=True)
    return left + np.minimum(at, len(pmf) - 1), counts / nodes


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """Cumulative chances of the positives among n0 rest items, a row per n0, trimmed."""

    first_row: int
    first_column: int
    table: Floats

    def column(self, f: Ints) -> Ints:
        """Where P(positives < f) stands in every row."""
        return np.clip(f - self.first_column, 0, self.table.shape[1] - 1)

    def below(self, n0: Ints, f: Ints) -> Floats:
        """P(positives < f) among n0 items."""
        return np.asarray(self.table[n0[:, None] - self.first_row, self.column(f)])


def ladder(law: Positives, rows: Ints) -> Ladder:
    """The cumulative chances for these n0; rows of other n0 between them are not to be read."""
    low, different = int(rows.min()), np.unique(rows)
    parts = [(some, *law.block(some)) for some in _pieces(different)]
    left = min(start for _, start, _ in parts)
    width = max(start + chances.shape[1] for _, start, chances in parts) - left
    table = np.ones((int(rows.max()) - low + 1, width + 1))
    for some, start, chances in parts:
        first = start - left + 1
        table[some - low, :first] = 0.0
        table[some - low, first : first + chances.shape[1]] = np.cumsum(chances, axis=1)
    return Ladder(first_row=low, first_column=left, table=table)


def _pieces(numbers: Ints) -> list[Ints]:
    return [numbers[i : i + TOGETHER] for i in range(0, len(numbers), TOGETHER)]


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
    numbers, weights = _weights(sizes, share, nodes)
    # where a size is smaller than n1 the weight is zero, so any n0 is right
    others = np.maximum(np.array(sizes)[:, None] - numbers, 0)
    rest = ladder(laws[1], others)
    passes = _folded_chances if passing.rest_only_harms else _banded_chances
    chances = np.concatenate(
        [
            passes(passing, rest, laws[0], some, others[:, np.searchsorted(numbers, some)])
            for some in _pieces(numbers)
        ],
        axis=1,
    )
    return np.asarray((weights * chances).sum(axis=1))


def _weights(sizes: range, share: float, nodes: int | None) -> tuple[Ints, Floats]:
    """The numbers of retrieved items that matter, and the weight of each at each size (rows)."""
    if nodes is None:
        left, block = Positives(rate=share).block(np.array(sizes))
        return np.arange(left, left + block.shape[1]), block
    parts = [splits(size, share, nodes) for size in sizes]
    numbers = np.unique(np.concatenate([n1 for n1, _ in parts]))
    weights = np.zeros((len(sizes), len(numbers)))
    for row, (n1, weight) in enumerate(parts):
        weights[row, np.searchsorted(numbers, n1)] = weight
    return numbers, weights


def _banded_chances(
    passing: Passing, rest: Ladder, law: Positives, numbers: Ints, others: Ints
) -> Floats:
    """The chance to pass for each n0 (rows) and n1 (columns), for any binomial test."""
    left, heads = law.block(numbers)
    t = np.arange(left, left + heads.shape[1])
    answer = np.empty(others.shape)
    for place, n1 in enumerate(numbers):
        n0 = others[:, place]
        low, high = passing.band(int(n1), np.minimum(t, n1), n0)
        low, high = np.maximum(low, 0), np.minimum(high, n0[:, None])
        inside = rest.below(n0, np.maximum(high + 1, low)) - rest.below(n0, low)
        answer[:, place] = inside @ heads[place]
    return answer


def _folded_chances(
    passing: Passing, rest: Ladder, law: Positives, numbers: Ints, others: Ints
) -> Floats:
    """The same, faster, where the rest can only do harm.

    Then which column of the ladder a number t of hits asks for does not depend on n0, so the
    chances of all t with the same column are added up before any n0 is looked at.
    """
    left, heads = law.block(numbers)
    t = np.arange(left, left + heads.shape[1])
    width = rest.table.shape[1]
    columns = rest.column(passing.ceiling(numbers, np.minimum(t, numbers[:, None])) + 1)
    places = columns + width * np.arange(len(numbers))[:, None]
    gathered = np.bincount(places.ravel(), heads.ravel(), minlength=width * len(numbers))
    answer = np.empty(others.shape)
    first, last = others[0] - rest.first_row, others[-1] - rest.first_row
    together = last - first == len(others) - 1  # sizes in a row are rows in a row: no copy
    for place, row in enumerate(gathered.reshape(len(numbers), width)):
        rows = (
            slice(first[place], last[place] + 1)
            if together[place]
            else others[:, place] - rest.first_row
        )
        answer[:, place] = rest.table[rows] @ row
    return answer
