"""Where to place the stakes: assumed truths, the nearest false world, and how brave to be.

One idea: a margin that should have been certified by now is no longer believed. With t draws made,
no assumed margin exceeds σ√(κ/t), κ = 2 ln(1/level): log wealth then grows without end for *every*
true margin, however small.

Stakes cannot make a certificate wrong. So the projection on the nearest rates with a given pull, that of
`kl_projection`, takes a few Newton steps only; their number is part of the method's number.
"""

import math
from dataclasses import dataclass

import numpy as np

from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.score_guided.kl_projection import Floats, Projection
from assaymark.stats.score_guided.wealth import EDGE, Ints

# Precision of the projections behind σ and behind the stakes, as shares of all the pull.
ROUGH, FINE = 1e-4, 1e-8
AT_A_TIME, LONGEST = 8, 128  # of numpy's own summation, which a test compares with this one
SHORT = 100  # problems; shorter lines are turned round faster than added


def turned(values: Floats) -> Floats:
    """The array with its axes the other way round, written out."""
    return np.ascontiguousarray(values.T)


def total(parts: Floats) -> Floats:
    """The sum over the first axis, to the last bit that of `np.add.reduce` over a last axis.

    With the problems side by side on the last axis every step is one pass over long lines, and so is a
    sum: whole lines are added in the order in which numpy adds up the end of an array (pairwise, eight
    at a time). It takes a tenth of the time.
    """
    count = len(parts)
    if count < AT_A_TIME:
        few: Floats = np.add.reduce(parts, axis=0)
        return few
    if count > LONGEST or parts.size <= SHORT * count:
        turned_back: Floats = np.add.reduce(parts.T.copy(), axis=-1).T
        return turned_back
    whole = count - count % AT_A_TIME
    eight = parts
    for start in range(AT_A_TIME, whole, AT_A_TIME):
        eight = eight[:AT_A_TIME] + parts[start : start + AT_A_TIME]
    four = eight[0:AT_A_TIME:2] + eight[1:AT_A_TIME:2]
    two = four[0::2] + four[1::2]
    sums: Floats = two[0] + two[1]
    for place in range(whole, count):
        sums = sums + parts[place]
    return sums


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


STEPS = 40
MANY = 100  # problems; where most of this number are solved, the others go on without them


def lowered(
    rates: Floats, *, pull: Floats, sampling: Floats, need: Floats, tolerance: float
) -> Projection:
    """The rates t with pull·t = need that minimise Σ sampling·KL(rates‖t), and the multiplier.

    The first axis of rates, pull and sampling are the places that are summed over; the others are
    problems, and `need` is that of each.

    *Assumes* 0 < need <= pull·rates. Newton steps on 1/pull·t, safeguarded by bisection, until the
    pull is met to this share of the total.

    >>> one = np.ones(1)
    >>> found = lowered(0.5 * one, pull=one, sampling=one, need=np.array(0.25), tolerance=1e-9)
    >>> round(float(found.multiplier), 6)
    1.333333
    """
    ratio = np.divide(pull, sampling, out=np.zeros(np.shape(pull + sampling)), where=sampling > 0)
    high = 2.0 * total(sampling * rates) / need
    low = np.zeros_like(high)
    stake, before = low, np.full_like(high, np.inf)
    scale = tolerance * total(pull)
    reach, twice, fourfold = pull * ratio, 2.0 * rates, 4.0 * rates
    shape = np.broadcast_shapes(rates.shape, ratio.shape, (1, *high.shape))
    ended = _Ended(shape, high.shape)
    lean, once, root, projected = np.empty((4, *shape))  # written to again in every step
    for left in reversed(range(STEPS)):
        np.multiply(stake, ratio, out=lean)
        np.add(lean, 1.0, out=once)
        np.multiply(once, once, out=root)
        root -= np.multiply(lean, fourfold, out=lean)
        np.sqrt(np.maximum(root, 1e-300, out=root), out=root)
        np.divide(twice, np.add(once, root, out=once), out=projected)
        met = total(np.multiply(pull, projected, out=lean))
        excess = met - need
        size = np.abs(excess)
        done = size <= scale
        solved = np.count_nonzero(done)
        if solved == done.size:
            break
        above = excess > 0
        low, high = np.where(above, stake, low), np.where(above, high, stake)
        np.multiply(reach, projected, out=lean)
        lean *= np.subtract(1.0, projected, out=once)
        lean /= root
        slope = total(lean)
        step = stake + excess * met / np.maximum(need * slope, 1e-300)
        # A step that did not halve the excess is followed by a bisection: Newton alone can cycle.
        good = (step > low) & (step < high) & (size <= 0.5 * before)
        moved = np.where(good, step, 0.5 * (low + high))
        stake = np.where(done, stake, moved) if solved else moved
        before = size
        if left and done.size > MANY and 2 * solved > done.size:
            going = np.flatnonzero(~done)
            ended.take(projected, stake, going)
            shape = projected.shape
            pull, ratio, reach = (_some(v, shape, going) for v in (pull, ratio, reach))
            twice, fourfold = (_some(v, shape, going) for v in (twice, fourfold))
            need, scale = (np.broadcast_to(v, done.shape).ravel()[going] for v in (need, scale))
            stake, before, low, high = (v.ravel()[going] for v in (stake, before, low, high))
            lean, once, root, projected = np.empty((4, *pull.shape))
    return ended.whole(projected, stake)


def _some(values: Floats, shape: tuple[int, ...], problems: Ints) -> Floats:
    """What these problems have, by their numbers, of an array of this shape."""
    return np.broadcast_to(values, shape).reshape(len(values), -1).take(problems, axis=1)


class _Ended:
    """Where the problems that are solved wait for the others, out of whose way they are."""

    def __init__(self, rates: tuple[int, ...], stakes: tuple[int, ...]) -> None:
        self._rates, self._stakes = np.empty(rates), np.empty(stakes)
        self._places = np.arange(self._stakes.size)

    def take(self, rates: Floats, stakes: Floats, going: Ints) -> None:
        """Keep what these problems have by now; only those `going` will be heard of again."""
        self._rates.reshape(len(rates), -1)[:, self._places] = rates.reshape(len(rates), -1)
        self._stakes.reshape(-1)[self._places] = stakes.ravel()
        self._places = self._places[going]

    def whole(self, rates: Floats, stakes: Floats) -> Projection:
        """All problems, with what the last ones came to."""
        if len(self._places) == self._stakes.size:
            return Projection(rates=rates, multiplier=stakes)
        self.take(rates, stakes, np.empty(0, dtype=np.int64))
        return Projection(rates=self._rates, multiplier=self._stakes)


def tilted(
    rates: Floats, *, pull: Floats, sampling: Floats, level: Floats, tolerance: float
) -> Floats:
    """The rates nearest to these with pull·t = level, whether that is up or down."""
    upward = total(pull * rates) < level
    turned = np.where(upward, 1.0 - rates, rates)
    need = np.where(upward, total(pull) - level, level)
    projection = lowered(turned, pull=pull, sampling=sampling, need=need, tolerance=tolerance).rates
    return np.where(upward, 1.0 - projection, projection)
