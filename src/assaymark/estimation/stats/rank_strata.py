"""Chances for rare-class metrics: where F1, recall or precision is decided, before any label.

One idea: a label is worth most where it could go either way and moves the metric most. Seven
tenths of the chances follow that product at the scores' word; the rest follows influence alone and
an even spread, because scores can be wrong about where they are sure.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric, pool_form
from assaymark.estimation.stats.confidence_axis import Floats
from assaymark.stats.score_guided.supermartingale import Stratum

NEYMAN, INFLUENCE, EVEN = 0.7, 0.15, 0.15
EDGE = 1e-4


@dataclass(frozen=True, kw_only=True, eq=False)
class Expected:
    """What the scores promise: the metric, its denominator, and the pull of a label per stratum."""

    value: float
    denominator: float
    pull: Floats
    rates: Floats


def expected(
    name: str, strata: Sequence[Stratum], *, rates: Floats | None = None
) -> Expected | None:
    """The metric at these rates, or if every score were right; None where it would be undefined.

    Without rates and scores every rate is taken as one half.
    """
    ratio = metric(name)
    sizes = np.array([s.size for s in strata], dtype=np.float64)
    if rates is None:
        rates = np.array([0.5 if s.mean_score is None else s.mean_score for s in strata])
    rates = np.clip(rates, EDGE, 1 - EDGE)
    side = np.array([s.predicted for s in strata])
    tp, fn = float((sizes * rates)[side].sum()), float((sizes * rates)[~side].sum())
    cells = (tp, float(sizes[side].sum()) - tp, fn, float(sizes[~side].sum()) - fn)
    value = ratio.value(cells)
    if value is None:
        return None
    below = sum(b * c for b, c in zip(ratio.denominator, cells, strict=True))
    target = min(max(value, EDGE), 1 - EDGE)
    form = pool_form(
        Claim(metric=ratio.name, side="lower", target=target),
        predicted_positive=1,
        predicted_negative=1,
    )
    pull = np.abs(np.where(side, form.weight_positive, form.weight_negative)) * sizes
    return Expected(value=value, denominator=below, pull=pull, rates=rates)


def fixed_chances(name: str, strata: Sequence[Stratum], *, rates: Floats | None = None) -> Floats:
    """The chance of each stratum at every draw: by the scores, or by these rates of positives."""
    count = len(strata)
    moments = expected(name, strata, rates=rates)
    if moments is None or moments.pull.sum() == 0:
        return np.full(count, 1 / count)
    neyman = moments.pull * np.sqrt(moments.rates * (1 - moments.rates))
    chances = (
        NEYMAN * neyman / neyman.sum()
        + INFLUENCE * moments.pull / moments.pull.sum()
        + EVEN / count
    )
    return np.asarray(chances, dtype=np.float64)


def unit_variance(
    name: str, strata: Sequence[Stratum], chances: Floats, *, rates: Floats | None = None
) -> float | None:
    """The variance of the estimated metric times the labels, if the scores, or these rates, are right.

    *Source* the delta method: σ² = Σ (pull/denominator)² p(1−p)/Q.
    """
    moments = expected(name, strata, rates=rates)
    if moments is None or moments.denominator == 0:
        return None
    lean = (moments.pull / moments.denominator) ** 2 * moments.rates * (1 - moments.rates)
    needed = lean > 0
    if np.any(chances[needed] <= 0):
        return None
    return float((lean[needed] / chances[needed]).sum())


def efficiency(
    name: str, strata: Sequence[Stratum], chances: Floats, *, rates: Floats | None = None
) -> float | None:
    """What these labels are worth for another metric, as a share of labels drawn for it alone."""
    here = unit_variance(name, strata, chances, rates=rates)
    best = unit_variance(name, strata, fixed_chances(name, strata, rates=rates), rates=rates)
    if here is None or best is None or here == 0:
        return None
    return min(1.0, best / here)
