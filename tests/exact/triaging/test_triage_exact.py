"""The promises of triage by enumeration: no randomness, no tolerance beyond rounding."""

import math

import numpy as np
import pytest
from scipy import stats

from assaymark.stats.labelled_scores import Labelled
from assaymark.triaging.stats.class_promises import certify_rates, order_statistic
from assaymark.triaging.stats.cutoffs import few_errors, few_errors_in_pool, fewest_labels
from assaymark.triaging.stats.drift_audit import (
    BETS,
    _wealth,
    kept_rates,
    start_shares,
)
from assaymark.triaging.stats.fixed_sequence import Region, walk
from assaymark.triaging.stats.sample_size import labels_to_pass
from assaymark.triaging.triage import Cutoffs

ROUNDING = 1e-12


@pytest.mark.parametrize("target", [0.8, 0.9, 0.95])
@pytest.mark.parametrize("items", [5, 22, 60, 200])
def test_a_single_test_passes_a_false_region_with_chance_at_most_its_level(target, items):
    errors = np.arange(items + 1)
    p = np.array([few_errors(int(e), items, 1 - target) for e in errors])
    assert p == pytest.approx(stats.binom.cdf(errors, items, 1 - target), abs=1e-12)
    for accuracy in (target, target - 0.01, target - 0.1):
        law = stats.binom.pmf(errors, items, 1 - accuracy)
        for level in (0.01, 0.05, 0.1):
            assert law[p <= level].sum() <= level + ROUNDING


INNER, OUTER = Cutoffs(low=None, high=2.0), Cutoffs(low=None, high=1.0)
PATH = (Region(share=0.5, cutoffs=INNER), Region(share=1.0, cutoffs=OUTER))


def _walked(inner, inner_wrong, outer, outer_wrong, target, delta):
    scores = np.repeat([2.0, 1.0], [inner, outer])
    labels = np.ones(inner + outer, bool)
    labels[:inner_wrong] = False
    labels[inner : inner + outer_wrong] = False
    steps = walk(
        Labelled(scores=scores, labels=labels),
        PATH,
        delta=delta,
        start=0,
        p_value=lambda _region, e, m: few_errors(e, m, 1 - target),
    )
    return [step.cutoffs for step in steps if step.passed][-1:]


@pytest.mark.parametrize(
    ("inner_accuracy", "outer_accuracy"),
    [(0.9, 0.9), (0.95, 0.84), (0.99, 0.7), (0.89, 0.95), (0.8, 0.8)],
)
def test_the_walk_breaks_its_promise_with_chance_at_most_delta(
    inner_accuracy, outer_accuracy, measured
):
    """Every outcome of 45 labels in the inner region and 40 in the ring around it, weighted."""
    inner, outer, target, delta = 45, 40, 0.9, 0.1
    whole = (inner * inner_accuracy + outer * outer_accuracy) / (inner + outer)
    broken = 0.0
    for wrong in range(16):
        for ring in range(16):
            kept = _walked(inner, wrong, outer, ring, target, delta)
            true = {INNER: inner_accuracy, OUTER: whole}
            # a region exactly at the target keeps the promise; just below is the same chance
            if kept and true[kept[0]] <= target + 1e-9:
                broken += stats.binom.pmf(wrong, inner, 1 - inner_accuracy) * stats.binom.pmf(
                    ring, outer, 1 - outer_accuracy
                )
    measured("triage-cut-offs", "exact: two regions, 85 labels", float(broken), nominal=delta)
    assert 0 < broken <= delta + ROUNDING


