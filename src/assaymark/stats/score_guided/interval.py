"""Where any metric lies, from the draws of a weighted plan that was made for another claim.

One idea: the chances of the draws are recorded, so every claim can be bet on with the same draws.
Targets that lie on a grid fixed before the first label are asked one after the other from the
easiest on, at half the risk for each side; the last that passes is that side's end of the range.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assaymark.claims.checks import open_share
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric, pool_form
from assaymark.stats.score_guided.bound import worst_metric
from assaymark.stats.score_guided.checkpoints import log_wealth
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.supermartingale import (
    FEWEST_LABELS,
    NOTHING_KNOWN,
    Draws,
    KnownCells,
    Stratum,
    WeightedTest,
    certainty,
    check_draws,
    tests_at,
    walk,
    weighted_test,
)
from assaymark.stats.score_guided.walk import Walk
from assaymark.stats.score_guided.wealth import Recipe
from assaymark.stats.special import expit, logit

# Distances from the centre in log-odds, where the ends of ranges are looked for.
OFFSETS = (0.0, 0.1, 0.21, 0.34, 0.5, 0.7, 0.95, 1.3, 1.8, 2.5, 3.5, 5.0)
# Longer blocks than a claim's own test: there are many targets, and nothing is decided by them.
RECIPE = Recipe(
    first_block=20, block_share=10, margins=(0.08,), reach=(0.25, 0.5), shares=(0.5, 0.5)
)
SIDES: tuple[Literal["lower"], Literal["upper"]] = ("lower", "upper")
PICKED, LEFT_OUT = 0.8, 0.01  # believed rates of positives where there are no scores


@dataclass(frozen=True, kw_only=True)
class MetricRange:
    """The metric lies between `low` and `high`, at every look at once; vacuous ends are 0 and 1."""

    metric: str
    low: float
    high: float
    confidence: float

    def __str__(self) -> str:
        sure = f"{self.confidence:.0%} confidence"
        return f"{self.metric} between {self.low:.4g} and {self.high:.4g} with {sure}"


def weighted_range(
    name: str,
    strata: Sequence[Stratum],
    draws: Draws,
    *,
    confidence: float = 0.95,
    known: KnownCells = NOTHING_KNOWN,
) -> MetricRange:
    """The range of this metric over the strata that say something about it.

    Assumes what `weighted.replay` assumes. Draws of other strata are left out: given that a draw
    falls into the strata that are kept, its chances are the recorded ones, renormalised. Where every
    item that says something was known, the range is the value.
    """
    lower_claim, upper_claim = (Claim(metric=name, side=side, target=0.5) for side in SIDES)
    half = (1 + open_share("confidence", confidence)) / 2
    form = pool_form(lower_claim, predicted_positive=1, predicted_negative=1)
    if not any(s.size > 0 and form.weight(predicted=s.predicted) != 0 for s in strata):
        value = metric(name).value(known)
        return _ordered(name, value, value, confidence)
    lower, upper = (
        weighted_test(claim, strata, confidence=half, recipe=RECIPE, known=known)
        for claim in (lower_claim, upper_claim)
    )
    kept = [k for k, stratum in enumerate(strata) if stratum in lower.strata]
    mine = restricted(draws, kept)
    check_draws(lower, mine)
    low, high = worst_metric(lower, mine), worst_metric(upper, mine)
    if len(mine) >= FEWEST_LABELS and certainty(lower, mine).defined[-1]:
        rising = grid(name, lower.strata)
        log = log_wealth(("range", lower), mine, start=lambda: _begun(lower, upper, rising))
        crossed = log.max(axis=1) >= lower.log_needed
        # no bet is possible against what is certain already, such as by labels known beforehand
        least, most = (-1.0 if low is None else low), (2.0 if high is None else high)
        above = crossed[: len(rising)] | (np.array(rising) <= least)
        below = crossed[len(rising) :] | (np.array(rising[::-1]) >= most)
        low = _beyond(max, low, last_crossed(rising, above))
        high = _beyond(min, high, last_crossed(rising[::-1], below))
    return _ordered(name, low, high, confidence)


def _ordered(name: str, low: float | None, high: float | None, confidence: float) -> MetricRange:
    """The range between these ends; where they have crossed one of them is wrong, and both give way."""
    ends = (0.0 if low is None else low, 1.0 if high is None else high)
    return MetricRange(
        metric=metric(name).name, low=min(ends), high=max(ends), confidence=confidence
    )


def _begun(lower: WeightedTest, upper: WeightedTest, rising: Sequence[float]) -> Walk:
    """The walk of all targets of both sides, before the first draw."""
    return walk(lower, tests_at(lower, rising).joined(tests_at(upper, rising[::-1])))


def _beyond(
    farther: Callable[[float, float], float], certain: float | None, crossed: float | None
) -> float | None:
    if certain is None or crossed is None:
        return crossed if certain is None else certain
    return farther(certain, crossed)


def last_crossed(targets: Sequence[float], crossed: Sequence[bool] | Floats) -> float | None:
    """The last target, from the easiest on, before the first that was not crossed."""
    last = None
    for target, passed in zip(targets, crossed, strict=True):
        if not passed:
            break
        last = target
    return last


def grid(name: str, strata: Sequence[Stratum]) -> tuple[float, ...]:
    """The targets of this metric in rising order, fixed by the strata alone."""
    centre = float(logit(np.clip(_centre(name, strata), 1e-6, 1 - 1e-6)))
    steps = np.array([*(-d for d in OFFSETS[:0:-1]), *OFFSETS])
    return tuple(float(t) for t in expit(centre + steps))


def _centre(name: str, strata: Sequence[Stratum]) -> float:
    """The metric that the scores promise; without scores, a guess made before any label."""
    cells = np.zeros(4)
    for stratum in strata:
        guess = stratum.mean_score
        if guess is None:
            guess = PICKED if stratum.predicted else LEFT_OUT
        start = 0 if stratum.predicted else 2
        cells[start : start + 2] += [stratum.size * guess, stratum.size * (1 - guess)]
    return metric(name).value([float(c) for c in cells]) or 0.5


def restricted(draws: Draws, kept: Sequence[int]) -> Draws:
    """The draws that fell into the strata kept, renumbered."""
    number = np.full(draws.sampling.shape[1], -1, dtype=np.int64)
    number[list(kept)] = np.arange(len(kept))
    inside = number[draws.strata] >= 0
    return Draws(
        strata=number[draws.strata[inside]],
        labels=draws.labels[inside],
        sampling=draws.sampling[inside][:, list(kept)],
    )
