"""The weighted test: its arithmetic, its decisions, its refusals."""

import math
from dataclasses import replace

import numpy as np
import pytest

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric as metric_of
from assaymark.errors import InputError
from assaymark.lab.weighted_runs import certify_pool
from assaymark.stats.score_guided.bound import other_targets, standing, worst_metric
from assaymark.stats.score_guided.supermartingale import (
    Draws,
    Stratum,
    certainty,
    refutation,
    replay,
    sampling,
    walk,
    weighted_test,
)
from assaymark.stats.score_guided.supermartingale import tests_at as help_forms
from assaymark.stats.score_guided.wealth import Recipe, draw_strata, live_sampling

CUT = (
    Stratum(predicted=True, size=120, mean_score=0.9),
    Stratum(predicted=True, size=100, mean_score=0.6),
    Stratum(predicted=False, size=1500, mean_score=0.05),
    Stratum(predicted=False, size=6000, mean_score=0.003),
)
TRUTH = (112, 68, 60, 12)


def f1_test(target: float = 0.7, **changes):
    return weighted_test(Claim(metric="f1", side="lower", target=target), CUT, **changes)


def labels_of(truth=TRUTH, cut=CUT):
    return [np.arange(s.size) < r for s, r in zip(cut, truth, strict=True)]


def some_draws(test, count: int, *, seed: int = 42, batch: int = 25, truth=TRUTH) -> Draws:
    """A prefix of a simulated certification that is never stopped."""
    rng = np.random.default_rng(seed)
    queues = [rng.permutation(own).astype(np.int64) for own in labels_of(truth, test.strata)]
    steps, parts = walk(test), []
    while steps.drawn < count:
        stored, left = steps.sampling(), steps.remaining
        strata = draw_strata(stored, left, rng.random(min(batch, count - steps.drawn)))
        used = test.sizes - left
        told = np.empty(len(strata), dtype=np.int64)
        for k, queue in enumerate(queues):
            mine = np.flatnonzero(strata == k)
            told[mine] = queue[used[k] : used[k] + len(mine)]
        rows = np.tile(stored, (len(strata), 1))
        steps.feed(strata, told, rows, play=False)
        parts.append((strata, told, rows))
    joined = [np.concatenate(part) for part in zip(*parts, strict=True)]
    return Draws(strata=joined[0], labels=joined[1], sampling=joined[2])


def first(draws: Draws, count: int) -> Draws:
    return Draws(
        strata=draws.strata[:count], labels=draws.labels[:count], sampling=draws.sampling[:count]
    )


def by_hand(test, draws: Draws) -> np.ndarray:
    """The product of the factors, draw by draw, straight from the formula, with fixed stakes.

    Uses the stakes of the engine's own first block, so only valid for draws within it.
    """
    steps = walk(test)
    steps.feed(draws.strata[:1], draws.labels[:1], draws.sampling[:1])
    wealth = steps._wealth
    tests = help_forms(test, [test.claim.target])
    v, helpful, need = tests.value[0], tests.helpful[0], float(tests.required[0])
    left, total = test.sizes.astype(float), float(test.sizes.sum())
    paths = np.array(test.recipe.shares)
    out = []
    for k, label, q in zip(draws.strata, draws.labels, draws.sampling, strict=True):
        helps = float(label == helpful[k])
        for j in range(len(paths)):
            t, stake = wealth._control[0, j], wealth._stake[0, j]
            drift = (v * left * t).sum() / total - need / total
            paths[j] *= 1 + stake * (drift + v[k] * (helps - t[k]) * left[k] / (total * q[k]))
        out.append(math.log(paths.sum()))
        left[k] -= 1
        need -= v[k] * helps
    return np.array(out)


def test_the_first_block_is_the_formula():
    test = f1_test()
    draws = some_draws(test, 10)
    np.testing.assert_allclose(replay(test, draws).log_wealth, by_hand(test, draws), rtol=1e-9)


