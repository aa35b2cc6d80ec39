"""Simulated reviews of one topic: the same ranking and the same draws for every stopping rule."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import binom

from assaymark.lab.corpora import learning
from assaymark.reviewing.stats import (
    Reading,
    RowWealth,
    experience,
    log_level,
    row_of_target,
    wants_random,
)

Flags = NDArray[np.bool_]
REFIT = 0.07
PRESUMED = 100
SURE = Fraction("0.95")
TOGETHER = 10  # records between two questions to the switch rule


@dataclass(kw_only=True, eq=False)
class Ranker:
    """A linear model over fixed features, fitted again when labels have grown by 7 %."""

    features: Any
    truth: Flags
    rng: np.random.Generator
    fitted: int = 0
    order: list[int] = field(default_factory=list)

    def best(self, known: Flags) -> int:
        """The unread item that directed reading takes next."""
        if not self.order or known.sum() >= (1 + REFIT) * self.fitted:
            self._fit(known)
        while known[self.order[-1]]:
            self.order.pop()
        return self.order[-1]

    def _fit(self, known: Flags) -> None:
        rows = np.flatnonzero(known)
        short = max(0, PRESUMED - int((~self.truth[rows]).sum()))
        rest = np.flatnonzero(~known)
        presumed = self.rng.choice(rest, size=min(short, len(rest)), replace=False)
        labels = np.concatenate([self.truth[rows], np.zeros(len(presumed), dtype=np.bool_)])
        machine = learning("svm").LinearSVC(C=1.0, tol=0.05, max_iter=3000, random_state=0)
        machine.fit(self.features[np.concatenate([rows, presumed])], labels)
        scores = self.features @ machine.coef_.ravel()
        self.order = [int(i) for i in np.argsort(scores, kind="stable")]
        self.fitted = len(rows)


@dataclass(frozen=True, kw_only=True)
class End:
    """A review that stopped: records read and recall reached."""

    read: int
    recall: float


def exhaustive(truth: Flags, *_rest: object) -> End:
    """Reading everything."""
    return End(read=len(truth), recall=1.0)


def _begin(truth: Flags, rng: np.random.Generator) -> Flags:
    known = np.zeros(len(truth), dtype=np.bool_)
    known[rng.choice(np.flatnonzero(truth))] = True
    return known


def _end(truth: Flags, known: Flags) -> End:
    return End(read=int(known.sum()), recall=float((truth & known).sum() / truth.sum()))


def _mixed(
    truth: Flags,
    features: Any,
    target: Fraction,
    rng: np.random.Generator,
    certified: Callable[[int, int, list[tuple[int, int, bool]]], bool],
) -> End:
    """The recipe of a review with any rule that says when the draws are proof enough."""
    known = _begin(truth, rng)
    ranker = Ranker(features=features, truth=truth, rng=rng)
    readings: list[Reading] = []
    draws: list[tuple[int, int, bool]] = []
    while not known.all():
        found, unread = int((truth & known).sum()), int((~known).sum())
        if certified(found, unread, draws):
            break
        past = experience(readings, found=found, unread=unread, target=target)
        if wants_random(past, found=found, unread=unread, target=target):
            for _ in range(min(TOGETHER, unread)):
                item = int(rng.choice(np.flatnonzero(~known)))
                left, before = int((~known).sum()), int((truth & known).sum())
                draws.append((left, before, bool(truth[item])))
                known[item] = True
                readings.append(Reading(random=(bool(truth[item]),)))
                if truth[item] or certified(int((truth & known).sum()), left - 1, draws):
                    break
        else:
            readings.append(Reading(directed=_directed(truth, known, ranker)))
    return _end(truth, known)


def _directed(truth: Flags, known: Flags, ranker: Ranker) -> tuple[bool, ...]:
    """Ten records in rank order: their answers."""
    found = []
    for _ in range(min(TOGETHER, int((~known).sum()))):
        item = ranker.best(known)
        known[item] = True
        found.append(bool(truth[item]))
    return tuple(found)


class Certified:
    """The certified end: wealth of the target's row, replayed only when the row moves."""

    def __init__(self, target: Fraction) -> None:
        self.target = target
        self.level = log_level(SURE)
        self.row = RowWealth(row=0)
        self.used = 0

    def __call__(self, found: int, unread: int, draws: list[tuple[int, int, bool]]) -> bool:
        """Whether the target is certified now."""
        row = row_of_target(found, self.target)
        if row != self.row.row:
            self.row, self.used = RowWealth(row=row), 0
        for left, before, hit in draws[self.used :]:
            self.row.add(left=left, found=before, hit=hit)
        self.used = len(draws)
        return row > found + unread or self.row.best >= self.level


