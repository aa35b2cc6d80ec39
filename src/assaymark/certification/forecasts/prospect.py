"""What a claim would cost, for somebody who is still choosing: table and curve from one set of terms."""

import math
from dataclasses import dataclass

import numpy as np

from assaymark.certification.planning import from_scores
from assaymark.certification.planning.belief import belief_in_pool
from assaymark.certification.sealing import PlanRequest, expected_by, forecast_plan
from assaymark.claims.ratio_metrics import binomial_test, metric
from assaymark.claims.results import Forecast, ModeForecast, PowerCurve
from assaymark.errors import AssaymarkError
from assaymark.project.folder import Project, registered_pool
from assaymark.records.plan import Expectation
from assaymark.stats.sample_size import Planner, power_curve
from assaymark.stats.special import ndtr, ndtri

POINTS, CURVE_POINTS = 28, 40


@dataclass(frozen=True, kw_only=True)
class Prospect:
    """The cost in every mode, and the chance to pass a test judged once at each size.

    `forecast` is None where nothing is known about the classifier, `curve` where no simple random
    sample proves the claim, or none of a size that anybody would buy.
    """

    title: str
    forecast: Forecast | None
    curve: PowerCurve | None
    by_scores: bool
    items: int


def prospect(project: Project, request: PlanRequest) -> Prospect:
    """Table and curve; records nothing."""
    summary = registered_pool(project.state()).summary
    cost = forecast_plan(project, request)
    known = expected_by(project.state(), request)
    expectation = None if known is None else known.expectation
    curve = None
    fixed = None if cost is None else cost.modes.get("fixed")
    size = fixed.labels if fixed is not None and binomial_test(request.claim) is not None else None
    if size is not None and expectation is not None:
        top = min(round(1.3 * size), summary.items)  # a little beyond the plan
        sizes = tuple(sorted({max(1, round(top * i / POINTS)) for i in range(1, POINTS + 1)}))
        planner = Planner(
            claim=request.claim,
            belief=belief_in_pool(expectation, summary),
            confidence=request.confidence,
        )
        curve = power_curve(planner, sizes)
    return Prospect(
        title=metric(request.claim.metric).title,
        forecast=cost,
        curve=curve,
        by_scores=request.expectation is None,
        items=summary.items,
    )


@dataclass(frozen=True, kw_only=True)
class Usual:
    """What the plan page begins with."""

    metrics: tuple[tuple[str, str], ...]
    metric: str
    expectation: Expectation | None


def usual(project: Project) -> Usual:
    """Metrics that this pool can prove, and what its scores say of the classifier."""
    summary = registered_pool(project.state()).summary
    predicts = summary.predicted_positive + summary.predicted_negative > 0
    names = ("f1", "recall", "precision", "elusion", "accuracy", "prevalence")
    shown = names if predicts else ("prevalence",)
    try:
        expected = from_scores(summary)
    except AssaymarkError:
        expected = None
    return Usual(
        metrics=tuple((name, metric(name).title) for name in shown),
        metric=shown[0],
        expectation=expected,
    )


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
    if prospect.curve is not None:
        curves["fixed"] = prospect.curve
    return curves


def _through(mode: ModeForecast, power: float, items: int) -> PowerCurve | None:
    if mode.reason or not mode.median or not mode.quantile or mode.quantile < mode.median:
        return None
    spread = math.log(mode.quantile / mode.median) / float(ndtri(power)) if power > 0.5 else 0.0
    top = min(round(1.3 * mode.quantile), items)
    sizes = tuple(
        sorted({max(1, round(top * i / CURVE_POINTS)) for i in range(1, CURVE_POINTS + 1)})
    )
    if spread <= 0:
        return PowerCurve(sizes=sizes, power=tuple(float(n >= mode.median) for n in sizes))
    places = (np.log(np.array(sizes)) - math.log(mode.median)) / spread
    return PowerCurve(sizes=sizes, power=tuple(float(chance) for chance in ndtr(places)))