def test_help_form_is_the_claim():
    """Σ value·help >= required exactly when the metric reaches the target."""
    for metric, side in (
        ("f1", "lower"),
        ("recall", "lower"),
        ("accuracy", "lower"),
        ("specificity", "lower"),
        ("f2", "lower"),
        ("prevalence", "upper"),
    ):
        test = weighted_test(Claim(metric=metric, side=side, target=0.61), CUT)
        rows = help_forms(test, [0.61])
        for truth in (TRUTH, (120, 100, 0, 0), (1, 0, 700, 0), (0, 0, 0, 1), (60, 60, 40, 30)):
            found = np.array(truth)
            helped = np.where(rows.helpful[0] == 1, found, test.sizes - found)
            gain = float((rows.value[0] * helped).sum() - rows.required[0])
            tp, fn = found[:2].sum(), found[2:].sum()
            value = metric_of(metric).value((tp, 220 - tp, fn, 7500 - fn))
            assert (gain >= 0) == (value >= 0.61 if side == "lower" else value <= 0.61)


def test_mirror_needs_what_the_claim_cannot_do_without():
    test = f1_test()
    claim = help_forms(test, [0.7])
    doubt = refutation(claim, test.sizes)
    total = float((claim.value * test.sizes).sum())
    assert math.isclose(float(claim.required[0] + doubt.required[0]), total)
    assert np.all(claim.helpful + doubt.helpful == 1)


def test_replay_is_repeatable_and_a_longer_prefix_keeps_the_shorter_path():
    test = f1_test()
    draws = some_draws(test, 333)
    whole = replay(test, draws)
    assert np.array_equal(whole.log_wealth, replay(test, draws).log_wealth)
    for cut in (1, 10, 47, 300):
        part = replay(test, first(draws, cut))
        np.testing.assert_allclose(part.log_wealth, whole.log_wealth[:cut], rtol=1e-9, atol=1e-12)


def test_streaming_equals_replay():
    """Feeding batch by batch while asking for chances gives the wealth of a replay."""
    test = f1_test()
    draws = some_draws(test, 400, batch=20)
    steps, parts = walk(test), []
    for start in range(0, 400, 20):
        part = slice(start, start + 20)
        np.testing.assert_allclose(steps.sampling(), draws.sampling[start], rtol=1e-12)
        parts.append(steps.feed(draws.strata[part], draws.labels[part], draws.sampling[part]))
    np.testing.assert_allclose(
        np.concatenate(parts, axis=1)[0], replay(test, draws).log_wealth, rtol=1e-9, atol=1e-12
    )


def test_stored_chances_are_those_of_the_labelled_prefix():
    test = f1_test()
    draws = some_draws(test, 200, batch=40)
    np.testing.assert_allclose(sampling(test, first(draws, 160)), draws.sampling[160], rtol=1e-12)


def test_a_true_claim_passes_and_a_false_one_is_refuted():
    rng = np.random.default_rng(42)
    truth = 2 * 180 / (220 + 252)
    assert truth == pytest.approx(0.7627, abs=1e-4)
    assert certify_pool(f1_test(0.6), labels_of(), rng).decision == "pass"
    assert certify_pool(f1_test(0.9), labels_of(), rng).decision == "fail"


def test_no_certificate_before_thirty_labels():
    """The level may be crossed earlier; the running maximum certifies at the thirtieth label."""
    cut = (Stratum(predicted=True, size=5000, mean_score=0.99),)
    test = weighted_test(Claim(metric="precision", side="lower", target=0.3), cut)
    draws = Draws(
        strata=np.zeros(40, dtype=np.int64),
        labels=np.ones(40, dtype=np.int64),
        sampling=np.ones((40, 1)),
    )
    path = replay(test, draws)
    assert int(np.argmax(path.log_wealth >= test.log_needed)) + 1 < 30
    assert path.passed_at == 30
    assert replay(test, first(draws, 29)).decision == "continue"
    assert standing(test, first(draws, 29)).bound.value == 29 / 5000


def test_a_pool_labelled_to_the_end_is_decided_with_certainty():
    cut = (Stratum(predicted=True, size=4), Stratum(predicted=False, size=5))
    claim = Claim(metric="f1", side="lower", target=0.75)
    test = weighted_test(claim, cut)
    strata = np.array([0] * 4 + [1] * 5)
    chances = np.full((9, 2), 0.5)
    labels = np.array([1, 1, 1, 0, 1, 0, 0, 0, 0])  # F1 is 6/8, exactly the target: it holds
    path = replay(test, Draws(strata=strata, labels=labels, sampling=chances))
    assert (path.certain, path.decision, path.passed_at) == ("pass", "pass", 9)
    labels[5] = 1  # F1 is 6/9
    path = replay(test, Draws(strata=strata, labels=labels, sampling=chances))
    assert (path.certain, path.decision) == ("fail", "fail")
    assert str(path) == "f1 >= 0.75 is refuted with certainty (9 labels, score-guided)"


