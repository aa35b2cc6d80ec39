"""What several rows or races find together is what each finds alone, to the last bit."""

import itertools
import pickle

import numpy as np
import pytest

from assaymark.stats.betting.open_block import Foreseen
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.rows import Row, Rows
from assaymark.stats.betting.rules import AllOf
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.many_saddles import guided_samplings
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.walk import guided_sampling
from assaymark.stats.score_guided.wealth import Recipe

GROUPS, SIZE, DRAWS = 6, 300, 900


def rows_at(share, groups=GROUPS):
    return [
        Row(
            value={2 * g: 1, 2 * g + 1: 2},
            help=dict.fromkeys((2 * g, 2 * g + 1), (0, 1)),
            required=share * 3 * SIZE // 10,
        )
        for g in range(groups)
    ]


def make_test(rows, ceiling=None):
    return RowTest(
        rows=Rows(rows=tuple(rows), strata=2 * GROUPS, outcomes=2),
        sizes=(SIZE,) * (2 * GROUPS),
        level=0.05,
        prior=((0.4, 0.6),) * (2 * GROUPS),
        ceiling=ceiling,
        rule=AllOf(),
    )


def some_draws(seed=1):
    rng = np.random.default_rng(seed)
    strata = rng.permutation(np.repeat(np.arange(2 * GROUPS), DRAWS // (2 * GROUPS)))
    labels = (rng.random(DRAWS) < 0.7).astype(np.int64)
    labels[rng.random(DRAWS) < 0.02] = -1
    chances = rng.dirichlet(np.full(2 * GROUPS, 5.0), size=5)
    return Draws(strata=strata, labels=labels, sampling=np.repeat(chances, DRAWS // 5, axis=0))


def part_of(draws, start, stop):
    return Draws(
        strata=draws.strata[start:stop],
        labels=draws.labels[start:stop],
        sampling=draws.sampling[start:stop],
    )


CUTS = [(0, 900), (0, 117, 118, 390, 900), tuple(range(0, 901, 45))]


@pytest.mark.parametrize("ceiling", [None, 150])
@pytest.mark.parametrize("cuts", CUTS)
def test_a_race_that_shares_what_is_foreseen_has_the_wealth_of_one_alone(cuts, ceiling):
    test, draws, foreseen = make_test(rows_at(6), ceiling), some_draws(), Foreseen()
    in_parts, alone = Race(test, foreseen), Race(test)
    for start, stop in itertools.pairwise(cuts):
        part = part_of(draws, start, stop)
        assert np.array_equal(in_parts.feed(part), alone.feed(part))
    assert np.array_equal(Race(test, foreseen).feed(draws), Race(test).feed(draws))
    other = make_test(rows_at(5) + rows_at(7), ceiling)
    assert np.array_equal(Race(other, foreseen).feed(draws), Race(other).feed(draws))


def test_a_label_that_was_changed_since_is_not_taken_from_what_was_foreseen():
    test, draws, foreseen = make_test(rows_at(6)), some_draws(), Foreseen()
    Race(test, foreseen).feed(draws)
    labels = draws.labels.copy()
    labels[40:60] = 1 - np.maximum(labels[40:60], 0)
    changed = Draws(strata=draws.strata, labels=labels, sampling=draws.sampling)
    again = Race(test, foreseen).feed(changed)
    assert np.array_equal(again, Race(test).feed(changed))
    assert not np.array_equal(again, Race(test).feed(draws))


def test_what_was_foreseen_is_found_again_and_never_kept_with_a_race(monkeypatch):
    """Only blocks in which a row has stopped since they were foreseen are made again."""
    test, draws, foreseen = make_test(rows_at(6)), some_draws(), Foreseen()
    make, made = Race._opened, []
    monkeypatch.setattr(Race, "_opened", lambda *args: made.append(1) or make(*args))
    first = Race(test, foreseen)
    first.feed(draws)
    before = len(made)
    Race(test, foreseen).feed(draws)
    assert 0 < len(made) - before < before / 2
    assert pickle.loads(pickle.dumps(first))._foreseen is None


@pytest.mark.parametrize("places", [1, 3, 7, 8, 9, 24])
def test_the_chances_of_many_rows_are_those_of_each(places):
    rng, recipe = np.random.default_rng(places), Recipe()
    for _ in range(25):
        rows = int(rng.integers(1, 30))
        belief = np.clip(rng.beta(0.5, 0.8, (rows, places)), 1e-5, 1 - 1e-5)
        pull = rng.gamma(1.0, 1.0, (rows, places)) * (rng.random((rows, places)) < 0.7)
        total, expected = pull.sum(axis=1), (pull * belief).sum(axis=1)
        need = np.where(
            rng.random(rows) < 0.7, expected * rng.uniform(0.5, 1.02, rows), 0.9 * total
        )
        need[rng.random(rows) < 0.1] = 0.0
        margin = 0.1 * rng.random(rows) * total
        many = guided_samplings(belief, pull=pull, need=need, margin=margin, recipe=recipe)
        for row in range(rows):
            one = guided_sampling(
                belief[row],
                pull=pull[row],
                need=float(need[row]),
                margin=float(margin[row]),
                recipe=recipe,
            )
            assert one.tobytes() == many[row].tobytes()
