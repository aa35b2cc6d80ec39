"""Renewed chances by enumeration of every course of a tiny pool: nothing is steered, little is biased."""

import math

import numpy as np
import pytest

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.estimation.stats.guaranteed_interval import interval_recipe, relevant, richest
from assaymark.estimation.stats.rank_strata import fixed_chances
from assaymark.estimation.stats.renewed_chances import renewed_chances
from assaymark.stats.score_guided.supermartingale import Draws, Stratum, weighted_test
from assaymark.stats.score_guided.supermartingale import tests_at as rows_at
from assaymark.stats.score_guided.wealth import live_sampling

STRATA = (
    Stratum(predicted=True, size=3, mean_score=0.9),
    Stratum(predicted=False, size=3, mean_score=0.4),
    Stratum(predicted=False, size=4, mean_score=0.05),
)
SIZES = np.array([3, 3, 4])
POSITIVES = (2, 1, 1)
CELLS = (2, 1, 2, 5)
PLANNED, ENDS = 5, (1, 2)


def courses(name, *, renew=True):
    """Every course of the draws: strata, labels, chances as stored and as they were, probability."""
    made = []

    def go(strata, labels, stored, live, chance):
        if len(strata) == PLANNED:
            made.append((strata, labels, stored, live, chance))
            return
        drawn, said = np.array(strata, dtype=np.int64), np.array(labels, dtype=np.int64)
        ends = [end for end in ENDS if end <= len(strata)] if renew else []
        now = fixed_chances(name, STRATA)
        if ends:
            now = renewed_chances(name, STRATA, drawn, said, ends=ends, planned=PLANNED)
        left = SIZES - np.bincount(drawn, minlength=3)
        open_ = live_sampling(now, left)
        for k in range(3):
            rest = POSITIVES[k] - sum(y for s, y in zip(strata, labels, strict=True) if s == k)
            for y, ways in ((1, rest), (0, left[k] - rest)):
                if ways and left[k]:
                    part = chance * open_[k] * ways / left[k]
                    go([*strata, k], [*labels, y], [*stored, now], [*live, open_], part)

    go([], [], [], [], 1.0)
    return made


@pytest.fixture(scope="module")
def every():
    return {name: courses(name) for name in ("f1", "recall", "precision")}


@pytest.mark.parametrize("name", ["f1", "recall", "precision"])
def test_the_truth_is_excluded_with_chance_at_most_alpha(name, every, measured):
    truth, total = metric(name).value(CELLS), 0.0
    rich = {(side, level): 0.0 for side in ("lower", "upper") for level in (2.0, 4.0)}
    for strata, labels, stored, _, chance in every[name]:
        draws = Draws(strata=np.array(strata), labels=np.array(labels), sampling=np.array(stored))
        kept, mine = relevant(name, STRATA, draws)
        total += chance
        for side in ("lower", "upper"):
            claim = Claim(metric=name, side=side, target=0.5)
            test = weighted_test(claim, kept, recipe=interval_recipe(0.3))
            top = math.exp(float(richest(test, mine, rows_at(test, [truth]))[0]))
            for level in (2.0, 4.0):
                rich[side, level] += chance * (top >= level)
    assert total == pytest.approx(1)
    for (side, level), share in rich.items():
        where = f"exact: {name}, {side} side, chances renewed twice"
        measured("estimate-guaranteed", where, share, nominal=1 / level)
        assert share <= 1 / level + 1e-12


@pytest.mark.parametrize("name", ["f1", "recall"])
def test_a_label_over_its_chance_is_unbiased(name, every):
    """What was found, plus each label over its chance: the expected number of positives is the true one.

    It is so at every draw because no chance depends on the label that it draws, or on a later one.
    """
    mean = np.zeros(PLANNED)
    for strata, labels, _, live, chance in every[name]:
        before = np.cumsum([0, *labels[:-1]])
        taken = np.array([np.bincount(strata[:t], minlength=3) for t in range(PLANNED)])
        left = [SIZES[k] - taken[t][k] for t, k in enumerate(strata)]
        odds = [live[t][k] for t, k in enumerate(strata)]
        mean += chance * (before + np.array(labels) * left / np.array(odds))
    assert mean == pytest.approx(np.full(PLANNED, sum(POSITIVES)))


BIAS = {  # with fixed and with renewed chances, and the root mean squared errors beside them
    "f1": ((0.020, 0.047), (0.249, 0.219)),
    "recall": ((0.030, 0.041), (0.280, 0.279)),
    "precision": ((0.0, 0.0), (0.023, 0.020)),
}


@pytest.mark.parametrize("name", BIAS)
def test_the_point_has_more_bias_and_less_error_than_with_fixed_chances(name, every):
    """How many labels a stratum gets depends on its first ones, so their mean is biased.

    A stratum of misses that showed none gets fewer labels: recall and F1 err upwards, more than with
    fixed chances; the error as a whole is smaller. Five labels of ten items are the extreme.
    """
    truth, ratio = metric(name).value(CELLS), metric(name)
    scores = np.array([s.mean_score for s in STRATA])
    bias, error = [], []
    for each in (courses(name, renew=False), every[name]):
        points, chances = [], [course[-1] for course in each]
        for strata, labels, *_ in each:
            seen = np.bincount(strata, minlength=3)
            hits = np.bincount(strata, weights=labels, minlength=3)
            positives = SIZES * np.where(seen > 0, hits / np.maximum(seen, 1), scores)
            tp, fn = positives[0], positives[1:].sum()
            points.append(ratio.value((tp, 3 - tp, fn, 7 - fn)) or 0.0)
        off = np.array(points) - truth
        bias.append(float(off @ chances))
        error.append(float(np.sqrt(off**2 @ np.array(chances))))
    assert bias == pytest.approx(BIAS[name][0], abs=5e-4)
    assert error == pytest.approx(BIAS[name][1], abs=5e-4)
    assert error[1] < error[0]
