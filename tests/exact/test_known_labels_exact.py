"""Labels known before the seal, chosen by somebody who knows all of them: every draw added up.

Known items leave their strata and count as certain. A test that draws from the rest alone and
forgets them is a test of the rest: it errs as often as its adversary likes.
"""

import itertools
from functools import cache

import numpy as np
import pytest

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.stats.betting.binary import binary_test
from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.betting.standing import standing
from assaymark.stats.score_guided.interval import weighted_range
from assaymark.stats.score_guided.supermartingale import Draws, Stratum
from assaymark.stats.score_guided.wealth import live_sampling

LEVEL = 0.3
EACH = Recipe(first_block=1, block_share=1000, fewest=0)
CHANCES = (0.6, 0.4)  # any that are fixed before a draw are valid
# predicted positive and negative: relevant, not relevant
POOL = ((1, 2), (1, 2))


def value(name: str, pool=POOL) -> float:
    (tp, fp), (fn, tn) = pool
    return metric(name).value((tp, fp, fn, tn))


def chosen_before():
    """Every way to know two items: how many of each cell."""
    cells = [range(n + 1) for side in POOL for n in side]
    for known in itertools.product(*cells):
        if sum(known) == 2:
            yield known


def rest_of(known):
    (tp, fp), (fn, tn) = POOL
    left = (tp - known[0], fp - known[1], fn - known[2], tn - known[3])
    return (left[:2], left[2:])


def chance_to_state(name: str, target: float, known, *, decision: str, forgets=False) -> float:
    """The exact chance that the claim is ever passed, or ever refuted, at any look."""
    rest = rest_of(known)
    strata = tuple(
        Stratum(predicted=side, size=sum(left), mean_score=score)
        for side, left, score in zip((True, False), rest, (0.6, 0.3), strict=True)
    )
    test = binary_test(
        Claim(metric=name, side="lower", target=target), strata, level=LEVEL, recipe=EACH,
        bounds=False, known=(0, 0, 0, 0) if forgets else known,
    )  # fmt: skip

    def draws(past) -> Draws:
        return Draws(
            strata=np.array([k for k, _, _ in past], dtype=np.int64),
            labels=np.array([y for _, y, _ in past], dtype=np.int64),
            sampling=np.array([q for _, _, q in past]).reshape(-1, len(test.kept)),
        )

    @cache
    def chance(past) -> float:
        if standing(test, draws(past)).decision == decision:
            return 1.0
        left = [list(rest[k]) for k in test.kept]
        for k, label, _ in past:
            left[k][1 - label] -= 1
        sizes = np.array([sum(one) for one in left])
        if not sizes.sum():
            return 0.0
        chances = CHANCES[: len(test.kept)]
        live = live_sampling(np.array(chances), sizes)
        total = 0.0
        for k, size in enumerate(sizes):
            for label in (0, 1):
                share = live[k] * left[k][1 - label] / size if size else 0.0
                if share > 0:
                    total += share * chance((*past, (k, label, chances)))
        return total

    return chance(())


@pytest.mark.parametrize(
    ("name", "target"), [("precision", 0.34), ("recall", 0.51), ("accuracy", 0.51)]
)
def test_a_false_claim_passes_with_chance_at_most_the_level(name, target):
    assert value(name) < target
    worst = 0.0
    for known in chosen_before():
        if sum(map(sum, rest_of(known))) and _says_something(name, known):
            worst = max(worst, chance_to_state(name, target, known, decision="pass"))
    assert worst <= LEVEL + 1e-9


@pytest.mark.parametrize(("name", "target"), [("precision", 0.33), ("recall", 0.5)])
def test_a_true_claim_is_refuted_with_chance_at_most_the_level(name, target):
    assert value(name) >= target
    for known in chosen_before():
        if _says_something(name, known):
            found = chance_to_state(name, target, known, decision="fail")
            assert found <= LEVEL + 1e-9


def _says_something(name: str, known) -> bool:
    side = rest_of(known)
    return bool(sum(side[0])) if name == "precision" else any(map(sum, side))


def test_drawing_from_the_rest_and_forgetting_what_is_known_errs_always():
    """Known: the two false alarms. What is left is clean, and most of what was flagged is wrong."""
    known = (0, 2, 0, 0)
    assert chance_to_state("precision", 0.9, known, decision="pass", forgets=True) == 1
    assert chance_to_state("precision", 0.9, known, decision="pass") == 0


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "accuracy"])
def test_everything_labelled_gives_the_value_of_the_whole_pool(name):
    """The range of any metric counts known items as certain."""
    known, rest = (0, 1, 0, 1), rest_of((0, 1, 0, 1))
    strata = [Stratum(predicted=s, size=sum(n)) for s, n in zip((True, False), rest, strict=True)]
    labels = [1] * rest[0][0] + [0] * rest[0][1] + [1] * rest[1][0] + [0] * rest[1][1]
    draws = Draws(
        strata=np.array([0] * sum(rest[0]) + [1] * sum(rest[1])),
        labels=np.array(labels),
        sampling=np.full((len(labels), 2), 0.5),
    )
    found = weighted_range(name, strata, draws, known=known)
    assert found.low == pytest.approx(value(name)) == pytest.approx(found.high)
