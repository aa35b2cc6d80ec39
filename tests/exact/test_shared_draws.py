"""Draws shared among groups: every world of tiny pools, against somebody who knows all of it.

The seed fixes a number u in [0, 1) for each draw and the order of the items of each stratum. What is
drawn follows from them and from the chances of the product's own course, with segments of two draws
that know no label of the two before. The law of the draws is worked out here, not taken from there.
The wealth of a false row has mean 1 at most after every draw, and so has the product of two false rows
of a gap. Whoever may choose from which labels chances are computed beats that.
"""

import itertools
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from assaymark.claims.language.grammar import parse
from assaymark.composite import course as courses
from assaymark.composite.course import Course
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import ClaimStratum, PoolColumns, SealedClaim, Statement
from assaymark.stats.betting import chances as sharing
from assaymark.stats.betting.path import replay
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.betting.renewal import Segment
from assaymark.stats.score_guided.supermartingale import Draws

LEVEL = 1e-9  # so small that no row stops on the way
EACH = Recipe(first_block=1, block_share=1000, fewest=0)
SEGMENTS = [Segment(first=t + 1, last=t + 2, known=max(0, t - 2)) for t in range(0, 8, 2)]

EVERY = "precision >= 0.5 in every g"
GAP = "accuracy gap between g <= 0.4"


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """Segments of two draws, and one draw that may wait in a group of which nothing is known."""
    monkeypatch.setattr(courses, "_segments_of", lambda _sealed: iter(SEGMENTS))
    monkeypatch.setattr(sharing, "LEAST", 1)


def claim(text, sizes, *, level=LEVEL):
    """One stratum of predicted positives for each group."""
    return SealedClaim(
        kind="conjunction",
        claim=text,
        confidence=1 - level,
        level=level,
        columns=PoolColumns(id="id", predictions=("p",), groups=("g",)),
        strata=tuple(
            ClaimStratum(predictions=("1",), groups=(name,), items=n)
            for name, n in zip("xyz", sizes, strict=False)
        ),
        statements=(Statement(tree=parse(text)),),
        allocation="shared",
    )


class Pool:
    """The chances and wealths of a claim by what was drawn, each computed once."""

    def __init__(self, text, sizes):
        self.sealed = claim(text, sizes)
        self.test = replace(row_test(self.sealed), recipe=EACH)
        self.sizes = np.array(sizes)
        self.chances = cache(self._chances)
        self.wealth = cache(self._wealth)

    def course(self, strata, outcomes):
        """The course after these draws, whose segments know the labels that the seal lets them."""
        course = Course(self.sealed, self.test)
        while (segment := course.next_segment()) and segment.first <= len(strata) + 1:
            course.enter(segment, strata, outcomes[: segment.known])
        course.follow(strata)
        return course

    def _chances(self, strata, outcomes):
        """The law of the next draw: stored chances of the strata that still hold an item."""
        stored = self.course(strata, outcomes)._chance(len(strata))
        live = stored * (self.sizes > np.bincount(strata, minlength=len(self.sizes)))
        return tuple((live / live.sum()).tolist())

    def _wealth(self, strata, outcomes):
        """The wealth of every row and then every mirror after the last of these draws."""
        path = replay(self.test, self.course(strata, outcomes).draws(strata, outcomes))
        logs = np.concatenate([path.log_wealth[:, -1], path.log_doubt[:, -1]])
        return np.exp(logs)


def beginnings(pool, ones):
    """Every order of draws with its chance; `ones` are the positives of each stratum."""
    now = {((), ()): 1.0}
    for _ in range(int(pool.sizes.sum())):
        after = {}
        for (strata, outcomes), chance in now.items():
            for k, share in enumerate(pool.chances(strata, outcomes)):
                mine = [o for s, o in zip(strata, outcomes, strict=True) if s == k]
                rest = pool.sizes[k] - len(mine)
                for label, count in ((1, ones[k]), (0, pool.sizes[k] - ones[k])):
                    left = count - mine.count(label)
                    if share and left:
                        key = ((*strata, k), (*outcomes, label))
                        after[key] = after.get(key, 0.0) + chance * share * left / rest
        now = after
        yield now


