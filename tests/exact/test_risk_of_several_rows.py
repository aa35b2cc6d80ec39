"""One risk for claims of several rows: every policy of looking, closing and claiming again, enumerated.

A tiny pool whose labels make the claim false. Somebody looks after every draw, closes the claim when
they like and seals it again with a new seed; the recursion takes the best choice everywhere.
"""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from betting_trees import EACH, counting_row, nodes

from assaymark.stats.betting import rulings
from assaymark.stats.betting.rows import Rows
from assaymark.stats.betting.rules import AllOf, Named, One
from assaymark.stats.betting.sealed import RowTest

RISK = 0.3
BOLD = replace(EACH, least_margin=0.9, margins=(0.5, 0.7, 0.9), reach=(0.95,) * 4)
WORLD = [{0: 4, 1: 4}]
RULES = {"one": (One(), (4.5,)), "named": (Named(), (4.5, 5.5))}


def row_test(rule, required) -> RowTest:
    return RowTest(
        rows=Rows(rows=tuple(counting_row([0], r) for r in required), strata=1, outcomes=2),
        sizes=(8,), level=RISK, rule=rule, recipe=BOLD,
    )  # fmt: skip


def tree_of(test, most):
    """Every beginning of draws with its chance after the one before it, and what follows it."""
    found, after = {(): None}, {}
    chances = {(): 1.0}
    for node in nodes(test, WORLD, most=most):
        key = tuple(zip(node.strata, node.outcomes, strict=True))
        found[key], chances[key] = node, node.chance
        after.setdefault(key[:-1], []).append((key, node.chance / chances[key[:-1]]))
    return found, after


def stated(test, node) -> bool:
    """Whether a false statement was made on the way: all rows are false here."""
    if node is None:
        return False
    high = node.log.max(axis=1)[: len(test.rows)]
    needed = test.log_needed
    if isinstance(test.rule, Named):
        return bool(high.max() >= needed + math.log(2) or high.min() >= needed)
    return bool(high.min() >= needed)


def left_by(test, node, carry):
    """What each row leaves: its wealth after the last draw over what it started from."""
    rows = len(test.rows)
    if node is None or carry == "nothing":
        return test.opened[:rows]
    log = node.log[:rows, -1]
    return node.log[:rows].max(axis=1) if carry == "largest" else log


def greatest_chance(rule, required, *, claims: int, carry: str = "last", most: int = 4) -> float:
    """The greatest chance of a false statement by any of so many claims."""
    start = row_test(rule, required)

    @cache
    def from_here(opening, claims_left):
        doubt = (0.0,) * len(opening)
        test = replace(start, opening=(*opening, *doubt))
        found, after = tree_of(test, most)

        def value(key):
            node = found[key]
            if stated(test, node):
                return 1.0
            going_on = sum(share * value(child) for child, share in after.get(key, ()))
            if claims_left == 1:
                return going_on
            left = np.minimum(left_by(test, node, carry), test.log_needed - 1e-9)
            return max(going_on, from_here(tuple(np.round(left, 9)), claims_left - 1) if key else 0)

        return value(())

    return from_here((0.0,) * len(start.rows), claims)


SIZES = [4, pytest.param(6, marks=pytest.mark.slow)]


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("most", SIZES)
def test_claiming_again_never_beats_the_risk(name, most) -> None:
    rule, required = RULES[name]
    once = greatest_chance(rule, required, claims=1, most=most)
    twice = greatest_chance(rule, required, claims=2, most=most)
    assert once <= twice <= RISK + 1e-9
    assert once > 0 or name == "named"


def test_a_new_risk_for_every_claim_is_caught() -> None:
    assert greatest_chance(*RULES["one"], claims=2, carry="nothing", most=6) > RISK * 1.1


def greatest_chance_of_doubt(rule, *, claims: int, carry: str = "last", most: int = 4) -> float:
    """The greatest chance that any of so many claims, which all hold, is ever said to look false."""
    start = replace(row_test(rule, (4, 3)[: 1 if rule == One() else 2]), level=0.001)
    rows = len(start.rows)

    @cache
    def from_here(opening, claims_left):
        test = replace(start, opening=((0.0,) * rows + opening))
        found, after = tree_of(test, most)

        def value(key):
            node = found[key]
            if node is not None and rulings.doubted_rows(node.path):
                return 1.0
            going_on = sum(share * value(child) for child, share in after.get(key, ()))
            if claims_left == 1 or node is None:
                return going_on
            left = {"last": node.log[rows:, -1], "nothing": np.zeros(rows)}[carry]
            return max(going_on, from_here(tuple(np.round(left, 9)), claims_left - 1))

        return value(())

    return from_here((0.0,) * rows, claims)


@pytest.mark.parametrize("rule", [One(), AllOf(), Named()])
def test_claiming_again_raises_no_more_doubt_than_one_claim_may(rule, monkeypatch) -> None:
    monkeypatch.setattr(rulings, "GOAL", 1.9)
    once = greatest_chance_of_doubt(rule, claims=1)
    twice = greatest_chance_of_doubt(rule, claims=2)
    assert 0 < once <= twice <= 1 / 1.9 + 1e-9
    if rule == One():
        assert greatest_chance_of_doubt(rule, claims=3, carry="nothing") > 1 / 1.9


@pytest.mark.slow
def test_carrying_the_largest_wealth_on_the_way_is_caught() -> None:
    right = greatest_chance(*RULES["one"], claims=3, most=4)
    assert greatest_chance(*RULES["one"], claims=3, carry="largest", most=4) > right
