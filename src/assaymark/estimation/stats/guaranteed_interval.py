"""The guaranteed interval: the weighted betting test, run at every value on a fixed grid.

One idea: a value is excluded when a bettor against it has become rich. The lower end is the last
value of the grid before the first that is not excluded, so it errs only if the first value at or
above the truth was excluded, which has chance at most α, at whatever time anybody looks.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assaymark.claims.checks import open_share
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.estimation.stats.confidence_axis import Floats
from assaymark.estimation.stats.rank_strata import unit_variance
from assaymark.stats.score_guided.bound import worst_metric
from assaymark.stats.score_guided.supermartingale import (
    Draws,
    Stratum,
    WeightedTest,
    certainty,
    check_draws,
    tests_at,
    walk,
    weighted_test,
)
from assaymark.stats.score_guided.wealth import HelpForms, Recipe

POINTS = 200
# The grid is fixed once for all: as fine as a sample of ten thousand can tell apart.
GRID = tuple(float(math.sin(math.pi * i / (2 * POINTS)) ** 2) for i in range(1, POINTS))
CHUNK = 24
SHARES = (0.4, 0.2, 0.2, 0.2)
MARGINS = (0.3, 0.6, 1.2)
LEAST_UNIT, MOST_UNIT = 1e-3, 0.5


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """`at_least` and `at_most` each hold with the confidence; `low` and `high` hold together.

    None with a reason where nothing can be said.
    """

    metric: str
    confidence: float
    at_least: float | None
    at_most: float | None
    low: float | None
    high: float | None
    labels: int
    reason: str | None = None

    def __str__(self) -> str:
        if self.at_least is None:
            return f"nothing is guaranteed about {self.metric}: {self.reason}"
        return f"{self.metric} >= {self.at_least:.4g} with {self.confidence:.0%} confidence"


def margin_unit(
    name: str, strata: Sequence[Stratum], chances: Floats, *, labels: int, confidence: float
) -> float:
    """How far from the truth a sample of this size can see: σ√(2 ln(1/a)/n). Fixed in the plan."""
    open_share("confidence", confidence)
    variance = unit_variance(name, strata, chances)
    spread = math.sqrt(variance) if variance else 0.5
    unit = spread * math.sqrt(2 * math.log(2 / (1 - confidence)) / max(labels, 1))
    return min(max(unit, LEAST_UNIT), MOST_UNIT)


def interval_recipe(unit: float) -> Recipe:
    """The mixture of bets of a plan: the believed rates, and three distances from the value."""
    return Recipe(
        least_margin=0.0,
        margins=tuple(share * unit for share in MARGINS),
        reach=(0.0, 0.25, 0.4, 0.75),
        shares=SHARES,
    )


def guarantee(
    name: str,
    strata: Sequence[Stratum],
    draws: Draws,
    *,
    unit: float,
    confidence: float = 0.95,
    also: Sequence[float] = (),
) -> Guarantee:
    """What the labelled prefix proves about the metric, whenever one looks.

    *Assumes* that each item was drawn uniformly from its stratum's unlabelled items, the stratum
    by the stored chances, and that grid and mixture were fixed before the first label. `also` are
    values that matter, such as the target of a claim: they join the grid.
    """
    title = metric(name).name
    recipe = interval_recipe(unit)
    grid = sorted({*GRID, *also})
    sides = {
        side: weighted_test(
            Claim(metric=title, side=side, target=0.5), strata, confidence=confidence, recipe=recipe
        )
        for side in ("lower", "upper")
    }
    check_draws(sides["lower"], draws)
    if len(draws) == 0:
        return _nothing(title, confidence, 0, "no item is labelled yet")
    known = certainty(sides["lower"], draws)
    if not known.defined[-1]:
        why = "its denominator may be zero: no positive was found"
        return _nothing(title, confidence, len(draws), why)
    levels = (-math.log1p(-confidence), math.log(2 / (1 - confidence)))
    lower = [
        _certain(sides["lower"], draws, v) for v in _reached(sides["lower"], draws, grid, levels)
    ]
    upper = [
        _certain(sides["upper"], draws, v)
        for v in _reached(sides["upper"], draws, grid[::-1], levels)
    ]
    return Guarantee(
        metric=title,
        confidence=confidence,
        at_least=lower[0],
        at_most=upper[0],
        # the wealth of two bettors may contradict each other: no end may lie beyond the other side's
        low=min(lower[1], upper[0]),
        high=max(upper[1], lower[0]),
        labels=len(draws),
    )


def _nothing(title: str, confidence: float, labels: int, why: str) -> Guarantee:
    return Guarantee(
        metric=title,
        confidence=confidence,
        at_least=None,
        at_most=None,
        low=None,
        high=None,
        labels=labels,
        reason=why,
    )


def _certain(test: WeightedTest, draws: Draws, value: float) -> float:
    """The better of what was bet and what the labels leave no other possibility than."""
    sure = worst_metric(test, draws)
    if sure is None:
        return value
    return max(value, sure) if test.claim.side == "lower" else min(value, sure)


def _reached(
    test: WeightedTest, draws: Draws, grid: Sequence[float], levels: tuple[float, float]
) -> list[float]:
    """For each level: the last value excluded before the first that is not, easy values first.

    Values are asked in groups, so that none beyond the first failure costs much.
    """
    start = 0.0 if test.claim.side == "lower" else 1.0
    ends, still = [start, start], [True, True]
    for first in range(0, len(grid), CHUNK):
        values = grid[first : first + CHUNK]
        tops = richest(test, draws, tests_at(test, list(values)))
        for which, level in enumerate(levels):
            for value, top in zip(values, tops, strict=True):
                still[which] = still[which] and bool(top >= level)
                if still[which]:
                    ends[which] = value
        if not any(still):
            break
    return ends


def richest(test: WeightedTest, draws: Draws, rows: HelpForms) -> Floats:
    """The largest log wealth that each row ever had on these draws."""
    log = walk(test, rows).feed(draws.strata, draws.labels, draws.sampling)
    return np.asarray(log.max(axis=1, initial=0.0))


def relevant(
    name: str, strata: Sequence[Stratum], draws: Draws
) -> tuple[tuple[Stratum, ...], Draws]:
    """Only the strata that say something about the metric, and the draws that fell into them.

    Given that a draw fell among them, their chances are the stored ones shared again: the law of
    the remaining draws is that of the test.
    """
    form = weighted_test(Claim(metric=name, side="lower", target=0.5), strata).strata
    kept = [k for k, stratum in enumerate(strata) if stratum in form]
    if len(kept) == len(strata):
        return tuple(strata), draws
    place = np.full(len(strata), -1)
    place[kept] = np.arange(len(kept))
    mine = place[draws.strata] >= 0
    chances = draws.sampling[mine][:, kept]
    return tuple(strata[k] for k in kept), Draws(
        strata=place[draws.strata[mine]],
        labels=draws.labels[mine],
        sampling=chances / np.maximum(chances.sum(axis=1, keepdims=True), 1e-300),
    )
