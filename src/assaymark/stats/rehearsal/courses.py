"""Courses of a test of several rows, many runs at once: what a claim of several parts takes.

One idea: the same as `walks`, for any rows. Draws go to the group or row that wants them, with chances
from the labels that a segment may know; stakes follow beliefs; rows stop where they are proved. A turn
is one draw of counts with one set of chances and stakes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assaymark.stats.betting.block import joined_parts
from assaymark.stats.betting.open_block import placed
from assaymark.stats.betting.renewal import FEWEST, LEAD_SHARE
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.betting.stakes import Table
from assaymark.stats.rehearsal.beliefs import ManyOpinions
from assaymark.stats.rehearsal.draws import AimOf, Moment, many_chances_of_rows, outlook_of
from assaymark.stats.rehearsal.walks import whole_positives
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.wealth import Ints

TURN_SHARE = 10  # a turn is one such part of the draws so far
REST_SHARE = 4  # and, near the end, one such part of what is left
PIECES = 3  # looks at the wealth in a turn

Units = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Manner:
    """How draws are made, as a claim seals it.

    Of the draws so far at least `lead`, and half of them where there is one, are not known when chances
    are renewed. `shared` chances serve several groups; `aim` chooses the row, where the rule of the test
    does not. `most` is the number of draws after which the test ends.
    """

    lead: int = 0
    shared: bool = False
    aim: AimOf | None = None
    most: int


@dataclass(frozen=True, kw_only=True, eq=False)
class CourseRehearsal:
    """When each unit (rows that are proved together) passed in every run, in draws; infinite where not.

    `inside` counts those in the unit's own strata, `ends` are the draws when the run ended.
    """

    times: Floats
    inside: Floats
    ends: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class World:
    """A pool in which strata have these shares of outcomes; numbers add up in each of the `blocks`."""

    shares: Floats
    blocks: tuple[tuple[int, ...], ...]

    def items(self, sizes: Sequence[int]) -> Ints:
        """How many items of every stratum have each outcome, in whole numbers."""
        items = np.zeros(self.shares.shape, dtype=np.int64)
        for block in self.blocks:
            here = np.array(block, dtype=np.int64)
            shares, left = self.shares[here], np.array(sizes, dtype=np.int64)[here]
            rest = np.ones(len(here))
            for outcome in range(shares.shape[1] - 1, 0, -1):
                share = shares[:, outcome] / np.maximum(rest, 1e-12)
                taken = whole_positives(left, share)
                items[here, outcome] = taken
                left, rest = left - taken, rest - shares[:, outcome]
            items[here, 0] = left
        return items


def rehearse_rows(
    test: RowTest,
    world: World,
    *,
    manner: Manner,
    units: Units,
    wanted: Sequence[int],
    runs: int,
    rng: np.random.Generator,
) -> CourseRehearsal:
    """Runs of the test in this world, until the `wanted` units have passed or the last draw is made.

    *Assumes* the world, a test without a ceiling, that nobody skips an item, and that labels are known
    when chances may use them.
    """
    going = _Courses(test, world.items(test.sizes), manner, units, wanted, runs, rng)
    while len(going.number):
        going.turn()
    return CourseRehearsal(times=going.times, inside=going.inside, ends=going.ends)


class _Courses:
    """Runs that are still open; `number` says which they are."""

    def __init__(
        self,
        test: RowTest,
        items: Ints,
        manner: Manner,
        units: Units,
        wanted: Sequence[int],
        runs: int,
        rng: np.random.Generator,
    ) -> None:
        book = test.book
        rows = slice(0, book.count)
        self.test, self.manner, self.rng = test, manner, rng
        self.value = book.value[rows] / book.whole[rows, None]
        self.gain = book.help[rows] * self.value[:, :, None]
        self.units = _Units(test, units)
        self.wanted = np.array(wanted, dtype=np.int64)
        self.number = np.arange(runs)
        self.times = np.full((runs, len(units)), np.inf)
        self.inside = np.full((runs, len(units)), np.inf)
        self.ends = np.zeros(runs)
        self.parts = np.tile(np.log(test.recipe.shares) + test.opened[rows, None], (runs, 1, 1))
        self.items = np.tile(items, (runs, 1, 1))
        self.opinions = ManyOpinions(
            test.beliefs, runs=runs, strata=len(book.sizes), outcomes=test.rows.outcomes
        )
        need = book.required[rows].astype(np.float64) / (book.scale[rows] * book.whole[rows])
        self.now = Moment(
            left=np.tile(book.sizes, (runs, 1)),
            need=np.tile(need, (runs, 1)),
            log=np.tile(test.opened[rows], (runs, 1)),
            made=np.zeros((runs, book.count), dtype=np.int64),
            stopped=np.zeros((runs, book.count), dtype=np.bool_),
            shares=self.opinions.shares(),
            counts=self.opinions.counts,
        )
        self.drawn = 0
        self.past: list[tuple[int, Moment]] = []

    def turn(self) -> None:
        """Draw with one set of chances and stakes, and take out the runs that ended."""
        left = int(self.now.left.sum(axis=1).max())
        length = max(FEWEST, min(self.drawn // TURN_SHARE, left // REST_SHARE))
        length = max(1, min(length, self.manner.most - self.drawn))
        chance = self._chances(length)
        bets = _Bets(self, chance)
        start = self.items
        for ends in np.diff(np.linspace(0, length, min(PIECES, length) + 1).round().astype(int)):
            self._piece(bets, chance, int(ends))
        self.drawn += length
        self.opinions.learn((start - self.items).astype(np.float64))
        self.now = self.now.later(shares=self.opinions.shares(), counts=self.opinions.counts)
        self._take_out()

    def _chances(self, length: int) -> Floats:
        """The chances of every run, from the turn that ended nearest to the labels known by now."""
        self.past.append((self.drawn, self.now))
        lead = self.manner.lead
        known = self.drawn - max(lead, self.drawn // LEAD_SHARE) if lead else self.drawn
        while len(self.past) > 1 and self.past[0][0] + self.past[1][0] <= 2 * known:
            self.past.pop(0)
        then = self.past[0][1]
        waiting = then.left - self.now.left
        live = self.now.left > 0
        chance = live * many_chances_of_rows(
            self.test, then, waiting, length, shared=self.manner.shared, aim=self.manner.aim
        )
        spent = ~(chance > 0).any(axis=1)
        if spent.any():  # what is left is drawn at random
            inside = self.test.book.inside[: self.test.book.count].any(axis=0)
            chance[spent] = (self.now.left * inside)[spent]
        total = chance.sum(axis=1, keepdims=True)
        shares: Floats = np.divide(chance, total, out=np.zeros(chance.shape), where=total > 0)
        return shares

    def _piece(self, bets: "_Bets", chance: Floats, draws: int) -> None:
        now = self.now
        taken = self._taken(chance, draws)
        fresh, items = _outcomes(self.items, now.left, taken, self.rng)
        amounts = _at(fresh, self.test.book.where[: self.test.book.count])
        self.parts = bets.grown(self.parts, now, amounts)
        log = joined_parts(self.parts.reshape(-1, self.parts.shape[2], 1))[:, 0]
        log = np.where(now.stopped, now.log, log.reshape(now.log.shape))
        after = now.later(
            left=now.left - taken,
            need=now.need - (amounts * self.gain).sum(axis=(2, 3)),
            log=log,
            made=now.made + amounts.sum(axis=(2, 3)).astype(np.int64),
            stopped=now.stopped | (log >= self.test.goals[: log.shape[1]]),
        )
        self.items = items
        self._note(now, after)
        self.now = after

    def _taken(self, chance: Floats, draws: int) -> Ints:
        """How often each stratum is drawn: by its chance, and never more than it has."""
        left = self.now.left
        some = chance.sum(axis=1) > 0
        taken = np.zeros(left.shape, dtype=np.int64)
        taken[some] = np.minimum(self.rng.multinomial(draws, chance[some]), left[some])
        short = np.where(some, draws - taken.sum(axis=1), 0)
        while short.any():
            room = np.where(chance > 0, left - taken, 0)
            reach = room.sum(axis=1)
            short = np.minimum(short, reach)
            going = np.flatnonzero(short)
            weight = room[going] / reach[going, None]
            more = np.minimum(self.rng.multinomial(short[going], weight), room[going])
            taken[going] += more
            short[going] -= more.sum(axis=1)
        return taken

    def _note(self, before: Moment, after: Moment) -> None:
        """Note where units passed in the last draws, on a straight line between two looks."""
        way = self.units.passed(before, after)
        drawn = [self.test.book.sizes.sum() - one.left.sum(axis=1) for one in (before, after)]
        inside = [self.units.inside(one) for one in (before, after)]
        new = np.isfinite(way) & ~np.isfinite(self.times[self.number])
        runs, places = np.nonzero(new)
        share, who = way[new], self.number[runs]
        self.times[who, places] = drawn[0][runs] + share * (drawn[1] - drawn[0])[runs]
        self.inside[who, places] = inside[0][new] + share * (inside[1] - inside[0])[new]

    def _take_out(self) -> None:
        passed = np.isfinite(self.times[self.number][:, self.wanted]).all(axis=1)
        drawn = self.test.book.sizes.sum() - self.now.left.sum(axis=1)
        inside = self.test.book.inside[: self.test.book.count].any(axis=0)
        over = passed | ~(self.now.left * inside).any(axis=1) | (self.drawn >= self.manner.most)
        gone = self.number[over]
        latest = self.times[gone][:, self.wanted].max(axis=1, initial=0.0)
        self.ends[gone] = np.where(passed[over], latest, drawn[over])
        kept = ~over
        self.number, self.parts, self.items = self.number[kept], self.parts[kept], self.items[kept]
        self.opinions.keep(kept)
        self.now = self.now.some(kept)
        self.past = [(drawn_, moment.some(kept)) for drawn_, moment in self.past]


class _Bets:
    """The stakes of a turn, for the rows of all runs that bet in it."""

    def __init__(self, courses: _Courses, chance: Floats) -> None:
        test, now = courses.test, courses.now
        book, view = test.book, outlook_of(courses.test, now)
        where = book.where[: book.count]
        inside = _at(chance[:, :, None], where)[..., 0]
        left = _at(now.left[:, :, None], where)[..., 0]
        share = inside.sum(axis=2)
        covered = ((left == 0) | (inside > 0)).all(axis=2) & (share > 0)
        going = covered & ~now.stopped & view.unsettled
        self.runs, self.rows = np.nonzero(going)
        self.courses, self.test = courses, test
        self.chance = inside[going] / share[going][:, None]
        table = Table(
            pull=view.pull[going],
            chance=self.chance,
            belief=view.belief[going],
            need=view.need[going],
            unit=view.unit[going],
            made=now.made[going].astype(np.float64),
        )
        if len(self.rows):
            self.stakes = placed(test, self.rows, table, now.log[going])

    def grown(self, parts: Floats, now: Moment, amounts: Floats) -> Floats:
        """The log wealth of the parts after a piece with these numbers of labels at every row's places."""
        if not len(self.rows):
            return parts
        runs, rows, stakes = self.runs, self.rows, self.stakes
        value, gain = self.courses.value[rows], self.courses.gain[rows]
        left = _at(now.left[:, :, None], self.test.book.where[: self.test.book.count])[..., 0]
        left = left[runs, rows].astype(np.float64)
        worth = value[:, None, :] * stakes.control
        weight = np.divide(left, self.chance, out=np.zeros(left.shape), where=self.chance > 0)
        drift = (worth * left[:, None, :]).sum(axis=2) - now.need[runs, rows][:, None]
        loss = (worth * weight[:, None, :]).max(axis=2) - drift
        limit = (1.0 - self.test.recipe.floor) / np.maximum(loss, 1e-300)
        stake = np.minimum(stakes.stake, np.where(loss > 0, limit, np.inf))
        payoff = (gain[:, None] - worth[..., None]) * weight[:, None, :, None]
        edge = np.maximum(stake[..., None, None] * (drift[..., None, None] + payoff), -0.999)
        grown = np.einsum("bpwo,bwo->bp", np.log1p(edge), amounts[runs, rows])
        grown[now.stopped[runs, rows]] = 0.0
        after = parts.copy()
        after[runs, rows] += grown
        return after


