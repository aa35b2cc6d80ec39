"""Stopping rules of a review, played on one course of reading: same ranking, seeds and draws."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import binom

from assaymark.lab.experiments.review.courses import Course, Ranker
from assaymark.reviewing.stats import (
    Reading,
    RowWealth,
    experience,
    log_level,
    row_of_target,
    wants_random,
)

SURE = Fraction("0.95")
RISK = 0.05
TOGETHER = 10  # records between two questions to the switch rule
SAMPLE = 30  # relevant records in the sample of QBCB, or as many as its bound needs

CERTIFIED = "certified end"
PEEKING = "hypergeometric, peeking"


@dataclass(frozen=True, kw_only=True)
class End:
    """A review that stopped: records read and recall reached."""

    read: int
    recall: float


@dataclass(frozen=True, kw_only=True)
class Draw:
    """A random draw: unread records and relevant ones known before it, and the answer."""

    left: int
    found: int
    hit: bool


class Certified:
    """The certified end: wealth of the target's row, replayed only when the row moves."""

    def __init__(self, target: Fraction) -> None:
        self.target = target
        self.level = log_level(SURE)
        self.row = RowWealth(row=0)
        self.used = 0

    def __call__(self, relevant: int, unread: int, draws: list[Draw]) -> bool:
        """Whether the target is certified now."""
        row = row_of_target(relevant, self.target)
        if row != self.row.row:
            self.row, self.used = RowWealth(row=row), 0
        for draw in draws[self.used :]:
            self.row.add(left=draw.left, relevant=draw.found, hit=draw.hit)
        self.used = len(draws)
        return row > relevant + unread or self.row.best >= self.level


class Peeking:
    """A fixed-sample hypergeometric test, asked again after every draw since the last hit."""

    def __init__(self, target: Fraction) -> None:
        self.target = target
        self.used = 0
        self.clean = 0

    def __call__(self, relevant: int, unread: int, draws: list[Draw]) -> bool:
        """Whether the test passes now."""
        for draw in draws[self.used :]:
            self.clean = 0 if draw.hit else self.clean + 1
        self.used = len(draws)
        hidden = row_of_target(relevant, self.target) - relevant
        if hidden > unread:
            return True
        total = unread + self.clean
        chance = _log_choose(total - hidden, self.clean) - _log_choose(total, self.clean)
        return bool(chance < np.log(RISK))


def _log_choose(n: int, k: int) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


class Mixed:
    """The recipe of a review: directed reading, then draws, and back to directed after a hit.

    Rules that only say when the draws are proof enough are asked on one path, so that they differ
    in nothing else.
    """

    def __init__(self, course: Course, target: Fraction, rng: np.random.Generator) -> None:
        self.course, self.truth, self.target, self.rng = course, course.truth, target, rng
        self.known = np.zeros(len(self.truth), dtype=np.bool_)
        self.known[course.items[0]] = True
        self.count = self.found = 1
        self.ranker: Ranker | None = None
        self.readings: list[Reading] = []
        self.draws: list[Draw] = []
        self.waiting: dict[str, Callable[[int, int, list[Draw]], bool]] = {
            CERTIFIED: Certified(target),
            PEEKING: Peeking(target),
        }
        self.ends: dict[str, End] = {}

    @property
    def unread(self) -> int:
        """Records without a label."""
        return len(self.truth) - self.count

    def play(self) -> dict[str, End]:
        """Where each rule stops."""
        self._ask()
        while self.waiting:
            past = experience(
                self.readings, relevant=self.found, unread=self.unread, target=self.target
            )
            if wants_random(past, relevant=self.found, unread=self.unread, target=self.target):
                self._draw()
            else:
                self._direct()
                self._ask()
        return self.ends

    def _ask(self) -> None:
        for name, rule in list(self.waiting.items()):
            if rule(self.found, self.unread, self.draws) or not self.unread:
                self.ends[name] = End(read=self.count, recall=self.found / int(self.truth.sum()))
                del self.waiting[name]

    def _take(self, item: int) -> bool:
        self.known[item] = True
        self.count += 1
        self.found += int(self.truth[item])
        return bool(self.truth[item])

    def _draw(self) -> None:
        """Up to ten draws; a hit ends them."""
        if self.ranker is None:
            self.ranker = self.course.ranker_after(self.count)
        for _ in range(min(TOGETHER, self.unread)):
            left, found = self.unread, self.found
            hit = self._take(int(self.rng.choice(np.flatnonzero(~self.known))))
            self.draws.append(Draw(left=left, found=found, hit=hit))
            self.readings.append(Reading(random=(hit,)))
            self._ask()
            if hit or not self.waiting:
                break

    def _direct(self) -> None:
        """Ten records in rank order: those of the course until the first draw."""
        size = min(TOGETHER, self.unread)
        if self.ranker is None:
            items = self.course.read(self.count + size)[self.count :]
            answers = tuple(self._take(item) for item in items)
        else:
            answers = tuple(
                self._take(self.ranker.best(self.known, self.count)) for _ in range(size)
            )
        self.readings.append(Reading(directed=answers))


