"""An unbiased estimate from draws whose chances changed with what was learnt.

One idea: before each draw, guess the positives that are left; the draw corrects the guess by its
own surprise, weighted by the inverse of its chance. Every draw gives an unbiased total, whatever
was guessed and whatever the chances were, so their mean is unbiased too. Means of labels per
stratum are not: strata that looked interesting are sampled on.
"""

import numpy as np

from assaymark.estimation.stats.confidence_axis import Floats, Ints
from assaymark.stats.score_guided.supermartingale import Draws, Stratum
from assaymark.stats.score_guided.wealth import live_sampling

WORTH = 2.0  # imagined labels behind the first guess of a stratum


def positives_found(strata: tuple[Stratum, ...], draws: Draws) -> Floats:
    """The estimated number of positives among the predicted negatives and positives, in this order.

    A skipped item is left out of the correction, as if its label were as guessed.
    """
    sizes = np.array([s.size for s in strata], dtype=np.int64)
    side = np.array([int(s.predicted) for s in strata])
    first = np.array([0.5 if s.mean_score is None else s.mean_score for s in strata])
    before = _before(sizes, draws)
    labelled = sizes - before
    told = np.zeros(before.shape)
    told[np.arange(len(draws)), draws.strata] = np.maximum(draws.labels, 0)
    found = np.cumsum(told, axis=0) - told
    guess = (found + WORTH * first) / (labelled + WORTH)
    chances = live_sampling(draws.sampling, before)
    rows = np.arange(len(draws))
    k = draws.strata
    known = draws.labels >= 0
    surprise = np.where(known, draws.labels - guess[rows, k], 0.0)
    jump = surprise * before[rows, k] / chances[rows, k]
    totals = np.zeros(2)
    for which in (0, 1):
        mine = side == which
        total = (found + before * guess)[:, mine].sum(axis=1) + np.where(mine[k], jump, 0.0)
        totals[which] = float(np.clip(total.mean(), 0.0, sizes[mine].sum()))
    return totals


def _before(sizes: Ints, draws: Draws) -> Ints:
    taken = np.zeros((len(draws), len(sizes)), dtype=np.int64)
    taken[np.arange(len(draws)), draws.strata] = 1
    return np.asarray(sizes - np.cumsum(taken, axis=0) + taken, dtype=np.int64)
