"""Draws in order, block by block: what is believed, what is staked, where to look next."""

import copy
from typing import Any

import numpy as np

from assaymark.stats.score_guided.beliefs import Beliefs
from assaymark.stats.score_guided.kl_projection import Floats, project, saddle
from assaymark.stats.score_guided.marks import Mark
from assaymark.stats.score_guided.wealth import (
    EDGE,
    NEAR,
    Flags,
    HelpForms,
    Ints,
    Recipe,
    Wealth,
    live_sampling,
)

SKIPPED = -1


def guided_sampling(
    belief: Floats, *, pull: Floats, need: float, margin: float, recipe: Recipe
) -> Floats:
    """The chances per stratum for the next batch, from believed rates of help.

    Most go where the hardest false world is refuted fastest. The rest follows Neyman and pull, so
    that no belief can starve a stratum: every stratum with items keeps a chance.
    """
    total = float(pull.sum())
    if total == 0:
        return np.zeros(len(pull), dtype=np.float64)
    neyman = pull * np.sqrt(belief * (1.0 - belief))
    even: Floats = 0.5 * neyman / neyman.sum() + 0.5 * pull / total
    if not NEAR * total < need < (1.0 - NEAR) * total:
        return even
    level = need + min(margin, recipe.reach[0] * (total - need))
    if float((pull * belief).sum()) < level:
        raised = project(belief, pull=pull, sampling=pull / total, level=np.array(level))
        belief = np.clip(raised, EDGE, 1.0 - EDGE)
    point = saddle(belief, pull=pull / total, need=need / total)
    chances: Floats = recipe.guided * point.sampling + (1.0 - recipe.guided) * even
    return chances


