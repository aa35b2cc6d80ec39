"""The weighted design is a fair game: every path of tiny pools, weighed by its probability."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from assay.stats.wealth import Recipe, live_sampling
from assay.stats.weighted import Draws, Stratum, WeightedTest, replay, sampling, weighted_test
from assay.types.claim import Claim

# One draw per set of stakes, two, and the recipe's own blocks, which here never refresh in time.
EACH = Recipe(first_block=1, block_share=1000)
PAIRS = Recipe(first_block=2, block_share=1000)
WILD = Recipe(first_block=1, floor=0.0005, guided=0.999, margins=(0.3, 0.9))


@dataclass(frozen=True, kw_only=True)
class Leaf:
    """A complete order of draws, its labels and its probability."""

    draws: Draws
    chance: float


def _draws(test: WeightedTest, strata: list[int], labels: list[int], rows: list) -> Draws:
    return Draws(
        strata=np.array(strata, dtype=np.int64),
        labels=np.array(labels, dtype=np.int64),
        sampling=np.array(rows, dtype=np.float64).reshape(len(strata), len(test.strata)),
    )


def leaves(test: WeightedTest, positives: list[int], *, batch: int, ahead: int) -> Iterator[Leaf]:
    """Every path to exhaustion. Chances are set per batch, from labels `ahead` draws behind."""

    def grow(strata: list[int], labels: list[int], rows: list, chance: float) -> Iterator[Leaf]:
        if len(strata) == test.sizes.sum():
            yield Leaf(draws=_draws(test, strata, labels, rows), chance=chance)
            return
        known = max(0, len(strata) - ahead)
        fresh = len(strata) % batch == 0
        stored = (
            sampling(test, _draws(test, strata[:known], labels[:known], rows[:known]))
            if fresh
            else rows[-1]
        )
        left = test.sizes - np.bincount(strata, minlength=len(test.strata)).astype(np.int64)
        live = live_sampling(stored, left)
        for k in np.flatnonzero(left):
            found = sum(y for s, y in zip(strata, labels, strict=True) if s == k)
            for label, rest in ((1, positives[k] - found), (0, left[k] - positives[k] + found)):
                if rest:
                    step = chance * live[k] * rest / left[k]
                    yield from grow([*strata, k], [*labels, label], [*rows, stored], step)

    return grow([], [], [], 1.0)


def expected_wealth(test: WeightedTest, positives: list[int], *, batch: int = 2, ahead: int = 0):
    """The mean wealth after each draw, of the claim's test (row 0) and of its mirror (row 1)."""
    mean, total = np.zeros((2, int(test.sizes.sum()))), 0.0
    for leaf in leaves(test, positives, batch=batch, ahead=ahead):
        path = replay(test, leaf.draws)
        mean += leaf.chance * np.exp([path.log_wealth, path.log_doubt])
        total += leaf.chance
    assert math.isclose(total, 1.0, rel_tol=1e-12)
    return mean


def pool(metric: str, target: float, cut, *, side: str = "lower", recipe: Recipe = EACH):
    """A test on strata given as (predicted, size, mean score)."""
    strata = [Stratum(predicted=p, size=n, mean_score=m) for p, n, m in cut]
    claim = Claim(metric=metric, side=side, target=target)
    return weighted_test(claim, strata, recipe=recipe)


