"""Chances renewed on the way: labels of earlier draws say where later ones tell most.

One idea: a quarter of the labels knows more about each stratum than its scores do. At draw numbers
that are fixed in the plan the shares of all draws are computed again, from the labels up to there, and
the draws that follow catch up on them. Nobody can choose when, or from which labels: every draw stays
a function of plan, seed and labels, and the guaranteed interval holds as before.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from assaymark.estimation.stats.confidence_axis import Floats, Ints
from assaymark.estimation.stats.rank_strata import fixed_chances
from assaymark.stats.score_guided.beliefs import Beliefs
from assaymark.stats.score_guided.supermartingale import Stratum

RENEWED = ("f1", "precision", "recall")  # what it was measured for
FEWEST_RENEWED = 40  # labels: with fewer, a quarter of them tells nothing
KEPT = 0.5  # of later chances follow these shares themselves: no stratum is ever left out


def renewal_draws(labels: int) -> tuple[int, ...]:
    """The draws after which chances are renewed: a quarter and half of the planned labels.

    >>> renewal_draws(200)
    (50, 100)
    """
    return (labels // 4, labels // 2)


def renewed_chances(
    name: str,
    strata: Sequence[Stratum],
    draws: Ints,
    labels: Ints,
    *,
    ends: Sequence[int],
    planned: int,
) -> Floats:
    """The chances of the draws after the last of `ends`, from the labels up to it and no others.

    `draws` are the strata of the draws, `labels` what people said of them (-1: cannot tell), and
    `planned` the labels of the whole plan.
    """
    aim = fixed_chances(name, strata, rates=believed_rates(strata, draws, labels, ends=ends))
    taken = np.bincount(draws[: ends[-1]], minlength=len(strata))
    behind = np.maximum(aim * planned - taken, 0.0)
    return np.asarray((1 - KEPT) * behind / behind.sum() + KEPT * aim, dtype=np.float64)


def believed_rates(
    strata: Sequence[Stratum], draws: Ints, labels: Ints, *, ends: Sequence[int]
) -> Floats:
    """The believed rates of positives after these blocks of draws, by the experts of certification."""
    scores = [s.mean_score for s in strata if s.mean_score is not None]
    scored = np.array(scores) if len(scores) == len(strata) else None
    beliefs = Beliefs(scored, len(strata))
    for first, stop in itertools.pairwise((0, *ends)):
        here, said = draws[first:stop], labels[first:stop]
        beliefs.learn(
            np.bincount(here[said >= 0], minlength=len(strata)),
            np.bincount(here[said == 1], minlength=len(strata)),
        )
    return beliefs.rates()
