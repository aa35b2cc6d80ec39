"""Rulings that look alike and are not: bets that are fair, weighed exactly, against wrong builds.

Every bet here is all or nothing: a wealth goes from 1 to a goal with the chance 1/goal, so that an
adversary who chooses goals and order gets the most out of a rule.
"""

import math
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np

from assaymark.claims.language.tree import Figure
from assaymark.composite.judging import _statement_times
from assaymark.composite.planning.comparing import comparison_statements
from assaymark.composite.shared_risk.stakes import level_of_comparison
from assaymark.stats.betting.rulings import _reached, log_mean, names

LOST = -40.0


def named(rows, level):
    """Whether any of these rows, all of them false, is named at the end."""
    log = np.array(rows)
    ready = np.ones((len(log), log.shape[1] + 1), dtype=bool)
    found = names(log, level=-math.log(level), ready=ready, sure=np.zeros_like(ready))
    return bool(found[:, -1].any())


def risk_of_names(level, goals, *, dropped):
    """Two false groups, the second bet on after the first was read whole and found to fail."""
    first, second = goals
    total = 0.0
    for won, chance in ((True, 1 / first), (False, 1 - 1 / first)):
        for then, share in ((True, 1 / second), (False, 1 - 1 / second)):
            a = [math.log(first) if won else LOST] * 2
            b = [0.0, math.log(second) if then else LOST]
            rows = [b] if dropped and not won else [a, b]
            total += chance * share * named(rows, level)
    return total


def test_a_group_that_failed_stays_in_the_family():
    """Dropped, the others would be named too cheaply: 1.5 times the level."""
    level = 0.2
    goals = [1 / level, 2 / level]
    pairs = [(x, y) for x in goals for y in goals]
    assert max(risk_of_names(level, pair, dropped=False) for pair in pairs) <= level
    wrong = max(risk_of_names(level, pair, dropped=True) for pair in pairs)
    assert wrong > 1.4 * level


def refuted(rows, level, *, maxima):
    log = np.array(rows)
    if maxima:
        log = np.maximum.accumulate(log, axis=1)
    return bool(_reached(log_mean(log), -math.log(level))[-1])


def risk_of_refuting(level, *, maxima):
    """A true claim of two parts: the first mirror doubles until it has lost all, or refutes.

    The second mirror then plays for what is missing to the sum that the rule asks for.
    """
    goal = 2 / level
    total, chance, wealth, way = 0.0, 1.0, 1.0, [0.0]
    while wealth < goal:
        highest = wealth if maxima else 0.0
        missing = goal - highest
        lost = [[*way, LOST, LOST], [0.0] * len(way) + [0.0, math.log(missing) + 1e-12]]
        total += chance / 2 / missing * refuted(lost, level, maxima=maxima)
        chance, wealth = chance / 2, 2 * wealth
        way = [*way, math.log(wealth) + 1e-12]
    return total + chance * refuted([way, [0.0] * len(way)], level, maxima=maxima)


def test_mirrors_refute_by_their_mean_at_the_same_time():
    """The mean of the highest wealths so far is no fair bet."""
    level = 0.25
    assert 0 < risk_of_refuting(level, maxima=False) <= level
    assert risk_of_refuting(level, maxima=True) > level


def risk_of_offsets(level, *, chained):
    """The chance that a false offset is stated: each false row is a bet of its own, all or nothing.

    Both classifiers are equally good, so "b is better" and every harder offset of b is false.
    """
    figure = Figure(metric="accuracy")
    statements = comparison_statements(figure, None, Fraction(1, 10), "better")
    sealed = SimpleNamespace(
        statements=statements, chained=chained, row_numbers=[(i,) for i in range(len(statements))]
    )
    false = [i for i, one in enumerate(statements) if one.offset >= 0]
    refuted = np.zeros((len(statements), 1), dtype=bool)
    total = 0.0
    for won in product((True, False), repeat=len(false)):
        lost = {i for i, wins in zip(false, won, strict=True) if not wins}
        path = SimpleNamespace(
            certainty=SimpleNamespace(refuted=refuted),
            passed_at=[None if i in lost else 1 for i in range(len(statements))],
        )
        times = _statement_times(sealed, path)
        if any(times["b", statements[i].offset] is not None for i in false):
            total += math.prod(level if wins else 1 - level for wins in won)
    return total


def test_an_offset_counts_only_with_every_easier_one():
    """The printed gap is free because the first false offset must have passed too."""
    assert math.isclose(risk_of_offsets(0.05, chained=True), 0.05)
    assert risk_of_offsets(0.05, chained=False) > 3 * 0.05


def test_better_and_worse_share_the_risk():
    """Of a tie both are false, and their bets win on opposite labels: never at the same time."""
    for metric in ("accuracy", "recall", "f1"):
        assert 2 * level_of_comparison(0.05, metric, None, None) == 0.05
        assert level_of_comparison(0.05, metric, None, "better") == 0.05
    # "better" and "not worse" are two statements where no chain makes one wait for the other
    margin = Fraction(1, 10)
    assert level_of_comparison(0.05, "accuracy", margin, "better") == 0.05
    assert level_of_comparison(0.05, "recall", margin, "better") == 0.025
