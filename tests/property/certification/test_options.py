"""Changing an option changes the answer: no option is lost on its way."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assaymark.certification.planning import PlanRequest, make_plan
from assaymark.claims.canonical import canonical
from assaymark.claims.claim import Claim, Counts
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.records.plan import Expectation, Plan
from assaymark.records.pool import PoolSummary
from assaymark.sampling.tickets import simple_draws, ticket, uniform, weighted_draws
from assaymark.stats.beta_posterior import from_expectation, from_pilot
from assaymark.stats.sample_size import Planner, labels_needed, power_at

SUMMARY = PoolSummary(items=50_000, predicted_positive=2_000, predicted_negative=48_000)
WISH = PlanRequest(
    claim=parse_claim("f1 >= 0.75"),
    mode="fixed",
    expectation=Expectation(precision=0.85, recall=0.8),
)


def plan(**changes: object) -> Plan:
    return make_plan(replace(WISH, **changes), SUMMARY, number=1, seed="s")


@pytest.mark.parametrize(
    "change",
    [
        {"claim": parse_claim("f1 >= 0.76")},
        {"claim": parse_claim("recall >= 0.75")},
        {"confidence": 0.9},
        {"power": 0.8},
        {"budget": 700},
        {"expectation": Expectation(precision=0.86, recall=0.8)},
        {"expectation": Expectation(precision=0.85, recall=0.81)},
        {"expectation": Expectation(pilot=Counts(tp=80, fp=10, fn=10, tn=900))},
        {"mode": "budget"},
        {"mode": "anytime"},
        {"mode": "anytime", "design": "simple"},
    ],
)
def test_every_part_of_a_wish_reaches_the_plan(change) -> None:
    base, changed = plan(), plan(**change)
    assert changed != base
    if "mode" not in change:
        assert changed.size != base.size


def test_prevalence_matters_where_the_pool_is_unknown() -> None:
    claim = parse_claim("f1 >= 0.75")
    sizes = {
        labels_needed(
            Planner(
                claim=claim,
                belief=from_expectation(precision=0.85, recall=0.85, prevalence=share),
                confidence=0.95,
            )
        ).labels
        for share in (0.02, 0.05, 0.1)
    }
    assert len(sizes) == 3


@given(
    tp=st.integers(20, 200), fp=st.integers(0, 60), fn=st.integers(0, 60), tn=st.integers(100, 2000)
)
def test_power_rises_with_confidence_spent_and_falls_with_the_target(tp, fp, fn, tn) -> None:
    belief = from_pilot(Counts(tp=tp, fp=fp, fn=fn, tn=tn))
    base = Planner(claim=parse_claim("f1 >= 0.6"), belief=belief, confidence=0.95)
    bold = replace(base, confidence=0.8)
    harder = replace(base, claim=parse_claim("f1 >= 0.65"))
    assert power_at(bold, 300) >= power_at(base, 300) - 1e-12
    assert power_at(harder, 300) <= power_at(base, 300) + 1e-12


@given(seed=st.text(max_size=8), other=st.text(max_size=8), item=st.text(max_size=8))
def test_seed_and_id_decide_the_ticket(seed: str, other: str, item: str) -> None:
    assert (ticket(seed, item) == ticket(other, item)) == (seed == other)
    assert 0 <= uniform(seed, "repeat", 3) < 1
    assert uniform(seed, "repeat", 3) != uniform(seed, "which", 3)


@given(domain=st.integers(1, 60), new=st.integers(1, 80), cut=st.integers(1, 79))
def test_draws_do_not_depend_on_how_they_are_batched(domain: int, new: int, cut: int) -> None:
    last = 400
    whole = simple_draws("s", domain=domain, drawn=0, known=0, new=new, last=last)
    first = simple_draws("s", domain=domain, drawn=0, known=0, new=min(cut, new), last=last)
    known = sum(not draw.repeat for draw in first)
    rest = simple_draws(
        "s", domain=domain, drawn=len(first), known=known, new=max(new - cut, 0), last=last
    )
    assert whole == first + rest
    assert [draw.number for draw in whole] == list(range(1, len(whole) + 1))


def test_repeats_come_as_often_as_chance_says() -> None:
    """Each of 4,000 draws from 2,000 items is uniform: the number of different items is Binomial-like.

    Expected 2,000·(1 − (1 − 1/2000)^4000) = 1729.5 with a standard deviation of 12.6 (occupancy);
    five of them: a false alarm has chance below 1e-6.
    """
    draws = simple_draws("calibration", domain=2000, drawn=0, known=0, new=2000, last=4000)
    assert abs(sum(not draw.repeat for draw in draws) - 1729.5) < 63


@given(taken=st.lists(st.integers(0, 5), min_size=3, max_size=3), new=st.integers(1, 20))
def test_weighted_draws_never_take_an_item_twice(taken: list[int], new: int) -> None:
    sizes = [5, 5, 5]
    draws = weighted_draws("s", sampling=(0.2, 0.3, 0.5), sizes=sizes, taken=taken, new=new)
    places = [(draw.stratum, draw.place) for draw in draws]
    assert len(places) == len(set(places)) == min(new, 15 - sum(taken))
    for k in range(3):
        mine = [place for stratum, place in places if stratum == k]
        assert mine == list(range(taken[k], taken[k] + len(mine)))
        assert taken[k] + len(mine) <= 5


@given(
    metric=st.sampled_from(["f1", "recall", "elusion", "f2"]),
    side=st.sampled_from(["lower", "upper"]),
    target=st.floats(0.001, 0.999),
)
def test_records_survive_json(metric: str, side: str, target: float) -> None:
    import json

    claim = Claim(metric=metric, side=side, target=target)
    assert Claim.from_dict(json.loads(canonical(claim.to_dict()))) == claim


def test_plans_survive_json() -> None:
    import json

    for change in ({}, {"mode": "anytime"}, {"mode": "budget"}):
        sealed = plan(**change)
        assert Plan.from_dict(json.loads(canonical(sealed.to_dict()))) == sealed
