"""Sizes and powers that others computed before."""

import numpy as np
import pytest

from assaymark.claims.claim import Counts
from assaymark.claims.ratio_metrics import metric, parse_claim
from assaymark.stats.beta_posterior import (
    cells,
    chance_below,
    from_expectation,
    from_pilot,
    quantile,
)
from assaymark.stats.sample_size import (
    Planner,
    elusion_floor,
    labels_needed,
    power_at,
)


def planner(claim: str, pilot: str) -> Planner:
    belief = from_pilot(Counts.parse(pilot))
    return Planner(claim=parse_claim(claim), belief=belief, confidence=0.95)


@pytest.mark.parametrize(
    ("claim", "pilot", "labels"),
    [
        ("f1 >= 0.7", "80,20,20,880", 2373),
        ("f1 >= 0.7", "160,40,40,1760", 1668),
        ("f1 >= 0.7", "240,60,60,9640", 5010),
        ("f1 >= 0.75", "400,100,100,1400", 2650),
    ],
)
def test_sizes_for_four_pilots(claim: str, pilot: str, labels: int) -> None:
    """Plain bisection with the exact power gives these; the next 50 sizes pass as well."""
    found = labels_needed(planner(claim, pilot), power=0.93)
    assert found.labels == labels
    assert found.power == pytest.approx(0.93, abs=2e-4)


def test_power_at_the_first_size() -> None:
    assert power_at(planner("f1 >= 0.7", "80,20,20,880"), 2373) == pytest.approx(0.9300, abs=5e-5)


def test_power_agrees_with_simulation() -> None:
    """20,000 seeded draws of pilot posterior and test; 5 standard errors is 0.0090: p < 1e-6."""
    plan = planner("f1 >= 0.7", "80,20,20,880")
    rng = np.random.default_rng(42)
    precision = rng.beta(80.5, 20.5, 20_000)
    missed = rng.beta(20.5, 880.5, 20_000)
    n1 = rng.binomial(2373, 0.1, 20_000)
    tp = rng.binomial(n1, precision)
    fn = rng.binomial(2373 - n1, missed)
    from assaymark.stats.binomial_bounds import exact_low

    passed = exact_low(tp, n1 + fn, 0.05) >= 0.7 / 1.3
    assert passed.mean() == pytest.approx(power_at(plan, 2373), abs=0.0090)


@pytest.mark.parametrize("claim", ["recall >= 0.7", "accuracy >= 0.93", "specificity >= 0.95",
    "prevalence <= 0.13", "f1 <= 0.88", "recall <= 0.9", "specificity <= 0.99"])  # fmt: skip
def test_power_of_every_metric_agrees_with_simulation(claim: str) -> None:
    """Tests of 400 items on a known population, 40,000 draws; tolerance 5 standard errors."""
    belief = from_expectation(precision=0.8, recall=0.8, prevalence=0.1)
    plan = Planner(claim=parse_claim(claim), belief=belief, confidence=0.95)
    draws = np.random.default_rng(42).multinomial(400, cells(belief), 40_000)
    from assaymark.stats.binomial_bounds import exact_low

    test = plan.test
    wins = draws[:, np.array(test.success)].sum(axis=1)
    trials = wins + draws[:, np.array(test.failure)].sum(axis=1)
    share = (exact_low(wins, trials, 0.05) >= test.null_share).mean()
    assert power_at(plan, 400) == pytest.approx(share, abs=5 * 0.5 / 200)


def test_no_size_where_the_power_cannot_be_reached() -> None:
    """Algorithm 2 as printed would never stop here: the posterior chance itself is too small."""
    found = labels_needed(planner("f1 >= 0.79", "80,20,20,880"))
    assert found.labels is None
    assert "chance to pass that is asked for" in (found.reason or "")


def test_reachable_power_is_the_posterior_chance() -> None:
    """200,000 seeded posterior draws; 5 standard errors."""
    rng = np.random.default_rng(42)
    precision, missed = rng.beta(80.5, 20.5, 200_000), rng.beta(20.5, 880.5, 200_000)
    f1 = 2 * 0.1 * precision / (0.1 * precision + 0.9 * missed + 0.1)
    plan = planner("f1 >= 0.78", "80,20,20,880")
    assert plan.reachable() == pytest.approx((f1 >= 0.78).mean(), abs=5 * 0.5 / np.sqrt(200_000))
    low = quantile(metric("f1"), plan.belief, 0.05)
    assert low == pytest.approx(np.quantile(f1, 0.05), abs=2e-3)
    assert 1 - chance_below(metric("f1"), plan.belief, 0.78) == pytest.approx(plan.reachable())


def test_elusion_floor_by_hand() -> None:
    """F1 0.8 claimed at 0.7, prevalence 0.1: gap (2·0.08 − 0.7·0.2)/(0.7·0.9) may hide."""
    belief = from_expectation(precision=0.8, recall=0.8, prevalence=0.1)
    plan = Planner(claim=parse_claim("f1 >= 0.7"), belief=belief, confidence=0.95)
    gap = 2 * 0.08 - 0.7 * (0.1 + 0.1)
    share = gap / (0.7 * 0.9)
    assert elusion_floor(plan) == pytest.approx(np.log(0.05 / 0.93) / np.log1p(-share))
    small = elusion_floor(plan, pool=1000)
    negatives, hidden = 900, round(900 * share)
    unseen = 1.0
    for n in range(int(small)):
        unseen *= (negatives - hidden - n) / (negatives - n)
    assert unseen == pytest.approx(0.05 / 0.93, rel=0.1)
    assert small < elusion_floor(plan)
    assert elusion_floor(plan, pool=10**9) == pytest.approx(elusion_floor(plan), rel=1e-3)
    precise = Planner(claim=parse_claim("precision >= 0.7"), belief=belief, confidence=0.95)
    assert elusion_floor(precise) is None
