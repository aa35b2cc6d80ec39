"""The fixed walk of a cut-off: no pool, however small, is certified wrongly more often than allowed."""

import functools
import itertools
import math
from fractions import Fraction

import pytest
from scipy.stats import hypergeom

from assaymark.claims.language.grammar import parse
from assaymark.composite.sealed import ClaimStratum, PoolColumns, SealedClaim, Statement
from assaymark.composite.walk import rungs_passed
from assaymark.stats.fixed_walk import precision_p, recall_p, walked


@functools.cache
def recall_of(*counts):
    return recall_p(*counts)


@functools.cache
def p_value(*counts):
    return precision_p(*counts)


@pytest.mark.parametrize("target", [Fraction(1, 2), Fraction(4, 5), Fraction(19, 20)])
@pytest.mark.parametrize("level", [0.05, 0.2, 0.4])
def test_a_false_recall_passes_with_the_level_at_most(target, level):
    """Every number of positives up to 40, every recall below the target, every sample of them."""
    for positives in range(1, 41):
        found = math.ceil(target * positives) - 1
        for sampled in range(1, positives + 1):
            passing = [k for k in range(sampled + 1) if recall_of(k, sampled, target) <= level]
            wrong = hypergeom.pmf(passing, positives, found, sampled).sum()
            assert wrong <= level + 1e-12, (positives, found, sampled)


@pytest.mark.parametrize("target", [Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize("level", [0.05, 0.3])
def test_a_false_precision_passes_with_the_level_at_most(target, level):
    for items in range(1, 41):
        positives = math.ceil(target * items) - 1
        for labelled in range(items + 1):
            passing = [
                k for k in range(labelled + 1) if p_value(k, labelled, items, target) <= level
            ]
            wrong = hypergeom.pmf(passing, items, positives, labelled).sum()
            assert wrong <= level + 1e-12, (items, labelled)


def walk_errors(world, target, level, n):
    """How often a walk, and the last rung that passes in any order, end on a rung that is false.

    `world` is (band, label) per item; rung j takes the bands from j up, from the highest down.
    """
    rungs = sorted({band for band, _ in world}, reverse=True)
    above = [[label for band, label in world if band >= rung] for rung in rungs]
    false = [Fraction(sum(labels), len(labels)) < target for labels in above]
    ordered = any_order = count = 0
    for sample in itertools.combinations(world, n):
        p_values = []
        for rung, labels in zip(rungs, above, strict=True):
            seen = [label for band, label in sample if band >= rung]
            p_values.append(p_value(sum(seen), len(seen), len(labels), target))
        passed = walked(p_values, [level] * len(p_values))
        ordered += bool(passed) and false[passed - 1]
        last = max((i for i, p in enumerate(p_values) if p <= level), default=None)
        any_order += last is not None and false[last]
        count += 1
    return ordered / count, any_order / count


def test_a_walk_keeps_the_level_and_needs_its_order():
    """All labels of a pool of four bands: without the order a rung is chosen wrongly too often."""
    worst = [0.0, 0.0]
    for labels in itertools.product((0, 1), repeat=8):
        world = list(zip((0, 0, 1, 1, 2, 2, 3, 3), labels, strict=True))
        found = walk_errors(world, Fraction(3, 5), 0.25, 4)
        worst = [max(pair) for pair in zip(worst, found, strict=True)]
    assert worst[0] <= 0.25 < worst[1]


def test_nothing_is_claimed_without_a_positive():
    assert recall_p(0, 0, Fraction(1, 2)) == 1.0
    assert precision_p(0, 0, 10, Fraction(1, 2)) == 1.0
    assert walked([0.01, 0.2, 0.01], [0.05] * 3) == 1
    assert walked([0.01, 0.02], [0.05, 0.01]) == 1


def walked_rungs(labelled):
    """The rungs that pass: ten items below 0.3, ten from there to 0.6, eighty above."""
    sealed = SealedClaim(
        kind="cut-off",
        claim="recall >= 0.5",
        confidence=0.9,
        level=0.1,
        columns=PoolColumns(id="id", scores=("s",), rungs=("0.3", "0.6")),
        strata=tuple(
            ClaimStratum(predictions=tuple(above), items=items)
            for above, items in (("00", 10), ("10", 10), ("11", 80))
        ),
        statements=(Statement(tree=parse("recall >= 0.5")),),
        judged="once",
        ceiling=12,
    )
    return rungs_passed(sealed, labelled)


def test_what_nobody_could_decide_counts_against_every_rung():
    """Below a cut-off as a positive that was missed, above it as none that was found."""
    hits = [(2, 1)] * 7
    assert walked_rungs(hits) == ["0.3", "0.6"]
    assert walked_rungs([*hits, *[(0, 1)] * 5]) == walked_rungs([*hits, *[(0, -1)] * 5]) == []
    assert walked_rungs([*hits, *[(0, 0)] * 5]) == ["0.3", "0.6"]
    assert walked_rungs([(2, -1)] * 7) == []
