"""Where to place the stakes: assumed truths, the nearest false world, and how brave to be.

One idea: a margin that should have been certified by now is no longer believed. With t draws made,
no assumed margin exceeds σ√(κ/t), κ = 2 ln(1/level): log wealth then grows without end for *every*
true margin, however small.
"""

import math
from dataclasses import dataclass

import numpy as np

from assaymark.stats.betting.places import total, turned
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


@dataclass(frozen=True, kw_only=True, eq=False)
class _Columns:
    """The first three of a table with the places on the first axis, and its rows on the last."""

    pull: Floats
    chance: Floats
    belief: Floats


def _columns(table: Table) -> _Columns:
    return _Columns(
        pull=turned(table.pull),
        chance=turned(table.chance),
        belief=turned(table.belief),
    )


def spread(table: Table) -> Floats:
    """σ: the standard deviation of one draw's payoff in the false world nearest to the belief."""
    return _spread(_columns(table), table.need)


def _spread(known: _Columns, need: Floats) -> Floats:
    pull, chance = known.pull, known.chance
    near = tilted(known.belief, pull=pull, sampling=chance, level=need, tolerance=ROUGH)
    worth = pull * pull * near * (1.0 - near)
    each = np.divide(worth, chance, out=np.zeros(worth.shape), where=chance > 0)
    sigma: Floats = np.sqrt(total(each))
    return sigma


def anytime_stakes(table: Table, *, level: float, recipe: Recipe) -> Stakes:
    """Stakes in parts, on the believed truth and on assumed margins that shrink with the draws."""
    known, need = _columns(table), table.need
    believed, room = total(known.pull * known.belief), total(known.pull) - need
    margin = np.outer((recipe.least_margin, *recipe.margins), table.unit)
    if not recipe.stubborn:
        patience = 2.0 * math.log(1.0 / level) / np.maximum(table.made, 1.0)
        margin = np.minimum(margin, _spread(known, need) * np.sqrt(patience))
    aim = need + np.minimum(margin, np.array(recipe.reach)[:, None] * room)
    aim[0] = np.maximum(aim[0], believed)
    return _against(known, need, aim)


def hedged_stakes(table: Table, *, margin: Floats, recipe: Recipe) -> Stakes:
    """One stake per row on this assumed margin, whatever is believed."""
    known, need = _columns(table), table.need
    room = total(known.pull) - need
    aim = need + np.minimum(margin, recipe.hedged_reach * room)
    return _against(known, need, aim[None, :])


def _against(known: _Columns, need: Floats, aim: Floats) -> Stakes:
    """The likelihood ratio of the belief tilted to `aim` against the nearest false world.

    `aim` has a line for every part of the wealth.
    """
    pull, chance, belief = (one[:, None, :] for one in (known.pull, known.chance, known.belief))
    raised = tilted(belief, pull=pull, sampling=chance, level=aim, tolerance=FINE)
    assumed = np.minimum(np.maximum(raised, EDGE), 1.0 - EDGE)
    hoped = total(pull * assumed)
    # A tilt that was clipped may fall short of the need: it projects on itself, without a stake.
    goal = np.minimum(need, hoped)
    projection = lowered(assumed, pull=pull, sampling=chance, need=goal, tolerance=FINE)
    return Stakes(stake=turned(projection.multiplier), control=turned(projection.rates))
