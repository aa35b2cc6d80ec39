"""What speaks against a claim that is not decided: the wealth of the bets against its rows.

One idea: a row's mirror is a fair bet on labels while the row holds, whichever items the chances choose
and however often somebody looks. So against a claim that is true these wealths, added up as they refute
it, ever reach `GOAL` with a chance of at most 1/GOAL (Ville's inequality). A warning needs less than a
refutation, which the claim's own level decides.
"""

import math

import numpy as np

from assaymark.stats.betting.path import RowPath
from assaymark.stats.betting.rules import AllOf, Named, One
from assaymark.stats.betting.rulings import least_wealth, log_mean, units_of
from assaymark.stats.score_guided.kl_projection import Floats

GOAL = 10.0  # of true claims, at most one in so many is ever said to look false


def log_doubt(path: RowPath) -> Floats:
    """The log of the wealth against the test's statement after each draw; −∞ where nothing is bet.

    Parts that must all hold: the mean over them, as that which refutes the claim. Where parts are named
    one by one: the greatest, with an equal share of the risk for each.
    """
    none: Floats = np.full(path.draws, -np.inf)
    units = _refutable(path)
    if not units:
        return none
    least = least_wealth(path.log_doubt, units)
    if isinstance(path.test.rule, Named):
        wealth: Floats = least.max(axis=0) - math.log(len(units))
    else:
        wealth = log_mean(least)
    enough = np.arange(1, path.draws + 1) >= min(path.test.recipe.fewest, sum(path.test.sizes))
    known: Floats = np.where(enough, wealth, none)
    return known


def doubted_rows(path: RowPath) -> set[int]:
    """The rows of the parts that look false by all labels so far; none while the claim does not."""
    against = log_doubt(path)
    if not path.draws or against[-1] < math.log(GOAL):
        return set()
    units = _refutable(path)
    share = len(units) if isinstance(path.test.rule, Named) else 1
    now = least_wealth(path.log_doubt[:, -1:], units)[:, 0]
    behind = now >= math.log(GOAL * share)
    return {row for unit, bad in zip(units, behind, strict=True) if bad for row in unit}


def _refutable(path: RowPath) -> tuple[tuple[int, ...], ...]:
    """The rows of each part that its mirrors may refute."""
    rule, count = path.test.rule, len(path.log_doubt)
    if isinstance(rule, One):
        return ((0,),)
    if isinstance(rule, Named):
        return units_of(rule.parts, count)
    if not isinstance(rule, AllOf) or rule.refute == "never":
        return ()
    return units_of(rule.parts, count) if rule.refute == "mean" else (tuple(range(count)),)
