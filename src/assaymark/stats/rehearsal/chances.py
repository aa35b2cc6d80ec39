"""Chances of many runs at once: `guided_sampling` and `saddle` with an axis for runs."""

import numpy as np

from assaymark.stats.score_guided.kl_projection import STEPS, Floats, project
from assaymark.stats.score_guided.wealth import EDGE, NEAR, Ints, Recipe, draw_strata
from assaymark.stats.special import entr, expit, logit


def many_chances(
    belief: Floats, *, pull: Floats, need: Floats, margin: Floats, recipe: Recipe
) -> Floats:
    """The chances per stratum of every run for its next segment."""
    total = pull.sum(axis=1)
    neyman = pull * np.sqrt(belief * (1.0 - belief))
    even: Floats = 0.5 * neyman / neyman.sum(axis=1, keepdims=True) + 0.5 * pull / total[:, None]
    open_ = (need > NEAR * total) & (need < (1.0 - NEAR) * total)
    level = need + np.minimum(margin, recipe.reach[0] * (total - need))
    low = np.flatnonzero(open_ & ((pull * belief).sum(axis=1) < level))
    if len(low):
        belief = belief.copy()
        raised = project(
            belief[low], pull=pull[low], sampling=pull[low] / total[low, None], level=level[low]
        )
        belief[low] = np.clip(raised, EDGE, 1.0 - EDGE)
    chances, live = even.copy(), np.flatnonzero(open_)
    if len(live):
        guided = _saddles(belief[live], pull[live] / total[live, None], need[live] / total[live])
        chances[live] = recipe.guided * guided + (1.0 - recipe.guided) * even[live]
    return chances


def _saddles(rates: Floats, pull: Floats, need: Floats) -> Floats:
    """The sampling of the saddle of every run."""
    p = np.where(pull > 0, rates, 0.5)
    lean = (pull * np.sqrt(p * (1.0 - p))).sum(axis=1)
    root = ((pull * p).sum(axis=1) - need) / lean / np.sqrt(2.0)
    low, high = np.zeros_like(root), np.full_like(root, np.inf)
    before, done = np.full_like(root, np.inf), np.zeros(len(root), dtype=np.bool_)
    odds = logit(p) - root[:, None] * np.sqrt(2.0 / (p * (1.0 - p)))
    entropy = entr(p) + entr(1.0 - p)
    for _ in range(STEPS):
        odds = _below(p, entropy, root, odds)
        t = expit(odds)
        excess = (pull * t).sum(axis=1) - need
        low, high = np.where(excess > 0, root, low), np.where(excess > 0, high, root)
        slope = 2.0 * root * (pull * t * (1.0 - t) / (p - t)).sum(axis=1)
        step = excess / np.maximum(slope, 1e-300)
        done = done | (np.abs(step) <= 1e-9 * root)
        if done.all():
            break
        inside = (low < root + step) & (root + step < high) & (np.abs(excess) <= 0.5 * before)
        middle = np.where(np.isfinite(high), 0.5 * (low + high), 2.0 * root)
        before = np.abs(excess)
        root = np.where(done, root, np.where(inside, root + step, middle))
    sampling = pull * t * (1.0 - t) / (p - t)
    chances: Floats = sampling / sampling.sum(axis=1, keepdims=True)
    return chances


def _below(rates: Floats, entropy: Floats, root: Floats, odds: Floats) -> Floats:
    """Log-odds of the t < rates at this divergence: `rates_below` with an axis for runs."""
    distance = (root * root)[:, None]
    for _ in range(STEPS):
        gap = np.logaddexp(0.0, odds) - rates * odds - entropy - distance
        step = gap / (rates - expit(odds))
        odds = odds + step
        if np.all(np.abs(step) <= 1e-10 * (1.0 + np.abs(odds))):
            break
    return odds


def many_strata(stored: Floats, remaining: Ints, uniforms: Floats) -> Ints:
    """The strata of the draws of every run: `draw_strata` with an axis for runs."""
    live = np.where(remaining > 0, stored, 0.0)
    edges = np.cumsum(live / live.sum(axis=1, keepdims=True), axis=1)
    strata = remaining.shape[1]
    last = strata - 1 - np.argmax(remaining[:, ::-1] > 0, axis=1)
    ahead = (uniforms[:, :, None] >= edges[:, None, :]).sum(axis=2)
    places: Ints = np.minimum(ahead, last[:, None])
    taken = (places[:, :, None] == np.arange(strata)).sum(axis=1)
    for run in np.flatnonzero(np.any((taken >= remaining) & (remaining > 0), axis=1)):
        places[run] = draw_strata(stored[run], remaining[run], uniforms[run])
    return places
