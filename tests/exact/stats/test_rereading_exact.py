"""The share of labels that a second reading confirms, by enumeration of every sample."""

import itertools
from math import comb

import pytest

from assaymark.certification.rereading import agreement_range

CONFIDENCE = 0.8  # with few items a range at 95 % is hardly ever left


def chance_to_miss(items: int, right: int, sample: int, unclear: int) -> float:
    """How often the range misses right/items, if the reader leaves open what suits them worst."""
    ways = 0
    for agreed in range(max(0, sample - items + right), min(sample, right) + 1):
        differing = sample - agreed
        worst = False
        for hidden in range(min(unclear, sample) + 1):  # so many of those left open would agree
            if hidden <= agreed and min(unclear, sample) - hidden <= differing:
                low, high = agreement_range(
                    agreed - hidden,
                    differing - (min(unclear, sample) - hidden),
                    min(unclear, sample),
                    confidence=CONFIDENCE,
                )
                worst |= not low <= right / items <= high
        ways += worst * comb(right, agreed) * comb(items - right, differing)
    return ways / comb(items, sample)


@pytest.mark.parametrize("unclear", [0, 1, 2])
def test_the_range_is_left_with_at_most_the_stated_chance(unclear, measured):
    """Samples without replacement, every number of labels that would agree."""
    worst = max(
        chance_to_miss(items, right, sample, unclear)
        for items, sample in itertools.product((6, 11, 16), (3, 6, 10))
        if sample <= items
        for right in range(items + 1)
    )
    where = f"exact: pools of up to 16 labels, {unclear} left open"
    measured("reread-agreement", where, worst, nominal=1 - CONFIDENCE)
    assert worst <= 1 - CONFIDENCE + 1e-12


def test_items_left_out_would_let_the_reader_choose():
    """One of four agrees; calling the three others unclear must not prove that all agree."""
    assert (
        agreement_range(1, 0, 3, confidence=0.95)[0] == agreement_range(1, 3, 0, confidence=0.95)[0]
    )
    assert (
        agreement_range(30, 0, 0, confidence=0.95)[0]
        > agreement_range(30, 0, 9, confidence=0.95)[0]
    )