@pytest.mark.parametrize(("size", "items"), [(30, 12), (200, 60), (5000, 300)])
def test_draws_without_replacement_have_the_hypergeometric_law(size, items):
    for wrong in (1, size // 10, size // 3):
        for errors in (0, 1, items // 10, items // 4):
            known = stats.hypergeom.cdf(errors, size, wrong, items)
            assert few_errors_in_pool(errors, items, wrong=wrong, size=size) == pytest.approx(
                known, rel=1e-7, abs=1e-12
            )
    assert few_errors_in_pool(0, size, wrong=1, size=size) == 0
    assert few_errors_in_pool(3, size, wrong=3, size=size) == 1


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("items", [59, 100, 333])
def test_order_statistics_break_their_rate_with_chance_at_most_their_risk(rate, items):
    """FPR > rate exactly if k or more scores lie below the quantile: a binomial tail, for any law."""
    for risk in (0.05, 0.025):
        k = order_statistic(items, rate, risk)
        if k is None:
            assert stats.binom.sf(items - 1, items, 1 - rate) > risk
            continue
        assert stats.binom.sf(k - 1, items, 1 - rate) <= risk
        assert stats.binom.sf(k - 2, items, 1 - rate) > risk


def test_ties_are_why_the_rates_are_cut_strictly():
    """One tied score of 60 % of the irrelevant items: accepting "at least" it would accept them all."""
    rng = np.random.default_rng(42)
    negative = np.where(rng.random(400) < 0.6, 0.5, rng.random(400) / 2)
    data = Labelled(
        scores=np.concatenate([negative, 0.4 + 0.6 * rng.random(400)]),
        labels=np.repeat([False, True], 400),
    )
    found = certify_rates(data, target=0.9)
    assert found.cutoffs.high == math.nextafter(0.5, 1)
    assert found.tally.type_1 == 0


def test_the_planner_repeats_known_sizes():
    """Exact sizes for target .9, δ .1, 80 % power: first that passes, from where on all do."""
    known = {
        0.91: (3905, 4070),
        0.92: (932, 1017),
        0.93: (390, 446),
        0.95: (128, 152),
        0.97: (65, 78),
    }
    for accuracy, sizes in known.items():
        found = labels_to_pass(accuracy, target=0.9)
        assert (found.first, found.stable) == sizes
        assert found.fewest == 22 == fewest_labels(0.9, 0.1)
    assert order_statistic(58, 0.05, 0.05) is None
    assert order_statistic(59, 0.05, 0.05) == 59


# the audit


def test_the_alarm_s_stakes_sum_to_one_at_most_and_every_bet_is_fair_or_worse():
    assert start_shares(100_000).sum() < 1
    for target in (0.8, 0.9, 0.95, 0.99):
        null = 1 - target
        rates = 1 / (1 + np.exp(-(np.log(null / (1 - null)) + BETS)))
        for wrong in (null, null / 2, 0.0):
            mean = wrong * rates / null + (1 - wrong) * (1 - rates) / (1 - null)
            assert (mean <= 1 + ROUNDING).all()


def test_the_exact_false_alarm_of_short_audits():
    """All 2^16 outcomes of 16 draws at an accuracy of exactly the target 0.7, at confidence 0.7."""
    draws, target = 16, 0.7
    outcomes = (np.arange(2**draws)[:, None] >> np.arange(draws)) & 1
    wrong = outcomes.astype(bool)
    law = np.prod(np.where(wrong, 1 - target, target), axis=1)
    wealth, _ = _wealth(wrong, 1 - target)
    assert (law @ wealth[:, -1]) == pytest.approx(1, abs=1e-9)  # a martingale at the target
    assert law[(wealth >= 1 / 0.3).any(axis=1)].sum() <= 0.3


def rung(wrong, batches, target, level):
    """Which of these rows of draws, over batches of such sizes, set the alarm off."""
    parts = np.split(~wrong, np.cumsum(batches)[:-1], axis=1)
    rates = [
        kept_rates([part[row] for part in parts], batches, target=target)
        for row in range(len(wrong))
    ]
    wealth, _ = _wealth(wrong, np.array(rates))
    return wealth, (wealth >= 1 / level).any(axis=1)


def test_small_batches_audited_whole_ring_falsely_no_more_often_than_stated():
    """Every item of two batches is audited; a promise of 0.7, level 0.3.

    Kept in the long run: all outcomes of 6 and 6 independent items. Kept in each batch: all orders
    of 2 wrong ones among 8, which is the most that 0.7 allows.
    """
    target, level = 0.7, 0.3
    outcomes = ((np.arange(2**12)[:, None] >> np.arange(12)) & 1).astype(bool)
    law = np.prod(np.where(outcomes, 1 - target, target), axis=1)
    wealth, alarm = rung(outcomes, [6, 6], target, level)
    assert law @ wealth[:, -1] <= 1
    assert law[alarm].sum() <= level
    orders = outcomes[:256, :8][outcomes[:256, :8].sum(axis=1) == 2]
    both = np.concatenate([np.repeat(orders, 28, axis=0), np.tile(orders, (28, 1))], axis=1)
    wealth, alarm = rung(both, [8, 8], target, level)
    assert (wealth.mean(axis=0) <= 1 + 1e-12).all()
    assert alarm.mean() <= level
