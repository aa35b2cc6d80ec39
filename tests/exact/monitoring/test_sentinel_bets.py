"""Sentinels by enumeration: the line of each bar, unbiased excesses, and false alarms."""

import itertools

import numpy as np
import pytest
from scipy import stats

from assaymark.claims.claim import Counts
from assaymark.claims.ratio_metrics import metric
from assaymark.errors import InputError
from assaymark.monitoring.stats.sentinel_bets import (
    METRICS,
    STAKES,
    Bar,
    StratumSeen,
    UnitPlan,
    expected_falls,
    unit_excess,
)
from assaymark.stats.sequential.unit_alarm import AlarmRule, wealth_path

# a unit as items and relevant ones of: predicted positive, doubtful negatives, clear negatives
UNITS = (((4, 3), (3, 1), (4, 0)), ((2, 1), (2, 1), (2, 0)), ((4, 4), (4, 2), (2, 0)),
         ((3, 0), (2, 0), (3, 1)))  # fmt: skip


def true_counts(units):
    tp = sum(u[0][1] for u in units)
    fp = sum(u[0][0] - u[0][1] for u in units)
    fn = sum(u[1][1] + u[2][1] for u in units)
    return Counts(tp=tp, fp=fp, fn=fn, tn=sum(n for u in units for n, _ in u) - tp - fp - fn)


def seen(unit, relevant, draws=1):
    return [
        StratumSeen(predicted=k == 0, items=n, relevant=r, irrelevant=draws - r)
        for k, ((n, _), r) in enumerate(zip(unit, relevant, strict=True))
    ]


def outcomes(unit, bar, largest):
    """Every outcome of one draw per stratum: its excess and its chance."""
    found = []
    for relevant in itertools.product((0, 1), repeat=3):
        law = [stats.hypergeom(n, r, 1).pmf(k) for (n, r), k in zip(unit, relevant, strict=True)]
        found.append((unit_excess(seen(unit, relevant), bar, largest=largest), float(np.prod(law))))
    return found


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("target", [0.4, 0.6, 0.8])
def test_an_excess_is_unbiased_and_its_sign_is_the_bar(name, target):
    bar = Bar(metric=name, target=target)
    largest = bar.least(4, 11)
    for unit in UNITS:
        mean = sum(value * chance for value, chance in outcomes(unit, bar, largest))
        truth = np.dot(bar.cells, true_counts([unit]).cells) / largest
        assert mean == pytest.approx(truth, abs=1e-12)
        ratio = metric(name)
        below = float(np.dot(ratio.denominator, true_counts([unit]).cells))
        above = float(np.dot(ratio.numerator, true_counts([unit]).cells))
        assert (above >= target * below - 1e-9) == (truth <= 1e-12)


def kept_windows(over, alarm, window):
    """After each unit: whether the bar is kept in every window of units that the alarm counts."""
    kept = []
    for end in range(1, len(over) + 1):
        starts = [0] if alarm == "average" else range(end)
        counted = [s for s in starts if (s == 0 and alarm != "yearly") or end - s >= window]
        kept.append(all(sum(over[s:end]) <= 1e-9 for s in counted))
    return np.array(kept)


@pytest.mark.parametrize("alarm", ["ever", "yearly", "average"])
@pytest.mark.parametrize("name", METRICS)
def test_a_bar_kept_rings_falsely_no_more_often_than_stated(name, alarm, measured):
    """Four units in every order, at a bar that all of them together sit exactly on."""
    ratio, counts = metric(name), true_counts(UNITS).cells
    target = float(np.dot(ratio.numerator, counts) / np.dot(ratio.denominator, counts))
    bar = Bar(metric=name, target=target)
    largest = bar.least(4, 11)
    parts = {unit: outcomes(unit, bar, largest) for unit in UNITS}
    for order in itertools.permutations(UNITS):
        bets, laws = (
            np.array(list(itertools.product(*([pair[k] for pair in parts[u]] for u in order))))
            for k in (0, 1)
        )
        law = laws.prod(axis=1)
        over = [np.dot(bar.cells, true_counts([unit]).cells) for unit in order]
        for risk, window in itertools.product((0.2, 0.5), (1, 2)):
            rule = AlarmRule(alarm=alarm, risk=risk, window=11 * window, year=4, stakes=(0.9,))
            wealth = wealth_path(bets, [11] * 4, rule)
            kept = kept_windows(over, alarm, window)
            found = float(law[((wealth >= rule.needed) & kept).any(axis=1)].sum())
            where = f"exact: {name}, four units in every order, {alarm}"
            measured("sentinel-alarm", where, found, nominal=risk)
            assert found <= risk + 1e-9


def test_unclear_items_count_for_the_classifier_and_in_doubt_against_it():
    bar = Bar(metric="f1", target=0.8)
    unit = [StratumSeen(predicted=True, items=10, relevant=3, irrelevant=1, unclear=1),
            StratumSeen(predicted=False, items=50, relevant=0, irrelevant=4, unclear=1)]  # fmt: skip
    assert unit_excess(unit, bar, largest=4.0) < unit_excess(unit, bar, largest=4.0, doubt=True)


def test_what_no_alarm_can_rest_on_is_refused():
    bar = Bar(metric="recall", target=0.8)
    none = StratumSeen(predicted=False, items=5, relevant=0, irrelevant=0)
    with pytest.raises(InputError, match="at least one draw"):
        unit_excess([none], bar, largest=1.0)
    big = StratumSeen(predicted=True, items=50, relevant=2, irrelevant=0)
    with pytest.raises(InputError, match="larger than the largest"):
        unit_excess([big], bar, largest=bar.least(10, 10))
    with pytest.raises(InputError):
        Bar(metric="kappa", target=0.8)


def test_larger_falls_are_noticed_sooner_and_small_ones_may_not_be():
    bar = Bar(metric="f1", target=0.8)
    unit = UnitPlan(positives=700, others=(1400, 11_900), draws=(15, 12, 8))
    rule = AlarmRule(alarm="yearly", risk=0.05, window=56_000, stakes=STAKES)
    falls = expected_falls(
        bar, unit, rule, largest=bar.least(700, 14_000), rng=np.random.default_rng(1), runs=40
    )
    assert [one.level for one in falls] == [0.75, 0.7, 0.65]
    assert falls[2].median is not None
    assert falls[0].median is None or falls[0].median > falls[2].median
