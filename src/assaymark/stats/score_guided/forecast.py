"""How many labels a weighted certification will take, before it starts.

One idea: no test can beat ln(1/α)/V* labels on average, and this one comes close to it, so the
limit times a measured factor is the forecast.
"""

import math
from dataclasses import dataclass

import numpy as np

from assaymark.stats.score_guided.kl_projection import Floats, ideal_labels, saddle
from assaymark.stats.score_guided.supermartingale import FEWEST_LABELS, WeightedTest, tests_at

# Measured on 39 claims over 14 real pools, 40 runs each: see the page on score-guided
# certification. The spread is that of the labels at the pass.
MEAN_FACTOR = 1.1
MEDIAN_FACTOR = 0.95
MOST_FACTOR = 2.2


@dataclass(frozen=True, kw_only=True)
class WeightedForecast:
    """Labels a claim is expected to take if these rates are the truth; None with a reason if never.

    `most` is enough in about 93 % of certifications.
    """

    ideal: float | None
    mean: int | None
    median: int | None
    most: int | None
    pool: int
    reason: str | None = None

    def __str__(self) -> str:
        if self.mean is None:
            return f"no forecast: {self.reason}"
        return f"about {self.mean} labels, {self.most} at most in 93% of certifications"


def forecast(test: WeightedTest, rates: Floats) -> WeightedForecast:
    """The labels needed if stratum k has this rate of positives.

    *Assumes* the rates; only the forecast rests on them.
    """
    form, sizes = tests_at(test, [test.claim.target]), test.sizes
    pool = int(sizes.sum())
    sure = np.clip(rates, 1e-6, 1.0 - 1e-6)
    belief = np.where(form.helpful[0] == 1, sure, 1.0 - sure)
    pull = form.value[0] * sizes
    total, need = float(pull.sum()), float(form.required[0])
    gap = float((pull * belief).sum()) - need
    if gap <= 0 or need >= total:
        return WeightedForecast(
            ideal=None,
            mean=None,
            median=None,
            most=None,
            pool=pool,
            reason=f"at the expected rates {test.claim} does not hold",
        )
    if need <= 0:
        return WeightedForecast(ideal=0.0, mean=0, median=0, most=0, pool=pool)
    speed = saddle(belief, pull=pull / total, need=need / total).speed
    ideal = ideal_labels(speed, confidence=test.confidence)
    return WeightedForecast(
        ideal=ideal,
        mean=_labels(MEAN_FACTOR * ideal, pool),
        median=_labels(MEDIAN_FACTOR * ideal, pool),
        most=_labels(MOST_FACTOR * ideal, pool),
        pool=pool,
    )


def _labels(wanted: float, pool: int) -> int:
    return min(pool, max(FEWEST_LABELS, math.ceil(wanted)))
