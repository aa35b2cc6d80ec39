"""What is known when a block of draws begins, and the stakes that follow from it."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.stats.betting.block import Block, make_block, some_rows
from assaymark.stats.betting.book import Book
from assaymark.stats.betting.hedge import delta, slope_rows
from assaymark.stats.betting.opinions import Opinions
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.betting.stakes import Stakes, Table, anytime_stakes, hedged_stakes, spread
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.wealth import NEAR, Flags, Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class Outlook:
    """What is known about rows now, as shares of each row's whole: see `stakes.Table`.

    `reach` is all the help that is left, `unit` one unit of the metric.
    """

    left: Ints
    pull: Floats
    belief: Floats
    need: Floats
    reach: Floats
    unit: Floats

    @property
    def unsettled(self) -> Flags:
        """Rows whose need is neither met nor out of reach, nor too near to either to bet."""
        return (self.need > NEAR * self.reach) & (self.need < (1.0 - NEAR) * self.reach)


@dataclass(frozen=True, kw_only=True, eq=False)
class OpenBlock:
    """The rows that bet in a block, and what their stakes are computed from: the state at its start.

    `lines` are the rows' places in the view, which may hold others. `share` is that of each row's
    domain among the next draws. `blocks` keeps the stakes of rows that met a draw of the block, by
    their places among the rows; with a ceiling stakes follow the wealth, and `sigmas` keeps what
    does not.
    """

    rows: Ints
    lines: Ints
    share: Floats
    chance: Floats
    view: Outlook
    made: Ints
    log: Floats
    blocks: dict[bytes, Block] = field(default_factory=dict)
    sigmas: dict[bytes, Floats] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False)
class Start:
    """A later block as it begins, if no row reaches its goal before: what follows from draws alone.

    `gain` and `made` are those of the race, counted until then.
    """

    gain: NDArray[Any]
    made: Ints
    opinions: Opinions
    opened: OpenBlock | None
    end: int


def placed(
    test: RowTest, rows: Ints, table: Table, log: Floats, *, sigma: Floats | None = None
) -> Stakes:
    """The stakes of these rows on the next block; `log` is the log wealth of each.

    `sigma` is the spread of the table, where it is known already.
    """
    if test.ceiling is None:
        return anytime_stakes(table, level=test.staked or test.level, recipe=test.recipe)
    most = test.ceilings[rows]
    to_go = most - table.made
    hold = delta(np.exp(log - test.goals[rows]), slope_rows(to_go / most))
    margin = hold * (spread(table) if sigma is None else sigma) / np.sqrt(to_go)
    return hedged_stakes(table, margin=margin, recipe=test.recipe)


def _table(opened: OpenBlock, busy: Ints) -> Table:
    view, lines = opened.view, opened.lines[busy]
    return Table(
        pull=view.pull[lines],
        chance=opened.chance[busy],
        belief=view.belief[lines],
        need=view.need[lines],
        unit=view.unit[lines],
        made=opened.made[opened.rows[busy]].astype(np.float64),
    )


def staked_block(test: RowTest, opened: OpenBlock, busy: Ints) -> Block:
    """These rows of the block, by their places, with their stakes, which are found once."""
    key = busy.tobytes()
    if key not in opened.blocks:
        rows = opened.rows[busy]
        sigma = opened.sigmas.get(key)
        stakes = placed(test, rows, _table(opened, busy), opened.log[rows], sigma=sigma)
        opened.blocks[key] = _made(test.book, opened, busy, stakes)
    return opened.blocks[key]


def stake_together(test: RowTest, blocks: list[tuple[OpenBlock, Ints]]) -> None:
    """Find at once what the stakes of these rows of several blocks owe to the draws alone.

    Without a ceiling that is everything. Each row's share is worked out by itself: it is the same to
    the last bit as that of `staked_block`.
    """
    if not blocks:
        return
    tables = [_table(opened, busy) for opened, busy in blocks]
    whole = Table(
        pull=np.concatenate([table.pull for table in tables]),
        chance=np.concatenate([table.chance for table in tables]),
        belief=np.concatenate([table.belief for table in tables]),
        need=np.concatenate([table.need for table in tables]),
        unit=np.concatenate([table.unit for table in tables]),
        made=np.concatenate([table.made for table in tables]),
    )
    ends = np.cumsum([len(busy) for _, busy in blocks])
    parts = [slice(end - len(busy), end) for end, (_, busy) in zip(ends, blocks, strict=True)]
    if test.ceiling is not None:
        sigma = spread(whole)
        for part, (opened, busy) in zip(parts, blocks, strict=True):
            opened.sigmas[busy.tobytes()] = sigma[part]
        return
    stakes = anytime_stakes(whole, level=test.staked or test.level, recipe=test.recipe)
    for part, (opened, busy) in zip(parts, blocks, strict=True):
        own = Stakes(stake=stakes.stake[part], control=stakes.control[part])
        opened.blocks[busy.tobytes()] = _made(test.book, opened, busy, own)


def still_open(opened: OpenBlock, stopped: Flags, log: Floats) -> OpenBlock:
    """The same block for the rows that have not stopped."""
    going = ~stopped[opened.rows]
    if going.all():
        return replace(opened, log=log)
    rows = opened.rows[going]
    blocks = [some_rows(block, ~stopped[block.rows]) for block in opened.blocks.values()]
    sigmas = {}
    for key, sigma in opened.sigmas.items():
        places = np.frombuffer(key, dtype=np.int64)
        kept = going[places]
        sigmas[np.searchsorted(rows, opened.rows[places[kept]]).tobytes()] = sigma[kept]
    return replace(
        opened,
        rows=rows,
        lines=opened.lines[going],
        share=opened.share[going],
        chance=opened.chance[going],
        log=log,
        blocks={np.searchsorted(rows, block.rows).tobytes(): block for block in blocks},
        sigmas=sigmas,
    )


def _made(book: Book, opened: OpenBlock, busy: Ints, stakes: Stakes) -> Block:
    rows = opened.rows[busy]
    left = opened.view.left[opened.lines[busy]].astype(np.float64)
    return make_block(book, rows, stakes, chance=opened.chance[busy], left=left)
