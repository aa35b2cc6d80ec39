"""Estimates by enumeration: the martingale estimate is unbiased, the guarantee keeps its level."""

import math

import numpy as np
import pytest

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.estimation.stats.guaranteed_interval import (
    GRID,
    guarantee,
    interval_recipe,
    relevant,
    richest,
)
from assaymark.stats.score_guided.supermartingale import Draws, Stratum, weighted_test
from assaymark.stats.score_guided.supermartingale import tests_at as rows_at
from assaymark.stats.score_guided.wealth import draw_strata, live_sampling

STRATA = (
    Stratum(predicted=True, size=3, mean_score=0.8),
    Stratum(predicted=False, size=3, mean_score=0.1),
)
POSITIVES = (2, 1)


def paths(length):
    """Every sequence of strata and labels of so many draws, with its chance; chances adapt."""
    found = []

    def go(strata, labels, sampling, chance):
        if len(strata) == length:
            found.append((strata, labels, sampling, chance))
            return
        taken = np.bincount(strata, minlength=2) if strata else np.zeros(2, dtype=int)
        hits = [sum(y for k, y in zip(strata, labels, strict=True) if k == side) for side in (0, 1)]
        # chances that follow what was seen, as a claim's do
        stored = np.array([0.3, 0.7]) if sum(labels) % 2 else np.array([0.6, 0.4])
        left = np.array([3, 3]) - taken
        live = live_sampling(stored, left)
        for k in (0, 1):
            if left[k] == 0:
                continue
            rest = POSITIVES[k] - hits[k]
            for y, ways in ((1, rest), (0, left[k] - rest)):
                if ways:
                    go(
                        [*strata, k],
                        [*labels, y],
                        [*sampling, stored],
                        chance * live[k] * ways / left[k],
                    )

    go([], [], [], 1.0)
    return found


@pytest.mark.parametrize(
    ("name", "side"),
    [("f1", "lower"), ("f1", "upper"), ("recall", "lower"), ("precision", "lower")],
)
def test_the_truth_is_excluded_with_chance_at_most_alpha(name, side, measured):
    """All orders of draws of a tiny pool: the bettor against the truth is rich with chance <= 1/x."""
    truth = metric(name).value((2, 1, 1, 2))
    rich = {2.0: 0.0, 4.0: 0.0}
    mean = 0.0
    for strata, labels, sampling, chance in paths(4):
        draws = Draws(strata=np.array(strata), labels=np.array(labels), sampling=np.array(sampling))
        kept, mine = relevant(name, STRATA, draws)
        test = weighted_test(
            Claim(metric=name, side=side, target=0.5), kept, recipe=interval_recipe(0.3)
        )
        top = math.exp(float(richest(test, mine, rows_at(test, [truth]))[0]))
        mean += chance
        for level in rich:
            rich[level] += chance * (top >= level)
    assert mean == pytest.approx(1)
    for level, found in rich.items():
        measured(
            "estimate-guaranteed", f"exact: {name}, every order of draws", found, nominal=1 / level
        )
        assert found <= 1 / level + 1e-12


def many(seed, size=300, chances=(0.5, 0.3, 0.2)):
    rng = np.random.default_rng(seed)
    strata = (
        Stratum(predicted=True, size=400, mean_score=0.8),
        Stratum(predicted=False, size=600, mean_score=0.2),
        Stratum(predicted=False, size=4000, mean_score=0.01),
    )
    pools = [rng.permutation(np.arange(s.size) < s.size * s.mean_score) for s in strata]
    drawn = draw_strata(np.array(chances), np.array([s.size for s in strata]), rng.random(size))
    at = [0, 0, 0]
    labels = []
    for k in drawn:
        labels.append(int(pools[k][at[k]]))
        at[k] += 1
    draws = Draws(strata=drawn, labels=np.array(labels), sampling=np.tile(chances, (size, 1)))
    return strata, draws


@pytest.mark.parametrize(("seed", "name"), [(0, "f1"), (1, "recall")])
def test_a_pass_is_a_low_at_or_above_the_target(seed, name):
    """With a target on the grid: excluded all the way up to it if and only if low >= target."""
    strata, draws = many(seed, size=120)
    for target in (0.3, 0.55):
        found = guarantee(name, strata, draws, unit=0.1, also=(target,))
        test = weighted_test(
            Claim(metric=name, side="lower", target=0.5), strata, recipe=interval_recipe(0.1)
        )
        values = [v for v in sorted({*GRID, target}) if v <= target]
        crossed = richest(test, draws, rows_at(test, values)) >= -math.log(0.05)
        assert bool(crossed.all()) == (found.at_least >= target)
        # never a pass while the interval for both sides lies below the target
        assert not (found.at_least >= target and found.high < target)


def test_the_two_sided_interval_is_wider_than_each_side():
    strata, draws = many(1, size=120)
    found = guarantee("f1", strata, draws, unit=0.1)
    assert found.low <= found.at_least <= found.at_most <= found.high
    assert guarantee("f1", strata, draws, unit=0.1, confidence=0.8).at_least >= found.at_least
    assert str(found).startswith("f1 >= 0.")


def test_nothing_is_guaranteed_without_a_positive():
    strata, _ = many(1)
    draws = Draws(
        strata=np.array([2] * 20),
        labels=np.zeros(20, dtype=int),
        sampling=np.tile([0.5, 0.3, 0.2], (20, 1)),
    )
    found = guarantee("recall", strata, draws, unit=0.1)
    assert found.at_least is None
    assert "no positive was found" in str(found)
