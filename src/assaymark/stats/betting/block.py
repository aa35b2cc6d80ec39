"""One block of draws under one set of stakes: every row's bets, vectorised over rows and draws."""

from dataclasses import dataclass

import numpy as np

from assaymark.stats.betting.book import Book
from assaymark.stats.betting.hedge import LEAST, delta, slope_rows
from assaymark.stats.betting.stakes import Stakes
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.wealth import Flags, Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """The rows that bet, their stakes, and the worst payoff known before the first draw.

    `worth` is value·control per place as a share of the row's whole, with a last place of 0 for
    strata outside; `chance` the draw's chance of a place within the domain; `worst` the largest
    loss of a stake of 1, which only shrinks while the block lasts.
    """

    rows: Ints
    stake: Floats
    worth: Floats
    chance: Floats
    worst: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Bets:
    """Per row, part and draw: what a stake of 1 wins, and the largest stake allowed."""

    edge: Floats
    limit: Floats
    inside: Flags


def make_block(book: Book, rows: Ints, stakes: Stakes, *, chance: Floats, left: Floats) -> Block:
    """The block's stakes with everything that does not depend on its draws."""
    value = book.value[rows] / book.whole[rows, None]
    worth = value[:, None, :] * stakes.control
    weight = np.divide(left, chance, out=np.zeros(left.shape), where=chance > 0)
    outside = np.zeros((*worth.shape[:2], 1))
    return Block(
        rows=rows,
        stake=stakes.stake,
        worth=np.concatenate([worth, outside], axis=2),
        chance=np.concatenate([chance, np.ones((len(rows), 1))], axis=1),
        worst=(worth * weight[:, None, :]).max(axis=2),
    )


def _before(strata: Ints, remaining: Ints) -> Ints:
    """How many items the stratum of each draw had before it."""
    order = np.argsort(strata, kind="stable")
    ranked = strata[order]
    first = np.searchsorted(ranked, ranked, side="left")
    earlier = np.empty(len(strata), dtype=np.int64)
    earlier[order] = np.arange(len(strata)) - first
    left: Ints = remaining[strata] - earlier
    return left


@dataclass(frozen=True, kw_only=True, eq=False)
class Steps:
    """The draws of a block as each row meets them: one table line for all rows, or one for each.

    `before` counts the items of the draw's stratum before it. Rows that live on few of the draws
    meet those first, in order; the draws outside a row's domain, which change nothing, fill its
    line. `position` then says after how many draws of its line a row is at each draw of the block.
    """

    strata: Ints
    outcomes: Ints
    before: Ints
    position: Ints | None = None

    def spread(self, path: Floats, start: Floats) -> Floats:
        """The wealth after every draw of the block, from that along the lines."""
        if self.position is None:
            return path
        whole = np.concatenate([start[:, None], path], axis=1)
        values: Floats = np.take_along_axis(whole, self.position, axis=1)
        return values


