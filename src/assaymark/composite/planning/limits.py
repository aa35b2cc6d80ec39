"""The information limit of every row, in labels of the pool, in an assumed world.

One idea: no test of a row can beat ln(1/level)/V* labels on average, where V* is how fast the best
chances tell the world from the nearest one in which the row is false. A row by itself comes close to it.
"""

from collections.abc import Sequence

import numpy as np

from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.kl_projection import Floats, saddle

EDGE = 1e-4
MEAN = (1.1, 12)  # a proof takes this many times the limit, and this many labels more


def row_labels(test: RowTest, shares: Floats, rows: Sequence[int]) -> Floats:
    """Labels for each of these rows by itself; infinite where it does not hold in this world.

    The world itself is what is expected, never what the bets begin with: those mix the scores with
    having no opinion, which makes every claim look harder than the scores say it is.
    """
    book, which = test.book, np.array(rows, dtype=np.int64)
    where, whole = book.where[which], book.whole[which]
    place = np.minimum(where, len(shares) - 1)
    belief = np.clip((book.help[which] * shares[place]).sum(axis=2), EDGE, 1.0 - EDGE)
    sizes = np.append(np.array(test.sizes, dtype=np.float64), 0.0)[where]
    pull = book.value[which] * sizes / whole[:, None]
    need = book.required[which].astype(np.float64) / (book.scale[which] * whole)
    labels = [
        _labels(test, pull=pull[r], need=float(need[r]), belief=belief[r], sizes=sizes[r])
        for r in range(len(which))
    ]
    return np.array(labels)


def _labels(test: RowTest, *, pull: Floats, need: float, belief: Floats, sizes: Floats) -> float:
    total, inside = float(pull.sum()), float(sizes[pull > 0].sum())
    if need <= 0:
        return 0.0
    if float((pull * belief).sum()) <= need or need >= total:
        return np.inf
    fastest = saddle(belief, pull=pull / total, need=need / total)
    draws = MEAN[0] * test.log_needed / fastest.speed + MEAN[1]
    labels = labels_in_pool(draws, sampling=fastest.sampling, sizes=sizes)
    return min(inside, max(labels, min(float(test.recipe.fewest), inside)))


def labels_in_pool(ideal: float, *, sampling: Floats, sizes: Floats) -> float:
    """The labels without replacement that tell as much as `ideal` draws with it.

    n_k labels of stratum k leave the variance q_k²(1/n_k − 1/N_k), in which q_k are its chances and
    N_k its items (the finite population correction). Labels follow the chances, n_k = m·q_k, but a
    stratum that is used up has nothing left to tell; m is raised until 1/ideal is all that is left.

    >>> one = np.ones(1)
    >>> labels_in_pool(1000.0, sampling=one, sizes=1000 * one)
    500.0
    """
    going = (sampling > 0) & (sizes > 0)
    q, items = sampling[going], sizes[going]
    left, pace = np.ones(len(q), dtype=np.bool_), 0.0
    while left.any():
        information = float((q[left] ** 2 / items[left]).sum())
        pace = float(q[left].sum()) / (1.0 / ideal + information)
        used_up = left & (pace * q >= items)
        if not used_up.any():
            break
        left &= ~used_up
    return float(np.where(left, pace * q, items).sum())
