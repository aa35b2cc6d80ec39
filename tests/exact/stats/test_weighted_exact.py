"""The weighted design is a fair game: every path of tiny pools, weighed by its probability."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from assaymark.claims.claim import Claim
from assaymark.stats.score_guided.supermartingale import (
    Draws,
    Stratum,
    WeightedTest,
    replay,
    walk,
    weighted_test,
)
from assaymark.stats.score_guided.walk import Walk
from assaymark.stats.score_guided.wealth import Recipe, live_sampling

# New stakes before every draw; before every second; and with hardly any caution.
EACH = Recipe(first_block=1, block_share=1000)
PAIRS = Recipe(first_block=2, block_share=1000)
WILD = Recipe(first_block=1, floor=0.0005, guided=0.999, margins=(0.3, 0.9))


@dataclass(frozen=True, kw_only=True)
class Node:
    """One possible beginning: its draws, its probability, the walk after it."""

    strata: tuple[int, ...]
    labels: tuple[int, ...]
    rows: tuple
    chance: float
    walk: Walk
    log_wealth: np.ndarray
    peak: np.ndarray


def nodes(test: WeightedTest, positives: list[int], *, batch: int, ahead: int) -> Iterator[Node]:
    """Every beginning of every order of draws, to exhaustion.

    Chances are set per batch, from the labels known `ahead` draws before it.
    """
    start = Node(
        strata=(),
        labels=(),
        rows=(),
        chance=1.0,
        walk=walk(test),
        log_wealth=np.zeros(2),
        peak=np.zeros(2),
    )
    yield from _after([start], test, positives, batch, ahead)


def _after(past: list[Node], test: WeightedTest, positives, batch: int, ahead: int):
    now = past[-1]
    stored = now.rows[-1] if len(now.strata) % batch else past[-1 - min(ahead, len(past) - 1)]
    if isinstance(stored, Node):
        stored = stored.walk.copy().sampling()
    left = now.walk.remaining
    live = live_sampling(stored, left)
    for k in np.flatnonzero(left):
        found = sum(y for s, y in zip(now.strata, now.labels, strict=True) if s == k)
        for label, rest in ((1, positives[k] - found), (0, left[k] - positives[k] + found)):
            if rest:
                here = _step(now, int(k), label, stored, float(live[k] * rest / left[k]))
                yield here
                yield from _after([*past, here], test, positives, batch, ahead)


def _step(now: Node, k: int, label: int, stored: np.ndarray, chance: float) -> Node:
    steps = now.walk.copy()
    log = steps.feed(np.array([k]), np.array([label]), stored[None, :])
    return Node(
        strata=(*now.strata, k),
        labels=(*now.labels, label),
        rows=(*now.rows, stored),
        chance=now.chance * chance,
        walk=steps,
        log_wealth=log[:, 0],
        peak=np.maximum(now.peak, log[:, 0]),
    )


def expected_wealth(test: WeightedTest, positives: list[int], *, batch: int = 2, ahead: int = 0):
    """The mean wealth after each draw, of the claim's test (row 0) and of its mirror (row 1)."""
    mean = np.zeros((2, int(test.sizes.sum())))
    total = np.zeros(mean.shape[1])
    for node in nodes(test, positives, batch=batch, ahead=ahead):
        mean[:, len(node.strata) - 1] += node.chance * np.exp(node.log_wealth)
        total[len(node.strata) - 1] += node.chance
    np.testing.assert_allclose(total, 1.0, rtol=1e-12)
    return mean


def paths(test: WeightedTest, positives: list[int], *, batch: int, ahead: int) -> Iterator[Node]:
    """The complete orders of draws."""
    for node in nodes(test, positives, batch=batch, ahead=ahead):
        if len(node.strata) == test.sizes.sum():
            yield node


def draws_of(node: Node) -> Draws:
    return Draws(
        strata=np.array(node.strata), labels=np.array(node.labels), sampling=np.array(node.rows)
    )


def pool(metric: str, target: float, cut, *, side: str = "lower", recipe: Recipe = EACH):
    """A test on strata given as (predicted, size, mean score)."""
    strata = [Stratum(predicted=p, size=n, mean_score=m) for p, n, m in cut]
    claim = Claim(metric=metric, side=side, target=target)
    return weighted_test(claim, strata, recipe=recipe)


