"""Figures as they are printed."""

import pytest

from assaymark.claims.results import rounded, shown

TARGETS = [n / 1000 for n in range(1, 1000)]


@pytest.mark.parametrize("up", [False, True])
def test_a_bound_that_is_the_target_is_printed_as_the_target(up) -> None:
    """A claim of 0.69 was established with "F1 ≥ 0.6899", since 0.69 times 10,000 is below 6,900."""
    assert [rounded(target, up=up) for target in TARGETS] == [f"{target:g}" for target in TARGETS]
    assert [shown(target) for target in TARGETS] == [f"{target:g}" for target in TARGETS]


def test_a_bound_never_looks_better_than_it_is() -> None:
    assert rounded(0.68999) == "0.6899"
    assert rounded(0.07001, up=True) == "0.0701"
