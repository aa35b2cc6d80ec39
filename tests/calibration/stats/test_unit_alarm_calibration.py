"""Alarms over units of scattering batches, by seeded simulation; each trap beside its remedy.

Counts are compared with their nominal rates by an exact binomial test at 1 in 10,000.
"""

import numpy as np
import pytest
from scipy import stats

from assaymark.stats.sequential.item_weighted_mean import UnitDraws, log_evidence
from assaymark.stats.sequential.unit_alarm import (
    AlarmRule,
    rings,
    wealth_path,
    wrong_excess,
)
from assaymark.triaging.stats.drift_audit import _wealth

FALSE_ALARM = 1e-4
ITEMS = 1000
RULES = {
    alarm: AlarmRule(alarm=alarm, risk=0.05, window=4 * ITEMS)
    for alarm in ("ever", "yearly", "average")
}


def scattered(rng, runs, units, accuracy, width):
    """Accuracies of batches: each at its mean plus or minus the width, at random."""
    return accuracy + width * rng.choice([-1, 1], (runs, units))


def wrong_draws(rng, accuracy, draws):
    """Wrong items among the draws of batches that realise these accuracies."""
    bad = rng.binomial(ITEMS, 1 - accuracy)
    return rng.hypergeometric(bad, ITEMS - bad, draws)


def rang(wrong, draws, rule, target=0.9):
    bets = wrong_excess(wrong, draws, ITEMS, largest=ITEMS, target=target)
    return (wealth_path(bets, np.full(wrong.shape[1], ITEMS), rule) >= rule.needed).any(axis=1)


def acceptable(count, runs, rate):
    return (
        stats.binomtest(int(count), runs, min(rate, 1), alternative="greater").pvalue > FALSE_ALARM
    )


@pytest.mark.parametrize("width", [0.0, 0.05, 0.08])
def test_five_hundred_scattering_units_keep_the_stated_rates(width):
    runs, units = 150, 500
    rng = np.random.default_rng(17)
    wrong = wrong_draws(rng, scattered(rng, runs, units, 0.9, width), 20)
    for alarm in ("ever", "average"):
        assert rang(wrong, 20, RULES[alarm]).mean() <= 0.05
    years = units / RULES["yearly"].year
    assert rang(wrong, 20, RULES["yearly"]).mean() <= 0.05 * years


def test_scattering_batches_rang_the_alarm_per_draw_far_too_often():
    """Why the alarm changed: 60 batches of 50 draws, accuracy 0.9 in the mean, ± .05 and ± .08."""
    runs, units, draws = 300, 60, 50
    for width, before in ((0.05, 0.18), (0.08, 0.5)):
        rng = np.random.default_rng(18)
        wrong = wrong_draws(rng, scattered(rng, runs, units, 0.9, width), draws)
        order = rng.random((runs, units, draws)).argsort(axis=2)
        flags = (order < wrong[:, :, None]).reshape(runs, -1)
        wealth, _ = _wealth(flags, 0.1)
        rate = (wealth >= 20).any(axis=1).mean()
        assert rate > before, rate
        for rule in RULES.values():
            assert rang(wrong, draws, rule).mean() <= 0.05 * max(1, units / 52)


def test_batches_all_right_or_all_wrong_keep_the_rate():
    runs, units = 1000, 60
    rng = np.random.default_rng(19)
    wrong = np.where(rng.random((runs, units)) < 0.1, 20, 0)
    assert rang(wrong, 20, RULES["ever"]).mean() <= 0.05


@pytest.mark.parametrize(
    ("after", "before", "units", "most"), [(0.85, 0.95, 140, 60), (0.8, 0.92, 60, 25)]
)
def test_a_fall_is_found_in_time(after, before, units, most):
    """Median units after the fall, 30 good ones first, 20 draws each."""
    runs = 200
    rng = np.random.default_rng(20)
    accuracy = np.where(np.arange(30 + units) < 30, before, after)
    wrong = wrong_draws(rng, np.broadcast_to(accuracy, (runs, 30 + units)), 20)
    bets = wrong_excess(wrong, 20, ITEMS, largest=ITEMS, target=0.9)
    delays = {}
    for alarm in ("ever", "yearly"):
        rule = RULES[alarm]
        above = wealth_path(bets, np.full(30 + units, ITEMS), rule) >= rule.needed
        first = np.where(above.any(axis=1), above.argmax(axis=1) + 1, 10**6)
        delays[alarm] = np.median(first) - 30
    assert delays["yearly"] < delays["ever"] <= most


