"""Agreement coefficients against published tables, their undefined cases, and laws."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assaymark.errors import InputError
from assaymark.records.agreement import PairCounts
from assaymark.stats.agreement import (
    agreement,
    cohen_kappa,
    gwet_ac1,
    implied_error,
    pair_counts,
    raw_agreement,
    spread,
    tipping_point,
)

SMALL = st.integers(0, 60)
TABLES = st.builds(PairCounts, both=SMALL, first_only=SMALL, second_only=SMALL, neither=SMALL)


def table(a: int, b: int, c: int, d: int) -> PairCounts:
    return PairCounts(both=a, first_only=b, second_only=c, neither=d)


@pytest.mark.parametrize(
    ("cells", "raw", "kappa"),
    [
        # Feinstein & Cicchetti (1990), J. Clin. Epidemiol. 43, 543-549: the two paradoxes
        ((40, 9, 6, 45), 0.85, 0.70),
        ((80, 10, 5, 5), 0.85, 0.32),
        ((45, 15, 25, 15), 0.60, 0.13),
        ((25, 35, 5, 35), 0.60, 0.26),
    ],
)
def test_kappa_is_that_of_the_published_tables(cells, raw, kappa):
    assert round(raw_agreement(table(*cells)).value, 2) == raw
    assert round(cohen_kappa(table(*cells)).value, 2) == kappa


def test_ac1_is_that_of_the_published_table():
    """Gwet (2002), "Kappa statistic is not satisfactory", table 2: 125 subjects, two raters."""
    counts = table(118, 5, 2, 0)
    assert round(raw_agreement(counts).value, 3) == 0.944
    assert round(cohen_kappa(counts).value, 4) == -0.0234
    assert round(gwet_ac1(counts).value, 4) == 0.9408


def test_undefined_says_why():
    nothing = table(0, 0, 0, 0)
    for coefficient in (raw_agreement(nothing), cohen_kappa(nothing), gwet_ac1(nothing)):
        assert coefficient.value is None
        assert coefficient.reason == "no item was labelled by two people"
    one = cohen_kappa(table(7, 0, 0, 0))
    assert one.value is None
    assert "same answer" in one.reason
    assert gwet_ac1(table(7, 0, 0, 0)).value == 1.0


@given(TABLES.filter(lambda t: t.items > 0))
def test_coefficients_are_symmetric_and_at_most_one(counts):
    other = table(counts.both, counts.second_only, counts.first_only, counts.neither)
    turned = table(counts.neither, counts.second_only, counts.first_only, counts.both)
    for of in (cohen_kappa, gwet_ac1, raw_agreement):
        value = of(counts).value
        assert of(other).value == pytest.approx(value) if value is not None else True
        if value is not None:
            assert of(turned).value == pytest.approx(value)
            assert -1 <= value <= 1 + 1e-12


@given(st.integers(1, 200))
def test_full_agreement_is_one(items):
    assert cohen_kappa(table(items, 0, 0, 1)).value == pytest.approx(1.0)
    assert gwet_ac1(table(items, 0, 0, 1)).value == pytest.approx(1.0)


def test_implied_error_solves_its_equation():
    error = implied_error([table(40, 9, 6, 45)]).value
    assert 2 * error * (1 - error) == pytest.approx(0.15)
    assert implied_error([table(0, 6, 6, 0)]).value is None


def test_three_annotators_are_told_in_pairs():
    answers = {
        "a": {"kim": 1, "lee": 1, "max": 0},
        "b": {"kim": 0, "lee": 0},
        "c": {"kim": 1, "lee": None, "max": 1},
        "d": {"kim": 1},
    }
    found = agreement(answers)
    assert (found.items, found.differing) == (3, 1)
    assert [(p.first, p.second, p.counts.items) for p in found.pairs] == [
        ("kim", "lee", 2),
        ("kim", "max", 2),
        ("lee", "max", 1),
    ]
    assert found.raw.value == pytest.approx((2 * 1 + 2 * 0.5 + 1 * 0) / 5)
    assert str(found) == "Reviewers agreed on 2 of 3 items that more than one of them labelled."


def test_nobody_labelled_twice():
    assert agreement({"a": {"kim": 1}, "b": {"lee": 0, "kim": None}}) is None


def test_labels_must_match():
    with pytest.raises(InputError, match="same items"):
        pair_counts([1], [1, 0])
    with pytest.raises(InputError, match="0 or 1"):
        pair_counts([2], [1])


@given(st.integers(0, 300), st.integers(1, 400))
def test_the_tipping_point_is_the_first_failure(most, first):
    asked: list[int] = []

    def holds(wrong: int) -> bool:
        asked.append(wrong)
        return wrong < first

    expected = first if first <= most else None
    assert tipping_point(holds, most) == expected
    assert all(0 < wrong <= most for wrong in asked)
    assert len(asked) <= 2 * math.log2(max(most, 2)) + 3


@given(st.integers(0, 300), st.integers(1, 400), st.integers(0, 400))
def test_a_guess_changes_no_tipping_point_and_a_good_one_asks_less(most, first, guess):
    asked: list[int] = []

    def holds(wrong: int) -> bool:
        asked.append(wrong)
        return wrong < first

    assert tipping_point(holds, most, guess=guess) == tipping_point(lambda n: n < first, most)
    assert len(asked) == len(set(asked))
    asked.clear()
    tipping_point(holds, first - 1, guess=first - 1)  # that no fewer than these will do
    assert len(asked) <= 2


@given(st.integers(1, 60), st.data())
def test_spread_picks_different_places(size, data):
    number = data.draw(st.integers(0, size))
    chosen = spread(range(size), number)
    assert len(set(chosen)) == number
    assert all(0 <= place < size for place in chosen)
