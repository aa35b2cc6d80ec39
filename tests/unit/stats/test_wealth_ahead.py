"""Draws until the evidence of a score-guided plan reaches its goal."""

import numpy as np
import pytest
from scipy.stats import invgauss

from assaymark.stats.score_guided.wealth_ahead import draws_by_wealth, first_passage

GOAL = 3.0


def path(draws: int, drift: float, spread: float, seed: int) -> np.ndarray:
    """Log wealth after each draw."""
    return np.cumsum(np.random.default_rng(seed).normal(drift, spread, draws))


@pytest.mark.parametrize(
    ("distance", "drift", "variance"), [(1.0, 1.0, 0.5), (3.0, 0.4, 2.0), (2.5, 30.0, 0.02)]
)
def test_first_passage_is_the_inverse_gaussian_law(distance, drift, variance):
    """As SciPy has it, with mean d/μ and shape d²/σ²; the last one takes the form for far tails."""
    time = np.geomspace(0.02, 40.0, 60)
    mean, shape = distance / drift, distance**2 / variance
    expected = invgauss.cdf(time, mean / shape, scale=shape)
    found = first_passage(time, distance, np.array(drift), variance)
    assert found == pytest.approx(expected, abs=1e-8)


def test_the_range_holds_most_walks_that_go_on_as_they_did():
    """Of 400 walks looked at after 200 draws, those that pass later: two thirds within, and more."""
    held = []
    for seed in range(400):
        log = path(4000, 0.01, 0.1, seed)
        reached = int(np.argmax(log >= GOAL)) + 1
        ahead = draws_by_wealth(log[:200], GOAL, left=3800) if reached > 200 else None
        if ahead is not None:
            held.append(ahead.low <= reached - 200 <= ahead.high)
    assert len(held) > 200
    assert 0.6 < np.mean(held) < 0.95


def test_the_nearer_the_goal_the_fewer_and_never_more_than_are_left():
    log = path(200, 0.01, 0.05, 1)
    near, far = (draws_by_wealth(log, float(log[-1]) + gap, left=5000) for gap in (0.3, 3.0))
    assert near.low <= near.middle <= near.high
    assert near.middle < far.middle
    assert draws_by_wealth(log, float(log[-1]) + 3.0, left=90).high <= 90


def test_nothing_is_known_of_a_few_draws_or_of_evidence_that_does_not_grow():
    assert draws_by_wealth(path(39, 0.02, 0.05, 1), GOAL, left=900) is None
    assert draws_by_wealth(-path(200, 0.02, 0.01, 1), GOAL, left=900) is None
    assert draws_by_wealth(path(200, 0.02, 0.05, 1), GOAL, left=0) is None


@pytest.mark.parametrize("left", [900, 50_000])
def test_the_range_begins_at_the_draws_so_far_at_most(left):
    """Evidence that hardly grows expects any number: "3,000–19,910 more" after 90, and 1,000 did."""
    log = np.linspace(0.0, 0.02, 100)
    ahead = draws_by_wealth(log, GOAL, left=left)
    assert ahead.low == 100 < ahead.middle <= ahead.high <= left


def test_a_walk_steeper_than_any_drift_believed_passes_at_once():
    """Steps without variance far beyond the believed drifts: every weight was 0, and the range undefined."""
    ahead = draws_by_wealth(np.arange(1, 41) * 5.0, 400.0, left=1_000)
    assert ahead is not None
    assert 1 <= ahead.low <= ahead.middle <= ahead.high <= 1_000
