"""Laws of the weighted design that hold for any pool, labels and chances."""

import math
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assaymark.claims.claim import Claim
from assaymark.stats.score_guided.bound import standing
from assaymark.stats.score_guided.supermartingale import (
    Draws,
    Stratum,
    replay,
    sampling,
    weighted_test,
)
from assaymark.stats.score_guided.supermartingale import tests_at as help_forms
from assaymark.stats.score_guided.wealth import Recipe, draw_strata, live_sampling

METRICS = ("f1", "f2", "recall", "precision", "accuracy", "specificity", "npv", "jaccard")


@st.composite
def cases(draw):
    """A test with a drawn prefix: any strata, labels, skips, and batches of any chances."""
    strata = draw(
        st.lists(
            st.builds(
                Stratum,
                predicted=st.booleans(),
                size=st.integers(1, 60),
                mean_score=st.floats(0, 1),
            ),
            min_size=1,
            max_size=5,
        ).filter(lambda s: {x.predicted for x in s} == {True, False})
    )
    claim = Claim(
        metric=draw(st.sampled_from(METRICS)), side="lower", target=draw(st.floats(0.05, 0.95))
    )
    test = weighted_test(claim, strata, confidence=draw(st.sampled_from([0.8, 0.95])))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    left, parts = test.sizes, []
    for _ in range(draw(st.integers(0, 6))):
        size = min(int(rng.integers(1, 40)), int(left.sum()))
        stored = rng.dirichlet(np.ones(len(left))) * 0.99 + 0.01 / len(left)
        took = draw_strata(stored, left, rng.random(size)) if size else np.zeros(0, dtype=np.int64)
        labels = rng.choice([0, 1, -1], p=[0.5, 0.45, 0.05], size=size)
        parts.append((took, labels, np.tile(stored, (size, 1))))
        left = left - np.bincount(took, minlength=len(left))
    if not parts:
        parts = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, len(left))))]
    joined = [np.concatenate(part) for part in zip(*parts, strict=True)]
    return test, Draws(strata=joined[0], labels=joined[1], sampling=joined[2])


@settings(max_examples=60, deadline=None)
@given(cases())
def test_wealth_is_never_ruined_and_replays_to_the_bit(case):
    test, draws = case
    path = replay(test, draws)
    again = replay(test, draws)
    assert np.all(np.isfinite(path.log_wealth))
    assert np.all(np.diff(path.log_wealth) >= math.log(test.recipe.floor) - 1e-9)
    assert np.array_equal(path.log_wealth, again.log_wealth)
    assert np.array_equal(path.log_doubt, again.log_doubt)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_chances_are_shared_among_all_strata_with_items(case):
    test, draws = case
    chances = sampling(test, draws)
    left = test.sizes - np.bincount(draws.strata, minlength=len(test.sizes))
    if left.sum():
        assert math.isclose(chances.sum(), 1.0, rel_tol=1e-9)
        assert np.all(chances[left > 0] > 0)
    assert np.all(chances[left == 0] == 0)


@settings(max_examples=40, deadline=None)
@given(cases())
def test_the_bound_reaches_the_target_exactly_when_the_claim_passes(case):
    test, draws = case
    path = replay(test, draws)
    bound = standing(test, draws).bound
    reached = bound.value is not None and bound.value >= test.claim.target - 1e-12
    assert reached == (path.decision == "pass")


@settings(max_examples=40, deadline=None)
@given(cases())
def test_more_confidence_never_gives_an_earlier_pass_or_a_higher_bound(case):
    test, draws = case
    low, high = (replace(test, confidence=c) for c in (0.7, 0.99))
    easy, hard = replay(low, draws), replay(high, draws)
    assert (easy.passed_at or math.inf) <= (hard.passed_at or math.inf)
    one, two = standing(low, draws).bound, standing(high, draws).bound
    if two.value is not None and easy.decision == hard.decision:
        assert one.value is not None
        assert one.value >= two.value


@settings(max_examples=40, deadline=None)
@given(cases())
def test_a_decision_by_certainty_never_changes(case):
    """Once every rest of the pool gives the same answer, more labels of any kind keep it."""
    test, draws = case
    for count in range(0, len(draws), 7):
        part = Draws(
            strata=draws.strata[:count],
            labels=draws.labels[:count],
            sampling=draws.sampling[:count],
        )
        early = replay(test, part).certain
        if early:
            assert replay(test, draws).certain == early
            return


@settings(max_examples=60, deadline=None)
@given(cases(), st.floats(0.05, 0.94))
def test_a_higher_target_asks_for_more(case, target):
    """The need, as a share of all that could help, rises with the target."""
    test, _ = case
    rows = help_forms(test, [target, target + 0.05])
    share = rows.required / (rows.value * test.sizes).sum(axis=1)
    assert share[0] <= share[1] + 1e-12


@settings(max_examples=40, deadline=None)
@given(cases())
def test_scores_and_tuning_leave_certainty_alone(case):
    test, draws = case
    bare = tuple(replace(s, mean_score=None) for s in test.strata)
    other = replace(test, strata=bare, recipe=Recipe(first_block=3, guided=0.3))
    one, two = replay(test, draws), replay(other, draws)
    assert (one.certain, one.undefined) == (two.certain, two.undefined)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6))
def test_vectorised_draws_equal_one_at_a_time(seed, strata):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 8, size=strata)
    stored = rng.dirichlet(np.ones(strata)) + 1e-6
    uniforms = rng.random(int(sizes.sum()))
    together = draw_strata(stored, sizes, uniforms)
    left = sizes.copy()
    for at, u in enumerate(uniforms):
        k = int(draw_strata(stored, left, np.array([u]))[0])
        assert k == together[at]
        assert live_sampling(stored, left)[k] > 0
        left[k] -= 1
    assert np.all(left == 0)
