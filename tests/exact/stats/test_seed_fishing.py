"""Somebody who knows labels and seeds, enumerated: what open seeds, accounts and joint seeds allow.

Labels are drawn with replacement, each positive with chance TRUTH, and "at least TARGET" is false.
The adversary sees every draw of a plan in advance, as whoever knows all labels and the seed does.
"""

import functools
import itertools
import math

import pytest

from assaymark.stats.risk_account import joint_seed_level, plan_level

RISK, TRUTH, TARGET, DRAWS = 0.2, 0.5, 0.55, 8
STAKE = 0.9 / max(TARGET, 1 - TARGET)


def paths():
    """The wealth after each draw of a bet on the claim, with the chance of the labels."""
    for labels in itertools.product((True, False), repeat=DRAWS):
        wealth, path = 1.0, []
        for positive in labels:
            wealth *= 1 + STAKE * ((1 - TARGET) if positive else -TARGET)
            path.append(wealth)
        yield path, TRUTH**DRAWS


PATHS = tuple(paths())


def passes(level: float) -> float:
    """The chance that one plan at this level ever states the claim."""
    return sum(chance for path, chance in PATHS if max(path) >= 1 / level)


@functools.cache
def with_foresight(plans: int, wealth: float = 1.0) -> float:
    """The chance of a false statement where each plan of an account is closed at its best moment."""
    if plans == 0:
        return 0.0
    total, level = 0.0, plan_level(risk=RISK, wealth=wealth)
    for path, chance in PATHS:
        best = max(1.0, *path)
        won = max(path) >= 1 / level
        total += chance * (1.0 if won else with_foresight(plans - 1, round(wealth * best, 9)))
    return total


def test_one_plan_whose_seed_nobody_chose_keeps_the_risk() -> None:
    assert 0 < passes(RISK) <= RISK


@pytest.mark.parametrize(("seeds", "least"), [(3, 1.5), (10, 3.0)])
def test_a_seed_that_one_side_chooses_can_be_fished_for(seeds, least) -> None:
    """Trying seeds offline until one draws lucky labels leaves no trace in the ledger."""
    fished = 1 - (1 - passes(RISK)) ** seeds
    assert fished > least * RISK


def test_an_account_does_not_hold_against_foresight() -> None:
    """Closing because of draws that are still to come breaks what is carried on."""
    assert with_foresight(3) > 1.3 * RISK


@pytest.mark.parametrize("plans", [1, 2, 5, 50, 1000])
def test_levels_of_joint_seeds_hold_against_foresight(plans) -> None:
    """Whoever sees the draws first may withhold their part of the seed: that try is used up."""
    worst = sum(passes(joint_seed_level(RISK, k)) for k in range(1, plans + 1))
    assert worst <= RISK
    spent = math.fsum(joint_seed_level(RISK, k) for k in range(1, plans + 1))
    assert spent <= RISK
    assert spent == pytest.approx(RISK * (1 - 0.1 / plans))
