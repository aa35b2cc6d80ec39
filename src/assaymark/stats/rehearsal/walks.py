"""Walks of a score-guided plan, made block by block from counts: what it takes if these are the rates.

One idea: while stakes and chances stand still, the log wealth grows by a number that depends only on
how often each stratum gave each label. So a block is one draw of counts, and a walk to ten thousand
labels takes little longer than one to a thousand. Within a block, wealth is looked at after every
piece of it; between two looks it is taken to move in a straight line.
"""

import math
from dataclasses import dataclass

import numpy as np

from assaymark.stats.betting.binary import POSITIVE, BinaryTest
from assaymark.stats.betting.block import joined_parts
from assaymark.stats.betting.chances import FIRST
from assaymark.stats.betting.hedge import LEAST, delta, slope_rows
from assaymark.stats.betting.open_block import placed
from assaymark.stats.betting.race import LOWEST
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.betting.stakes import Stakes, Table
from assaymark.stats.rehearsal.beliefs import ManyBeliefs
from assaymark.stats.rehearsal.chances import many_chances
from assaymark.stats.score_guided.beliefs import Experts
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.wealth import NEAR, Flags, Ints

PIECES = 5  # looks at the wealth in a block


@dataclass(frozen=True, kw_only=True, eq=False)
class Rehearsal:
    """The labels that each walk used, and whether it passed."""

    labels: Floats
    passed: Flags

    @property
    def mean(self) -> float:
        """Labels on average."""
        return float(self.labels.mean())

    def within(self, share: float) -> int:
        """The labels within which this share of the walks ended."""
        return math.ceil(float(np.quantile(self.labels, share)) - 1e-9)


def rehearse(
    test: BinaryTest, rates: Floats, *, walks: int, rng: "np.random.Generator"
) -> Rehearsal:
    """Walks of the claim's test, the same number in each pool; a row of `rates` is one pool, by stratum.

    *Assumes* that one of the pools is the real one, each as likely, that nobody skips an item, and that
    each label is known before the next block.
    """
    sizes = test.claim_test.book.sizes
    pools = np.stack([whole_positives(sizes, row) for row in np.atleast_2d(rates)])
    going = _Walks(test.claim_test, np.repeat(pools, walks, axis=0), rng)
    while len(going.number):
        going.block()
    return Rehearsal(labels=going.ends, passed=going.passed)


