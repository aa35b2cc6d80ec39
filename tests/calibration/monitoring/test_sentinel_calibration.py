"""Sentinels of an F1 of exactly the bar, weeks that scatter: false alarms over 500 units."""

import numpy as np
import pytest

from assaymark.monitoring.stats.sentinel_bets import STAKES, Bar, UnitPlan, simulated_excess
from assaymark.stats.sequential.unit_alarm import AlarmRule, wealth_path

BAR = Bar(metric="f1", target=0.8)
SIZES, DRAWS = (700, 1400, 11_900), (15, 12, 8)


def bets(rng, runs, units, *, precision, missed, scatter):
    """Excesses of weeks with so much precision and so many misses, four fifths near the threshold."""
    tp, fp, fn, tn = BAR.cells
    luck = 1 + scatter * rng.choice([-1, 1], (runs, units))
    rates = ((1 - precision) * luck, missed * 0.8 / 1400 * luck, missed * 0.2 / 11_900 * luck)
    total = np.zeros((runs, units))
    for number, (size, draws, rate) in enumerate(zip(SIZES, DRAWS, rates, strict=True)):
        good, bad = (tp, fp) if number == 0 else (tn, fn)
        wrong = rng.binomial(draws, rate)
        total += size / draws * (wrong * bad + (draws - wrong) * good)
    return np.maximum(total / BAR.least(700, 14_000), -1)


def rang(excess, alarm):
    """Which runs rang within their weeks, a few runs at a time: every start is followed."""
    rule = AlarmRule(alarm=alarm, risk=0.05, window=56_000, stakes=STAKES)
    parts = np.array_split(excess, max(1, len(excess) // 40))
    items = np.full(excess.shape[1], 14_000)
    return np.concatenate(
        [(wealth_path(part, items, rule) >= rule.needed).any(axis=1) for part in parts]
    )


@pytest.mark.parametrize("runs", [120, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("alarm", ["ever", "yearly", "average"])
@pytest.mark.parametrize(("scatter", "weeks"), [(0.0, "alike"), (0.5, "that scatter by half")])
def test_five_hundred_weeks_at_the_bar_keep_the_stated_rates(runs, alarm, scatter, weeks, measured):
    """The stated rate is 5 % in all, for `yearly` 5 % × 500/52 years."""
    units = 500
    most = 0.05 * units / 52 if alarm == "yearly" else 0.05
    found = bets(np.random.default_rng(6), runs, units, precision=0.8, missed=140, scatter=scatter)
    wrong = int(rang(found, alarm).sum())
    where = f"made: 500 weeks {weeks} at the bar, {alarm}"
    measured("sentinel-alarm", where, wrong, nominal=most, runs=runs)
    assert wrong / runs <= most


def test_a_fall_is_noticed():
    """F1 .70 against a bar of .80 from the first week on: precision .7, 210 of 700 relevant missed."""
    found = bets(np.random.default_rng(7), 60, 60, precision=0.7, missed=210, scatter=0.0)
    assert rang(found, "yearly").mean() > 0.9


@pytest.mark.parametrize(
    ("metric", "good", "bad", "precision", "alarm", "median"),
    [
        ("f1", 0.88, 0.70, None, "ever", 36),
        ("f1", 0.88, 0.70, None, "yearly", 24),
        ("recall", 0.86, 0.60, 0.86, "yearly", 12),
    ],
)
def test_falls_are_noticed_as_soon_as_a_separate_simulation_found(
    metric, good, bad, precision, alarm, median
):
    """Medians of 600 runs of another program; with 200 runs their standard error is about a week."""
    bar, rng = Bar(metric=metric, target=0.8), np.random.default_rng(12)
    unit = UnitPlan(positives=700, others=(1400, 11_900), draws=DRAWS)
    levels = np.where(np.arange(90) < 30, good, bad)
    largest = bar.least(700, 14_000)
    weeks = [simulated_excess(bar, unit, m, largest, 200, rng, precision) for m in levels]
    rule = AlarmRule(alarm=alarm, risk=0.05, window=56_000, stakes=STAKES)
    rings = wealth_path(np.stack(weeks, axis=1), np.full(90, 14_000), rule) >= rule.needed
    first = np.where(rings.any(axis=1), rings.argmax(axis=1) + 1 - 30, np.inf)
    assert abs(np.median(first) - median) <= 3
