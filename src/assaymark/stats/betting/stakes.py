"""Where to place the stakes: assumed truths, the nearest false world, and how brave to be.

One idea: a margin that should have been certified by now is no longer believed. With t draws made,
no assumed margin exceeds σ√(κ/t), κ = 2 ln(1/level): log wealth then grows without end for *every*
true margin, however small.
"""

import math
from dataclasses import dataclass

import numpy as np

from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.betting.tilt import lowered, tilted
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.wealth import EDGE

# Precision of the projections behind σ and behind the stakes, as shares of all the pull.
ROUGH, FINE = 1e-4, 1e-8


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """The rows that bet on the next block, and what is known before it. Pull sums to `total` <= 1.

    The last axis of the first three are the places of the row's domain; `need` is what the
    unlabelled items must still give, `unit` a whole unit of the metric, `made` the draws so far.
    """

    pull: Floats
    chance: Floats
    belief: Floats
    need: Floats
    unit: Floats
    made: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Stakes:
    """Per row and part of its wealth: the stake, and the control value of every place."""

    stake: Floats
    control: Floats


def spread(table: Table) -> Floats:
    """σ: the standard deviation of one draw's payoff in the false world nearest to the belief."""
    near = tilted(
        table.belief,
        pull=table.pull,
        sampling=table.chance,
        level=table.need,
        tolerance=ROUGH,
    )
    worth = table.pull * table.pull * near * (1.0 - near)
    each = np.divide(worth, table.chance, out=np.zeros(worth.shape), where=table.chance > 0)
    sigma: Floats = np.sqrt(each.sum(axis=1))
    return sigma


def anytime_stakes(table: Table, *, level: float, recipe: Recipe) -> Stakes:
    """Stakes in parts, on the believed truth and on assumed margins that shrink with the draws."""
    believed = (table.pull * table.belief).sum(axis=1)
    room = table.pull.sum(axis=1) - table.need
    margin = np.outer(table.unit, (recipe.least_margin, *recipe.margins))
    if not recipe.stubborn:
        patience = 2.0 * math.log(1.0 / level) / np.maximum(table.made, 1.0)
        margin = np.minimum(margin, (spread(table) * np.sqrt(patience))[:, None])
    aim = table.need[:, None] + np.minimum(margin, np.array(recipe.reach) * room[:, None])
    aim[:, 0] = np.maximum(aim[:, 0], believed)
    return _against(table, aim)


def hedged_stakes(table: Table, *, margin: Floats, recipe: Recipe) -> Stakes:
    """One stake per row on this assumed margin, whatever is believed."""
    room = table.pull.sum(axis=1) - table.need
    aim = table.need + np.minimum(margin, recipe.hedged_reach * room)
    return _against(table, aim[:, None])


def _against(table: Table, aim: Floats) -> Stakes:
    """The likelihood ratio of the belief tilted to `aim` against the nearest false world."""
    pull, chance = table.pull[:, None, :], table.chance[:, None, :]
    raised = tilted(table.belief[:, None, :], pull=pull, sampling=chance, level=aim, tolerance=FINE)
    assumed = np.minimum(np.maximum(raised, EDGE), 1.0 - EDGE)
    hoped = (pull * assumed).sum(axis=2)
    # A tilt that was clipped may fall short of the need: it projects on itself, without a stake.
    goal = np.minimum(table.need[:, None], hoped)
    projection = lowered(assumed, pull=pull, sampling=chance, need=goal, tolerance=FINE)
    return Stakes(stake=projection.multiplier, control=projection.rates)