class _Walks:
    """Walks that are still open; `number` says which they are."""

    def __init__(self, test: RowTest, positive: Ints, rng: "np.random.Generator") -> None:
        book, walks = test.book, len(positive)
        self.test, self.rng, self.made = test, rng, 0
        self.items = int(book.sizes.sum())
        self.end = self.items if test.ceiling is None else min(self.items, int(test.ceilings[0]))
        self.value = book.value[0] / book.whole[0]
        self.helpful = book.help[0, :, POSITIVE] == 1
        self.number = np.arange(walks)
        self.ends, self.passed = np.zeros(walks), np.zeros(walks, dtype=np.bool_)
        self.left = np.tile(book.sizes, (walks, 1))
        self.positive = positive
        self.need = np.full(walks, float(book.required[0]) / float(book.scale[0] * book.whole[0]))
        shares = (1.0,) if test.ceiling is not None else test.recipe.shares
        self.parts = np.tile(np.log(shares) + test.opened[0], (walks, 1))
        prior = None if test.beliefs is None else test.beliefs[:, POSITIVE]
        self.beliefs = ManyBeliefs(prior, runs=walks, strata=len(book.sizes), experts=Experts())
        self.fresh = np.zeros((2, walks, len(book.sizes)), dtype=np.int64)

    def block(self) -> None:
        """Draw with one set of stakes, and take out the walks that ended."""
        everyone = np.arange(len(self.number))
        if self.made:
            self.beliefs.learn(everyone, self.fresh[0].astype(float), self.fresh[1].astype(float))
            self.fresh[:] = 0
        table = self._table(self.beliefs.rates(everyone))
        log = joined_parts(self.parts[:, :, None])[:, 0]
        bets = _unsettled(table) & (log > math.log(LEAST))
        safe = np.flatnonzero(bets)
        stakes = _nothing(self.parts.shape, table.pull.shape)
        if len(safe):
            rows = np.zeros(len(safe), dtype=np.int64)
            some = placed(self.test, rows, _some(table, safe), log[safe])
            stakes.stake[safe], stakes.control[safe] = some.stake, some.control
        hold = self._hold(log)
        start, length = self.made, self._length()
        for last in np.linspace(0, length, min(PIECES, length) + 1).round().astype(int)[1:]:
            self._piece(stakes, table.chance, hold, start, start + int(last) - self.made)
        self._take_out()

    def _length(self) -> int:
        """How many draws share stakes: those of the method, but without its longest block."""
        recipe, rest = self.test.recipe, self.items - self.made
        wanted = max(recipe.first_block, self.made // recipe.block_share)
        wanted = min(wanted, max(1, rest // recipe.rest_share), self.end - self.made)
        if self.test.ceiling is not None:
            wanted = min(wanted, 1 + (self.end - self.made) // recipe.hedged_share)
        return max(1, wanted)

    def _table(self, rates: Floats) -> Table:
        book, pull = self.test.book, self.value * self.left
        belief = np.where(self.helpful, rates, 1.0 - rates)
        belief = np.clip(belief, LOWEST, 1.0 - LOWEST)
        known = np.stack([self.beliefs.labels - self.beliefs.positives, self.beliefs.positives])
        expected = known + self.left * np.stack([1.0 - rates, rates])
        slopes = np.zeros((2, pull.shape[1] + 1))
        np.add.at(slopes.T, book.sloped[0], book.slopes[0])
        unit = (book.base[0] + np.einsum("ork,ok->r", expected, slopes[:, :-1])) / book.whole[0]
        chance = many_chances(
            belief, pull=pull, need=self.need, margin=self.test.recipe.caution * unit, recipe=FIRST
        )
        live = chance * (self.left > 0)
        return Table(
            pull=pull,
            chance=live / live.sum(axis=1, keepdims=True),
            belief=belief,
            need=self.need,
            unit=unit,
            made=np.full(len(pull), float(self.made)),
        )

    def _hold(self, log: Floats) -> Floats:
        """Of a plan with a ceiling: what its stakes are scaled by, at this wealth and number of draws."""
        if self.test.ceiling is None:
            return np.ones(len(log))
        to_go = max(self.end - self.made, 1)
        row = slope_rows(np.full(len(log), to_go / self.end))
        hold: Floats = delta(np.exp(log - self.test.goals[0]), row) / math.sqrt(to_go)
        return hold

    def _piece(self, stakes: Stakes, chance: Floats, hold: Floats, start: int, draws: int) -> None:
        before = joined_parts(self.parts[:, :, None])[:, 0]
        going = (before < self.test.goals[0]) & (self.need > 0)
        scale = self._hold(before) / hold if self.made > start else np.ones(len(hold))
        drawn = self._drawn(chance, draws)
        hits = self.rng.hypergeometric(self.positive, self.left - self.positive, drawn)
        counts = np.stack([drawn - hits, hits], axis=2)
        growth = self._growth(stakes, chance, scale)
        self.parts = self.parts + np.where(
            going[:, None], np.einsum("rjko,rko->rj", growth, counts), 0.0
        )
        helped = np.where(self.helpful, hits, drawn - hits)
        self.left, self.positive = self.left - drawn, self.positive - hits
        self.need = self.need - (self.value * helped).sum(axis=1)
        self.fresh = self.fresh + np.stack([drawn, hits])
        self._end(going, before, draws)
        self.made += draws

    def _growth(self, stakes: Stakes, chance: Floats, scale: Floats) -> Floats:
        """The growth of the log wealth of every part, by stratum and label."""
        worth = self.value * stakes.control
        weight = np.divide(self.left, chance, out=np.zeros(chance.shape), where=chance > 0)
        drift = (worth * self.left[:, None, :]).sum(axis=2) - self.need[:, None]
        loss = (worth * weight[:, None, :]).max(axis=2) - drift
        limit = (1.0 - self.test.recipe.floor) / np.maximum(loss, 1e-300)
        stake = np.minimum(stakes.stake * scale[:, None], np.where(loss > 0, limit, np.inf))
        gain = self.value[:, None] * np.stack([~self.helpful, self.helpful], axis=1)
        payoff = (gain - worth[:, :, :, None]) * weight[:, None, :, None]
        edge = np.maximum(stake[:, :, None, None] * (drift[:, :, None, None] + payoff), -0.999)
        growth: Floats = np.log1p(edge)
        return growth

    def _drawn(self, chance: Floats, draws: int) -> Ints:
        """How often each stratum is drawn: by its chance, and never more than it has."""
        drawn: Ints = np.minimum(self.rng.multinomial(draws, chance), self.left)
        while (short := draws - drawn.sum(axis=1)).any():
            open_ = chance * (self.left > drawn)
            more = self.rng.multinomial(short, open_ / open_.sum(axis=1, keepdims=True))
            drawn = np.minimum(drawn + more, self.left)
        return drawn

    def _end(self, going: Flags, before: Floats, draws: int) -> None:
        """Note where walks passed in the last draws: at their goal, or where the claim is certain."""
        goal, after = self.test.goals[0], joined_parts(self.parts[:, :, None])[:, 0]
        crossed = going & (after >= goal)
        way = np.clip((goal - before) / np.maximum(after - before, 1e-300), 0.0, 1.0)
        share = np.where(crossed, way, 1.0)
        now = crossed | (going & (self.need <= 0))
        fewest = min(self.test.recipe.fewest, self.items)
        self.ends[self.number[now]] = np.maximum(self.made + share * draws, fewest)[now]
        self.passed[self.number[now]] = True

    def _take_out(self) -> None:
        over = self.passed[self.number]
        if self.made >= self.end:
            late = self.number[~over]
            self.ends[late], over = self.made, np.ones(len(over), dtype=np.bool_)
        kept = ~over
        self.beliefs.keep(kept)
        self.number, self.left, self.positive = (
            self.number[kept],
            self.left[kept],
            self.positive[kept],
        )
        self.need, self.parts, self.fresh = self.need[kept], self.parts[kept], self.fresh[:, kept]


def whole_positives(sizes: Ints, rates: Floats) -> Ints:
    """Positives of every stratum in whole numbers, whose sums stay as near to the rates as they can.

    >>> whole_positives(np.array([4, 4, 4]), np.array([0.1, 0.1, 0.1])).tolist()
    [0, 1, 0]
    """
    order = np.argsort(rates, kind="stable")
    sums = np.rint(np.cumsum((sizes * np.clip(rates, 0.0, 1.0))[order]))
    whole = np.empty(len(sizes), dtype=np.int64)
    whole[order] = np.diff(sums, prepend=0.0)
    return np.clip(whole, 0, sizes)


def _unsettled(table: Table) -> Flags:
    reach = table.pull.sum(axis=1)
    flags: Flags = (table.need > NEAR * reach) & (table.need < (1.0 - NEAR) * reach)
    return flags


def _some(table: Table, kept: Ints) -> Table:
    return Table(
        pull=table.pull[kept],
        chance=table.chance[kept],
        belief=table.belief[kept],
        need=table.need[kept],
        unit=table.unit[kept],
        made=table.made[kept],
    )


def _nothing(parts: tuple[int, ...], strata: tuple[int, ...]) -> Stakes:
    return Stakes(stake=np.zeros(parts), control=np.zeros((*parts, strata[1])))
