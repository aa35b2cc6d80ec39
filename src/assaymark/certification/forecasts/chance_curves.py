"""The chance to have passed by each number of labels, in every mode: what the plan page draws."""

import math

import numpy as np

from assaymark.certification.forecasts.prospect import Prospect
from assaymark.claims.results import ModeForecast, PowerCurve
from assaymark.stats.special import ndtr, ndtri

POINTS = 40


def chance_curves(prospect: Prospect, *, power: float) -> dict[str, PowerCurve]:
    """A curve for each mode that can pass.

    That of a test judged once is computed. In the other modes the labels are a random number of
    which the forecast gives the median and the quantile at `power`; the curve between and beyond is
    that of the lognormal distribution through the two, a picture and no promise.
    """
    cost = prospect.forecast
    if cost is None:
        return {}
    curves = {
        name: curve
        for name, mode in cost.modes.items()
        if name != "fixed" and (curve := _through(mode, power, prospect.items)) is not None
    }
    fixed = cost.modes.get("fixed")
    if prospect.curve is not None and fixed is not None and not fixed.reason:
        curves["fixed"] = prospect.curve
    return curves


def _through(mode: ModeForecast, power: float, items: int) -> PowerCurve | None:
    if mode.reason or not mode.median or not mode.quantile or mode.quantile < mode.median:
        return None
    spread = math.log(mode.quantile / mode.median) / float(ndtri(power)) if power > 0.5 else 0.0
    top = min(round(1.3 * mode.quantile), items)
    sizes = tuple(sorted({max(1, round(top * i / POINTS)) for i in range(1, POINTS + 1)}))
    if spread <= 0:
        return PowerCurve(sizes=sizes, power=tuple(float(n >= mode.median) for n in sizes))
    places = (np.log(np.array(sizes)) - math.log(mode.median)) / spread
    return PowerCurve(sizes=sizes, power=tuple(float(chance) for chance in ndtr(places)))