def make_steps(book: Book, rows: Ints, *, strata: Ints, outcomes: Ints, remaining: Ints) -> Steps:
    """The draws of the block, put together by row where rows live on few of them."""
    before, numbers = _before(strata, remaining), book.domain_number[rows]
    first, line = np.zeros(1, dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    if np.count_nonzero(numbers != numbers[0]):
        _, first, line = np.unique(numbers, return_index=True, return_inverse=True)
    inside = book.inside[rows[first, None], strata]
    width = int(inside.sum(axis=1).max())
    if 2 * width > len(strata):
        return Steps(strata=strata[None, :], outcomes=outcomes[None, :], before=before[None, :])
    order = np.argsort(~inside, axis=1, kind="stable")[:, :width]
    return Steps(
        strata=strata[order][line],
        outcomes=outcomes[order][line],
        before=before[order][line],
        position=np.cumsum(inside, axis=1, dtype=np.int64)[line],
    )


def bets(
    book: Book, block: Block, steps: Steps, *, left: Ints, positives: Ints, floor: float
) -> Bets:
    """What each draw of the block pays.

    `left` are the items of every place and `positives` the help of each row before the first draw.
    """
    rows, strata = block.rows, steps.strata
    unit = (book.scale * book.whole)[rows, None]
    place = book.place[rows[:, None], strata]
    gain = book.gain[rows[:, None], place, steps.outcomes]
    need = book.required[rows, None] - (np.cumsum(gain, axis=1) - gain + positives[:, None])
    who, part = np.arange(len(rows))[:, None, None], np.arange(block.stake.shape[1])[:, None]
    here = block.worth[who, part, place[:, None, :]]
    start = (block.worth[:, :, :-1] * left[:, None, :]).sum(axis=2)
    rest = start[:, :, None] - (np.cumsum(here, axis=2) - here)
    drift = rest - (need.astype(np.float64) / unit)[:, None, :]
    weight = steps.before / block.chance[who[:, :, 0], place]
    payoff = ((gain.astype(np.float64) / unit)[:, None, :] - here) * weight[:, None, :]
    loss = block.worst[:, :, None] - drift
    limit = np.where(loss > 0, (1.0 - floor) / np.maximum(loss, 1e-300), np.inf)
    inside = place < book.where.shape[1]
    return Bets(edge=np.where(inside[:, None, :], drift + payoff, 0.0), limit=limit, inside=inside)


def anytime_growth(block: Block, bet: Bets) -> Floats:
    """The growth of the log wealth of every row and part at each draw."""
    growth: Floats = np.log1p(np.minimum(block.stake[:, :, None], bet.limit) * bet.edge)
    return growth


def joined_parts(parts: Floats) -> Floats:
    """The log of the whole wealth from the logs of its parts (second axis)."""
    top = parts.max(axis=1)
    whole: Floats = top + np.log(np.exp(parts - top[:, None, :]).sum(axis=1))
    return whole


def kept_at_goal(path: Floats, goal: Floats) -> tuple[Floats, Flags]:
    """The path of rows that keep the log wealth they had at their goal, and who reached it."""
    reached = path >= goal[:, None]
    if not reached.any():
        return path, np.zeros(len(path), dtype=np.bool_)
    ends = np.logical_or.reduce(reached, axis=1)
    first = np.where(ends, np.argmax(reached, axis=1), path.shape[1] - 1)
    moves = np.minimum(np.arange(path.shape[1]), first[:, None])
    return path[np.arange(len(path))[:, None], moves], ends


def hedged_wealth(
    block: Block, bet: Bets, *, wealth: Floats, level: Floats, made: Floats, ceiling: Floats
) -> Floats:
    """The wealth of every row after each draw, its stake renewed by the wealth before the draw.

    A row that has reached 1/level, or made its last draw, or lost nearly all, bets no more.
    """
    start = np.maximum(ceiling - made, 1.0)
    number = made[:, None] + np.cumsum(bet.inside, axis=1) - bet.inside
    to_go = ceiling[:, None] - number
    playing = (to_go > 0) & bet.inside
    left = np.where(playing, to_go, 1.0)
    first = delta(level * wealth, slope_rows(start / ceiling))
    scale = np.where(
        playing, (block.stake[:, 0] / first)[:, None] * np.sqrt(start[:, None] / left), 0.0
    )
    lines, scale = slope_rows(left / ceiling[:, None]).T.copy(), scale.T.copy()
    edge, limit = bet.edge[:, 0, :].T.copy(), bet.limit[:, 0, :].T.copy()
    return _played(wealth, level=level, lines=lines, scale=scale, edge=edge, limit=limit)[1:].T


def _played(
    wealth: Floats, *, level: Floats, lines: Ints, scale: Floats, edge: Floats, limit: Floats
) -> Floats:
    """The wealth before the first draw and after each (first axis), all draws at once.

    Each stake depends on the wealth before it. So a path is assumed, its stakes are placed, and the
    path that they give is assumed next, until nothing changes: then every draw was played from the
    wealth before it, to the last bit as if one after the other. Every round settles one more draw
    at the least; a handful settle all, since a stake changes little with the wealth.
    """
    path = np.repeat(wealth[None, :], len(edge) + 1, axis=0)
    for _ in edge:
        chance = level * path[:-1]
        factor = np.minimum(delta(chance, lines) * scale, limit)
        factor *= (chance < 1.0) & (chance > LEAST)
        factor *= edge
        factor += 1.0
        played = np.multiply.accumulate(np.concatenate([path[:1], factor]), axis=0)
        if not np.count_nonzero(played != path):
            break
        path = played
    return path
