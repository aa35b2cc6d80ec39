"""False acceptance of the sequential modes, by adding up every path: no randomness."""

import itertools

import numpy as np
import pytest
from scipy import special

from assaymark.claims.claim import Claim
from assaymark.stats.sequential import alpha_spending as spending
from assaymark.stats.sequential import beta_mixture as mixture
from assaymark.stats.sequential.stopping_boundary import Boundary, stopping

F1_AT_70 = Claim(metric="f1", side="lower", target=0.7)
NULL = 0.7 / 1.3
HORIZON = 3000


def fixed_boundary(null_share, levels):
    """Least c with P(Binomial(m, null_share) >= c) <= levels[m], for each m on its own."""
    items = np.arange(len(levels))
    low, high = np.zeros_like(items), items + 1
    while (high - low > 1).any():
        middle = (low + high) // 2
        tail = special.betainc(np.maximum(middle, 1), np.maximum(items - middle + 1, 1), null_share)
        passes, open_ = tail <= levels, high - low > 1
        high = np.where(open_ & passes, middle, high)
        low = np.where(open_ & ~passes, middle, low)
    return Boundary(least=np.where(high > items, len(levels), high))


def test_a_fixed_bound_looked_at_after_every_item_is_wrong_in_40_of_100_cases():
    naive = fixed_boundary(NULL, np.full(HORIZON + 1, 0.05))
    assert stopping(naive, NULL).passes == pytest.approx(0.400, abs=0.0005)


def test_the_anytime_test_keeps_its_promise_over_3000_looks():
    test = mixture.mixture_test(F1_AT_70, confidence=0.95)
    assert mixture.false_acceptance(test, horizon=HORIZON) == pytest.approx(0.0411, abs=0.00005)


def test_the_budget_test_spends_nearly_all_it_may(measured):
    test = spending.spending_test(F1_AT_70, confidence=0.95, planned=HORIZON)
    found, world = spending.false_acceptance(test), "exact: budget of 3,000, looks on the way"
    measured("simple-sample-at-every-look", world, found, nominal=0.05)
    assert found == pytest.approx(0.04996, abs=0.000005)


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.999])
@pytest.mark.parametrize(
    ("metric", "side", "target"),
    [
        ("f1", "lower", 0.05),
        ("f1", "lower", 0.7),
        ("f1", "lower", 0.95),
        ("precision", "lower", 0.9),
        ("prevalence", "lower", 0.001),
        ("elusion", "upper", 0.002),
        ("f1", "upper", 0.6),
        ("recall", "upper", 0.99),
    ],
)
def test_the_anytime_test_never_exceeds_its_error(metric, side, target, confidence, measured):
    claim = Claim(metric=metric, side=side, target=target)
    test = mixture.mixture_test(claim, confidence=confidence)
    found, world = mixture.false_acceptance(test, horizon=1500), "exact: a look after each of 1,500"
    measured("simple-sample-at-every-look", world, found, nominal=1 - confidence)
    assert found <= 1 - confidence


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.53])
def test_a_worse_classifier_passes_less_often_than_one_at_the_target(share):
    test = mixture.mixture_test(F1_AT_70, confidence=0.95)
    worse = mixture.items_to_pass(test, share=share, horizon=HORIZON).passes
    assert worse < mixture.false_acceptance(test, horizon=HORIZON)


@pytest.mark.parametrize("error", [0.001, 0.05, 0.2])
@pytest.mark.parametrize("target", [0.02, 0.3, 0.7, 0.95])
@pytest.mark.parametrize(
    ("planned", "schedule"),
    [
        (1, {}),
        (25, {}),
        (400, {}),
        (400, {"look_every": 10}),
        (403, {"look_every": 10}),
        (400, {"looks": (7, 8, 100, 399)}),
        (1000, {"look_every": 1000}),
        (1500, {}),
    ],
)
def test_the_budget_test_never_exceeds_its_error(error, target, planned, schedule):
    test = spending.SpendingTest(
        null_share=target / (2 - target), confidence=1 - error, planned=planned, **schedule
    )
    spent = np.cumsum(spending.items_to_pass(test, share=test.null_share).chance)
    allowed = error * np.arange(planned + 1) / planned
    assert (spent[list(test.schedule)] <= allowed[list(test.schedule)]).all()


