"""Rehearsals of several rows take as many labels as their courses."""

from fractions import Fraction

import numpy as np
import pytest

from assaymark.stats.betting.chances import next_chances, shared_chances
from assaymark.stats.betting.path import judged_path
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.renewal import segments
from assaymark.stats.betting.rows import Row, Rows
from assaymark.stats.betting.rules import AllOf, Gap
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.rehearsal.courses import Manner, World, rehearse_rows
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.wealth import draw_strata

SIZES = (150, 450, 200, 400)
RATES = np.array([0.95, 0.8, 0.9, 0.7])
WORLD = World(shares=np.stack([1 - RATES, RATES], axis=1), blocks=((0, 1), (2, 3)))


def row(strata, share: str, *, hit: int = 1) -> Row:
    """At least this share of the items of two strata has the outcome."""
    return Row(
        value=dict.fromkeys(strata, Fraction(1)),
        help=dict.fromkeys(strata, (Fraction(1 - hit), Fraction(hit))),
        required=Fraction(share) * sum(SIZES[k] for k in strata),
        strict=False,
    )


def several(rows, rule) -> RowTest:
    prior = tuple((1 - p, p) for p in (0.9, 0.7, 0.85, 0.65))
    return RowTest(
        rows=Rows(rows=rows, strata=4, outcomes=2), sizes=SIZES, level=0.05, prior=prior, rule=rule
    )


GROUPS = several((row((0, 1), "0.75"), row((2, 3), "0.7")), AllOf())
TOGETHER = several((row((0, 1, 2, 3), "0.75"), row((1, 3), "0.68")), AllOf())
CELL = several((row((0, 1), "0.76"), row((2, 3), "0.16", hit=0)), Gap(cells=((0, 1),)))


def real(test: RowTest, manner: Manner, rng) -> int:
    """One course, draw by draw."""
    queues = [rng.permutation(np.repeat([0, 1], pair)) for pair in WORLD.items(SIZES)]
    race, known, past = Race(test), Race(test), []
    parts, logs, fed = [], [], 0
    for segment in segments(lead=manner.lead, most=manner.most):
        if segment.known > fed:
            known.feed(joined(past, fed, segment.known))
            fed = segment.known
        waiting = known.remaining - race.remaining
        length = segment.last - race.drawn
        stored = shared_chances(known, waiting, length) if manner.shared else next_chances(known)
        length = min(length, int(race.remaining[stored > 0].sum()))
        drawn = draw_strata(stored, race.remaining, rng.random(length))
        used = np.array(SIZES) - race.remaining
        labels = np.empty(length, dtype=np.int64)
        for k in set(drawn.tolist()):
            mine = np.flatnonzero(drawn == k)
            labels[mine] = queues[k][used[k] : used[k] + len(mine)]
        parts.append(Draws(strata=drawn, labels=labels, sampling=np.tile(stored, (length, 1))))
        past += [(k, label, stored) for k, label in zip(drawn, labels, strict=True)]
        logs.append(race.feed(parts[-1]))
        path = judged_path(test, joined(past, 0, len(past)), np.concatenate(logs, axis=1))
        if isinstance(test.rule, Gap):
            risen = np.maximum.accumulate(path.log_wealth.sum(axis=0)) >= test.log_needed
            ready = risen & path.enough[:, 1:].all(axis=0)
            if ready.any():
                return int(np.argmax(ready)) + 1
        elif None not in path.passed_at:
            return max(path.passed_at)
    return len(past)


def joined(past, start: int, stop: int) -> Draws:
    strata, labels, sampling = zip(*past[start:stop], strict=True)
    return Draws(strata=np.array(strata), labels=np.array(labels), sampling=np.array(sampling))


@pytest.mark.parametrize(
    ("test", "manner"),
    [
        (GROUPS, Manner(lead=50, shared=True, most=1200)),
        (TOGETHER, Manner(most=1200)),
        (CELL, Manner(lead=50, shared=True, most=1200)),
    ],
    ids=["groups", "rows that share strata", "a cell of a gap"],
)
def test_a_rehearsed_course_takes_what_the_course_takes(test, manner):
    """On average, within five standard errors: chance alone fails in 1 of 10⁶."""
    units = ((0, 1),) if isinstance(test.rule, Gap) else ((0,), (1,))
    found = rehearse_rows(
        test, WORLD, manner=manner, units=units, wanted=range(len(units)), runs=200,
        rng=np.random.default_rng(1),
    ).ends  # fmt: skip
    taken = np.array([real(test, manner, rng) for rng in np.random.default_rng(2).spawn(60)])
    error = np.hypot(found.std() / 200**0.5, taken.std() / 60**0.5)
    assert abs(found.mean() - taken.mean()) <= 5 * error + 0.1 * taken.mean()
    assert np.all(found <= 1200)


def test_the_items_of_a_world_add_up_to_its_shares():
    """By block and outcome to less than one item, whatever the rounding of single strata."""
    shares = np.array([[0.5, 0.3, 0.2], [0.1, 0.05, 0.85], [0.9, 0.1, 0.0]])
    items = World(shares=shares, blocks=((0, 1), (2,))).items((7, 13, 5))
    assert items.sum(axis=1).tolist() == [7, 13, 5]
    sizes = np.array([7, 13])
    assert np.all(np.abs(items[:2].sum(axis=0) - sizes @ shares[:2]) <= 1.5)
