"""What is known when a block of draws begins, and the stakes that follow from it."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.stats.betting.block import Block, make_block
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


class PerRow:
    """Numbers of every row of a block, each row's found when it is first asked for."""

    def __init__(self, rows: int) -> None:
        self.known: Flags = np.zeros(rows, dtype=np.bool_)
        self._values: tuple[Floats, ...] = ()

    def keep(self, rows: Ints, *values: Floats) -> None:
        """Take in what was found for these rows."""
        if not self._values:
            self._values = tuple(np.empty((len(self.known), *v.shape[1:])) for v in values)
        for kept, value in zip(self._values, values, strict=True):
            kept[rows] = value
        self.known[rows] = True

    def of(self, rows: Ints) -> list[Floats]:
        """What is known of these rows."""
        return [value[rows] for value in self._values]


@dataclass(frozen=True, kw_only=True, eq=False)
class OpenBlock:
    """The rows that bet in a block, and what their stakes are computed from: the state at its start.

    `lines` are the rows' places in the view, and `places` those in `stakes` and `sigmas`, which may
    hold others. `share` is that of each row's domain among the next draws. `stakes` are found for rows
    that meet a draw of the block; with a ceiling they follow the wealth, and `sigmas` keeps what does
    not.
    """

    rows: Ints
    lines: Ints
    places: Ints
    share: Floats
    chance: Floats
    view: Outlook
    made: Ints
    log: Floats
    stakes: PerRow
    sigmas: PerRow


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


def _stakes(test: RowTest, opened: OpenBlock, busy: Ints) -> Stakes:
    """The stakes of these rows of the block."""
    places, rows = opened.places[busy], opened.rows[busy]
    known = test.ceiling is not None and opened.sigmas.known[places].all()
    sigma = opened.sigmas.of(places)[0] if known else None
    return placed(test, rows, _table(opened, busy), opened.log[rows], sigma=sigma)


def staked_block(test: RowTest, opened: OpenBlock, busy: Ints) -> Block:
    """These rows of the block, by their places, with their stakes, which are found once."""
    new = busy[~opened.stakes.known[opened.places[busy]]]
    if len(new):
        stakes = _stakes(test, opened, new)
        opened.stakes.keep(opened.places[new], stakes.stake, stakes.control)
    stake, control = opened.stakes.of(opened.places[busy])
    return _made(test.book, opened, busy, Stakes(stake=stake, control=control))


def stake_together(test: RowTest, blocks: list[tuple[OpenBlock, Ints]]) -> None:
    """Find at once what the stakes of these rows of several blocks owe to the draws alone.

    Without a ceiling that is everything. Each row's share is worked out by itself: it is the same to
    the last bit as that of `staked_block`.
    """
    new = [(opened, places, busy[~places.known[opened.places[busy]]])
           for opened, busy in blocks
           for places in [opened.stakes if test.ceiling is None else opened.sigmas]]  # fmt: skip
    new = [one for one in new if len(one[2])]
    if not new:
        return
    tables = [_table(opened, busy) for opened, _, busy in new]
    whole = Table(
        pull=np.concatenate([table.pull for table in tables]),
        chance=np.concatenate([table.chance for table in tables]),
        belief=np.concatenate([table.belief for table in tables]),
        need=np.concatenate([table.need for table in tables]),
        unit=np.concatenate([table.unit for table in tables]),
        made=np.concatenate([table.made for table in tables]),
    )
    values: tuple[Floats, ...]
    if test.ceiling is not None:
        values = (spread(whole),)
    else:
        stakes = anytime_stakes(whole, level=test.staked or test.level, recipe=test.recipe)
        values = (stakes.stake, stakes.control)
    start = 0
    for opened, kept, busy in new:
        part = slice(start, start + len(busy))
        kept.keep(opened.places[busy], *(value[part] for value in values))
        start = part.stop


def still_open(test: RowTest, opened: OpenBlock, stopped: Flags, log: Floats) -> OpenBlock:
    """The same block for the rows that have not stopped, with this wealth at its start."""
    stakes = opened.stakes if test.ceiling is None else PerRow(len(opened.stakes.known))
    going = ~stopped[opened.rows]
    if going.all():
        return replace(opened, log=log, stakes=stakes)
    return replace(
        opened,
        rows=opened.rows[going],
        lines=opened.lines[going],
        places=opened.places[going],
        share=opened.share[going],
        chance=opened.chance[going],
        log=log,
        stakes=stakes,
    )


class Foreseen:
    """What races over the same draws have in common: opinions, and blocks of rows that go on.

    One idea: opinions follow from the labels of each block so far, and a block from the opinions, the
    chances, and the rows that have stopped. So whoever comes to the same ones finds the same block.
    """

    def __init__(self) -> None:
        self._first: dict[Hashable, Opinions] = {}
        self._taught: dict[Hashable, tuple[Opinions, Opinions]] = {}
        self._blocks: dict[Hashable, tuple[RowTest, Opinions, OpenBlock]] = {}

    def first(self, test: RowTest) -> Opinions:
        """The opinions before the first label."""
        key = (test.prior, len(test.sizes), test.rows.outcomes)
        if key not in self._first:
            self._first[key] = first_opinions(test)
        return self._first[key]

    def taught(self, opinions: Opinions, fresh: Ints) -> Opinions:
        """The opinions after these labels too."""
        key = (id(opinions), fresh.tobytes())
        if key not in self._taught:
            # what a key names by its identity is kept, so that nothing else can have it
            self._taught[key] = (opinions, opinions.after(fresh))
        return self._taught[key][1]

    def block(self, test: RowTest, opinions: Opinions, *more: Floats | Flags) -> OpenBlock | None:
        """The block of this test that begins with these opinions, chances and stops, if one did."""
        kept = self._blocks.get(_key(test, opinions, *more))
        return None if kept is None else kept[2]

    def keep(
        self, block: OpenBlock, test: RowTest, opinions: Opinions, *more: Floats | Flags
    ) -> None:
        """Remember how this block began."""
        self._blocks[_key(test, opinions, *more)] = (test, opinions, block)


def _key(test: RowTest, opinions: Opinions, *more: Floats | Flags) -> Hashable:
    return (id(test), id(opinions), *(array.tobytes() for array in more))


def first_opinions(test: RowTest) -> Opinions:
    """What is believed before the first label."""
    return Opinions(test.beliefs, len(test.sizes), test.rows.outcomes)


def _made(book: Book, opened: OpenBlock, busy: Ints, stakes: Stakes) -> Block:
    rows = opened.rows[busy]
    left = opened.view.left[opened.lines[busy]].astype(np.float64)
    return make_block(book, rows, stakes, chance=opened.chance[busy], left=left)
