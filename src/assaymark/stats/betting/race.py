"""The state of a test of rows after the draws fed so far: beliefs, stakes and wealth, by block."""

import copy
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.stats.betting.block import (
    Block,
    Steps,
    anytime_growth,
    bets,
    hedged_wealth,
    joined_parts,
    kept_at_goal,
    make_steps,
)
from assaymark.stats.betting.book import tally_of
from assaymark.stats.betting.open_block import (
    Foreseen,
    OpenBlock,
    Outlook,
    PerRow,
    Start,
    first_opinions,
    stake_together,
    staked_block,
    still_open,
)
from assaymark.stats.betting.opinions import Opinions
from assaymark.stats.betting.rows import CANNOT_TELL
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.marks import Mark
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.wealth import NEAR, Flags, Ints

LOWEST = 1e-5
LONGEST_BLOCK = 200
BLOCKS_AHEAD = 32  # whose stakes are found together
NOBODY: Ints = np.empty(0, dtype=np.int64)


class Race:
    """The state of one test. Feeding more draws continues it; arrays are replaced, never edited.

    Races over the same draws that share what was `foreseen` find it once.
    """

    def __init__(self, test: RowTest, foreseen: Foreseen | None = None) -> None:
        book = test.book
        rows = len(book.required)
        self.test = test
        self.remaining = book.sizes.copy()
        self.drawn = 0
        self._counts = np.zeros_like(book.required), np.zeros(rows, dtype=np.int64)
        self._uncounted: tuple[tuple[Ints, Ints], ...] = ()
        self.log = test.opened.copy()
        self.stopped = ~test.played
        shares = (1.0,) if test.ceiling is not None else test.recipe.shares
        self._parts = np.log(shares) + self.log[:, None]
        self._joined = joined_parts(self._parts[:, :, None])[:, 0]
        self._foreseen = foreseen
        self._opinions = foreseen.first(test) if foreseen else first_opinions(test)
        self._fresh = np.zeros((len(test.sizes), test.rows.outcomes + 1), dtype=np.int64)
        self._next: tuple[int, Opinions] | None = None
        self._end = 0
        self._stored: Floats | None = None
        self._open: OpenBlock | None = None

    @property
    def gain(self) -> NDArray[Any]:
        """The help of every row and mirror that the draws showed, in whole numbers."""
        return self._counted()[0]

    @property
    def made(self) -> Ints:
        """How many of the draws lay in the domain of each row and mirror."""
        return self._counted()[1]

    def _counted(self) -> tuple[NDArray[Any], Ints]:
        """Both, counted when first asked for."""
        if self._uncounted:
            book = self.test.book
            strata, outcomes = map(np.concatenate, zip(*self._uncounted, strict=True))
            drawn = np.bincount(strata, minlength=len(book.sizes))
            gain, made = self._counts
            self._counts = (
                gain + book.help_in(strata, outcomes),
                made + book.amounts(drawn).sum(axis=1),
            )
            self._uncounted = ()
        return self._counts

    def copy(self) -> "Race":
        """A race of its own that goes on from here."""
        # opinions are never taught in place: they can be shared
        twin = copy.copy(self)
        twin._foreseen = self._foreseen
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_foreseen": None}

    def feed(self, draws: Draws, *, marks: list[Mark] | None = None) -> Floats:
        """The log wealth of every row and mirror after each of these draws.

        A copy of the race goes to `marks` wherever a block begins.
        """
        log = np.empty((len(self.log), len(draws)))
        for part, rows, path in self._blocks(draws, marks):
            log[:, part] = self.log[:, None]
            if len(rows):
                log[rows, part] = path
        return log

    def pass_over(self, draws: Draws) -> None:
        """Feed these draws without keeping the wealth after each."""
        for _ in self._blocks(draws, None):
            pass

    def _blocks(
        self, draws: Draws, marks: list[Mark] | None
    ) -> Iterator[tuple[slice, Ints, Floats]]:
        """The draws in steps of equal stakes: which they are, the rows that moved, their wealth."""
        done, ahead, renewed = 0, list[Start](), _renewed(draws)
        while done < len(draws):
            stored = draws.sampling[done]
            if self.drawn >= self._end or self._stored is None or np.any(stored != self._stored):
                if marks is not None:
                    marks.append(Mark(drawn=self.drawn, steps=self.copy()))
                if not ahead:
                    known = self._refresh(stored)
                    ahead = [] if known else self._look_ahead(draws, done, renewed)
                elif not self._take_up(ahead.pop(0), stored):
                    ahead = []
            stop = self._stop(draws, done, renewed)
            part = slice(done, stop)
            rows, path = self._step(draws.strata[part], draws.labels[part])
            yield part, rows, path
            done = stop

    def _look_ahead(self, draws: Draws, done: int, renewed: Ints) -> list[Start]:
        """The blocks after this one, with what is known of their stakes found together."""
        twin, starts, staked = self.copy(), list[Start](), list[tuple[OpenBlock, Ints]]()
        while True:
            part = slice(done, twin._stop(draws, done, renewed))
            strata, done = draws.strata[part], part.stop
            if twin._open is not None:
                cut = done == len(draws) and twin._end > twin.drawn + len(strata)
                staked.append((twin._open, twin._soon_busy(twin._open, strata, cut=cut)))
            twin._count(strata, twin._outcomes(draws.labels[part]))
            if done == len(draws) or len(starts) == BLOCKS_AHEAD:
                break
            twin._refresh(draws.sampling[done])
            starts.append(
                Start(
                    gain=twin.gain,
                    made=twin.made,
                    opinions=twin._opinions,
                    opened=twin._open,
                    end=twin._end,
                )
            )
        stake_together(self.test, staked)
        return starts

    def _take_up(self, start: Start, stored: Floats) -> bool:
        """Begin a block as foreseen; whether those after it begin as foreseen too."""
        self._stored, self._end, self._open = stored, start.end, None
        self._opinions, self._fresh, self._next = start.opinions, np.zeros_like(self._fresh), None
        self._counts, self._uncounted = (start.gain, start.made), ()
        if start.opened is None:
            return True
        opened = still_open(self.test, start.opened, self.stopped, self.log)
        self._end = self.drawn + self._length(opened)
        if len(opened.rows):
            self._open = opened
        return self._end == start.end

    def follow(self, draws: Draws, marks: list[Mark]) -> Floats:
        """The log wealth after each of these draws; see `marks.Steps`."""
        return self.feed(draws, marks=marks)

    def _stop(self, draws: Draws, done: int, renewed: Ints) -> int:
        """Where these stakes end: the block's end, new chances, or a stratum that empties."""
        change = int(renewed[np.searchsorted(renewed, done, side="right")])
        stop = min(change, done + self._end - self.drawn)
        ahead = draws.strata[done:stop]
        taken = np.bincount(ahead, minlength=len(self.remaining))
        for k in np.flatnonzero((taken >= self.remaining) & (taken > 0)):
            stop = min(stop, done + 1 + int(np.flatnonzero(ahead == k)[self.remaining[k] - 1]))
        return stop

    def _step(self, strata: Ints, labels: Ints) -> tuple[Ints, Floats]:
        """The rows that met one of these draws and bet, and their log wealth after each."""
        outcomes = self._outcomes(labels)
        rows, path = NOBODY, np.empty((0, len(strata)))
        if self._open is not None:
            rows, path = self._play(self._open, strata, outcomes)
        self._count(strata, outcomes)
        return rows, path

    def _outcomes(self, labels: Ints) -> Ints:
        known: Ints = np.where(labels == CANNOT_TELL, self.test.rows.outcomes, labels)
        return known

    def _count(self, strata: Ints, outcomes: Ints) -> None:
        """Take in what the draws showed."""
        fresh = tally_of(strata, outcomes, self._fresh.shape)
        self._uncounted = (*self._uncounted, (strata, outcomes))
        self._fresh = self._fresh + fresh
        self.remaining = self.remaining - fresh.sum(axis=1)
        self.drawn += len(strata)
        if self.remaining[strata[-1]] == 0:
            self._end = self.drawn

    def _busy(self, opened: OpenBlock, strata: Ints) -> Ints:
        """The places of the betting rows that meet one of these draws; most may meet none."""
        met = np.zeros(len(self.remaining) + 1, dtype=np.bool_)
        met[strata] = True
        return np.flatnonzero(met[self.test.book.where[opened.rows]].any(axis=1))

    def _soon_busy(self, opened: OpenBlock, strata: Ints, *, cut: bool) -> Ints:
        """The same; of a block that goes on after these draws all, where most are met by now."""
        busy = self._busy(opened, strata)
        return np.arange(len(opened.rows)) if cut and 2 * len(busy) > len(opened.rows) else busy

    def _play(self, opened: OpenBlock, strata: Ints, outcomes: Ints) -> tuple[Ints, Floats]:
        """The rows that meet one of the draws, and their log wealth after each."""
        test, rows, busy = self.test, opened.rows, self._busy(opened, strata)
        now, moving = self._unmoved(rows), rows[busy]
        reached = now >= test.goals[rows]
        self.log = self.log.copy()
        self.log[rows] = now
        path = np.empty((0, len(strata)))
        if len(busy):
            steps = make_steps(
                test.book, moving, strata=strata, outcomes=outcomes, remaining=self.remaining
            )
            moved = self._bet(staked_block(test, opened, busy), steps)
            path, reached[busy] = kept_at_goal(steps.spread(moved, now[busy]), test.goals[moving])
            self.log[moving] = path[:, -1]
        if reached.any():
            self.stopped = self.stopped.copy()
            self.stopped[rows[reached]] = True
        return moving, path

    def _unmoved(self, rows: Ints) -> Floats:
        """The log wealth of rows before a draw, computed as after one."""
        if self.test.ceiling is not None:
            same: Floats = np.log(np.exp(self.log[rows]))
            return same
        return self._joined[rows]

    def _bet(self, block: Block, steps: Steps) -> Floats:
        """The log wealth of these rows after each of their draws."""
        test, rows = self.test, block.rows
        bet = bets(
            test.book,
            block,
            steps,
            left=np.append(self.remaining, 0)[test.book.where[rows]],
            positives=self.gain[rows],
            floor=test.recipe.floor,
        )
        if test.ceiling is not None:
            wealth = hedged_wealth(
                block,
                bet,
                wealth=np.exp(self.log[rows]),
                level=np.exp(-test.goals[rows]),
                made=self.made[rows].astype(np.float64),
                ceiling=test.ceilings[rows],
            )
            path: Floats = np.log(wealth)
            return path
        parts = self._parts[rows, :, None] + np.cumsum(anytime_growth(block, bet), axis=2)
        path = joined_parts(parts)
        self._parts, self._joined = self._parts.copy(), self._joined.copy()
        self._parts[rows], self._joined[rows] = parts[:, :, -1], path[:, -1]
        return path

    def _refresh(self, stored: Floats) -> bool:
        """Begin a block; whether its stakes are known from another race over the same draws."""
        self._teach()
        opened, foreseen = None, self._foreseen
        if foreseen is not None:
            opened = foreseen.block(self.test, self._opinions, stored, self.stopped)
        known = opened is not None
        if opened is not None:
            opened = still_open(self.test, opened, self.stopped, self.log)
        else:
            opened = self._opened(stored)
            if foreseen is not None:
                foreseen.keep(opened, self.test, self._opinions, stored, self.stopped)
        self._stored = stored
        self._end = self.drawn + self._length(opened)
        self._open = opened if len(opened.rows) else None
        return known

    def _opened(self, stored: Floats) -> OpenBlock:
        """The rows that bet on the next draws."""
        test, book = self.test, self.test.book
        going = np.flatnonzero(~self.stopped)
        where = book.where[going]
        # the last place is none; it is part of the sum, whose last bit depends on how many are added
        live = np.append(stored * (self.remaining > 0), 0.0)
        chance, left = live[where], np.append(self.remaining, 0)[where]
        covered = np.all((left == 0) | (chance > 0), axis=1)
        known = np.flatnonzero(covered & (self.made[going] < test.ceilings[going]))
        view = self._outlook_of(going[known])
        lines = np.flatnonzero(view.unsettled)
        rows = going[known[lines]]
        chance = chance[known[lines]]
        share = chance.sum(axis=1)
        return OpenBlock(
            rows=rows,
            lines=lines,
            places=np.arange(len(rows)),
            share=share / max(live.sum(), 1e-300),
            chance=chance / share[:, None],
            view=view,
            made=self.made,
            log=self.log,
            stakes=PerRow(len(rows)),
            sigmas=PerRow(len(rows)),
        )

    def _length(self, opened: OpenBlock) -> int:
        """How many draws share these stakes: as few as any row wants, counted in its domain."""
        rows = opened.rows
        if len(rows) == 0:
            return LONGEST_BLOCK
        recipe, made = self.test.recipe, self.made[rows]
        rest = opened.view.left[opened.lines].sum(axis=1) // recipe.rest_share
        wanted = np.minimum(
            np.maximum(recipe.first_block, made // recipe.block_share), np.maximum(1, rest)
        )
        to_go = 1.0 + np.floor((self.test.ceilings[rows] - made) / recipe.hedged_share)
        shortest = float(np.min(np.minimum(wanted, to_go) / opened.share))
        return max(1, min(LONGEST_BLOCK, math.floor(shortest + 1e-9)))

    def _teach(self) -> None:
        self._opinions = self._taught()
        self._fresh, self._next = np.zeros_like(self._fresh), None

    def settled(self) -> Flags:
        """Rows and mirrors that counting has decided, or that are too near to it for bets."""
        book = self.test.book
        need = (book.required - self.gain).astype(np.float64) / (book.scale * book.whole)
        left = np.append(self.remaining, 0)[book.where]
        reach = (book.value * left).sum(axis=1) / book.whole
        flags: Flags = (need <= NEAR * reach) | (need >= (1.0 - NEAR) * reach)
        return flags

    def _taught(self) -> Opinions:
        """The opinions with every label fed. Learnt once for each number of draws."""
        if not self._fresh.any():
            return self._opinions
        if self._next is None or self._next[0] != self.drawn:
            taught = self._foreseen.taught if self._foreseen else Opinions.after
            self._next = (self.drawn, taught(self._opinions, self._fresh))
        return self._next[1]

    def outlook(self) -> Outlook:
        """Needs, pulls and beliefs of every row from all labels fed. Asking changes nothing."""
        return self._outlook_of(np.arange(len(self.log)))

    def _outlook_of(self, rows: Ints) -> Outlook:
        """The same of these rows alone."""
        book, opinions = self.test.book, self._taught()
        shares, judged = opinions.shares(), opinions.judged()
        whole, where = book.whole[rows], book.where[rows]
        left = np.append(self.remaining, 0)[where]
        pull = book.value[rows] * left / whole[:, None]
        place = np.minimum(where, len(shares) - 1)
        belief = (book.help[rows] * shares[place]).sum(axis=2) * judged[place]
        expected = opinions.counts + self.remaining[:, None] * shares
        own = rows % book.count
        among = np.append(expected, np.zeros((1, expected.shape[1])), axis=0)[book.sloped[own]]
        unit = book.base[own] + (book.slopes[own] * among).sum(axis=(1, 2))
        need = (book.required - self.gain)[rows].astype(np.float64) / (book.scale[rows] * whole)
        return Outlook(
            left=left,
            pull=pull,
            belief=np.minimum(np.maximum(belief, LOWEST), 1.0 - LOWEST),
            need=need,
            reach=pull.sum(axis=1),
            unit=unit / whole,
        )


def _renewed(draws: Draws) -> Ints:
    """The draws, by number, whose chances are not those of the draw before; and the end."""
    changed = np.any(draws.sampling[1:] != draws.sampling[:-1], axis=1)
    return np.append(np.flatnonzero(changed) + 1, len(draws))
