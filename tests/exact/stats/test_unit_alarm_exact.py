"""Alarms over units by enumeration: every outcome of 3 to 5 small batches, no randomness."""

import functools
import itertools

import numpy as np
import pytest
from scipy import stats

from assaymark.errors import InputError
from assaymark.stats.sequential.item_weighted_mean import (
    UnitDraws,
    items_lower,
    log_evidence,
    readings,
)
from assaymark.stats.sequential.unit_alarm import (
    AlarmRule,
    accuracy_upper,
    rings,
    start_weights,
    wealth_path,
    wrong_excess,
)

RISKS = (0.1, 0.2, 0.4)
TARGET = 0.5  # small batches need a promise that they can sit exactly on
ROUNDING = 1e-9


@functools.cache
def cells():
    """Sizes and numbers wrong of 3 to 5 batches of 2 to 6 items, in every order of each choice."""
    choices = [
        ((2, 1), (4, 2), (6, 3)),
        ((2, 2), (2, 0), (6, 3)),
        ((6, 2), (3, 3), (3, 1)),
        ((6, 1), (2, 2), (4, 3)),
        ((5, 1), (5, 4), (2, 1)),
        ((3, 3), (3, 0), (4, 2)),
        ((2, 2), (2, 2), (6, 1), (2, 1)),
        ((4, 4), (4, 0), (2, 2), (2, 0)),
        ((3, 2), (3, 1), (4, 2), (2, 1)),
    ]
    found = {order for choice in choices for order in itertools.permutations(choice)}
    found |= {
        ((2, 2), (6, 2), (2, 2), (6, 2), (4, 2)),
        ((6, 3), (2, 0), (2, 2), (4, 2), (2, 1)),
        ((2, 2), (2, 2), (2, 2), (6, 1), (6, 2)),
        ((2, 2), (2, 2), (6, 0), (2, 1), (2, 1)),
        ((6, 0), (6, 6), (2, 1), (2, 1), (2, 1)),
    }
    return tuple(sorted(found))


@functools.cache
def outcomes(cell, reads):
    """Every outcome (numbers wrong among the draws of each batch), and its chance."""
    each, chances = [], []
    for items, wrong in cell:
        counts = np.arange(min(reads, items) + 1)
        each.append(counts)
        chances.append(stats.hypergeom(items, wrong, min(reads, items)).pmf(counts))
    table = np.array(list(itertools.product(*each)))
    law = np.array(list(itertools.product(*chances))).prod(axis=1)
    return table, law


def kept_windows(cell, window, alarm):
    """After each batch: is the promise kept in every window that the alarm counts?"""
    sizes = np.array([items for items, _ in cell])
    over = np.array([wrong - (1 - TARGET) * items for items, wrong in cell])
    found = []
    for t in range(len(cell)):
        starts = [0] if alarm == "average" else range(t + 1)
        windows = [
            over[s : t + 1].sum()
            for s in starts
            if (s == 0 and alarm != "yearly") or sizes[s : t + 1].sum() >= window
        ]
        found.append(all(value <= ROUNDING for value in windows))
    return np.array(found)


def false_alarm(cell, reads, rule, excess_of):
    """The chance of an alarm at a moment at which the promise is kept in every counted window."""
    table, law = outcomes(cell, reads)
    sizes = np.array([items for items, _ in cell])
    wealth = wealth_path(excess_of(table, sizes, reads), sizes, rule)
    return law[((wealth >= rule.needed) & kept_windows(cell, rule.window, rule.alarm)).any(1)].sum()


def weighted(table, sizes, reads):
    return wrong_excess(table, np.minimum(reads, sizes), sizes, largest=6, target=TARGET)


def unweighted(table, sizes, reads):
    return table / np.minimum(reads, sizes) / (1 - TARGET) - 1


def worst(rule, excess_of):
    return max(false_alarm(cell, reads, rule, excess_of) for cell in cells() for reads in (1, 2))


@pytest.mark.parametrize("alarm", ["ever", "average"])
@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("window", [2, 8])
def test_no_composition_of_batches_rings_falsely_more_often_than_stated(
    alarm, risk, window, measured
):
    rule = AlarmRule(alarm=alarm, risk=risk, window=window)
    found = worst(rule, weighted)
    measured("audit-alarm", f"adversary: composes batches, alarm {alarm}", found, nominal=risk)
    assert found <= risk + ROUNDING


