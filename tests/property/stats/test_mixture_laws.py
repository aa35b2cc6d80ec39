"""Laws of the two sequential modes under simple random sampling."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assaymark.stats.sequential import alpha_spending as spending
from assaymark.stats.sequential import beta_mixture as mixture
from assaymark.stats.sequential.alpha_spending import SpendingTest
from assaymark.stats.sequential.beta_mixture import MixtureTest

quick = settings(max_examples=60, deadline=None)
confidences = st.floats(0.5, 0.999)
paths = st.lists(st.booleans(), max_size=120)


@st.composite
def mixtures(draw):
    null = draw(st.floats(0.002, 0.95))
    aim = null + (1 - null) * draw(st.floats(0.05, 0.9))
    return MixtureTest(
        null_share=null,
        alternative_share=aim,
        confidence=draw(confidences),
        strength=draw(st.floats(1, 500)),
    )


@quick
@given(mixtures(), st.integers(1, 20_000), st.data())
def test_a_success_in_place_of_a_failure_is_never_less_evidence(test, items, data):
    successes = data.draw(st.integers(0, items - 1))
    fewer = mixture.log_evidence(test, successes, items - successes)
    more = mixture.log_evidence(test, successes + 1, items - successes - 1)
    assert more > fewer


@quick
@given(mixtures(), st.integers(0, 5_000), st.integers(0, 5_000))
def test_a_success_adds_evidence_and_a_failure_takes_it_away(test, successes, failures):
    now = mixture.log_evidence(test, successes, failures)
    assert mixture.log_evidence(test, successes + 1, failures) > now
    assert mixture.log_evidence(test, successes, failures + 1) < now


@quick
@given(mixtures(), st.integers(0, 3_000), st.integers(0, 3_000))
def test_at_the_null_share_the_bettor_expects_neither_gain_nor_loss(test, successes, failures):
    """e now = null · e after a success + (1 − null) · e after a failure: a martingale."""
    now, won, lost = mixture.log_evidence(
        test, [successes, successes + 1, successes], [failures, failures, failures + 1]
    )
    expected = test.null_share * np.exp(won - now) + (1 - test.null_share) * np.exp(lost - now)
    assert abs(expected - 1) < 1e-8


@quick
@given(mixtures(), st.integers(0, 3_000), st.integers(0, 3_000))
def test_refuted_nulls_are_a_range_without_holes(test, successes, failures):
    """If a null share is refuted, every smaller one is: the bound and the test cannot disagree."""
    nulls = np.linspace(0.001, 0.999, 400)
    log_e = mixture._log_evidence(test, successes, failures, nulls)
    refuted = log_e >= test.log_threshold
    assert (np.diff(refuted.astype(int)) <= 0).all()
    share = successes / max(1, successes + failures)
    assert (np.diff(log_e[nulls <= share]) <= 1e-9).all()
    assert (log_e[nulls > share] <= 1e-9).all()


@quick
@given(mixtures(), paths)
def test_the_bound_never_falls_and_agrees_with_the_test_after_every_item(test, wins):
    bounds = mixture.lower_share_path(test, wins)
    best = mixture.evidence_path(test, wins).best
    assert (np.diff(bounds) >= 0).all()
    assert ((bounds >= test.null_share) == (best >= test.log_threshold)).all()


@quick
@given(mixtures(), paths, paths)
def test_what_lies_beyond_the_prefix_changes_nothing_before_it(test, wins, later):
    before = mixture.evidence_path(test, wins).best
    after = mixture.evidence_path(test, wins + later).best[: len(before)]
    assert np.allclose(before, after, rtol=0, atol=1e-10)


@quick
@given(mixtures(), paths, st.randoms(use_true_random=False))
def test_only_the_running_maximum_knows_the_order(test, wins, rng):
    shuffled = list(wins)
    rng.shuffle(shuffled)
    one, other = mixture.evidence(test, wins), mixture.evidence(test, shuffled)
    assert one.log_evidence == other.log_evidence
    assert min(one.best, other.best) >= max(0.0, one.log_evidence)


@quick
@given(mixtures(), paths, confidences)
def test_higher_confidence_is_never_easier(test, wins, confidence):
    low, high = sorted((test.confidence, confidence))
    lax, strict = (replace(test, confidence=c) for c in (low, high))
    assert mixture.lower_share(strict, wins) <= mixture.lower_share(lax, wins) + 1e-9
    first = [mixture.evidence(t, wins).passed_at or 10**9 for t in (lax, strict)]
    assert first[0] <= first[1]


def test_every_option_of_the_anytime_test_changes_the_answer():
    test = MixtureTest(null_share=0.5, alternative_share=0.6, confidence=0.95)
    changed = [
        replace(test, null_share=0.51),
        replace(test, alternative_share=0.61),
        replace(test, strength=120),
        replace(test, confidence=0.96),
    ]
    wins = [True, True, False] * 60
    bounds = {round(mixture.lower_share(t, wins), 9) for t in (test, *changed)}
    # the null share alone does not move the bound, by design: one prior serves all nulls
    assert len(bounds) == 4
    evidence = {mixture.evidence(t, wins).best for t in (test, *changed)}
    # nor does the confidence move the evidence, only what is enough of it
    assert len(evidence) == 4
    items = {mixture.items_to_pass(t, share=0.6, horizon=400).mean_items for t in (test, *changed)}
    assert len(items) == 5


@quick
@given(st.floats(0.02, 0.95), confidences, st.integers(1, 80), st.integers(1, 20))
def test_a_budget_never_spends_more_than_it_has(null, confidence, planned, look_every):
    test = SpendingTest(
        null_share=null, confidence=confidence, planned=planned, look_every=look_every
    )
    spent = np.cumsum(spending.items_to_pass(test, share=null).chance)
    allowed = (1 - confidence) * np.arange(planned + 1) / planned
    looks = list(test.schedule)
    assert (spent[looks] <= allowed[looks]).all()


@quick
@given(st.floats(0.1, 0.9), st.integers(1, 60), paths)
def test_a_budget_pass_is_never_lost_by_looking_later(null, planned, wins):
    test = SpendingTest(null_share=null, confidence=0.9, planned=planned)
    answers = [spending.crossing(test, wins[:seen]).passed for seen in range(len(wins) + 1)]
    assert answers == sorted(answers)


@quick
@given(st.floats(0.1, 0.9), st.integers(1, 60), st.floats(0, 1))
def test_a_better_classifier_passes_more_often(null, planned, step):
    better = null + (0.99 - null) * step
    test = SpendingTest(null_share=null, confidence=0.9, planned=planned)
    one, other = (spending.items_to_pass(test, share=s).passes for s in (null, better))
    assert other >= one - 1e-12


def test_every_option_of_the_budget_test_changes_the_answer():
    test = SpendingTest(null_share=0.5, confidence=0.95, planned=300)
    changed = [
        replace(test, null_share=0.51),
        replace(test, confidence=0.96),
        replace(test, planned=310),
        replace(test, look_every=5),
        replace(test, looks=(100, 200, 300)),
    ]
    powers = {spending.items_to_pass(t, share=0.6).passes for t in (test, *changed)}
    assert len(powers) == 6
