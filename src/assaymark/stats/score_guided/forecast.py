"""The information limit of a score-guided claim: what no test on the same strata can beat on average.

One idea: ln(1/α)/V* draws with replacement is the least that any test needs on average. Labels without
replacement tell more: what is read is no longer in doubt (the finite population correction).
"""

from dataclasses import dataclass

import numpy as np

from assaymark.stats.score_guided.kl_projection import Floats, ideal_labels, saddle
from assaymark.stats.score_guided.supermartingale import WeightedTest, tests_at


@dataclass(frozen=True, kw_only=True, eq=False)
class Limit:
    """The information limit of a claim: draws with replacement, and where in the pool they fall.

    `ideal` is ln(1/α)/V*; `sampling` are the best chances of the strata, `sizes` their items.
    """

    ideal: float
    sampling: Floats
    sizes: Floats

    def information(self, labels: Floats) -> Floats:
        """The draws with replacement that tell as much as these labels without it."""
        return draws_in_pool(labels, sampling=self.sampling, sizes=self.sizes)


def limit_of(test: WeightedTest, rates: Floats) -> Limit | None:
    """The limit if stratum k has this rate of positives; None where the claim does not hold then."""
    form, sizes = tests_at(test, [test.claim.target]), test.sizes
    sure = np.clip(rates, 1e-6, 1.0 - 1e-6)
    belief = np.where(form.helpful[0] == 1, sure, 1.0 - sure)
    pull = form.value[0] * sizes
    total, need = float(pull.sum()), float(form.required[0])
    gap = float((pull * belief).sum()) - need
    pool = sizes.astype(np.float64)
    if gap <= 0 or need >= total:
        return None
    if need <= 0:
        return Limit(ideal=0.0, sampling=np.zeros(len(pool)), sizes=pool)
    point = saddle(belief, pull=pull / total, need=need / total)
    ideal = ideal_labels(point.speed, confidence=test.confidence)
    return Limit(ideal=ideal, sampling=point.sampling, sizes=pool)


def draws_in_pool(labels: Floats, *, sampling: Floats, sizes: Floats) -> Floats:
    """Draws with replacement that tell as much as these labels without it.

    n_k labels of stratum k leave the variance q_k²(1/n_k − 1/N_k), in which q_k are its chances and
    N_k its items. Labels follow the chances, n_k = m·q_k, but a stratum that is used up has nothing
    left to tell. Infinite where everything is read that can be drawn.

    >>> one = np.ones(1)
    >>> draws_in_pool(np.array([500.0, 1000.0]), sampling=one, sizes=1000 * one).tolist()
    [1000.0, inf]
    """
    going = (sampling > 0) & (sizes > 0)
    q, items = sampling[going], sizes[going]
    if not len(q):
        return np.full(np.shape(labels), np.inf)
    first = np.argsort(items / q)  # strata in the order in which they are used up
    q, items = q[first], items[first]
    used = np.concatenate(([0.0], np.cumsum(items)))  # labels in the strata used up
    open_, variance = (np.cumsum(x[::-1])[::-1] for x in (q, q * q / items))
    full = used[:-1] + items / q * open_  # labels when each stratum is used up
    at = np.searchsorted(full, labels, side="right")
    inside = np.minimum(at, len(q) - 1)
    with np.errstate(divide="ignore"):
        left = open_[inside] ** 2 / np.maximum(labels - used[inside], 0.0) - variance[inside]
        draws: Floats = np.where((at < len(q)) & (left > 0), 1.0 / left, np.inf)
    return draws
