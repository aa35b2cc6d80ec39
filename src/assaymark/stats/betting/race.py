"""The state of a test of rows after the draws fed so far: beliefs, stakes and wealth, by block."""

import copy
import math
from dataclasses import dataclass

import numpy as np

from assaymark.stats.betting.block import Block, anytime_growth, bets, hedged_wealth, make_block
from assaymark.stats.betting.hedge import delta, slope_rows
from assaymark.stats.betting.opinions import Opinions
from assaymark.stats.betting.rows import CANNOT_TELL
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.betting.stakes import Stakes, Table, anytime_stakes, hedged_stakes, spread
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.marks import Mark
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.wealth import NEAR, Flags, Ints

LOWEST = 1e-5
LONGEST_BLOCK = 200


@dataclass(frozen=True, kw_only=True, eq=False)
class Outlook:
    """What is known about every row now, as shares of the row's whole: see `stakes.Table`.

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


class Race:
    """The state of one test. Feeding more draws continues it; arrays are replaced, never edited."""

    def __init__(self, test: RowTest) -> None:
        book = test.book
        rows = len(book.required)
        self.test = test
        self.remaining = book.sizes.copy()
        self.drawn = 0
        self.made = np.zeros(rows, dtype=np.int64)
        self.found = np.zeros_like(book.required)
        self.log = test.opened.copy()
        self.stopped = ~test.played
        shares = (1.0,) if test.ceiling is not None else test.recipe.shares
        self._parts = np.log(shares) + self.log[:, None]
        self._opinions = Opinions(test.beliefs, len(test.sizes), test.rows.outcomes)
        self._fresh = np.zeros((len(test.sizes), test.rows.outcomes + 1), dtype=np.int64)
        self._next: tuple[int, Opinions] | None = None
        self._end = 0
        self._stored: Floats | None = None
        self._block: Block | None = None

    def copy(self) -> "Race":
        """A race of its own that goes on from here."""
        # opinions are never taught in place: they can be shared
        return copy.copy(self)

    def _copied_opinions(self) -> Opinions:
        twin = copy.copy(self._opinions)
        twin._pair = copy.copy(twin._pair)
        return twin

    def feed(self, draws: Draws, *, marks: list[Mark] | None = None) -> Floats:
        """The log wealth of every row and mirror after each of these draws.

        A copy of the race goes to `marks` wherever a block begins.
        """
        log = np.empty((len(self.log), len(draws)))
        done = 0
        while done < len(draws):
            stored = draws.sampling[done]
            if self.drawn >= self._end or self._stored is None or np.any(stored != self._stored):
                if marks is not None:
                    marks.append(Mark(drawn=self.drawn, steps=self.copy()))
                self._refresh(stored)
            stop = self._stop(draws, done)
            part = slice(done, stop)
            log[:, part] = self._step(draws.strata[part], draws.labels[part])
            done = stop
        return log

    def follow(self, draws: Draws, marks: list[Mark]) -> Floats:
        """The log wealth after each of these draws; see `marks.Steps`."""
        return self.feed(draws, marks=marks)

    def _stop(self, draws: Draws, done: int) -> int:
        """Where these stakes end: the block's end, new chances, or a stratum that empties."""
        stop = min(len(draws), done + self._end - self.drawn)
        changed = np.any(draws.sampling[done:stop] != draws.sampling[done], axis=1)
        if changed.any():
            stop = done + int(np.argmax(changed))
        ahead = draws.strata[done:stop]
        taken = np.bincount(ahead, minlength=len(self.remaining))
        for k in np.flatnonzero((taken >= self.remaining) & (taken > 0)):
            stop = min(stop, done + 1 + int(np.flatnonzero(ahead == k)[self.remaining[k] - 1]))
        return stop

    def _step(self, strata: Ints, labels: Ints) -> Floats:
        test, book = self.test, self.test.book
        outcomes = np.where(labels == CANNOT_TELL, test.rows.outcomes, labels)
        log = np.repeat(self.log[:, None], len(strata), axis=1)
        if self._block is not None:
            log[self._block.rows] = self._play(self._block, strata, outcomes)
            self.log = log[:, -1].copy()
        self.found = self.found + book.gain[:, strata, outcomes].sum(axis=1)
        self.made = self.made + book.inside[:, strata].sum(axis=1)
        fresh = np.zeros_like(self._fresh)
        np.add.at(fresh, (strata, outcomes), 1)
        self._fresh = self._fresh + fresh
        self.remaining = self.remaining - fresh.sum(axis=1)
        self.drawn += len(strata)
        if self.remaining[strata[-1]] == 0:
            self._end = self.drawn
        return log

    def _play(self, block: Block, strata: Ints, outcomes: Ints) -> Floats:
        test, rows = self.test, block.rows
        bet = bets(
            test.book,
            block,
            strata=strata,
            outcomes=outcomes,
            remaining=self.remaining,
            found=self.found,
            floor=test.recipe.floor,
        )
        goal = test.goals[rows]
        if test.ceiling is not None:
            wealth = hedged_wealth(
                block,
                bet,
                wealth=np.exp(self.log[rows]),
                level=np.exp(-goal),
                made=self.made[rows].astype(np.float64),
                ceiling=test.ceilings[rows],
            )
            path = np.log(wealth)
        else:
            parts = self._parts[rows, :, None] + np.cumsum(anytime_growth(block, bet), axis=2)
            self._parts = self._parts.copy()
            self._parts[rows] = parts[:, :, -1]
            top = parts.max(axis=1)
            path = top + np.log(np.exp(parts - top[:, None, :]).sum(axis=1))
        return self._stop_at_goal(rows, path, goal)

    def _stop_at_goal(self, rows: Ints, path: Floats, goal: Floats) -> Floats:
        """A row that has reached its goal keeps the wealth it had there."""
        reached = path >= goal[:, None]
        if not reached.any():
            return path
        first = np.where(reached.any(axis=1), np.argmax(reached, axis=1), path.shape[1] - 1)
        self.stopped = self.stopped.copy()
        self.stopped[rows[reached.any(axis=1)]] = True
        kept: Floats = path[
            np.arange(len(rows))[:, None], np.minimum(np.arange(path.shape[1]), first[:, None])
        ]
        return kept

    def _refresh(self, stored: Floats) -> None:
        self._teach()
        test, view = self.test, self.outlook()
        live = np.append(stored * (self.remaining > 0), 0.0)
        chance = live[test.book.where]
        share = chance.sum(axis=1)
        covered = np.all((view.left == 0) | (chance > 0), axis=1)
        betting = ~self.stopped & covered & view.unsettled & (self.made < test.ceilings)
        rows = np.flatnonzero(betting)
        self._stored = stored
        self._end = self.drawn + self._length(rows, share[rows] / max(live.sum(), 1e-300), view)
        self._block = None
        if len(rows):
            inside = chance[rows] / share[rows, None]
            stakes = self._stakes(rows, inside, view)
            left = view.left[rows].astype(np.float64)
            self._block = make_block(test.book, rows, stakes, chance=inside, left=left)

    def _length(self, rows: Ints, share: Floats, view: Outlook) -> int:
        """How many draws share these stakes: as few as any row wants, counted in its domain."""
        if len(rows) == 0:
            return LONGEST_BLOCK
        recipe, made = self.test.recipe, self.made[rows]
        rest = view.left[rows].sum(axis=1) // recipe.rest_share
        wanted = np.minimum(
            np.maximum(recipe.first_block, made // recipe.block_share), np.maximum(1, rest)
        )
        to_go = 1.0 + np.floor((self.test.ceilings[rows] - made) / recipe.hedged_share)
        shortest = float(np.min(np.minimum(wanted, to_go) / share))
        return max(1, min(LONGEST_BLOCK, math.floor(shortest + 1e-9)))

    def _stakes(self, rows: Ints, chance: Floats, view: Outlook) -> Stakes:
        test = self.test
        table = Table(
            pull=view.pull[rows],
            chance=chance,
            belief=view.belief[rows],
            need=view.need[rows],
            unit=view.unit[rows],
            made=self.made[rows].astype(np.float64),
        )
        if test.ceiling is None:
            return anytime_stakes(table, level=test.staked or test.level, recipe=test.recipe)
        to_go = test.ceilings[rows] - table.made
        hold = delta(
            np.exp(self.log[rows] - test.goals[rows]), slope_rows(to_go / test.ceilings[rows])
        )
        margin = hold * spread(table) / np.sqrt(to_go)
        return hedged_stakes(table, margin=margin, recipe=test.recipe)

    def _teach(self) -> None:
        self._opinions = self._taught()
        self._fresh, self._next = np.zeros_like(self._fresh), None

    def settled(self) -> Flags:
        """Rows and mirrors that counting has decided, or that are too near to it for bets."""
        book = self.test.book
        need = (book.required - self.found).astype(np.float64) / (book.scale * book.whole)
        left = np.append(self.remaining, 0)[book.where]
        reach = (book.value * left).sum(axis=1) / book.whole
        flags: Flags = (need <= NEAR * reach) | (need >= (1.0 - NEAR) * reach)
        return flags

    def _taught(self) -> Opinions:
        """The opinions with every label fed. Learnt once for each number of draws."""
        if not self._fresh.any():
            return self._opinions
        if self._next is None or self._next[0] != self.drawn:
            twin = self._copied_opinions()
            twin.learn(self._fresh)
            self._next = (self.drawn, twin)
        return self._next[1]

    def outlook(self) -> Outlook:
        """Needs, pulls and beliefs of every row from all labels fed. Asking changes nothing."""
        book, opinions = self.test.book, self._taught()
        shares, judged = opinions.shares(), opinions.judged()
        left = np.append(self.remaining, 0)[book.where]
        pull = book.value * left / book.whole[:, None]
        place = np.minimum(book.where, len(shares) - 1)
        belief = (book.help * shares[place]).sum(axis=2) * judged[place]
        expected = opinions.counts + self.remaining[:, None] * shares
        unit = book.base + np.tensordot(book.slopes, expected, axes=2)
        need = (book.required - self.found).astype(np.float64) / (book.scale * book.whole)
        return Outlook(
            left=left,
            pull=pull,
            belief=np.clip(belief, LOWEST, 1.0 - LOWEST),
            need=need,
            reach=pull.sum(axis=1),
            unit=np.concatenate([unit, unit]) / book.whole,
        )
