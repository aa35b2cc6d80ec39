"""Labels bought to order: all of them inside the region that might be automated.

One idea: labels outside the region that can ever be automated prove nothing. A random sample of
the region is also a random sample of every region inside it, so the walk stays exact, and
because the pool is finite and its sizes are known, the law of each count is hypergeometric.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assaymark.claims.checks import open_share
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.stats.calibration import Calibrator
from assaymark.stats.labelled_scores import Labelled, checked_scores
from assaymark.triaging.stats.cutoffs import (
    as_ratio,
    checked_target,
    decided,
    few_errors_in_pool,
    fewest_labels,
)
from assaymark.triaging.stats.fixed_sequence import (
    FIXED_PATH,
    Region,
    regions,
    start_of,
    verdict,
    walk,
)
from assaymark.triaging.triage import Cutoffs, Triage

SLACK = 0.05
ROUNDING = 1 + 1e-6  # sums of gamma functions are good to eight digits; err on the safe side
DRAWN = (
    "The labels are a random sample, drawn by the recorded seed, of the pool's items in the region "
    "that might be automated; the promise is about this pool. Items that nobody could tell count as "
    "wrong."
)


@dataclass(frozen=True, kw_only=True)
class PoolRegion:
    """A region with its exact number of items in the pool."""

    cutoffs: Cutoffs
    items: int


@dataclass(frozen=True, kw_only=True)
class Aim:
    """Where labels go: the largest region that might be automated, and the path inside it."""

    target: float
    pool: int
    path: tuple[PoolRegion, ...]
    predicted: float

    @property
    def widest(self) -> PoolRegion:
        """The region that labels are drawn from."""
        return self.path[-1]


def aim(calibrator: Calibrator, scores: ArrayLike, *, target: float, slack: float = SLACK) -> Aim:
    """The largest region whose predicted accuracy is at least target − slack, and those inside it.

    A region's predicted accuracy is the mean of max(q, 1−q) in it.
    """
    checked_target(target)
    if not 0 <= slack < 0.5:
        raise InputError(f"'slack' must be at least 0 and below 0.5, got {slack!r}.")
    values = checked_scores(scores, what="pool")
    if np.ptp(values) == 0:
        raise InputError(f"All pool scores are {values[0]:g}: a constant score cannot be triaged.")
    q = calibrator.at(values)
    sure = np.maximum(q, 1 - q)
    path, predicted = [], 0.0
    for region in regions(calibrator, values):
        accept, reject = decided(values, region.cutoffs)
        inside = accept | reject
        mean = float(sure[inside].mean())
        if mean < target - slack:
            break
        path.append(PoolRegion(cutoffs=region.cutoffs, items=int(inside.sum())))
        predicted = mean
    if not path:
        raise InputError(
            f"No region of this pool has a predicted accuracy of {target - slack:.4g}: by its scores "
            f"nothing can be automated at this target. Calibrate with {option('train')}, or ask for less."
        )
    return Aim(target=target, pool=len(values), path=tuple(path), predicted=predicted)


def certify_drawn(
    data: Labelled, path: Sequence[PoolRegion], *, target: float, delta: float = 0.1, pool: int
) -> Triage:
    """Cut-offs whose accuracy in this very pool is at least the target with chance 1 − delta.

    *Assumes* that `data` is a simple random sample without replacement of the widest region of
    the path, and that the path was fixed before.
    """
    checked_target(target)
    open_share("delta", delta)
    right = as_ratio(target)
    size = {region.cutoffs: region.items for region in path}

    def p_value(region: Region, errors: int, items: int) -> float:
        known = size[region.cutoffs]
        # the fewest wrong decisions in the region with which its accuracy misses the target
        wrong = math.floor((1 - right) * known) + 1
        return min(1.0, ROUNDING * few_errors_in_pool(errors, items, wrong=wrong, size=known))

    walked = tuple(Region(share=r.items / pool, cutoffs=r.cutoffs) for r in path)
    share = path[-1].items / pool
    start = start_of(walked, int(data.size / share), fewest_labels(target, delta))
    steps = walk(data, walked, delta=delta, start=start, p_value=p_value)
    return verdict(
        data, steps, rule="certified", target=target, delta=delta, assumptions=(DRAWN, FIXED_PATH)
    )
