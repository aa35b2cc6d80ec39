"""Simulated score-guided certifications of a pool whose labels are all known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assaymark.stats.score_guided.supermartingale import (
    Draws,
    WeightedPath,
    WeightedTest,
    judge,
    walk,
)
from assaymark.stats.score_guided.wealth import Ints, draw_strata


@dataclass(frozen=True, kw_only=True)
class WeightedRun:
    """How one simulated certification ended."""

    decision: str
    labels: int
    path: WeightedPath


def certify_pool(
    test: WeightedTest,
    labels: Sequence[NDArray[np.int8]],
    rng: np.random.Generator,
    *,
    most: int | None = None,
    stop_at_fail: bool = True,
) -> WeightedRun:
    """Draw and label until the claim passes, fails, or `most` labels are used.

    `labels[k]` are the labels of all items of stratum k. A batch is as long as a block of stakes.
    """
    sizes = test.sizes
    queues = [rng.permutation(np.asarray(queue, dtype=np.int64)) for queue in labels]
    limit = int(sizes.sum()) if most is None else min(most, int(sizes.sum()))
    steps, parts, wealth = walk(test), [], []
    crossed = False
    while steps.drawn < limit:
        stored = steps.sampling()
        left = steps.remaining
        size = test.recipe.block(steps.drawn, int(left.sum()))
        strata = draw_strata(stored, left, rng.random(min(size, limit - steps.drawn)))
        labels_drawn = take(queues, sizes - left, strata)
        parts.append(
            Draws(strata=strata, labels=labels_drawn, sampling=np.tile(stored, (len(strata), 1)))
        )
        wealth.append(steps.feed(strata, labels_drawn, parts[-1].sampling))
        crossed = crossed or float(wealth[-1].max()) >= test.log_needed
        if steps.drawn < limit and not steps.settled and not crossed:
            continue  # no level was ever crossed: there is nothing to judge yet
        path = judge(test, joined(parts), log_wealth=_row(wealth, 0), log_doubt=_row(wealth, 1))
        if path.decision == "pass" or (path.decision == "fail" and stop_at_fail):
            break
    used = {"pass": path.passed_at, "fail": path.failed_at}.get(path.decision)
    return WeightedRun(decision=path.decision, labels=used or steps.drawn, path=path)


def _row(wealth: list[NDArray[np.float64]], row: int) -> NDArray[np.float64]:
    return np.concatenate([part[row] for part in wealth])


def joined(parts: Sequence[Draws]) -> Draws:
    """The draws of several batches as one sequence."""
    return Draws(
        strata=np.concatenate([p.strata for p in parts]),
        labels=np.concatenate([p.labels for p in parts]),
        sampling=np.concatenate([p.sampling for p in parts]),
    )


def take(queues: list[Ints], used: Ints, strata: Ints) -> Ints:
    """The next unused labels of each stratum, in the order of the draws."""
    labels = np.empty(len(strata), dtype=np.int64)
    for k, queue in enumerate(queues):
        mine = np.flatnonzero(strata == k)
        labels[mine] = queue[used[k] : used[k] + len(mine)]
    return labels