def test_certainty_may_come_before_the_last_label():
    cut = (Stratum(predicted=True, size=10),)
    test = weighted_test(Claim(metric="precision", side="lower", target=0.5), cut)
    draws = Draws(strata=np.zeros(5, int), labels=np.ones(5, int), sampling=np.ones((5, 1)))
    assert replay(test, draws).certain == "pass"
    assert replay(test, first(draws, 4)).certain is None


def test_recall_without_a_positive_is_undefined_and_never_passes():
    cut = (Stratum(predicted=True, size=3), Stratum(predicted=False, size=40))
    test = weighted_test(Claim(metric="recall", side="lower", target=0.5), cut)
    strata = np.array([1] * 40 + [0] * 3)
    draws = Draws(strata=strata, labels=np.zeros(43, int), sampling=np.full((43, 2), 0.5))
    path = replay(test, draws)
    assert (path.undefined, path.decision) == (True, "fail")
    assert path.passed_at is None
    early = replay(test, first(draws, 42))
    assert early.decision != "pass"
    bound = standing(test, draws).bound
    assert str(bound) == "no bound on recall: its denominator is zero"


def test_a_skipped_item_hurts_both_sides():
    """The claim's wealth sees it as hurting the claim, the mirror's as hurting the refutation."""
    test = f1_test()
    draws = some_draws(test, 10)
    at = 4
    told = [replace_label(draws, at, label) for label in (0, 1, -1)]
    paths = [replay(test, d) for d in told]
    claim = [p.log_wealth[at] for p in paths]
    doubt = [p.log_doubt[at] for p in paths]
    assert claim[2] == min(claim[:2])
    assert doubt[2] == min(doubt[:2])


def replace_label(draws: Draws, at: int, label: int) -> Draws:
    labels = draws.labels.copy()
    labels[at] = label
    return Draws(strata=draws.strata, labels=labels, sampling=draws.sampling)


def test_all_skipped_is_not_a_pass():
    test = weighted_test(
        Claim(metric="precision", side="lower", target=0.5), [Stratum(predicted=True, size=40)]
    )
    draws = Draws(strata=np.zeros(40, int), labels=np.full(40, -1), sampling=np.ones((40, 1)))
    assert replay(test, draws).decision == "fail"


def test_an_emptied_stratum_is_left_out_of_later_draws():
    chances = live_sampling(np.array([0.5, 0.3, 0.2]), np.array([4, 0, 1]))
    np.testing.assert_allclose(chances, [0.5 / 0.7, 0.0, 0.2 / 0.7])
    drawn = draw_strata(np.array([0.98, 0.01, 0.01]), np.array([2, 1, 1]), np.zeros(4))
    assert drawn.tolist() == [0, 0, 1, 2]
    last = draw_strata(np.array([0.5, 0.5]), np.array([5, 0]), np.array([0.9999999999999999]))
    assert last.tolist() == [0]


def test_draws_follow_the_inverse_cdf():
    drawn = draw_strata(np.array([0.2, 0.5, 0.3]), np.full(3, 99), np.array([0.1, 0.2, 0.69, 0.7]))
    assert drawn.tolist() == [0, 1, 1, 2]


def test_the_bound_reaches_the_target_exactly_when_the_claim_passes():
    test = f1_test(0.66)
    draws = some_draws(test, 1500)
    decisions = set()
    for count in (30, 100, 300, 700, 1500):
        part = first(draws, count)
        path = replay(test, part)
        bound = standing(test, part).bound
        decisions.add(path.decision)
        assert bound.value is not None
        assert (bound.value >= 0.66) == (path.decision == "pass")
    assert decisions == {"continue", "pass"}


def test_the_bound_of_an_upper_claim_is_an_upper_bound():
    claim = Claim(metric="elusion", side="upper", target=0.02)
    test = weighted_test(claim, CUT)
    truth = TRUTH[2:]
    draws = some_draws(test, 1200, truth=truth)
    path = replay(test, draws)
    bound = standing(test, draws).bound
    assert path.decision == "pass"
    assert 72 / 7500 <= bound.value <= 0.02
    assert str(bound).startswith("elusion <= 0.01")