SIX = ((True, 3, 0.8), (False, 3, 0.1))
TWO = ((True, 3, 0.8), (False, 2, 0.1))
THREE = ((True, 2, 0.9), (True, 1, 0.5), (False, 2, 0.2))
WRONG = ((True, 3, 0.01), (False, 2, 0.99))
BARE = ((True, 3, None), (False, 2, None))
BELOW = ((False, 2, 0.3), (False, 3, 0.05))
# Metric, target, side, strata, positives per stratum: the metric is exactly the target.
BOUNDARY = [
    ("f1", 4 / 7, "lower", SIX, [2, 2]),
    ("f1", 2 / 3, "lower", TWO, [2, 1]),
    ("f1", 1 / 2, "lower", TWO, [1, 0]),
    ("f1", 2 / 3, "lower", THREE, [1, 1, 1]),
    ("f1", 2 / 3, "lower", WRONG, [2, 1]),
    ("f1", 2 / 3, "lower", BARE, [2, 1]),
    ("recall", 1 / 2, "lower", TWO, [1, 1]),
    ("recall", 2 / 3, "lower", THREE, [1, 1, 1]),
    ("recall", 3 / 4, "lower", BARE, [3, 1]),
    ("accuracy", 3 / 5, "lower", TWO, [2, 1]),
    ("specificity", 1 / 2, "lower", TWO, [2, 1]),
    ("f2", 10 / 15, "lower", TWO, [2, 1]),
    ("precision", 2 / 5, "lower", ((True, 3, 0.8), (True, 2, 0.3)), [1, 1]),
    ("elusion", 2 / 5, "upper", BELOW, [1, 1]),
    ("npv", 3 / 5, "lower", BELOW, [2, 0]),
    ("prevalence", 3 / 5, "upper", TWO, [2, 1]),
    ("jaccard", 2 / 4, "lower", TWO, [2, 1]),
]


@pytest.mark.parametrize(("metric", "target", "side", "cut", "positives"), BOUNDARY)
def test_wealth_is_exactly_fair_at_the_boundary(metric, target, side, cut, positives):
    """With the metric at the target both games have mean 1 after every draw, to exhaustion."""
    mean = expected_wealth(pool(metric, target, cut, side=side), positives)
    np.testing.assert_allclose(mean, 1.0, rtol=1e-9)


@pytest.mark.parametrize(("batch", "ahead"), [(1, 0), (1, 3), (3, 1), (5, 0), (5, 3)])
def test_drawing_ahead_of_the_labels_keeps_the_game_fair(batch, ahead):
    mean = expected_wealth(pool("f1", 2 / 3, TWO), [2, 1], batch=batch, ahead=ahead)
    np.testing.assert_allclose(mean, 1.0, rtol=1e-9)


@pytest.mark.parametrize(
    ("recipe", "cut"),
    [(PAIRS, WRONG), (WILD, TWO), (WILD, WRONG), (WILD, BARE), (Recipe(), BARE)],
    ids=["pairs-wrong", "wild-good", "wild-wrong", "wild-none", "default-none"],
)
def test_no_tuning_makes_the_game_unfair(recipe, cut):
    mean = expected_wealth(pool("f1", 2 / 3, cut, recipe=recipe), [2, 1], ahead=1)
    np.testing.assert_allclose(mean, 1.0, rtol=1e-9)


@pytest.mark.parametrize("positives", [[a, b] for a in range(4) for b in range(3)])
def test_a_false_claim_loses_and_a_true_one_is_not_refuted(positives):
    """Over every assignment of labels: mean wealth at most 1 for whichever side is wrong."""
    tp, fn = positives
    f1 = 2 * tp / (3 + tp + fn)
    mean = expected_wealth(pool("f1", 0.55, TWO), positives)
    assert np.all(mean[0 if f1 < 0.55 else 1] <= 1 + 1e-12)


@pytest.mark.parametrize("positives", [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 2)])
def test_the_chance_of_a_wrong_decision_stays_below_the_level(positives):
    """Ville's inequality, summed over every path with a look after every draw."""
    strata = [Stratum(predicted=p, size=n, mean_score=m) for p, n, m in THREE]
    claim = Claim(metric="recall", side="lower", target=0.6)
    found, missed = positives[0] + positives[1], positives[2]
    truth = found / (found + missed) >= 0.6 if found + missed else False
    tests = [weighted_test(claim, strata, confidence=c, recipe=EACH) for c in (0.5, 0.8)]
    leaves = list(paths(tests[0], positives, batch=2, ahead=0))  # a level changes no bet
    for test in tests:
        wrong = sum(leaf.chance for leaf in leaves if leaf.peak[int(truth)] >= test.log_needed)
        assert wrong <= 1 - test.confidence + 1e-12


def test_replay_gives_the_same_fair_game():
    """What a verifier recomputes from the whole prefix has the same mean as the running walk."""
    test = pool("f1", 2 / 3, TWO, recipe=PAIRS)
    mean = np.zeros((2, 5))
    for leaf in paths(test, [2, 1], batch=3, ahead=2):
        path = replay(test, draws_of(leaf))
        mean += leaf.chance * np.exp([path.log_wealth, path.log_doubt])
    np.testing.assert_allclose(mean, 1.0, rtol=1e-9)
