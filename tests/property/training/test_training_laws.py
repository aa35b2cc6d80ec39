"""Right decisions never break a claim that is certified on the rest."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assaymark.claims.ratio_metrics import metric, parse_claim, right_decisions_help
from assaymark.records.training import single
from assaymark.stats.operating_point import can_train_for

CARRY_OVER = (
    "f1",
    "f2",
    "f0.5",
    "precision",
    "recall",
    "accuracy",
    "specificity",
    "npv",
    "jaccard",
)
cells = st.tuples(*[st.integers(0, 10_000)] * 4)


@pytest.mark.parametrize("name", CARRY_OVER)
@given(rest=cells, right=st.tuples(st.integers(0, 5_000), st.integers(0, 5_000)))
def test_rightly_decided_items_cannot_lower_these_metrics(name, rest, right) -> None:
    tp, fp, fn, tn = rest
    before = metric(name).value(rest)
    after = metric(name).value((tp + right[0], fp, fn, tn + right[1]))
    assert right_decisions_help(parse_claim(f"{name} >= 0.75"))
    if before is not None:
        assert after is not None
        assert after >= before - 1e-12


@pytest.mark.parametrize("name", CARRY_OVER)
def test_the_same_for_every_small_collection(name) -> None:
    """By enumeration: all collections of up to 4 items a cell, with up to 2 right decisions each."""
    ratio = metric(name)
    for rest in itertools.product(range(5), repeat=4):
        before = ratio.value(rest)
        for more_tp, more_tn in itertools.product(range(3), repeat=2):
            tp, fp, fn, tn = rest
            after = ratio.value((tp + more_tp, fp, fn, tn + more_tn))
            if before is not None:
                assert after is not None
                assert after >= before - 1e-15


def test_training_serves_only_claims_that_carry_over() -> None:
    names = (*CARRY_OVER, "prevalence", "elusion")
    claims = [parse_claim(f"{name} {sign} 0.3") for name in names for sign in (">=", "<=")]
    assert all(right_decisions_help(claim) for claim in claims if can_train_for(claim))


@pytest.mark.parametrize("claim", ["prevalence >= 0.1", "elusion >= 0.1", "prevalence <= 0.9"])
def test_for_other_claims_it_fails_and_is_said_so(claim) -> None:
    assert not right_decisions_help(parse_claim(claim))


@given(a=st.floats(0, 1), b=st.floats(0, 1))
def test_single_precision_keeps_the_order(a, b) -> None:
    assert (single(a) <= single(b)) or a > b
    assert single(single(a)) == single(a)