TWO = ((True, 3, 0.8), (False, 3, 0.1))
THREE = ((True, 2, 0.9), (True, 1, 0.5), (False, 3, 0.2))
WRONG = ((True, 3, 0.01), (False, 3, 0.99))
BARE = ((True, 3, None), (False, 3, None))
# Metric, target, side, strata, positives per stratum: the metric is exactly the target.
BOUNDARY = [
    ("f1", 4 / 7, "lower", TWO, [2, 2]),
    ("f1", 1 / 2, "lower", TWO, [1, 0]),
    ("f1", 2 / 3, "lower", THREE, [1, 1, 1]),
    ("f1", 4 / 7, "lower", WRONG, [2, 2]),
    ("f1", 4 / 7, "lower", BARE, [2, 2]),
    ("recall", 1 / 2, "lower", TWO, [1, 1]),
    ("recall", 2 / 3, "lower", THREE, [1, 1, 1]),
    ("recall", 3 / 4, "lower", BARE, [3, 1]),
    ("accuracy", 4 / 6, "lower", TWO, [2, 1]),
    ("specificity", 2 / 3, "lower", TWO, [2, 1]),
    ("f2", 10 / 15, "lower", TWO, [2, 1]),
    ("precision", 2 / 5, "lower", ((True, 3, 0.8), (True, 2, 0.3)), [1, 1]),
    ("elusion", 1 / 4, "upper", ((False, 3, 0.3), (False, 5, 0.05)), [1, 1]),
    ("npv", 3 / 4, "lower", ((False, 3, 0.3), (False, 5, 0.05)), [2, 0]),
    ("prevalence", 3 / 6, "upper", TWO, [2, 1]),
    ("jaccard", 2 / 5, "lower", TWO, [2, 2]),
]


@pytest.mark.parametrize(("metric", "target", "side", "cut", "positives"), BOUNDARY)
@pytest.mark.parametrize("recipe", [EACH, PAIRS], ids=["each", "pairs"])
def test_wealth_is_exactly_fair_at_the_boundary(metric, target, side, cut, positives, recipe):
    """With the metric at the target both games have mean 1 after every draw, to exhaustion."""
    test = pool(metric, target, cut, side=side, recipe=recipe)
    mean = expected_wealth(test, positives)
    np.testing.assert_allclose(mean, 1.0, rtol=1e-9)


@pytest.mark.parametrize("batch", [1, 2, 3, 7])
@pytest.mark.parametrize("ahead", [0, 1, 4])
def test_drawing_ahead_of_the_labels_keeps_the_game_fair(batch, ahead):
    mean = expected_wealth(pool("f1", 4 / 7, TWO), [2, 2], batch=batch, ahead=ahead)
    np.testing.assert_allclose(mean, 1.0, rtol=1e-9)


@pytest.mark.parametrize("recipe", [WILD, Recipe()], ids=["wild", "default"])
@pytest.mark.parametrize("cut", [TWO, WRONG, BARE], ids=["good", "wrong", "none"])
def test_no_tuning_makes_the_game_unfair(recipe, cut):
    mean = expected_wealth(pool("f1", 4 / 7, cut, recipe=recipe), [2, 2], ahead=1)
    np.testing.assert_allclose(mean, 1.0, rtol=1e-9)


@pytest.mark.parametrize("positives", [[a, b] for a in range(4) for b in range(4)])
def test_a_false_claim_loses_and_a_true_one_is_not_refuted(positives):
    """Over every assignment of labels: mean wealth at most 1 for whichever side is wrong."""
    tp, fn = positives
    f1 = 2 * tp / (3 + tp + fn)
    mean = expected_wealth(pool("f1", 0.55, TWO), positives)
    assert np.all(mean[0 if f1 < 0.55 else 1] <= 1 + 1e-12)


@pytest.mark.parametrize(
    "positives", [[a, b, c] for a in range(3) for b in range(2) for c in (0, 3)]
)
@pytest.mark.parametrize("confidence", [0.5, 0.8])
def test_the_chance_of_a_wrong_decision_stays_below_the_level(positives, confidence):
    """Ville's inequality, summed over every path with a look after every draw."""
    strata = [Stratum(predicted=p, size=n, mean_score=m) for p, n, m in THREE]
    claim = Claim(metric="recall", side="lower", target=0.6)
    test = weighted_test(claim, strata, confidence=confidence, recipe=EACH)
    found, missed = positives[0] + positives[1], positives[2]
    truth = found / (found + missed) >= 0.6 if found + missed else False
    wrong = 0.0
    for leaf in leaves(test, positives, batch=1, ahead=0):
        path = replay(test, leaf.draws)
        crossed = path.log_doubt if truth else path.log_wealth
        wrong += leaf.chance * float(crossed.max() >= test.log_needed)
        assert path.decision == ("pass" if truth else "fail")
    assert wrong <= 1 - confidence + 1e-12
