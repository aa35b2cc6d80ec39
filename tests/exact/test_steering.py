"""Somebody who knows every label and the seed tries to steer: every world of tiny pools, exactly.

The seed fixes a number u in [0, 1) for each draw and the order of items within each stratum. The
stratum of a draw follows from u and the chances in force. Whoever may choose when chances are
computed, or from which labels, gets another sequence of items for each choice, and takes the best.
A fair game has mean wealth 1 at any fixed draw. With choices left to somebody who knows the future,
the mean of the best exceeds 1; where every draw follows from plan, seed and labels it cannot.
"""

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from assaymark.claims.claim import Claim
from assaymark.stats.betting.binary import BinaryTest, binary_test
from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.betting.standing import row_wealth, segment_chances
from assaymark.stats.score_guided.supermartingale import (
    Draws,
    Stratum,
    replay,
    sampling,
    weighted_test,
)
from assaymark.stats.score_guided.wealth import Recipe as FirstRecipe
from assaymark.stats.score_guided.wealth import live_sampling

STRATA = (
    Stratum(predicted=True, size=3, mean_score=0.6),
    Stratum(predicted=False, size=3, mean_score=0.3),
)
POSITIVES = (2, 1)  # F1 is 4/6, recall 2/3
DRAWS = 3
LEVEL = 1e-9  # so small that no row stops on the way
EACH = Recipe(first_block=1, block_share=1000, fewest=0)
FIRST = replace(FirstRecipe(), first_block=1, block_share=1000, fewest_labels=0)

Past = tuple[tuple[int, int, tuple[float, ...]], ...]  # stratum, label and chances of each draw
Chances = Callable[[Past], list[tuple[float, ...]]]


def claim(metric: str) -> Claim:
    return Claim(metric=metric, side="lower", target=2 / 3)


def drawn(past: Past) -> Draws:
    return Draws(
        strata=np.array([k for k, _, _ in past], dtype=np.int64),
        labels=np.array([y for _, y, _ in past], dtype=np.int64),
        sampling=np.array([q for _, _, q in past], dtype=np.float64).reshape(-1, 2),
    )


def orders() -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every order of the labels within each stratum; all are equally likely."""
    each = [
        sorted(set(itertools.permutations([1] * r + [0] * (s.size - r))))
        for s, r in zip(STRATA, POSITIVES, strict=True)
    ]
    return list(itertools.product(*each))


def mean_of_the_best(chances: Chances, wealth: Callable[[Past], float]) -> float:
    """The expected wealth after the last draw of somebody who takes the best of all choices."""
    worlds = orders()
    return sum(_best(world, {()}, 0, chances, wealth) for world in worlds) / len(worlds)


def _best(world, pasts: set[Past], step: int, chances: Chances, wealth) -> float:
    """The mean over u of the best, when the choices so far led to these pasts."""
    if step == DRAWS:
        return max(wealth(past) for past in pasts)
    ways = [(past, q, _first_share(past, q)) for past in pasts for q in chances(past)]
    cuts = sorted({0.0, 1.0, *(share for _, _, share in ways)})
    total = 0.0
    for low, high in itertools.pairwise(cuts):
        middle, after = (low + high) / 2, set()
        for past, q, share in ways:
            k = 0 if middle < share else 1
            place = sum(stratum == k for stratum, _, _ in past)
            after.add((*past, (k, world[k][place], q)))
        total += (high - low) * _best(world, after, step + 1, chances, wealth)
    return total


def _first_share(past: Past, q: tuple[float, ...]) -> float:
    taken = np.bincount([k for k, _, _ in past], minlength=2)
    live = live_sampling(np.array(q), np.array([s.size for s in STRATA]) - taken)
    return float(live[0])


def first_engine(metric: str):
    """Chances and wealth of method number 1."""
    test = weighted_test(claim(metric), STRATA, confidence=1 - LEVEL, recipe=FIRST)

    @cache
    def chances(past: Past) -> tuple[float, ...]:
        return tuple(float(q) for q in sampling(test, drawn(past)))

    @cache
    def wealth(past: Past) -> float:
        return float(np.exp(replay(test, drawn(past)).log_wealth[-1]))

    return chances, wealth


def second_engine(metric: str, *, ceiling: int | None = None):
    """Chances and wealth of method number 2: of the claim, of a harder target, and of the mirror."""
    found: BinaryTest = binary_test(
        claim(metric), STRATA, level=LEVEL, ceiling=ceiling, recipe=EACH, steps=(0.4,)
    )

    @cache
    def chances(past: Past) -> tuple[float, ...]:
        return tuple(float(q) for q in segment_chances(found, drawn(past)))

    @cache
    def wealth(past: Past) -> tuple[float, ...]:
        held = row_wealth(found, drawn(past))
        rows = (held.log[found.claim_row], held.log[found.claim_row + 1], held.log_doubt)
        return tuple(float(np.exp(log[-1])) for log in rows)

    return chances, wealth


def batch_ends(chances) -> Chances:
    """Number 1 as it is: a batch may go on, or end here and chances be computed from all labels."""
    return lambda past: [chances(past), *({past[-1][2]} if past else ())]


def late_labels(chances) -> Chances:
    """Number 1 with labels held back: chances from the labels of any beginning, at any batch end."""
    return lambda past: [
        *{chances(past[:known]) for known in range(len(past) + 1)},
        *({past[-1][2]} if past else ()),
    ]


def sealed(chances, *, every: int, lead: int) -> Chances:
    """Number 2: renewed after every so many draws, from all labels but those of the lead."""

    def renewed(past: Past) -> list[tuple[float, ...]]:
        start = len(past) // every * every
        return [chances(past[: max(0, start - lead)])]

    return renewed


def false_labels(chances) -> Chances:
    """Number 2 with labels that were false when chances used them and are corrected later."""

    def renewed(past: Past) -> list[tuple[float, ...]]:
        false = itertools.product((0, 1), repeat=len(past))
        return [
            *{
                chances(tuple((k, y, q) for (k, _, q), y in zip(past, ys, strict=True)))
                for ys in false
            }
        ]

    return renewed


@pytest.mark.parametrize("steering", [batch_ends, late_labels])
def test_number_1_can_be_steered_by_batch_ends_and_late_labels(steering) -> None:
    """The mean of the best schedule exceeds that of a fair game."""
    chances, wealth = first_engine("f1")
    assert mean_of_the_best(lambda past: [chances(past)], wealth) == pytest.approx(1.0, abs=1e-9)
    assert mean_of_the_best(steering(chances), wealth) > 1.0005


@pytest.mark.parametrize(("every", "lead"), [(1, 0), (2, 1)])
@pytest.mark.parametrize("ceiling", [None, 3, 5])
def test_number_2_leaves_no_choice_and_stays_fair(every, lead, ceiling) -> None:
    """Claim, ladder and refutation have mean wealth at most 1 against somebody who knows all."""
    chances, wealth = second_engine("f1", ceiling=ceiling)
    rule = sealed(chances, every=every, lead=lead)
    for row in range(3):
        assert mean_of_the_best(rule, lambda past, row=row: wealth(past)[row]) <= 1.0 + 1e-9


def test_false_labels_that_are_corrected_later_can_steer_number_2() -> None:
    """So a certificate counts them, and no longer says that nothing is left to steer."""
    chances, wealth = second_engine("f1")
    assert mean_of_the_best(false_labels(chances), lambda past: wealth(past)[0]) > 1.0005
