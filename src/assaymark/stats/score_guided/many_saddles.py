"""Chances of several rows at once: `guided_sampling` and `saddle` with an axis for rows.

One idea: every row goes on by itself and keeps what it had at its own last step. So each number is
that of the row alone, to the last bit, and a claim in a hundred groups asks once, not a hundred times.
"""

import math

import numpy as np

from assaymark.stats.score_guided.kl_projection import STEPS, Floats, project
from assaymark.stats.score_guided.wealth import EDGE, NEAR, Flags, Recipe
from assaymark.stats.special import entr, expit, logit


def guided_samplings(
    belief: Floats, *, pull: Floats, need: Floats, margin: Floats, recipe: Recipe
) -> Floats:
    """The chances per stratum of every row, as `guided_sampling` gives them."""
    total = pull.sum(axis=1)
    some = np.where(total > 0, total, 1.0)[:, None]
    neyman = pull * np.sqrt(belief * (1.0 - belief))
    spread = np.where(total > 0, neyman.sum(axis=1), 1.0)[:, None]
    even = 0.5 * neyman / spread + 0.5 * pull / some
    guided = np.flatnonzero((NEAR * total < need) & (need < (1.0 - NEAR) * total))
    if not len(guided):
        return even
    belief, pull, total, need = belief[guided], pull[guided], total[guided], need[guided]
    share = pull / total[:, None]
    level = need + np.minimum(margin[guided], recipe.reach[0] * (total - need))
    low = np.flatnonzero((pull * belief).sum(axis=1) < level)
    if len(low):
        raised = project(belief[low], pull=pull[low], sampling=share[low], level=level[low])
        belief[low] = np.clip(raised, EDGE, 1.0 - EDGE)
    best = _samplings(belief, share, need / total)
    even[guided] = recipe.guided * best + (1.0 - recipe.guided) * even[guided]
    return even


def _samplings(rates: Floats, pull: Floats, need: Floats) -> Floats:
    """The sampling of every row's saddle; rows with as many strata are worked on together."""
    live, sampling = pull > 0, np.zeros_like(rates)
    counts = live.sum(axis=1)
    for count in set(counts.tolist()):
        rows = counts == count
        here = live & rows[:, None]
        p, g = rates[here].reshape(-1, count), pull[here].reshape(-1, count)
        t = _nulls(p, g, need[rows])
        sampling[here] = (g * t * (1.0 - t) / (p - t)).ravel()
    shares: Floats = sampling / sampling.sum(axis=1)[:, None]
    return shares


def _nulls(p: Floats, g: Floats, need: Floats) -> Floats:
    """The false world of every row that is hardest to refute: the steps of `saddle`."""
    lean = np.add.reduce(g * np.sqrt(p * (1.0 - p)), axis=1)
    root = (np.add.reduce(g * p, axis=1) - need) / lean / math.sqrt(2.0)
    low, high, before = np.zeros_like(root), np.full_like(root, np.inf), np.full_like(root, np.inf)
    done, null, entropy = np.zeros(len(root), dtype=np.bool_), p, entr(p) + entr(1.0 - p)
    odds = logit(p) - np.sqrt(2.0 * (root * root)[:, None] / (p * (1.0 - p)))
    for _ in range(STEPS):
        odds = _odds_below(p, entropy, (root * root)[:, None], odds, done)
        t = expit(odds)
        null = np.where(done[:, None], null, t)
        excess = np.add.reduce(g * t, axis=1) - need
        low, high = np.where(excess > 0, root, low), np.where(excess > 0, high, root)
        slope = 2.0 * root * np.add.reduce(g * t * (1.0 - t) / (p - t), axis=1)
        step = excess / np.maximum(slope, 1e-300)
        done = done | (np.abs(step) <= 1e-9 * root)
        if done.all():
            break
        proposal, size = root + step, np.abs(excess)
        inside = (low < proposal) & (proposal < high) & (size <= 0.5 * before)
        other = np.where(high < np.inf, 0.5 * (low + high), 2.0 * root)
        root, before = np.where(done, root, np.where(inside, proposal, other)), size
    return null


def _odds_below(
    rates: Floats, entropy: Floats, distance: Floats, odds: Floats, done: Flags
) -> Floats:
    """The log-odds of `rates_below` from these on; rows that are `done` keep theirs."""
    for _ in range(STEPS):
        gap = np.logaddexp(0.0, odds) - rates * odds - entropy - distance
        step = gap / (rates - expit(odds))
        odds = np.where(done[:, None], odds, odds + step)
        near = np.abs(step) <= 1e-10 * (1.0 + np.abs(odds))
        done = done | np.logical_and.reduce(near, axis=1)
        if done.all():
            break
    return odds