def false_rows(pool, ones):
    """The rows and mirrors that are false in this world, whose bets must not pay on average."""
    amounts = [
        sum(row.value[k] * row.help[k][1] * ones[k] for k in row.domain)
        + sum(row.value[k] * row.help[k][0] * (int(pool.sizes[k]) - ones[k]) for k in row.domain)
        for row in pool.test.rows.rows
    ]
    pairs = list(zip(amounts, pool.test.rows.rows, strict=True))
    low = [amount <= Fraction(row.required) for amount, row in pairs]
    high = [amount >= Fraction(row.required) for amount, row in pairs]
    return np.array([*low, *high]) & pool.test.played


def worlds(pool):
    return itertools.product(*(range(n + 1) for n in pool.sizes))


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        (EVERY, (2, 2)),
        (GAP, (2, 1)),
        pytest.param(EVERY, (2, 2, 2), marks=pytest.mark.slow),
        pytest.param(GAP, (2, 2, 2), marks=pytest.mark.slow),
    ],
)
def test_the_wealth_of_a_false_row_does_not_grow_on_average(text, sizes):
    pool, moved = Pool(text, sizes), False
    for ones in worlds(pool):
        null = false_rows(pool, ones)
        cells = [c for c in getattr(pool.test.rule, "cells", ()) if null[list(c)].all()]
        for step in beginnings(pool, ones):
            assert sum(step.values()) == pytest.approx(1.0)
            wealths = [(chance, pool.wealth(*drawn)) for drawn, chance in step.items()]
            mean = sum(chance * wealth for chance, wealth in wealths)
            assert mean[null].max(initial=0.0) <= 1.0 + 1e-9
            for cell in cells:
                product = sum(chance * wealth[list(cell)].prod() for chance, wealth in wealths)
                assert product <= 1.0 + 1e-9
            moved |= any(abs(wealth - 1.0).max() > 0.01 for _, wealth in wealths)
    assert moved, "a test without a bet shows nothing"


Past = tuple[tuple[int, int, tuple[float, ...]], ...]  # stratum, label and chances of each draw


class Steered:
    """Two groups of four items, half of them positive, and chances from any labels one likes."""

    def __init__(self):
        self.pool = Pool(EVERY, (4, 4))
        self.chances = cache(self._chances)
        self.wealth = cache(self._wealth)

    def draws(self, past):
        strata, labels, stored = zip(*past, strict=True) if past else ((), (), ())
        return Draws(
            strata=np.array(strata, dtype=np.int64),
            labels=np.array(labels, dtype=np.int64),
            sampling=np.array(stored, dtype=np.float64).reshape(-1, 2),
        )

    def _chances(self, known, waiting):
        race = Race(self.pool.test)
        if known:
            race.feed(self.draws(known))
        stored = sharing.shared_chances(race, np.bincount(waiting, minlength=2), 1)
        return tuple(stored.tolist())

    def _wealth(self, past):
        path = replay(self.pool.test, self.draws(past))
        return float(np.exp(path.log_wealth[0, -1]))

    def from_any_labels(self, past):
        """Labels held back: chances from those of any beginning."""
        ways = range(len(past) + 1)
        return [self.chances(past[:n], tuple(k for k, _, _ in past[n:])) for n in ways]

    def from_sealed_labels(self, past):
        """Those of the draws before the last one, whatever else is known."""
        known = max(0, len(past) - 1)
        return [self.chances(past[:known], tuple(k for k, _, _ in past[known:]))]

    def false_at_first(self, past):
        """Labels that were false when chances used them, and are corrected later."""
        lies = itertools.product((0, 1), repeat=len(past))
        return [
            self.chances(tuple((k, o, q) for (k, _, q), o in zip(past, lie, strict=True)), ())
            for lie in lies
        ]

    def mean_of_the_best(self, choices, draws):
        """The mean wealth of the first group's row for whoever takes the best of all choices."""
        each = sorted(set(itertools.permutations((0, 0, 1, 1))))
        orders = list(itertools.product(each, repeat=2))
        return sum(self._best(order, {()}, draws, choices) for order in orders) / len(orders)

    def _best(self, order, pasts, draws, choices):
        """The mean over u of the best, where the choices so far led to these pasts."""
        if len(next(iter(pasts))) == draws:
            return max(map(self.wealth, pasts))
        ways = [(past, q, self._first(past, q)) for past in pasts for q in set(choices(past))]
        total = 0.0
        cuts = sorted({0.0, 1.0, *(share for _, _, share in ways)})
        for low, high in itertools.pairwise(cuts):
            after = set()
            for past, q, share in ways:
                k = int((low + high) / 2 >= share)
                place = sum(stratum == k for stratum, _, _ in past)
                after.add((*past, (k, order[k][place], q)))
            total += (high - low) * self._best(order, after, draws, choices)
        return total

    def _first(self, past, q):
        """The chance that the next draw is of the first group."""
        live = [w * (sum(k == s for s, _, _ in past) < 4) for k, w in enumerate(q)]
        return live[0] / sum(live)


