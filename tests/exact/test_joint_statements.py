"""Statements made together: what each keeps by itself, and what all of them keep, enumerated.

Two parts of four items each, two positive in each: "more than two" is false of both. Every order of
draws is weighed by its chance.
"""

from dataclasses import replace

import numpy as np
import pytest
from betting_trees import EACH, counting_row, leaves

from assaymark.composite.wording import bounds_words
from assaymark.stats.betting.rows import Rows
from assaymark.stats.betting.rules import AllOf
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.risk_account import ClosedPlan, ClosedRow, carried
from looks import a_look

LEVEL = 0.2
BOLD = replace(EACH, least_margin=0.9, margins=(0.5, 0.7, 0.9), reach=(0.95,) * 4)


@pytest.fixture(scope="module")
def reached():
    """The chance of every order of draws, and which of the two false rows it proves."""
    test = RowTest(
        rows=Rows(
            rows=tuple(counting_row([part], 2, strict=True) for part in (0, 1)),
            strata=2,
            outcomes=2,
        ),
        sizes=(4, 4), level=LEVEL, rule=AllOf(refute="never"), recipe=BOLD,
    )  # fmt: skip
    found = leaves(test, [{1: 2, 0: 2}] * 2)
    return [(leaf.chance, leaf.log[:2].max(axis=1) >= test.log_needed) for leaf in found]


def test_each_bound_keeps_the_level_and_both_together_do_not(reached):
    """So the level of one may not be printed for all of them."""
    for part in (0, 1):
        alone = sum(chance for chance, crossed in reached if crossed[part])
        assert alone == pytest.approx(1 / 6)
    together = sum(chance for chance, crossed in reached if crossed.any())
    assert together == pytest.approx(11 / 36)
    assert together > LEVEL


def test_bounds_and_claim_keep_the_level_that_is_printed_for_all_of_them(reached, measured):
    """Two parts at 80 % each: at least 60 % together, for their bounds and for the claim."""
    wrong = sum(chance for chance, crossed in reached if crossed.any() or crossed.all())
    look = a_look({"bound": 0.6}, {"bound": 0.7}, confidence=1 - LEVEL)
    assert bounds_words(look) == (
        "Each bound of a part holds with 80% confidence on its own; all of them and the claim together "
        "with at least 60%."
    )
    measured("bounds-of-parts", "exact: two parts and the claim", wrong, nominal=0.4)
    assert LEVEL < wrong <= 1 - 0.6


def test_two_claims_that_are_false_in_different_parts_cost_a_risk_each(reached):
    """ "A is easy and B false", then "A false and B easy": accounts of parts do not see each other."""
    easy = ClosedPlan(side="lower", rows=(ClosedRow(target=0.25, wealth=1 / LEVEL),))
    assert carried([easy], target=0.5, side="lower") == 1.0  # so the second starts with all of it
    first, second = (sum(c for c, crossed in reached if crossed[part]) for part in (1, 0))
    assert 1 - (1 - first) * (1 - second) > LEVEL


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([], None),
        ([{"bound": None}] * 2, None),
        ([{"bound": 0.8}], None),  # the claim and its bound share one risk
        (
            [{"bound": 0.8}, {"bound": None}, {"bound": None}],
            "Each bound of a part holds with 95% confidence on its own; all of them and the claim "
            "together with at least 85%.",
        ),
        (
            [{"bound": 0.8}] * 20,
            "Each bound of a part holds with 95% confidence on its own; nothing is stated about all of "
            "them together.",
        ),
    ],
)
def test_the_level_of_bounds_is_one_minus_the_sum_of_risks(parts, words):
    assert bounds_words(a_look(*parts)) == words


def test_the_names_of_a_family_have_a_risk_of_their_own():
    look = a_look(*[{"bound": 0.8}] * 4, family="named")
    assert (bounds_words(look) or "").endswith("together with at least 75%.")


def test_the_paths_are_not_empty(reached):
    assert np.isclose(sum(chance for chance, _ in reached), 1.0)