@pytest.mark.parametrize("risk", [0.5, 0.9])
@pytest.mark.parametrize("window", [2, 8])
@pytest.mark.parametrize("alarm", ["ever", "average"])
def test_large_risks_and_bold_stakes_come_close_to_the_limit_but_not_over_it(
    alarm, risk, window, measured
):
    rule = AlarmRule(alarm=alarm, risk=risk, window=window, stakes=(0.9,))
    found = worst(rule, weighted)
    measured("audit-alarm", f"adversary: bold stakes, alarm {alarm}", found, nominal=risk)
    assert found <= risk + ROUNDING


@pytest.mark.parametrize("year", [2, 5])
@pytest.mark.parametrize("risk", [0.2, 0.5])
def test_yearly_alarms_are_false_at_most_in_proportion_to_the_units(year, risk):
    rule = AlarmRule(alarm="yearly", risk=risk, window=4, year=year)
    for cell in cells():
        for reads in (1, 2):
            assert false_alarm(cell, reads, rule, weighted) <= risk * len(cell) / year + ROUNDING


def test_a_build_without_weights_is_caught():
    """Small bad batches against large good ones: kept by items, broken by batches."""
    rule = AlarmRule(alarm="average", risk=0.3, window=1, stakes=(0.9,))
    assert worst(rule, unweighted) > 0.3 * 1.25
    assert worst(rule, weighted) <= 0.3 * 0.5


def test_a_build_with_stakes_that_change_is_caught():
    """A high stake on the bad first batch and a low one on the good ones after it."""

    def changing(table, sizes, reads):
        return weighted(table, sizes, reads) * np.where(np.arange(len(sizes)) % 2, 0.01, 1.0)

    rule = AlarmRule(alarm="average", risk=0.5, window=1, stakes=(0.9,))
    assert worst(rule, changing) > 0.5 * 1.9
    assert worst(rule, weighted) <= 0.5


def test_a_named_window_is_proved_no_more_often_than_stated():
    """The window that the alarm calls proved is truly broken, but for the risk."""
    rule = AlarmRule(alarm="ever", risk=0.4, window=2, stakes=(0.9,))
    for cell in cells():
        table, law = outcomes(cell, 2)
        sizes = [items for items, _ in cell]
        bets = weighted(table, np.array(sizes), 2)
        wrongly = 0.0
        for row, chance in zip(bets, law, strict=True):
            rang = rings(row.tolist(), sizes, rule)
            if rang and rang.proved:
                inside = cell[rang.since - 1 : rang.unit]
                share = sum(w for _, w in inside) / sum(n for n, _ in inside)
                wrongly += chance * (share <= 1 - TARGET)
        assert wrongly <= 0.4 + ROUNDING


def test_the_starts_weigh_one_in_all():
    assert start_weights(4000).sum() < 1
    assert start_weights(10**6).sum() == pytest.approx(1, abs=0.03)
    assert (start_weights(50) > 0).all()


def test_replay_and_unit_by_unit_agree():
    rng = np.random.default_rng(5)
    sizes = rng.integers(2, 7, 40)
    bets = wrong_excess(rng.integers(0, 3, 40), 2, sizes, largest=6, target=TARGET)
    for alarm in ("ever", "yearly", "average"):
        rule = AlarmRule(alarm=alarm, risk=0.05, window=10)
        whole = wealth_path(bets, sizes, rule)[0]
        steps = [wealth_path(bets[:t], sizes[:t], rule)[0, -1] for t in range(1, 41)]
        assert whole.tolist() == steps
        first = rings(bets.tolist(), sizes.tolist(), rule)
        above = np.flatnonzero(whole >= rule.needed)
        assert (first.unit if first else None) == (above[0] + 1 if len(above) else None)