class Peeking:
    """A fixed-sample hypergeometric test, asked again after every draw since the last hit."""

    def __init__(self, target: Fraction) -> None:
        self.target = target

    def __call__(self, found: int, unread: int, draws: list[tuple[int, int, bool]]) -> bool:
        """Whether the test passes now."""
        hidden = row_of_target(found, self.target) - found
        clean = 0
        for _, _, hit in reversed(draws):
            if hit:
                break
            clean += 1
        total = unread + clean
        if hidden > unread:
            return True
        chance = _log_choose(total - hidden, clean) - _log_choose(total, clean)
        return bool(chance < np.log(0.05))


def _log_choose(n: int, k: int) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def ours(truth: Flags, features: Any, target: Fraction, rng: np.random.Generator) -> End:
    """The certified end, valid at every look."""
    return _mixed(truth, features, target, rng, Certified(target))


def peeking(truth: Flags, features: Any, target: Fraction, rng: np.random.Generator) -> End:
    """The hypergeometric test with peeking: made for one look, asked at each."""
    return _mixed(truth, features, target, rng, Peeking(target))


def in_a_row(truth: Flags, features: Any, _target: Fraction, rng: np.random.Generator) -> End:
    """Fifty irrelevant records in a row."""
    known = _begin(truth, rng)
    ranker = Ranker(features=features, truth=truth, rng=rng)
    dry = 0
    while dry < 50 and not known.all():
        item = ranker.best(known)
        known[item] = True
        dry = 0 if truth[item] else dry + 1
    return _end(truth, known)


def knee(truth: Flags, features: Any, _target: Fraction, rng: np.random.Generator) -> End:
    """The knee of the gain curve: its slope before is many times the slope after."""
    known = _begin(truth, rng)
    ranker = Ranker(features=features, truth=truth, rng=rng)
    answers = [True]
    while not known.all():
        answers += _directed(truth, known, ranker)
        if len(answers) >= 100 and _is_knee(np.cumsum(answers)):
            break
    return _end(truth, known)


def _is_knee(gain: NDArray[np.int64]) -> bool:
    """Cormack and Grossman 2016: slope ratio at the point farthest above the chord."""
    read = np.arange(1, len(gain) + 1)
    place = int(np.argmax(gain - read * gain[-1] / len(gain)))
    before, after = gain[place] / (place + 1), len(gain) - place - 1
    ratio = before * after / (1 + gain[-1] - gain[place])
    return bool(after and ratio >= 156 - min(int(gain[place]), 150))


def qbcb(truth: Flags, features: Any, target: Fraction, rng: np.random.Generator) -> End:
    """Quantile binomial confidence bound: a random sample of relevant records, one look."""
    needed = min(30, int(truth.sum()))
    wanted = next(
        (j for j in range(needed + 1) if binom.sf(j - 1, needed, float(target)) <= 0.05), needed
    )
    order = rng.permutation(len(truth))
    last = int(np.flatnonzero(np.cumsum(truth[order]) == needed)[0])
    sample = order[: last + 1]
    relevant = set(sample[truth[sample]].tolist())
    known = _begin(truth, rng)
    ranker = Ranker(features=features, truth=truth, rng=rng)
    seen = len(relevant & set(np.flatnonzero(known).tolist()))
    while seen < wanted and not known.all():
        item = ranker.best(known)
        known[item] = True
        seen += item in relevant
    read = known.copy()
    read[sample] = True  # the sample is read too, and what it holds is not lost
    return End(read=int(read.sum()), recall=float((truth & known).sum() / truth.sum()))


RULES: dict[str, Callable[..., End]] = {
    "certified end": ours,
    "hypergeometric, peeking": peeking,
    "QBCB, one look": qbcb,
    "50 in a row": in_a_row,
    "knee": knee,
    "reading everything": exhaustive,
}