class _Units:
    """When the rows of a unit are proved together: each at its level, or, in a gap, their product."""

    def __init__(self, test: RowTest, units: Units) -> None:
        book = test.book
        self.test, self.count = test, book.count
        self.members = np.zeros((len(units), book.count), dtype=np.bool_)
        for place, rows in enumerate(units):
            self.members[place, list(rows)] = True
        self.product = any(math.isinf(goal) for goal in test.goals[: book.count])
        inside = book.inside[: book.count]
        self.homes = (self.members.astype(np.int64) @ inside) > 0
        self.fewest = np.minimum(test.recipe.fewest, inside @ book.sizes)

    def inside(self, now: Moment) -> Floats:
        """How many draws lie in the strata of each unit."""
        drawn: Floats = ((self.test.book.sizes - now.left) @ self.homes.T).astype(np.float64)
        return drawn

    def passed(self, before: Moment, after: Moment) -> Floats:
        """How far between two looks each unit of every run passed; infinite where it did not."""
        enough = _way(before.made, after.made, self.fewest)
        sure = np.where(after.need <= 0, 1.0, np.inf)
        if not self.product:
            level = np.full(self.count, self.test.log_needed)
            rows = np.minimum(np.maximum(_way(before.log, after.log, level), enough), sure)
            return self._over(rows, np.max, -np.inf)
        sums, level = (
            self.members.T.astype(np.float64),
            np.full(len(self.members), self.test.log_needed),
        )
        risen = _way(before.log @ sums, after.log @ sums, level)
        ready = np.maximum(risen, self._over(enough, np.max, -np.inf))
        way: Floats = np.minimum(ready, self._over(sure, np.min, np.inf))
        return way

    def _over(self, rows: Floats, how: object, neutral: float) -> Floats:
        chosen = np.where(self.members, rows[:, None, :], neutral)
        extreme: Floats = how(chosen, axis=2)  # type: ignore[operator]
        return extreme


def _way(before: Floats | Ints, after: Floats | Ints, level: Floats | Ints) -> Floats:
    """The share of the way from one to the other at which the level is reached; infinite where not."""
    rise = np.maximum(after - before, 1e-300)
    share = np.clip((level - before) / rise, 0.0, 1.0)
    way: Floats = np.where(np.maximum(before, after) >= level, share, np.inf)
    return way


def _at(amounts: Floats | Ints, where: Ints) -> Floats:
    """Amounts of every stratum (second axis) at the places of every row; 0 where there is no stratum."""
    none = np.zeros((len(amounts), 1, amounts.shape[2]), dtype=amounts.dtype)
    there: Floats = np.concatenate([amounts, none], axis=1)[:, where]
    return there


def _outcomes(items: Ints, left: Ints, taken: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """What the draws of every stratum show, and what is left of every outcome."""
    fresh, rest, more = np.zeros_like(items), left, taken
    for outcome in range(items.shape[2] - 1):
        here = items[:, :, outcome]
        fresh[:, :, outcome] = rng.hypergeometric(here, rest - here, more)
        rest, more = rest - here, more - fresh[:, :, outcome]
    fresh[:, :, -1] = more
    return fresh, items - fresh