# traps


def test_trap_more_draws_after_seeing_the_first():
    """Stopping at 10 draws where they look bad and going on to 50 otherwise: false in most runs."""
    runs, units = 200, 300
    rng = np.random.default_rng(21)
    first = rng.binomial(10, 0.1, (runs, units))
    more = rng.binomial(40, 0.1, (runs, units))
    steered = np.where(first >= 2, first / 10, (first + more) / 50) * 50
    honest = first + more
    assert rang(steered, 50, RULES["ever"]).mean() > 0.5
    assert rang(honest, 50, RULES["ever"]).mean() <= 0.05


def test_trap_stakes_that_change_with_time():
    """The average is kept throughout; high stakes on the bad half of each pair ring all the same."""
    runs, units = 200, 200
    rng = np.random.default_rng(22)
    accuracy = np.tile([0.98, 0.82], units // 2)
    wrong = wrong_draws(rng, np.broadcast_to(accuracy, (runs, units)), 50)
    bets = wrong_excess(wrong, 50, ITEMS, largest=ITEMS, target=0.9)
    sizes, rule = np.full(units, ITEMS), RULES["average"]
    changing = bets * np.tile([0.1, 1.0], units // 2)
    assert (wealth_path(changing, sizes, rule) >= 20).any(axis=1).mean() > 0.9
    assert (wealth_path(bets, sizes, rule) >= 20).any(axis=1).mean() <= 0.05


def test_trap_equal_weights_for_large_and_small_batches():
    """3,000 items at .925 and 1,000 at .825: items .90, mean of batches .875."""
    runs, units = 200, 120
    rng = np.random.default_rng(23)
    sizes = np.tile([3000, 1000], units // 2)
    accuracy = np.tile([0.925, 0.825], units // 2)
    bad = np.rint(sizes * (1 - accuracy)).astype(int)
    wrong = rng.hypergeometric(np.broadcast_to(bad, (runs, units)), sizes - bad, 20)
    rule = AlarmRule(alarm="ever", risk=0.05, window=8000)
    equal = wrong_excess(wrong, 20, 3000, largest=3000, target=0.9)
    own = wrong_excess(wrong, 20, sizes, largest=3000, target=0.9)
    assert (wealth_path(equal, sizes, rule) >= 20).any(axis=1).mean() > 0.3
    assert (wealth_path(own, sizes, rule) >= 20).any(axis=1).mean() <= 0.05


def test_trap_unclear_answers_counted_as_wrong():
    """.92 right among the decided, 4 % unclear, promised .90: only v = 1 rings, as a doubt."""
    runs, units, draws = 300, 60, 50
    rng = np.random.default_rng(24)
    unclear = rng.binomial(draws, 0.04, (runs, units))
    wrong = rng.binomial(draws - unclear, 0.08)
    rates = {v: rang(wrong + v * unclear, draws, RULES["ever"]).mean() for v in (0, 0.1, 1)}
    assert rates[0] <= rates[0.1] <= 0.05 < rates[1]


def test_trap_kept_that_weighs_draws():
    """Small batches at .95 and large ones at .88: .8975 of the items are right, most draws more."""
    runs, sizes = 60, [500, 1500] * 15
    rng = np.random.default_rng(25)
    said = 0
    for _ in range(runs):
        units = [_unit(rng, n, 0.95 if n == 500 else 0.88, 50) for n in sizes]
        said += log_evidence(units, above=0.9, spread=30) >= np.log(20)
    assert acceptable(said, runs, 0.05)


def _unit(rng, items, accuracy, draws):
    verdicts = np.arange(items) < round(items * accuracy)
    return UnitDraws(right=tuple(rng.choice(verdicts, draws, replace=False).tolist()), items=items)


def test_an_alarm_stays_though_the_average_recovers():
    bets = [3.0] * 6 + [-1.0] * 60
    early = rings(bets[:6], [ITEMS] * 6, RULES["ever"])
    assert early is not None
    assert rings(bets, [ITEMS] * 66, RULES["ever"]) == early
    assert wealth_path(bets, [ITEMS] * 66, RULES["average"])[0, -1] < 1
