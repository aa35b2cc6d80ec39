"""Which items to label next for training: at random, where the classifier doubts, or what it likes."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.checks import choice
from assaymark.learners.features import Floats, Ints
from assaymark.records.training import SAMPLINGS
from assaymark.stats.special import logit

Flags = NDArray[np.bool_]
RANDOM_SHARE = 0.3  # of every batch stays random: cross-validation and calibration need it
EDGE = 1e-9


@dataclass(frozen=True, kw_only=True)
class ChosenRow:
    """A row to be labelled for training, and whether chance alone chose it."""

    row: int
    random: bool


def next_rows(
    order: Ints,
    taken: Flags,
    *,
    number: int,
    sampling: str = "random",
    scores: Floats | None = None,
    threshold: float = 0.5,
    random_share: float = RANDOM_SHARE,
) -> tuple[ChosenRow, ...]:
    """The next rows, random ones first; fewer where fewer are left.

    `order` are the rows in ticket order, `taken` marks those that must not be chosen. Without
    scores all are random. The random ones are the next in ticket order whatever the scores say, so
    they are a simple random sample of the rows that no score has picked before.

    >>> order, taken = np.array([2, 0, 3, 1]), np.array([False, False, True, False])
    >>> [chosen.row for chosen in next_rows(order, taken, number=2)]
    [0, 3]
    """
    choice("sampling", sampling, SAMPLINGS)
    free = order[~taken[order]]
    active = sampling != "random" and scores is not None
    share = random_share if active else 1.0
    by_chance = free[: math.ceil(share * number)]
    chosen = [ChosenRow(row=int(row), random=True) for row in by_chance]
    if scores is None or not active:
        return tuple(chosen)
    rest = free[len(by_chance) :]
    preference = _preference(sampling, scores[rest], threshold)
    best = rest[np.argsort(-preference, kind="stable")[: number - len(chosen)]]
    return (*chosen, *(ChosenRow(row=int(row), random=False) for row in best))


def sampled(order: Ints, rows: Ints, random: Flags) -> Flags:
    """Which training rows are a simple random sample of all rows, as they were before training.

    Scores pick relevant items out, so the items that chance finds later are poorer than the
    collection was. But a row that was picked and whose ticket lies before that of the last random
    one would have been drawn by chance too: counted with the others, the first rows in ticket
    order are complete again.

    >>> order, rows = np.array([4, 2, 0, 3, 1]), np.array([4, 3, 2, 0])
    >>> sampled(order, rows, np.array([True, False, False, True])).tolist()
    [True, False, True, True]
    """
    place = np.zeros(int(order.max(initial=0)) + 1, dtype=np.int64)
    place[order] = np.arange(len(order))
    if not random.any():
        return np.zeros(len(rows), dtype=np.bool_)
    return np.asarray(place[rows] <= place[rows[random]].max())


def _preference(sampling: str, scores: Floats, threshold: float) -> Floats:
    if sampling == "relevance":
        return scores
    odds = logit(np.clip(scores, EDGE, 1 - EDGE))
    return -np.abs(odds - float(logit(min(max(threshold, EDGE), 1 - EDGE))))
