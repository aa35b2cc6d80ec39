"""Stakes of many blocks are found together, and are those that each block finds by itself."""

from collections import Counter

import numpy as np
import pytest
from test_rows_with_few_draws import made_draws, made_test

from assaymark.claims.ratio_metrics import parse_claim
from assaymark.stats.betting import block, open_block, stakes
from assaymark.stats.betting import race as race_module
from assaymark.stats.betting.binary import binary_test
from assaymark.stats.betting.hedge import LEAST, delta, slope_rows
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.stakes import lowered
from assaymark.stats.score_guided.supermartingale import Draws, Stratum

STRATA = [
    Stratum(predicted=predicted, size=400, mean_score=score)
    for predicted, score in ((True, 0.9), (True, 0.7), (False, 0.2), (False, 0.02))
]


def ladder(seed, **more):
    """A claim with its ladder of targets, of which some are reached on the way, and its draws."""
    rng = np.random.default_rng(seed)
    strata = rng.permutation(np.repeat(np.arange(4), 300))
    labels = (rng.random(1200) < np.array([0.95, 0.8, 0.1, 0.01])[strata]).astype(np.int64)
    sampling = np.full((1200, 4), 0.25)
    sampling[500:, 0] = 0.4
    test = binary_test(parse_claim("f1 >= 0.8"), STRATA, level=0.05, **more).test
    return test, Draws(strata=strata, labels=labels, sampling=sampling)


def ladder_to_a_ceiling(seed):
    """The same claim with a sealed end: stakes follow the wealth."""
    return ladder(seed, ceiling=1300)


def groups(seed):
    """Rows that live on few of the draws and stop at different times."""
    return made_test(), made_draws(seed, 600)


def calls_of(name, monkeypatch) -> Counter:
    calls = Counter()
    whole = getattr(open_block, name)
    monkeypatch.setattr(
        open_block, name, lambda *a, **k: (calls.update(["stakes"]), whole(*a, **k))[1]
    )
    return calls


@pytest.mark.parametrize("world", [ladder, ladder_to_a_ceiling, groups])
@pytest.mark.parametrize("seed", [3, 4])
def test_the_wealth_has_the_same_bits(world, seed, monkeypatch):
    test, draws = world(seed)
    marks = []
    race = Race(test)
    together = race.feed(draws, marks=marks)
    assert race.stopped.any()
    for ahead in (0, 1, 5):
        monkeypatch.setattr(race_module, "BLOCKS_AHEAD", ahead)
        assert np.array_equal(Race(test).feed(draws), together)
    monkeypatch.setattr(Race, "_look_ahead", lambda *_: [])
    alone, single = [], Race(test)
    assert np.array_equal(single.feed(draws, marks=alone), together)
    assert [mark.drawn for mark in alone] == [mark.drawn for mark in marks]
    for name in ("remaining", "made", "gain", "log", "stopped"):
        assert np.array_equal(getattr(single, name), getattr(race, name))


@pytest.mark.parametrize(
    ("world", "name"), [(ladder, "anytime_stakes"), (ladder_to_a_ceiling, "spread")]
)
def test_a_long_path_finds_its_stakes_in_few_goes(world, name, monkeypatch):
    test, draws = world(3)
    calls, marks = calls_of(name, monkeypatch), []
    Race(test).feed(draws, marks=marks)
    assert calls["stakes"] < len(marks) / 5


def test_problems_that_are_solved_wait_for_the_others(monkeypatch):
    rng = np.random.default_rng(42)
    rates, pull = rng.uniform(0.05, 0.95, (9, 3, 300)), rng.uniform(0, 0.2, (9, 1, 300))
    sampling = np.where(rng.random((9, 1, 300)) < 0.1, 0.0, rng.uniform(0.01, 1, (9, 1, 300)))
    sampling = np.where(pull > 0.02, np.maximum(sampling, 0.01), sampling)
    need = (pull * rates).sum(axis=0) * rng.uniform(1e-4, 1.0, (3, 300))
    asked = {"pull": pull, "sampling": sampling, "need": need, "tolerance": 1e-12}
    monkeypatch.setattr(stakes, "MANY", 10**9)
    whole = lowered(rates, **asked)
    for many in (0, 100):
        monkeypatch.setattr(stakes, "MANY", many)
        apart = lowered(rates, **asked)
        assert np.array_equal(apart.rates, whole.rates)
        assert np.array_equal(apart.multiplier, whole.multiplier)


def test_each_problem_is_solved_as_if_it_were_alone():
    rng = np.random.default_rng(7)
    rates, pull = rng.uniform(0.05, 0.95, (9, 2, 150)), rng.uniform(0.01, 0.2, (9, 1, 150))
    need = (pull * rates).sum(axis=0) * rng.uniform(0.1, 1.0, (2, 150))
    together = lowered(rates, pull=pull, sampling=pull, need=need, tolerance=1e-8)
    for part, problem in ((0, 0), (1, 70), (1, 149)):
        one = pull[:, 0, problem]
        alone = lowered(
            rates[:, part, problem],
            pull=one,
            sampling=one,
            need=need[part, problem],
            tolerance=1e-8,
        )
        assert np.array_equal(alone.rates, together.rates[:, part, problem])
        assert alone.multiplier == together.multiplier[part, problem]


def one_after_the_other(wealth, *, level, lines, scale, edge, limit):
    """The plain loop: each stake from the wealth before its draw."""
    path = [wealth]
    for b in range(len(edge)):
        chance = level * path[-1]
        going = (chance < 1.0) & (chance > LEAST)
        stake = np.minimum(delta(chance, lines[b]) * scale[b], limit[b])
        path.append(path[-1] * (stake * going * edge[b] + 1.0))
    return np.array(path)


@pytest.mark.parametrize("seed", range(5))
def test_draws_with_a_ceiling_are_played_at_once_to_the_same_bits(seed):
    """Rows that reach their goal, lose nearly all, or swing widely are among them."""
    rng = np.random.default_rng(seed)
    shape = (200, 12)
    table = {
        "level": np.full(12, 0.05),
        "lines": slope_rows(np.linspace(1.0, 0.01, 200))[:, None] + np.zeros(shape, dtype=np.int64),
        "scale": rng.uniform(0, 0.6, shape),
        "edge": rng.normal(0.02, rng.choice([0.01, 0.1, 0.5], 12), shape),
        "limit": rng.uniform(0.1, 2, shape),
    }
    wealth = rng.choice([1.0, 5.0, 19.9, 20.0, 1e-13, 1e-14, 1e-16], 12)
    played = block._played(wealth, **table)
    assert np.array_equal(played, one_after_the_other(wealth, **table))
    assert (played * 0.05 >= 1).any()
