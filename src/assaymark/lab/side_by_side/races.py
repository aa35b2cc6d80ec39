"""The state of many runs of one test of a single row: `stats.betting.race` with an axis for runs."""

from dataclasses import dataclass

import numpy as np

from assaymark.errors import InputError
from assaymark.stats.betting.block import (
    Bets,
    Block,
    Steps,
    anytime_growth,
    bets,
    hedged_wealth,
    joined_parts,
    kept_at_goal,
    make_block,
)
from assaymark.stats.betting.chances import FIRST
from assaymark.stats.betting.open_block import placed
from assaymark.stats.betting.race import LONGEST_BLOCK, LOWEST
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.betting.stakes import Table
from assaymark.stats.rehearsal.beliefs import ManyBeliefs
from assaymark.stats.rehearsal.chances import many_chances
from assaymark.stats.score_guided.beliefs import Experts
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.wealth import NEAR, Flags, Ints

SIDES = 2  # the row and its mirror
STATE = (
    "remaining found log stopped _parts _stake _worth _worst _betting _chance _stored _fresh _end"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Outlook:
    """What is known about row and mirror of every run: see `stats.betting.race.Outlook`."""

    pull: Floats
    belief: Floats
    need: Floats
    reach: Floats
    unit: Floats

    @property
    def unsettled(self) -> Flags:
        """Rows whose need is neither met nor out of reach, nor too near to either to bet."""
        return (self.need > NEAR * self.reach) & (self.need < (1.0 - NEAR) * self.reach)


class Races:
    """Runs of a test with one row whose domain is every stratum. No item is ever skipped.

    Arrays have an axis for runs first, then one for row and mirror.
    """

    def __init__(self, test: RowTest, runs: int) -> None:
        book, strata = test.book, len(test.sizes)
        if len(test.rows) != 1 or not book.inside.all() or test.rows.outcomes != 2:
            raise InputError("Races side by side need one row on every stratum and two outcomes.")
        self.test, self.drawn = test, 0
        self.remaining = np.tile(book.sizes, (runs, 1))
        self.found = np.zeros((runs, SIDES), dtype=np.int64)
        self.log = np.tile(test.opened, (runs, 1))
        self.stopped = np.tile(~test.played, (runs, 1))
        shares = (1.0,) if test.ceiling is not None else test.recipe.shares
        self._parts = np.log(shares) + self.log[:, :, None]
        self._stake = np.zeros(self._parts.shape)
        self._worth = np.zeros((*self._parts.shape, strata))
        self._worst = np.zeros(self._parts.shape)
        self._betting = np.zeros((runs, SIDES), dtype=np.bool_)
        self._chance = np.ones((runs, strata))
        self._stored = np.full((runs, strata), np.nan)
        self._next: tuple[int, ManyBeliefs] | None = None
        self._fresh = np.zeros((runs, strata, 2), dtype=np.int64)
        self._end = np.zeros(runs, dtype=np.int64)
        self._beliefs = ManyBeliefs(
            None if test.beliefs is None else test.beliefs[:, 1],
            runs=runs,
            strata=strata,
            experts=Experts(),
        )

    def __len__(self) -> int:
        return len(self.remaining)

    def keep(self, runs: Flags) -> None:
        """Forget the other runs."""
        for name in STATE.split():
            setattr(self, name, getattr(self, name)[runs])
        self._beliefs.keep(runs)
        self._next = None

    def may_decide(self) -> Flags:
        """Whether anything came to its level or was settled: otherwise nothing changed."""
        near = self.log.max(axis=1) >= self.test.log_needed
        settled = ~self._outlook(np.arange(len(self)), self._beliefs).unsettled
        flags: Flags = near | (settled & self.test.played).any(axis=1)
        return flags

    def chances(self) -> Floats:
        """The chances of the next segment of every run. Asking changes nothing."""
        runs, beliefs = np.arange(len(self)), self._beliefs.copy()
        _learn(beliefs, runs, self._fresh)
        self._next = (self.drawn, beliefs)
        view = self._outlook(runs, beliefs)
        return many_chances(
            view.belief[:, 0],
            pull=view.pull[:, 0],
            need=view.need[:, 0],
            margin=self.test.recipe.caution * view.unit[:, 0],
            recipe=FIRST,
        )

    def feed(self, strata: Ints, labels: Ints, stored: Floats) -> Floats:
        """The log wealth of row and mirror after each of these draws, which share chances."""
        log = np.empty((len(self), SIDES, strata.shape[1]))
        done = 0
        while done < strata.shape[1]:
            due = np.flatnonzero((self.drawn >= self._end) | np.any(stored != self._stored, axis=1))
            if len(due):
                self._refresh(due, stored)
            stop = self._stop(strata, done)
            log[:, :, done:stop] = self._step(strata[:, done:stop], labels[:, done:stop])
            done = stop
        return log

    def _stop(self, strata: Ints, done: int) -> int:
        """Where the first of all runs needs new stakes: a block's end, or a stratum that empties."""
        stop = min(strata.shape[1], done + int(self._end.min()) - self.drawn)
        ahead = strata[:, done:stop]
        taken = (ahead[:, :, None] == np.arange(self.remaining.shape[1])).sum(axis=1)
        for run, k in np.argwhere((taken >= self.remaining) & (taken > 0)):
            last = np.flatnonzero(ahead[run] == k)[self.remaining[run, k] - 1]
            stop = min(stop, done + 1 + int(last))
        return int(stop)

    def _step(self, strata: Ints, labels: Ints) -> Floats:
        runs, draws = strata.shape
        log = np.repeat(self.log[:, :, None], draws, axis=2)
        if self._betting.any():
            run, side = np.nonzero(self._betting)
            log[run, side] = self._play(run, side, strata, labels)
            self.log = log[:, :, -1].copy()
        gain = self.test.book.gain[:, strata, labels].sum(axis=2)
        self.found = self.found + gain.T
        where = np.arange(runs)[:, None]
        np.add.at(self._fresh, (where, strata, labels), 1)
        np.subtract.at(self.remaining, (where, strata), 1)
        self.drawn += draws
        emptied = self.remaining[np.arange(runs), strata[:, -1]] == 0
        self._end = np.where(emptied, self.drawn, self._end)
        return log

    def _play(self, run: Ints, side: Ints, strata: Ints, labels: Ints) -> Floats:
        block, bet = self._bets(run, side, strata, labels)
        goal, test = self.test.goals[side], self.test
        if test.ceiling is not None:
            wealth = hedged_wealth(
                block,
                bet,
                wealth=np.exp(self.log[run, side]),
                level=np.exp(-goal),
                made=np.full(len(run), float(self.drawn)),
                ceiling=test.ceilings[side],
            )
            path = np.log(wealth)
        else:
            parts = self._parts[run, side][:, :, None] + np.cumsum(
                anytime_growth(block, bet), axis=2
            )
            self._parts[run, side] = parts[:, :, -1]
            path = joined_parts(parts)
        kept, reached = kept_at_goal(path, goal)
        self.stopped[run[reached], side[reached]] = True
        return kept

    def _bets(self, run: Ints, side: Ints, strata: Ints, labels: Ints) -> tuple[Block, Bets]:
        outside = np.zeros((*self._worth.shape[:3], 1))
        block = Block(
            rows=side,
            stake=self._stake[run, side],
            worth=np.concatenate([self._worth, outside], axis=3)[run, side],
            chance=np.concatenate([self._chance, np.ones((len(self), 1))], axis=1)[run],
            worst=self._worst[run, side],
        )
        bet = bets(
            self.test.book,
            block,
            Steps(
                strata=strata[run],
                outcomes=labels[run],
                before=_items_before(strata, self.remaining)[run],
            ),
            left=self.remaining[run],
            positives=self.found[run, side],
            floor=self.test.recipe.floor,
        )
        return block, bet

    def _refresh(self, due: Ints, stored: Floats) -> None:
        test = self.test
        self._teach(due)
        view = self._outlook(due, self._beliefs)
        live = stored[due] * (self.remaining[due] > 0)
        chance = live / live.sum(axis=1, keepdims=True)
        covered = np.all((self.remaining[due] == 0) | (chance > 0), axis=1)
        going = ~self.stopped[due] & (self.drawn < test.ceilings)
        betting = going & covered[:, None] & view.unsettled
        self._betting[due], self._chance[due], self._stored[due] = betting, chance, stored[due]
        self._end[due] = self.drawn + np.where(
            betting.any(axis=1), self._lengths(due), LONGEST_BLOCK
        )
        run, side = np.nonzero(betting)
        if len(run) == 0:
            return
        table = Table(
            pull=view.pull[run, side],
            chance=chance[run],
            belief=view.belief[run, side],
            need=view.need[run, side],
            unit=view.unit[run, side],
            made=np.full(len(run), float(self.drawn)),
        )
        stakes = placed(test, side, table, self.log[due[run], side])
        left = self.remaining[due[run]].astype(np.float64)
        block = make_block(test.book, side, stakes, chance=chance[run], left=left)
        where = due[run], side
        self._stake[where], self._worst[where] = block.stake, block.worst
        self._worth[where] = block.worth[:, :, :-1]

    def _lengths(self, due: Ints) -> Ints:
        """How many draws share these stakes."""
        recipe, most = self.test.recipe, float(self.test.ceilings[0])
        rest = np.maximum(1, self.remaining[due].sum(axis=1) // recipe.rest_share)
        wanted = np.minimum(max(recipe.first_block, self.drawn // recipe.block_share), rest)
        to_go = 1.0 + np.floor((most - self.drawn) / recipe.hedged_share)
        lengths: Ints = np.clip(np.minimum(wanted, to_go), 1, LONGEST_BLOCK).astype(np.int64)
        return lengths

    def _teach(self, runs: Ints) -> None:
        """Learn every label fed: once for each number of draws, as a race alone does."""
        if len(runs) == len(self) and self._next is not None and self._next[0] == self.drawn:
            self._beliefs = self._next[1]
        else:
            _learn(self._beliefs, runs, self._fresh)
        self._fresh[runs], self._next = 0, None

    def _outlook(self, runs: Ints, beliefs: ManyBeliefs) -> Outlook:
        """Needs, pulls and beliefs of row and mirror from all labels that these beliefs know."""
        book, left = self.test.book, self.remaining[runs]
        rates = beliefs.rates(runs)
        shares = np.stack([1.0 - rates, rates], axis=2)
        pull = book.value * left[:, None, :] / book.whole[:, None]
        belief = (book.help * shares[:, None, :, :]).sum(axis=3)
        positives = beliefs.positives[runs]
        counts = np.stack([beliefs.labels[runs] - positives, positives], axis=2)
        expected = counts + left[:, :, None] * shares
        among = np.append(expected, np.zeros((len(runs), 1, 2)), axis=1)[:, book.sloped[0]]
        unit = book.base[0] + (book.slopes[0] * among).sum(axis=(1, 2))
        short = (book.required - self.found[runs]).astype(np.float64)
        need = short / (book.scale * book.whole)
        return Outlook(
            pull=pull,
            belief=np.clip(belief, LOWEST, 1.0 - LOWEST),
            need=need,
            reach=pull.sum(axis=2),
            unit=unit[:, None] / book.whole,
        )


def _learn(beliefs: ManyBeliefs, runs: Ints, fresh: Ints) -> None:
    some = runs[fresh[runs].any(axis=(1, 2))]
    if len(some):
        new = fresh[some].astype(np.float64)
        beliefs.learn(some, new.sum(axis=2), new[:, :, 1])


def _items_before(strata: Ints, remaining: Ints) -> Ints:
    """How many items the stratum of each draw had before it, run by run."""
    before = np.empty(strata.shape, dtype=np.int64)
    for k in range(remaining.shape[1]):
        mine = strata == k
        before = np.where(mine, remaining[:, k, None] - np.cumsum(mine, axis=1) + 1, before)
    return before
