"""Sentinels of an F1 of exactly the bar, weeks that scatter: false alarms over 500 units."""

import numpy as np
import pytest

from assaymark.monitoring.stats.sentinel_bets import STAKES, Bar
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


@pytest.mark.parametrize("scatter", [0.0, 0.5])
def test_five_hundred_weeks_at_the_bar_keep_the_stated_rates(scatter, measured):
    runs, units = 80, 500
    found = bets(np.random.default_rng(6), runs, units, precision=0.8, missed=140, scatter=scatter)
    for alarm, most in (("average", 0.05), ("ever", 0.05), ("yearly", 0.05 * units / 52)):
        rule = AlarmRule(alarm=alarm, risk=0.05, window=56_000, stakes=STAKES)
        rang = (wealth_path(found, np.full(units, 14_000), rule) >= rule.needed).any(axis=1)
        where = f"made: 500 weeks at the bar, {alarm}"
        measured("sentinel-alarm", where, int(rang.sum()), nominal=min(1.0, most), runs=runs)
        assert rang.mean() <= most, alarm


def test_a_fall_is_noticed():
    """F1 .70 against a bar of .80 from the first week on: precision .7, 210 of 700 relevant missed."""
    rule = AlarmRule(alarm="yearly", risk=0.05, window=56_000, stakes=STAKES)
    found = bets(np.random.default_rng(7), 60, 60, precision=0.7, missed=210, scatter=0.0)
    rang = (wealth_path(found, np.full(60, 14_000), rule) >= rule.needed).any(axis=1)
    assert rang.mean() > 0.9