@pytest.mark.parametrize("draws", [2, 4])
def test_sealed_labels_leave_nothing_to_choose(draws):
    steered = Steered()
    found = steered.mean_of_the_best(steered.from_sealed_labels, draws)
    assert found == pytest.approx(1.0, abs=1e-9)  # a tie: the bet is just fair


def test_chances_from_labels_of_ones_choice_can_be_steered():
    steered = Steered()
    assert steered.mean_of_the_best(steered.from_any_labels, 3) > 1.0005


def test_labels_that_are_corrected_later_can_steer():
    """So a certificate counts them, and no longer says that nothing is left to steer."""
    steered = Steered()
    assert steered.mean_of_the_best(steered.false_at_first, 3) > 1.0005


def test_what_is_drawn_does_not_depend_on_batches_or_on_labels_that_came_early():
    """Portions of any size, and any number of labels beyond those sealed: one sequence."""
    pool = Pool(EVERY, (3, 2))
    truth = {0: [1, 0, 1], 1: [0, 1]}
    sequences = set()
    for sizes in itertools.product((1, 2), repeat=3):
        course, strata, outcomes = Course(pool.sealed, pool.test), [], []
        portions = itertools.cycle(sizes)
        while len(strata) < 5:
            segment = course.next_segment()
            course.enter(segment, strata, tuple(outcomes[: segment.known]))
            while new := min(segment.last, 5) - len(strata):
                strata += course.portion("seed", strata, min(new, next(portions)))
            outcomes = [truth[k][strata[:i].count(k)] for i, k in enumerate(strata)]
        sequences.add(tuple(strata))
    assert len(sequences) == 1


def test_a_corrected_label_is_taken_up_by_the_next_chances():
    """The chances of a segment follow from the labels as they stand when it begins."""
    pool = Pool(EVERY, (4, 4))
    course, strata = Course(pool.sealed, pool.test), []
    for outcomes in ((), (), (1, 1)):
        segment = course.next_segment()
        course.enter(segment, strata, outcomes)
        strata += course.portion("seed", strata, segment.last - len(strata))
    corrected = (0, 0, 0, 1)
    race = Race(pool.test)
    race.feed(course.draws(strata, corrected))
    waiting = np.bincount(strata[4:], minlength=2)
    expected = sharing.shared_chances(race, waiting, 2)
    assert course.enter(course.next_segment(), strata, corrected).tolist() == expected.tolist()
