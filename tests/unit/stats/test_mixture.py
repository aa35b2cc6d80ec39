import math

import numpy as np
import pytest
from scipy import special

from assaymark.claims.claim import Claim
from assaymark.errors import InputError
from assaymark.stats.sequential import beta_mixture as mixture
from assaymark.stats.sequential import truncated_beta
from assaymark.stats.sequential.stopping_boundary import Belief, Boundary, stopping, successes_after

F1_AT_70 = Claim(metric="f1", side="lower", target=0.7)
TEST = mixture.mixture_test(F1_AT_70, confidence=0.95)


def by_quadrature(test, successes, failures):
    """Log evidence from its definition: a mean over the truncated prior, on a fine grid."""
    x, a, b = test.null_share, test.prior.successes, test.prior.failures
    u = x + (1 - x) * (np.arange(1_000_000) + 0.5) / 1_000_000
    log_prior = (a - 1) * np.log(u) + (b - 1) * np.log1p(-u)
    log_ratio = successes * np.log(u / x) + failures * np.log((1 - u) / (1 - x))
    return special.logsumexp(log_prior + log_ratio) - special.logsumexp(log_prior)


def path(successes, items, seed=42):
    wins = np.arange(items) < successes
    return np.random.default_rng(seed).permutation(wins)


class TestBuilding:
    def test_f1_is_aimed_on_its_own_scale(self):
        """0.7 aims at 0.75, and both become Jaccard shares t/(2 − t)."""
        assert pytest.approx(0.7 / 1.3) == TEST.null_share
        assert pytest.approx(0.75 / 1.25) == TEST.alternative_share
        assert pytest.approx(60) == TEST.prior.successes
        assert pytest.approx(40) == TEST.prior.failures

    @pytest.mark.parametrize(
        ("metric", "side", "target", "null", "aim"),
        [
            ("precision", "lower", 0.9, 0.9, 0.9 + 0.1 / 3),
            ("recall", "lower", 0.5, 0.5, 0.55),
            ("elusion", "upper", 0.03, 0.97, 0.98),
            ("elusion", "upper", 0.3, 0.7, 0.75),
            ("f1", "upper", 0.6, 1 - 0.6 / 1.4, 1 - 0.55 / 1.45),
            ("prevalence", "lower", 0.01, 0.01, 0.02),
            ("prevalence", "upper", 0.99, 0.01, 0.02),
        ],
    )
    def test_every_claim_becomes_a_share_to_beat(self, metric, side, target, null, aim):
        test = mixture.mixture_test(Claim(metric=metric, side=side, target=target), confidence=0.95)
        assert test.null_share == pytest.approx(null)
        assert test.alternative_share == pytest.approx(aim)

    def test_f2_is_refused_with_a_way_out(self):
        with pytest.raises(InputError, match=r"'f2' has no binomial test.*weighted design"):
            mixture.mixture_test(Claim(metric="f2", side="lower", target=0.5), confidence=0.95)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"null_share": 0.0}, "'null_share' must be between 0 and 1, got 0.0"),
            ({"alternative_share": 0.5}, "must be above the null share 0.5, got 0.5"),
            ({"confidence": 95}, "'confidence' must be between 0 and 1, got 95. Did you mean 0.95"),
            ({"strength": 0.0}, "'strength' must be a number above 0, got 0.0"),
            ({"strength": math.inf}, "'strength' must be a number above 0, got inf"),
        ],
    )
    def test_what_is_no_test_is_refused(self, change, message):
        good = {"null_share": 0.5, "alternative_share": 0.6, "confidence": 0.95}
        with pytest.raises(InputError, match=message):
            mixture.MixtureTest(**(good | change))

    def test_aiming_at_0051_to_prove_a_prevalence_of_0001_costs_four_times_as_many_items(self):
        """Why the aim is at most twice the target: exact means at a true prevalence of 0.002."""
        claim = Claim(metric="prevalence", side="lower", target=0.001)
        near = mixture.mixture_test(claim, confidence=0.95)
        far = mixture.MixtureTest(null_share=0.001, alternative_share=0.051, confidence=0.95)
        items = [
            mixture.items_to_pass(test, share=0.002, horizon=60_000).mean_items
            for test in (near, far)
        ]
        assert items[1] > 3.5 * items[0]