def test_other_targets_run_from_easy_to_hard_on_the_right_side():
    test = f1_test(0.7)
    harder, easier = other_targets(test, harder=True), other_targets(test, harder=False)
    assert list(harder) == sorted(harder)
    assert harder[0] > 0.7
    assert list(easier) == sorted(easier)
    assert easier[-1] < 0.7
    upper = weighted_test(Claim(metric="elusion", side="upper", target=0.02), CUT)
    assert other_targets(upper, harder=True)[0] < 0.02 < other_targets(upper, harder=False)[-1]


def test_worst_metric_fills_the_rest_against_the_claim():
    cut = (Stratum(predicted=True, size=4), Stratum(predicted=False, size=5))
    test = weighted_test(Claim(metric="recall", side="lower", target=0.5), cut)
    draws = Draws(
        strata=np.array([0, 0, 1]), labels=np.array([1, 1, 0]), sampling=np.full((3, 2), 0.5)
    )
    assert worst_metric(test, draws) == 2 / (2 + 4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"labels": np.array([0, 2, 1])}, "Labels are 0, 1 or -1"),
        ({"strata": np.array([0, 4, 1])}, "Strata are numbered 0 to 3, got 4"),
        ({"labels": np.array([0, 1])}, "3 draws need 3 labels and 3 rows of 4 chances"),
        ({"sampling": np.array([[0.5, 0.5, 0, 0.0]] * 3)}, "Draw 1 has a stratum with items left"),
        ({"sampling": np.array([[0.5, 0.5, 0.1, np.nan]] * 3)}, "Draw 1 has a stratum"),
    ],
)
def test_draws_that_void_the_proof_are_refused(changes, message):
    draws = Draws(
        strata=np.array([0, 2, 1]), labels=np.array([0, 1, 1]), sampling=np.full((3, 4), 0.25)
    )
    with pytest.raises(InputError, match=message):
        replay(f1_test(), replace(draws, **changes))


def test_a_stratum_cannot_be_drawn_more_often_than_it_has_items():
    test = weighted_test(
        Claim(metric="precision", side="lower", target=0.5), [Stratum(predicted=True, size=2)]
    )
    draws = Draws(strata=np.zeros(3, int), labels=np.ones(3, int), sampling=np.ones((3, 1)))
    with pytest.raises(InputError, match="Stratum 0 was drawn more often than it has items"):
        replay(test, draws)


def test_strata_without_a_say_are_refused_or_dropped():
    claim = Claim(metric="precision", side="lower", target=0.5)
    assert len(weighted_test(claim, CUT).strata) == 2
    with pytest.raises(InputError, match="Some strata say nothing about precision"):
        replace(weighted_test(claim, CUT), strata=CUT)


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        ([], "needs strata with at least one item each"),
        ([Stratum(predicted=True, size=3, mean_score=1.5)], "Mean scores must be between 0 and 1"),
        (
            [Stratum(predicted=True, size=3, mean_score=0.5), Stratum(predicted=False, size=3)],
            "Either every stratum has a mean score or none has",
        ),
    ],
)
def test_bad_strata_are_refused(cut, message):
    with pytest.raises(InputError, match=message):
        weighted_test(Claim(metric="f1", side="lower", target=0.5), cut)


def test_nothing_drawn_yet_decides_nothing():
    test = f1_test()
    none = Draws(strata=np.zeros(0, int), labels=np.zeros(0, int), sampling=np.zeros((0, 4)))
    path = replay(test, none)
    assert (path.decision, path.evidence, path.labels) == ("continue", 0.0, 0)
    chances = sampling(test, none)
    assert math.isclose(chances.sum(), 1.0)
    assert np.all(chances > 0)
    assert len(certainty(test, none).holds) == 0
    assert standing(test, none).bound.value == 0.0


def test_every_option_of_the_recipe_changes_the_path():
    base = f1_test()
    draws = some_draws(base, 150)
    before = replay(base, draws).log_wealth
    for change in (
        {"first_block": 7},
        {"block_share": 5},
        {"least_margin": 0.1},
        {"margins": (0.02, 0.1)},
        {"reach": (0.01, 0.02, 0.03)},
        {"shares": (0.8, 0.1, 0.1)},
        {"floor": 0.6},
    ):
        other = replay(replace(base, recipe=Recipe(**change)), draws).log_wealth
        assert not np.allclose(before, other, rtol=1e-6), change
    for change in ({"caution": 0.2}, {"guided": 0.5}):
        steps = walk(replace(base, recipe=Recipe(**change)))
        assert not np.allclose(steps.sampling(), walk(base).sampling(), rtol=1e-6), change