def prefix(course: Course, count: int) -> End:
    """A review that stopped after this many records of the course."""
    answers = course.truth[course.read(count)]
    return End(read=count, recall=float(answers.sum() / course.truth.sum()))


def in_a_row(course: Course, dry: int) -> End:
    """This many irrelevant records in a row."""
    count, run = 1, 0
    while run < dry and count < len(course.truth):
        run = 0 if course.truth[course.item(count)] else run + 1
        count += 1
    return prefix(course, count)


def knee(course: Course) -> End:
    """The knee of the gain curve: its slope before is many times the slope after."""
    count = 1
    while count < len(course.truth):
        count = min(len(course.truth), count + TOGETHER)
        if count >= 100 and _is_knee(np.cumsum(course.truth[course.read(count)])):
            break
    return prefix(course, count)


def _is_knee(gain: NDArray[np.int64]) -> bool:
    """Cormack and Grossman 2016: slope ratio at the point farthest above the chord."""
    read = np.arange(1, len(gain) + 1)
    place = int(np.argmax(gain - read * gain[-1] / len(gain)))
    before, after = gain[place] / (place + 1), len(gain) - place - 1
    ratio = before * after / (1 + gain[-1] - gain[place])
    return bool(after and ratio >= 156 - min(int(gain[place]), 150))


def quantile_bound(target: Fraction) -> tuple[int, int]:
    """Relevant records that QBCB samples, and how many of them reading must reach.

    >>> quantile_bound(Fraction("0.8")), quantile_bound(Fraction("0.95"))
    ((30, 28), (59, 59))
    """
    sample = SAMPLE
    while True:
        needed = int(binom.isf(RISK, sample, float(target))) + 1
        if needed <= sample:
            return sample, needed
        sample += 1


def qbcb(course: Course, target: Fraction, rng: np.random.Generator) -> End:
    """Quantile binomial confidence bound: a random sample of relevant records, one look."""
    truth = course.truth
    sample, needed = quantile_bound(target)
    order = rng.permutation(len(truth))
    hits = np.flatnonzero(np.cumsum(truth[order]) == sample)
    if not len(hits):
        return End(read=len(truth), recall=1.0)  # the sample was never complete: all is read
    read = np.zeros(len(truth), dtype=np.bool_)
    read[order[: int(hits[0]) + 1]] = True
    in_sample = read & truth
    count, reached = 1, int(in_sample[course.items[0]])
    while reached < needed:
        reached += int(in_sample[course.item(count)])
        count += 1
    read[course.read(count)] = True  # the sample is read too, and what it holds is not lost
    return End(read=int(read.sum()), recall=float((truth & read).sum() / truth.sum()))


RULES = (
    CERTIFIED,
    PEEKING,
    "QBCB, one look",
    "knee",
    "50 in a row",
    "100 in a row",
    "reading everything",
)


def play(
    course: Course, targets: tuple[Fraction, ...], seed: int
) -> dict[Fraction, dict[str, End]]:
    """Where every rule stops for every target, on one course."""
    alike = {
        "knee": knee(course),
        "50 in a row": in_a_row(course, 50),
        "100 in a row": in_a_row(course, 100),
        "reading everything": End(read=len(course.truth), recall=1.0),
    }
    ends = {}
    for target in targets:
        mixed = Mixed(course, target, np.random.default_rng([seed, 1]))
        sampled = qbcb(course, target, np.random.default_rng([seed, 2]))
        stops = mixed.play() | {"QBCB, one look": sampled} | alike
        ends[target] = {name: stops[name] for name in RULES}
    return ends