class TestLogEvidence:
    def test_nothing_seen_is_no_evidence(self):
        assert mixture.log_evidence(TEST, 0, 0) == 0

    @pytest.mark.parametrize("counts", [(1, 0), (0, 1), (30, 10), (350, 250), (40, 400), (0, 90)])
    def test_it_is_the_mean_likelihood_ratio_over_the_truncated_prior(self, counts):
        assert mixture.log_evidence(TEST, *counts) == pytest.approx(
            by_quadrature(TEST, *counts), abs=1e-6
        )

    @pytest.mark.parametrize(
        ("successes", "items", "expected"), [(600, 3000, -6.91), (1500, 8000, -7.93)]
    )
    def test_where_the_tail_underflows_the_true_value_is_found(self, successes, items, expected):
        assert special.betaincc(60 + successes, 40 + items - successes, 0.7 / 1.3) < 1e-290
        log_e = mixture.log_evidence(TEST, successes, items - successes)
        assert log_e == pytest.approx(expected, abs=0.005)
        assert log_e == pytest.approx(by_quadrature(TEST, successes, items - successes), abs=1e-5)

    def test_below_the_null_share_it_is_never_positive_and_never_nan(self):
        items = np.unique(np.geomspace(1, 2_000_000, 200).astype(int))[:, None]
        successes = (items * np.linspace(0, TEST.null_share, 60)).astype(int)
        log_e = mixture.log_evidence(TEST, successes, items - successes)
        assert not np.isnan(log_e).any()
        assert (log_e <= 0).all()

    def test_series_and_direct_tail_agree_where_both_work(self, monkeypatch):
        successes, failures = np.array([20, 100, 200, 300]), np.array([200, 300, 500, 900])
        direct = mixture.log_evidence(TEST, successes, failures)
        monkeypatch.setattr(truncated_beta, "SMALLEST_TAIL", 0.01)
        assert mixture.log_evidence(TEST, successes, failures) == pytest.approx(direct, abs=1e-10)

    def test_a_series_cut_short_understates(self, monkeypatch):
        full = mixture.log_evidence(TEST, 600, 2400)
        monkeypatch.setattr(truncated_beta, "SERIES_TERMS", 1)
        assert mixture.log_evidence(TEST, 600, 2400) < full

    def test_without_truncation_a_classifier_with_f1_of_06_would_be_certified_at_07(self):
        """At its expected counts the untruncated evidence passes; ours falls further and further."""
        items = np.array([1000, 3000, 10_000])
        successes = np.round(items * 0.6 / 1.4).astype(int)
        failures, null = items - successes, TEST.null_share
        untruncated = (
            special.betaln(60 + successes, 40 + failures)
            - special.betaln(60, 40)
            - successes * np.log(null)
            - failures * np.log(1 - null)
        )
        assert (untruncated > TEST.log_threshold).all()
        assert (np.diff(mixture.log_evidence(TEST, successes, failures)) < 0).all()
        assert mixture.items_to_pass(TEST, share=0.6 / 1.4, horizon=10_000).passes < 0.0005


class TestPaths:
    def test_a_pass_is_kept_when_the_evidence_falls_again(self):
        wins = np.concatenate((np.ones(60, dtype=bool), np.zeros(80, dtype=bool)))
        result = mixture.evidence(TEST, wins)
        assert result.passed
        assert result.log_evidence < 0 < TEST.log_threshold <= result.best
        assert result.p_value == pytest.approx(math.exp(-result.best))
        assert result.p_value <= 0.05

    def test_a_corrected_label_may_take_the_pass_away(self):
        wins = np.ones(60, dtype=bool)
        first = mixture.evidence(TEST, wins).passed_at
        assert first is not None
        corrected = np.arange(first) != first // 2
        assert mixture.evidence(TEST, wins[:first]).passed
        assert not mixture.evidence(TEST, corrected).passed

    def test_nothing_seen(self):
        nothing = mixture.evidence(TEST, [])
        assert (nothing.items, nothing.best, nothing.p_value) == (0, 0.0, 1.0)
        assert not nothing.passed
        assert mixture.lower_share(TEST, []) == 0.0

    def test_the_sentence(self):
        text = str(mixture.evidence(TEST, np.ones(60, dtype=bool)))
        assert text.startswith("passed after ")
        assert "60 successes among 60 informative items, anytime p = " in text
        assert str(mixture.evidence(TEST, [True])).startswith("has not passed: 1 successes among 1")

    @pytest.mark.parametrize("wins", [[2, 1], [[True]], 3])
    def test_counts_are_not_a_path(self, wins):
        with pytest.raises(InputError, match="'wins' must be one true or false per informative"):
            successes_after(wins)


