"""Projection, KL inverse and saddle, against their defining equations and closed forms."""

import math

import numpy as np
import pytest

from assaymark.stats.score_guided.kl_projection import (
    divergence,
    ideal_labels,
    lower_to,
    project,
    rates_below,
    saddle,
)

RATES = np.array([0.9, 0.6, 0.3, 0.99, 0.999, 0.9999, 0.5])
PULL = np.array([1.2, 0.4, 0.1, 0.3, 2.0, 5.0, 0.7])
CHANCES = np.array([0.2, 0.1, 0.1, 0.1, 0.2, 0.2, 0.1])


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.9, 0.999])
def test_projection_meets_the_need_and_is_stationary(share):
    """g·t = need, and Q (p − t) = λ g t (1 − t): the Lagrange conditions of the minimum."""
    need = share * float((PULL * RATES).sum())
    found = lower_to(RATES, pull=PULL, sampling=CHANCES, need=np.array(need))
    t, stake = found.rates, float(found.multiplier)
    assert math.isclose((PULL * t).sum(), need, rel_tol=1e-11)
    np.testing.assert_allclose(CHANCES * (RATES - t), stake * PULL * t * (1 - t), atol=1e-11)


def test_projection_is_the_nearest_of_many_feasible_worlds():
    """No random world on the same plane is nearer."""
    need = 0.8 * float((PULL * RATES).sum())
    found = lower_to(RATES, pull=PULL, sampling=CHANCES, need=np.array(need)).rates
    best = (CHANCES * divergence(RATES, found)).sum()
    rng = np.random.default_rng(42)
    for _ in range(300):
        nudged = np.clip(found + 0.02 * rng.standard_normal(len(found)), 1e-6, 1 - 1e-6)
        other = project(nudged, pull=PULL, sampling=CHANCES, level=np.array(need))
        assert best <= (CHANCES * divergence(RATES, other)).sum() + 1e-12


def test_projection_at_the_need_itself_is_no_bet():
    need = np.array((PULL * RATES).sum())
    assert float(lower_to(RATES, pull=PULL, sampling=CHANCES, need=need).multiplier) == 0.0


def test_projection_ignores_empty_strata():
    """A stratum without items has pull 0 and chance 0: it keeps its rate and moves nothing."""
    pull, chances = np.array([1.0, 0.0]), np.array([1.0, 0.0])
    found = lower_to(np.array([0.5, 0.7]), pull=pull, sampling=chances, need=np.array(0.25))
    np.testing.assert_allclose(found.rates, [0.25, 0.7], atol=1e-12)


def test_project_goes_up_as_it_goes_down_with_labels_exchanged():
    level = np.array(9.0)
    up = project(RATES * 0.5, pull=PULL, sampling=CHANCES, level=level)
    down = project(1 - RATES * 0.5, pull=PULL, sampling=CHANCES, level=PULL.sum() - level)
    np.testing.assert_allclose(up, 1 - down, atol=1e-12)
    assert math.isclose((PULL * up).sum(), 9.0, rel_tol=1e-11)


def test_batched_projections_equal_single_ones():
    needs = np.array([1.0, 4.0, 8.0])
    many = lower_to(np.tile(RATES, (3, 1)), pull=PULL, sampling=CHANCES, need=needs)
    for row, need in enumerate(needs):
        one = lower_to(RATES, pull=PULL, sampling=CHANCES, need=np.array(need))
        np.testing.assert_allclose(many.rates[row], one.rates, rtol=1e-10)


@pytest.mark.parametrize("distance", [1e-8, 1e-4, 0.01, 0.5, 3.0])
@pytest.mark.parametrize("rate", [1e-5, 0.01, 0.5, 0.99, 0.9999])
def test_the_inverse_divergence_is_at_its_distance_and_below(rate, distance):
    odds = rates_below(np.array([rate]), distance=distance)
    entropy = -rate * math.log(rate) - (1 - rate) * math.log1p(-rate)
    there = np.logaddexp(0.0, odds[0]) - rate * odds[0] - entropy
    assert math.isclose(there, distance, rel_tol=1e-6, abs_tol=1e-14)
    assert odds[0] < math.log(rate / (1 - rate))


@pytest.mark.parametrize("share", [0.2, 0.7, 0.95, 0.999])
def test_every_stratum_is_equally_far_at_the_saddle(share):
    need = share * float((PULL * RATES).sum())
    found = saddle(RATES, pull=PULL, need=need)
    assert math.isclose((PULL * found.rates).sum(), need, rel_tol=1e-7)
    np.testing.assert_allclose(divergence(RATES, found.rates), found.speed, rtol=1e-6)
    assert math.isclose(found.sampling.sum(), 1.0, rel_tol=1e-12)


def test_the_saddle_is_a_saddle():
    """Its null is the projection under its own sampling, and no other sampling is faster."""
    need = 0.9 * float((PULL * RATES).sum())
    best = saddle(RATES, pull=PULL, need=need)

    def speed(chances: np.ndarray) -> float:
        null = lower_to(RATES, pull=PULL, sampling=chances, need=np.array(need)).rates
        return float((chances * divergence(RATES, null)).sum())

    assert math.isclose(speed(best.sampling), best.speed, rel_tol=1e-6)
    rng = np.random.default_rng(42)
    for _ in range(200):
        other = best.sampling * np.exp(0.3 * rng.standard_normal(len(RATES)))
        assert speed(other / other.sum()) <= best.speed * (1 + 1e-9)


def test_one_stratum_is_the_sequential_probability_ratio_test():
    """With one stratum the limit is ln(1/α)/KL(p‖τ), Wald's figure for a coin."""
    found = saddle(np.array([0.8]), pull=np.ones(1), need=0.7)
    kl = 0.8 * math.log(0.8 / 0.7) + 0.2 * math.log(0.2 / 0.3)
    assert math.isclose(found.speed, kl, rel_tol=1e-8)
    assert math.isclose(ideal_labels(found.speed, confidence=0.95), math.log(20) / kl, rel_tol=1e-8)


def test_empty_strata_get_no_chance():
    found = saddle(np.array([0.8, 0.5]), pull=np.array([1.0, 0.0]), need=0.7)
    assert found.sampling.tolist() == [1.0, 0.0]


def test_higher_confidence_needs_more_labels():
    assert ideal_labels(0.01, confidence=0.99) > ideal_labels(0.01, confidence=0.95)