class Walk:
    """The state of one certification after the draws fed so far. Feeding more continues it.

    The first row of the tests is the claim: sampling aims at it, and a skipped item teaches the
    beliefs the label that hurts it. `base` and `slopes` give the metric's denominator: base plus
    slopes times positives.
    """

    def __init__(
        self,
        *,
        tests: HelpForms,
        sizes: Ints,
        scores: Floats | None,
        base: float,
        slopes: Floats,
        recipe: Recipe,
    ) -> None:
        self.remaining = sizes.copy()
        self.drawn = 0
        self._tests, self._recipe = tests, recipe
        self.base, self.slopes = base, slopes
        self._beliefs = Beliefs(scores, len(sizes), recipe.experts)
        self._wealth = Wealth(tests, sizes, recipe)
        self._helped = np.zeros(len(sizes), dtype=np.int64)
        self._fresh = np.zeros((2, len(sizes)), dtype=np.int64)
        self._start = self._end = 0
        self._plays = True
        self._stored: Floats | None = None

    def copy(self) -> "Walk":
        """A walk of its own that goes on from here."""
        # arrays are replaced and never written to, here and in both parts: they can be shared
        other = copy.copy(self)
        other._beliefs, other._wealth = copy.copy(self._beliefs), copy.copy(self._wealth)
        return other

    def feed(
        self,
        strata: Ints,
        labels: Ints,
        stored: Floats,
        *,
        play: bool = True,
        marks: list[Mark] | None = None,
    ) -> Floats:
        """The log wealth of every row after each draw (without `play`, only beliefs move).

        `stored[b]` are the chances recorded when draw b was made. A copy of the walk goes to
        `marks` wherever a block begins.
        """
        wealth = np.zeros((len(self._tests.required), len(strata)))
        new_batch = self._new_batches(stored)
        done = 0
        while done < len(strata):
            if self.drawn >= self._end or (new_batch[done] and self._may_refresh(self.drawn)):
                if marks is not None:
                    marks.append(self._mark(stored[done - 1] if done else self._stored))
                self._refresh(stored[done], play=play)
            stop = self._stop(new_batch, done)
            part = slice(done, stop)
            before = self._step(strata[part], labels[part])
            if play:
                wealth[:, part] = self._wealth.play(
                    strata[part],
                    labels[part],
                    before=before,
                    sampling=live_sampling(stored[part], before),
                    batch=np.maximum.accumulate(
                        np.where(new_batch[part], np.arange(stop - done), 0)
                    ),
                )
            done = stop
        if len(strata):
            self._stored = stored[-1]
        return wealth

    def follow(self, draws: Any, marks: list[Mark]) -> Floats:
        """The log wealth of every row after each of these draws; see `marks.Steps`."""
        return self.feed(draws.strata, draws.labels, draws.sampling, play=self._plays, marks=marks)

    def without_bets(self) -> "Walk":
        """The same walk, in which only beliefs move: enough to know the chances."""
        self._plays = False
        return self

    def _mark(self, stored: Floats | None) -> Mark:
        kept = self.copy()
        kept._stored = stored
        return Mark(drawn=self.drawn, steps=kept)

    def sampling(self) -> Floats:
        """The chances for a batch drawn now. Asking changes nothing that is asked later."""
        beliefs = self._beliefs if self.drawn >= self._end else copy.copy(self._beliefs)
        self._teach(beliefs)
        rates, row = beliefs.rates(), self._tests.value[0]
        return guided_sampling(
            np.where(self._tests.helpful[0] == 1, rates, 1.0 - rates),
            pull=row * self.remaining,
            need=float(self._tests.required[0] - (row * self._helped).sum()),
            margin=self._recipe.caution * self._denominator(beliefs),
            recipe=self._recipe,
        )

    @property
    def settled(self) -> bool:
        """Whether the claim may be decided without statistics: its need is met or out of reach."""
        row = self._tests.value[0]
        need = float(self._tests.required[0] - (row * self._helped).sum())
        reach = float((row * self.remaining).sum())
        near = NEAR * (reach + abs(float(self._tests.required[0])))
        return need <= near or need >= reach - near

    def _denominator(self, beliefs: Beliefs) -> float:
        """The metric's believed denominator: what was found plus what is expected."""
        expected = beliefs.positives + self.remaining * beliefs.rates()
        return self.base + float((self.slopes * expected).sum())

    def _may_refresh(self, position: int) -> bool:
        return position - self._start >= self._recipe.first_block

    def _new_batches(self, stored: Floats) -> Flags:
        last = stored[:1] if self._stored is None else self._stored[None, :]
        flags: Flags = np.any(stored != np.concatenate([last, stored[:-1]]), axis=1)
        return flags

    def _stop(self, new_batch: Flags, done: int) -> int:
        """Where this block ends: at its planned length, or at a new batch that is not too soon."""
        stop = min(len(new_batch), done + self._end - self.drawn)
        soonest = done + max(1, self._start + self._recipe.first_block - self.drawn)
        changes = np.flatnonzero(new_batch[soonest:stop])
        return soonest + int(changes[0]) if len(changes) else stop

    def _refresh(self, stored: Floats, *, play: bool) -> None:
        self._teach(self._beliefs)
        self._start = self.drawn
        self._end = self.drawn + self._recipe.block(self.drawn, int(self.remaining.sum()))
        if play:
            self._wealth.place(
                self._beliefs.rates(),
                remaining=self.remaining,
                sampling=live_sampling(stored, self.remaining),
                denominator=self._denominator(self._beliefs),
            )

    def _teach(self, beliefs: Beliefs) -> None:
        if self._fresh.any():
            beliefs.learn(self._fresh[0], self._fresh[1])
        if beliefs is self._beliefs:
            self._fresh = np.zeros_like(self._fresh)

    def _step(self, strata: Ints, labels: Ints) -> Ints:
        """Count these draws; how many items each stratum had before each of them."""
        count = len(self.remaining)
        taken = np.zeros((len(strata), count), dtype=np.int64)
        taken[np.arange(len(strata)), strata] = 1
        before = self.remaining - np.cumsum(taken, axis=0) + taken
        help_now = labels == self._tests.helpful[0, strata]
        hurting = 1 - self._tests.helpful[0, strata]
        outcomes = np.where(labels == SKIPPED, hurting, labels)
        labelled = taken.sum(axis=0)
        self._helped = self._helped + np.bincount(strata[help_now], minlength=count)
        self._fresh = self._fresh + np.stack(
            [labelled, np.bincount(strata[outcomes == 1], minlength=count)]
        )
        self.remaining = self.remaining - labelled
        self.drawn += len(strata)
        return before
