"""Betting on labels without replacement: the wealth of several tests on the same draws.

One idea: draw a stratum k with chance Q_k and then any unlabelled item of it. Whatever was staked,
f = 1 + λ(C + v_k (help − t_k) n_k/(N Q_k)) has mean at most 1 while the claim is false, so the
product of the f is a fair or losing game, and it reaches 1/α with chance at most α.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assaymark.stats.score_guided.beliefs import Experts
from assaymark.stats.score_guided.kl_projection import Floats, lower_to, project

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

# Rates that a tilted belief may reach: a likelihood ratio needs both labels to be possible.
EDGE = 1e-7
# A claim this near to being settled, as a share of all that is left, is not bet on.
NEAR = 1e-9


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The tuning of stakes and sampling. None of it touches validity.

    Wealth is split by `shares` over assumed truths: the believed one, raised to `least_margin`
    above the target where it is lower, and the belief tilted to each of `margins`, all in units of
    the metric but never more than the share `reach` of the room above the target. Blocks hold
    `first_block` draws, later one `block_share`-th of the draws so far; a factor never falls below
    `floor`. Near the end of the pool a block is at most one `rest_share`-th of the items left.
    Sampling assumes at least the margin `caution` and is `guided` to that share. Nothing passes
    before `fewest_labels`; `ladder` are the distances, in log-odds, of the other targets that make
    the bound, and `experts` are those who believe.
    """

    first_block: int = 10
    block_share: int = 30
    rest_share: int = 10
    least_margin: float = 0.04
    margins: tuple[float, ...] = (0.05, 0.12)
    reach: tuple[float, ...] = (0.25, 0.4, 0.75)
    shares: tuple[float, ...] = (0.34, 0.33, 0.33)
    floor: float = 0.02
    caution: float = 0.02
    guided: float = 0.8
    fewest_labels: int = 30
    ladder: tuple[float, ...] = tuple(float(0.03 * i**1.5) for i in range(1, 15))
    experts: Experts = field(default_factory=Experts)

    def block(self, drawn: int, left: int) -> int:
        """How many draws share one set of stakes, after `drawn` draws with `left` items to go."""
        return min(
            max(self.first_block, drawn // self.block_share), max(1, left // self.rest_share)
        )


@dataclass(frozen=True, kw_only=True)
class HelpForms:
    """Several claims on the same strata, one per row: each holds iff Σ value·help >= required.

    A label helps row m in stratum k if it equals `helpful[m, k]`; values are positive.
    """

    value: Floats
    helpful: Ints
    required: Floats

    def joined(self, other: "HelpForms") -> "HelpForms":
        """These tests and the others, one after the other."""
        return HelpForms(
            value=np.concatenate([self.value, other.value]),
            helpful=np.concatenate([self.helpful, other.helpful]),
            required=np.concatenate([self.required, other.required]),
        )


class Wealth:
    """The log wealth of every test, stake by stake."""

    def __init__(self, tests: HelpForms, sizes: Ints, recipe: Recipe) -> None:
        self._tests, self._recipe = tests, recipe
        self._size = float(sizes.sum())
        rows, strata = tests.value.shape
        ways = len(recipe.shares)
        self._log = np.tile(np.log(recipe.shares), (rows, 1))
        self._stake = np.zeros((rows, ways))
        self._control = np.zeros((rows, ways, strata))
        # Help so far per row and stratum: counts, so that the need never drifts by rounding.
        self._helped = np.zeros((rows, strata), dtype=np.int64)

    def place(
        self, rates: Floats, *, remaining: Ints, sampling: Floats, denominator: float
    ) -> None:
        """Choose stakes and control values from what is known now.

        `rates` are believed rates of positives, `sampling` the chances of the next draw; a margin
        of the metric times its believed denominator is a margin of gain.
        """
        tests, recipe = self._tests, self._recipe
        pull = tests.value * remaining / self._size
        need = (tests.required - (tests.value * self._helped).sum(axis=1)) / self._size
        total = pull.sum(axis=1)
        belief = np.where(tests.helpful == 1, rates, 1.0 - rates)
        usable = (need > NEAR * total) & (need < (1.0 - NEAR) * total)
        safe = np.where(usable, need, 0.5 * total)[:, None]
        room = total[:, None] - safe
        least = np.array((recipe.least_margin, *recipe.margins)) * denominator / self._size
        level = safe + np.minimum(least, np.array(recipe.reach) * room)
        level[:, 0] = np.maximum(level[:, 0], (pull * belief).sum(axis=1))
        if not np.any(usable):
            self._stake = np.zeros_like(self._stake)
            return
        tilted = project(belief[:, None, :], pull=pull[:, None, :], sampling=sampling, level=level)
        assumed = np.clip(tilted, EDGE, 1.0 - EDGE)
        hoped = (pull[:, None, :] * assumed).sum(axis=2)
        # A belief that the claim is false, or a decided claim, projects on itself: no stake.
        goal = np.where(usable[:, None], np.minimum(need[:, None], hoped), hoped)
        projection = lower_to(assumed, pull=pull[:, None, :], sampling=sampling, need=goal)
        self._stake, self._control = projection.multiplier, projection.rates

    def play(
        self, strata: Ints, labels: Ints, *, before: Ints, sampling: Floats, batch: Ints
    ) -> Floats:
        """The log wealth of every row after each of these draws, which share one set of stakes.

        `before[b, k]` items were unlabelled before draw b, `sampling[b]` are its chances, and
        `batch[b]` is the position of the first draw with the same stored chances: there the
        worst factor is known before any of these labels, so the stakes stay predictable.
        """
        tests, size = self._tests, self._size
        draws = np.arange(len(strata))
        help_now = labels == tests.helpful[:, strata]
        counts = np.zeros((len(tests.required), *before.shape), dtype=np.int64)
        counts[:, draws, strata] = help_now
        earlier = np.cumsum(counts, axis=1) - counts + self._helped[:, None, :]
        need = (tests.required[:, None] - (tests.value[:, None, :] * earlier).sum(axis=2)) / size
        worth = tests.value[:, None, :] * self._control
        drift = worth @ before.T.astype(np.float64) / size - need[:, None, :]
        weight = np.divide(before, size * sampling, out=np.zeros(before.shape), where=before > 0)
        heads = np.unique(batch)
        worst = (worth[:, :, None, :] * weight[heads]).max(axis=3)[
            :, :, np.searchsorted(heads, batch)
        ]
        loss = worst - drift
        limit = np.where(loss > 0, (1.0 - self._recipe.floor) / np.maximum(loss, 1e-300), np.inf)
        stake = np.minimum(self._stake[:, :, None], limit)
        surprise = help_now[:, None, :] - self._control[:, :, strata]
        payoff = tests.value[:, None, strata] * surprise * weight[draws, strata]
        path = self._log[:, :, None] + np.cumsum(np.log1p(stake * (drift + payoff)), axis=2)
        self._log = path[:, :, -1]
        self._helped = self._helped + counts.sum(axis=1)
        top = path.max(axis=1)
        total: Floats = top + np.log(np.exp(path - top[:, None, :]).sum(axis=1))
        return total


def live_sampling(stored: Floats, remaining: Ints) -> Floats:
    """The chances of a draw: those stored with its batch, renormalised over strata not yet empty."""
    live = np.where(remaining > 0, stored, 0.0)
    total = live.sum(axis=-1, keepdims=True)
    chances: Floats = live / np.where(total > 0, total, 1.0)
    return chances


def draw_strata(stored: Floats, remaining: Ints, uniforms: Floats) -> Ints:
    """The stratum of each draw in turn: inverse CDF of the chances at the draw's uniform number.

    A stratum that empties on the way is left out of the draws after it.
    """
    left, places, done = remaining.copy(), np.empty(len(uniforms), dtype=np.int64), 0
    while done < len(uniforms):
        edges = np.cumsum(live_sampling(stored, left))
        last = int(np.flatnonzero(left > 0)[-1])
        ahead = np.minimum(np.searchsorted(edges, uniforms[done:], side="right"), last)
        taken = np.cumsum(ahead[:, None] == np.arange(len(left)), axis=0)
        emptied = np.flatnonzero(np.any((taken == left) & (left > 0), axis=1))
        stop = int(emptied[0]) + 1 if len(emptied) else len(ahead)
        places[done : done + stop] = ahead[:stop]
        left = left - np.bincount(ahead[:stop], minlength=len(left))
        done += stop
    return places