def test_evidence_grows_with_what_an_unclear_answer_counts_for():
    wrong, unclear = np.array([1, 0, 2, 1]), np.array([1, 2, 0, 1])
    sizes = np.array([6, 4, 5, 6])
    for alarm in ("ever", "yearly", "average"):
        rule = AlarmRule(alarm=alarm, risk=0.05, window=8)
        paths = [
            wealth_path(
                wrong_excess(wrong + v * unclear, 4, sizes, largest=6, target=0.8), sizes, rule
            )
            for v in (0, 0.2, 1)
        ]
        assert (np.diff(paths, axis=0) >= 0).all()


def test_windows_under_the_least_size_count_nothing():
    """Not even as the stake kept back: only the start at the first unit is left."""
    rule = AlarmRule(alarm="ever", risk=0.05, window=1000)
    bets = [-0.5, 1.0, 1.0]
    first = AlarmRule(alarm="average", risk=0.05, window=1000)
    assert wealth_path(bets, [6, 6, 6], rule) == pytest.approx(
        wealth_path(bets, [6, 6, 6], first) / 2
    )
    yearly = AlarmRule(alarm="yearly", risk=0.05, window=18)
    assert wealth_path(bets, [6, 6, 6], yearly)[0, :2].tolist() == [0, 0]


def test_a_unit_above_the_sealed_size_is_refused():
    with pytest.raises(InputError, match=r"larger than the largest one that was sealed, 6\."):
        wrong_excess([1], [2], [7], largest=6, target=0.8)


def test_the_upper_limit_is_where_the_average_is_refuted():
    wrong, sizes = np.array([5, 6, 7, 8]), np.full(4, 100)
    high = accuracy_upper(wrong, 20, sizes, largest=100, risk=0.05)
    rule = AlarmRule(alarm="average", risk=0.05, window=1)
    for target, refuted in ((high + 0.01, True), (high - 0.01, False)):
        bets = wrong_excess(wrong, 20, sizes, largest=100, target=target)
        assert (wealth_path(bets, sizes, rule)[0, -1] >= 20) == refuted


def orders(items, right, reads):
    """Every order in which `reads` of the unit's items can come, all equally likely."""
    verdicts = [True] * right + [False] * (items - right)
    return [tuple(verdicts[i] for i in order)
            for order in itertools.permutations(range(items), reads)]  # fmt: skip


def test_a_reading_has_the_accuracy_of_the_unit_as_its_mean():
    for items, right in ((4, 1), (5, 3), (6, 6)):
        values = [readings(UnitDraws(right=o, items=items)) for o in orders(items, right, 3)]
        assert np.mean(values, axis=0) == pytest.approx(right / items)


@pytest.mark.parametrize("cell", [((2, 2), (6, 2)), ((6, 2), (2, 2)), ((2, 2), (2, 2), (6, 1)),
                                  ((4, 4), (6, 1)), ((3, 3), (3, 0), (4, 2))])  # fmt: skip
def test_kept_is_said_wrongly_no_more_often_than_stated(cell, measured):
    """At every look: "at least a of the items so far are right" for a fixed a, by enumeration."""
    level, reads = 0.3, 2
    every = [orders(items, right, reads) for items, right in cell]
    sizes, good = np.cumsum([n for n, _ in cell]), np.cumsum([r for _, r in cell])
    for above in sorted({*(good / sizes), 0.5}):
        wrongly = 0
        for path in itertools.product(*every):
            units = [UnitDraws(right=o, items=n) for o, (n, _) in zip(path, cell, strict=True)]
            wrongly += any(
                good[t] / sizes[t] <= above + ROUNDING
                and log_evidence(units[: t + 1], above=above, spread=3) >= -np.log(level)
                for t in range(len(cell))
            )
        found = float(wrongly / np.prod([len(e) for e in every]))
        measured("audit-kept", "exact: every order of small batches", found, nominal=level)
        assert found <= level


def test_kept_needs_enough_draws_of_every_unit():
    with pytest.raises(InputError, match="2 draws of 9 items are fewer than one in 3"):
        items_lower([UnitDraws(right=(True, True), items=9)], spread=3, confidence=0.95)
    assert items_lower([], spread=3, confidence=0.95) == 0
    assert items_lower([UnitDraws(right=(False,) * 3, items=9)], spread=3, confidence=0.95) == 0
    sure = [UnitDraws(right=(True,) * 50, items=150)] * 5
    assert items_lower(sure, spread=3, confidence=0.95) > 0.95
