"""A walk taken up where it was gives the numbers of one from the first draw on, to the last bit."""

from collections import OrderedDict

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from assaymark.claims.claim import Claim
from assaymark.stats.betting import standing as betting
from assaymark.stats.betting.binary import binary_test
from assaymark.stats.score_guided import checkpoints as weighted_memory
from assaymark.stats.score_guided.bound import standing
from assaymark.stats.score_guided.checkpoints import log_wealth, next_sampling
from assaymark.stats.score_guided.supermartingale import (
    Draws,
    Stratum,
    both,
    sampling,
    walk,
    weighted_test,
)

STRATA = tuple(
    Stratum(predicted=score > 0.5, size=size, mean_score=score)
    for score, size in ((0.01, 4000), (0.2, 800), (0.6, 300), (0.95, 900))
)
TEST = weighted_test(Claim(metric="f1", side="lower", target=0.8), STRATA, confidence=0.95)


def some_draws(rng: np.random.Generator, count: int) -> Draws:
    rates = np.array([0.01, 0.2, 0.6, 0.95])
    strata = rng.integers(0, 4, count)
    labels = (rng.random(count) < rates[strata]).astype(np.int64)
    labels[rng.random(count) < 0.03] = -1
    batches = rng.dirichlet(np.full(4, 5.0), size=count // 60 + 1)
    return Draws(strata=strata, labels=labels, sampling=batches[np.arange(count) // 60])


def cut(draws: Draws, end: int) -> Draws:
    return Draws(
        strata=draws.strata[:end], labels=draws.labels[:end], sampling=draws.sampling[:end]
    )


def fresh(draws: Draws) -> np.ndarray:
    return walk(TEST, both(TEST)).feed(draws.strata, draws.labels, draws.sampling)


@pytest.mark.parametrize("seed", range(3))
def test_growing_shrinking_and_corrected_draws(seed):
    rng = np.random.default_rng(seed)
    draws = some_draws(rng, 700)
    weighted_memory._kept.clear()
    for _ in range(12):
        if rng.random() < 0.4:
            draws.labels[rng.integers(700)] = rng.integers(-1, 2)
        part = cut(draws, int(rng.integers(0, 701)))
        found = log_wealth("memory", part, start=lambda: walk(TEST, both(TEST)))
        assert_array_equal(found, fresh(part))
        assert not found.flags.writeable
        assert_array_equal(next_sampling(TEST, part), sampling(TEST, part))


def test_a_label_more_walks_its_own_block_only():
    draws = some_draws(np.random.default_rng(1), 700)
    weighted_memory._kept.clear()
    standing(TEST, cut(draws, 650))
    (kept,) = weighted_memory._kept.values()
    standing(TEST, cut(draws, 651))
    (after,) = weighted_memory._kept.values()
    assert len(kept.marks) > 5
    pairs = zip(kept.marks, after.marks, strict=False)
    same = sum(mark.steps is again.steps for mark, again in pairs)
    assert same >= len(kept.marks) - 1


def test_few_walks_are_kept():
    draws = some_draws(np.random.default_rng(1), 30)
    for number in range(20):
        log_wealth(number, draws, start=lambda: walk(TEST, both(TEST)))
    assert len(weighted_memory._kept) == weighted_memory.MOST_WALKS


@pytest.mark.parametrize("seed", range(3))
def test_bounds_on_the_way_are_those_of_a_first_look(seed, monkeypatch):
    """Whether draws grew, shrank or a label was corrected since the bounds were last asked for."""
    rng = np.random.default_rng(seed)
    test = binary_test(TEST.claim, STRATA, level=0.05)
    draws = some_draws(rng, 300)
    corrected = draws.copy()
    corrected.labels[100] = 1 - max(0, corrected.labels[100])
    for now in (cut(draws, 250), draws, corrected, cut(draws, 200)):
        ends = [*range(32, len(now), 32), len(now)]
        found = betting.bounds_after(test, now, ends)
        with monkeypatch.context() as fresh:
            fresh.setattr(betting, "_latest", None)
            fresh.setattr(betting, "_judged", None)
            fresh.setattr(weighted_memory, "_kept", OrderedDict())
            assert found == betting.bounds_after(test, now, ends)