class TestLowerShare:
    def test_bound_and_test_agree_after_every_item(self):
        """The bound reaches the null share exactly when the evidence reaches the threshold."""
        for seed in range(5):
            wins = path(240, 400, seed)
            bounds = mixture.lower_share_path(TEST, wins)
            best = mixture.evidence_path(TEST, wins).best
            assert ((bounds >= TEST.null_share) == (best >= TEST.log_threshold)).all()
            assert (np.diff(bounds) >= 0).all()

    @pytest.mark.parametrize(("successes", "items"), [(0, 30), (5, 90), (240, 400), (500, 500)])
    def test_the_quick_way_gives_the_last_value(self, successes, items):
        wins = path(successes, items)
        assert mixture.lower_share(TEST, wins) == pytest.approx(
            mixture.lower_share_path(TEST, wins)[-1], abs=1e-10
        )

    @pytest.mark.parametrize("counts", [(300, 150), (240, 160), (3, 40), (500, 0)])
    def test_the_bound_solves_its_equation(self, counts):
        """At the bound the evidence reaches the threshold, a hair above it does not."""
        bound = float(mixture._refuted(TEST, *([n] for n in counts))[0])
        assert mixture._log_evidence(TEST, *counts, bound) >= TEST.log_threshold
        assert mixture._log_evidence(TEST, *counts, bound + 1e-9) < TEST.log_threshold

    @pytest.mark.parametrize("claim", [F1_AT_70, Claim(metric="f1", side="upper", target=0.8)])
    def test_the_bound_on_the_metric_never_contradicts_the_verdict(self, claim):
        test = mixture.mixture_test(claim, confidence=0.95)
        for successes in (50, 150, 200, 230, 260, 280, 300):
            bound = mixture.anytime_bound(claim, path(successes, 300), confidence=0.95)
            met = bound.value >= 0.7 if claim.side == "lower" else bound.value <= 0.8
            assert bound.passed == met
            assert bound.passed == mixture.evidence(test, path(successes, 300)).passed

    def test_metric_and_share_are_two_scales_for_one_thing(self):
        upper = Claim(metric="elusion", side="upper", target=0.01)
        assert mixture.metric_at(F1_AT_70, 0.7 / 1.3) == pytest.approx(0.7)
        assert mixture.metric_at(upper, 0.99) == pytest.approx(0.01)
        assert mixture.metric_at(Claim(metric="recall", side="lower", target=0.5), 0.3) == 0.3

    def test_the_sentence(self):
        bound = mixture.anytime_bound(F1_AT_70, path(280, 400), confidence=0.95)
        assert str(bound) == f"f1 >= {bound.value:.4f} with 95% confidence"
        assert bound.value > 0.7


class TestBoundary:
    def test_it_is_the_least_count_that_passes(self):
        least = mixture.mixture_boundary(TEST, 300).least
        items = np.flatnonzero(least <= 300)
        at = mixture.log_evidence(TEST, least[items], items - least[items])
        below = mixture.log_evidence(TEST, least[items] - 1, items - least[items] + 1)
        assert (at >= TEST.log_threshold).all()
        assert (below < TEST.log_threshold).all()
        none = np.flatnonzero(least == 301)
        assert (mixture.log_evidence(TEST, none, 0) < TEST.log_threshold).all()

    def test_first_pass_reads_the_path_as_the_evidence_does(self):
        boundary = mixture.mixture_boundary(TEST, 400)
        for seed in range(8):
            wins = path(245, 400, seed)
            assert boundary.first_pass(wins) == mixture.evidence(TEST, wins).passed_at

    def test_results_cannot_be_written_to(self):
        with pytest.raises(ValueError, match="read-only"):
            mixture.mixture_boundary(TEST, 10).least[3] = 0


class TestStopping:
    def test_mean_median_and_quantiles_of_a_known_law(self):
        """Passing at the first success is geometric."""
        course = stopping(Boundary(least=np.r_[41, np.ones(40, dtype=int)]), 0.25)
        assert course.chance[1:4] == pytest.approx([0.25, 0.1875, 0.140625])
        assert course.passes == pytest.approx(1 - 0.75**40)
        assert course.mean_items == pytest.approx((1 - 0.75**40) / 0.25)
        assert (course.median, course.quantile(0.9)) == (3, 9)
        assert course.quantile(0.999_999_9) is None
        assert str(course).startswith("passes with chance 1.0000 within 40 informative items, ")

    def test_a_point_estimate_at_stopping_is_too_good(self):
        """True F1 0.75 claimed at 0.7: the mean F1 among the labels at stopping is 0.768."""
        boundary = mixture.mixture_boundary(TEST, 12_000)
        chance = mixture.items_to_pass(TEST, share=0.6, horizon=12_000).chance
        share = boundary.least[1:] / np.arange(1, 12_001)
        assert chance[1:] @ (2 * share / (1 + share)) == pytest.approx(0.7684, abs=0.0001)


class TestOutlook:
    def test_it_is_the_chance_under_the_posterior(self):
        """Averaging exact chances over Beta(s + ½, f + ½) gives the same number."""
        boundary = mixture.mixture_boundary(TEST, 200)
        edges = np.linspace(0, 1, 4001)
        weight = np.diff(special.betainc(24.5, 16.5, edges))
        middles = (edges[1:] + edges[:-1]) / 2
        used = np.flatnonzero(weight > 1e-9)[::8]
        chance = np.interp(
            middles,
            middles[used],
            [stopping(boundary, m, successes=24, failures=16).passes for m in middles[used]],
        )
        found = mixture.outlook(TEST, successes=24, failures=16, budget=200)
        assert found.chance == pytest.approx(weight @ chance, abs=1e-4)

    def test_advice(self):
        hopeless = mixture.outlook(TEST, successes=40, failures=60, budget=300)
        hopeful = mixture.outlook(TEST, successes=65, failures=35, budget=300)
        assert hopeless.hopeless
        assert not hopeful.hopeless
        assert mixture.outlook(TEST, successes=80, failures=5, budget=300).chance == 1.0

    def test_a_belief_with_much_behind_it_is_a_known_share(self):
        boundary = mixture.mixture_boundary(TEST, 300)
        sure = stopping(boundary, Belief(successes=6e9, failures=4e9)).passes
        assert sure == pytest.approx(stopping(boundary, 0.6).passes, abs=1e-6)