def test_one_look_at_the_end_is_the_fixed_exact_test():
    test = spending.SpendingTest(null_share=NULL, confidence=0.95, planned=656, look_every=656)
    fixed = fixed_boundary(NULL, np.full(657, 0.05))
    assert spending.spending_boundary(test).least[656] == fixed.least[656]


def test_recomputing_the_boundary_on_chosen_looks_breaks_the_promise():
    """Whoever may take a first look exactly when it passes gets 14.6 %, not 5 %.

    With no look on record a recomputed boundary at m spends all of 0.05·m/M at once. So the
    user waits, unseen, until the fixed test at level 0.05·m/M passes, and only then looks.
    """
    cheat = fixed_boundary(NULL, 0.05 * np.arange(HORIZON + 1) / HORIZON)
    assert stopping(cheat, NULL).passes == pytest.approx(0.1460, abs=0.0001)


def test_a_milder_choice_of_looks_breaks_it_too():
    """Even one extra chance does: 5.9 % for skipping the look at M/2 unless it would pass."""
    sealed = spending.SpendingTest(null_share=NULL, confidence=0.95, planned=600, looks=(300, 600))
    early = fixed_boundary(NULL, 0.05 * np.arange(601) / 600).least[300]
    late = fixed_boundary(NULL, np.full(601, 0.05)).least[600]
    least = np.full(601, 601)
    least[300], least[600] = early, late
    assert stopping(Boundary(least=least), NULL).passes == pytest.approx(0.0595, abs=0.00005)
    assert spending.false_acceptance(sealed) <= 0.05


def test_the_sealed_schedule_is_immune_to_every_choice_of_looks():
    """All 1,024 paths: the best a foreseeing user can do is what the plan already counted."""
    test = spending.SpendingTest(null_share=0.5, confidence=0.8, planned=10)
    weight = 0.0
    for path in itertools.product((False, True), repeat=10):
        answers = [spending.crossing(test, path[:seen]).passed for seen in range(11)]
        assert answers == sorted(answers)  # once passed it stays passed, whoever looked when
        weight += any(answers) * 0.5**10
    assert weight == pytest.approx(spending.false_acceptance(test), abs=1e-12)
    assert weight <= 0.2


def test_the_exact_chances_agree_with_enumeration_of_all_paths():
    test = mixture.MixtureTest(null_share=0.4, alternative_share=0.8, confidence=0.9)
    chance = np.zeros(13)
    for path in itertools.product((0, 1), repeat=12):
        first = mixture.evidence(test, path).passed_at
        if first is not None:
            chance[first] += 0.6 ** sum(path) * 0.4 ** (12 - sum(path))
    exact = mixture.items_to_pass(test, share=0.6, horizon=12)
    assert exact.chance == pytest.approx(chance, abs=1e-13)
    assert exact.passes > 0.1


@pytest.fixture(scope="module")
def bounds():
    """The lower bound by itself for every (items, successes) up to 160 items; 0 elsewhere."""
    test = mixture.mixture_test(F1_AT_70, confidence=0.95)
    items, successes = np.tril_indices(161)
    table = np.zeros((161, 161))
    table[items, successes] = mixture._refuted(test, successes, items - successes)
    return table


@pytest.mark.parametrize("share", [0.02, 0.3, NULL, 0.6, 0.75, 0.97])
def test_the_confidence_sequence_covers_every_true_share(bounds, share):
    """P(a lower bound among the first 160 exceeds the truth) <= 5 %, below and above the aim."""
    above = bounds > share
    least = np.where(above.any(axis=1), above.argmax(axis=1), 161)
    assert stopping(Boundary(least=least), share).passes <= 0.05
