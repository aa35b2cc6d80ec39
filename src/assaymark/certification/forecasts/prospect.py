"""What a claim would cost, for somebody who is still choosing: table and curve from one set of terms."""

from dataclasses import dataclass

from assaymark.certification.planning import from_scores, scores_are_shares
from assaymark.certification.planning.belief import belief_in_pool
from assaymark.certification.sealing import PlanRequest, expected_by, forecast_plan
from assaymark.claims.ratio_metrics import binomial_test, metric
from assaymark.claims.results import Forecast, PowerCurve
from assaymark.errors import AssaymarkError
from assaymark.project.folder import Project, registered_pool
from assaymark.records.plan import Expectation
from assaymark.stats.sample_size import Planner, power_curve

POINTS = 28


@dataclass(frozen=True, kw_only=True)
class Prospect:
    """The cost in every mode, and the chance to pass a test judged once at each size.

    `forecast` is None where nothing is known about the classifier, `curve` where no simple random
    sample proves the claim.
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
    if cost is not None and expectation is not None and binomial_test(request.claim) is not None:
        top = min(_top(cost), summary.items)
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


def _top(cost: Forecast) -> int:
    """How far the curve goes: a little beyond the largest plan."""
    fixed = cost.modes.get("fixed")
    known = [mode.labels or mode.quantile or 0 for mode in cost.modes.values()]
    return round(1.3 * ((fixed.labels if fixed else None) or max(known, default=0) or 1000))


@dataclass(frozen=True, kw_only=True)
class Usual:
    """What the plan page begins with."""

    metrics: tuple[tuple[str, str], ...]
    metric: str
    expectation: Expectation | None
    scores_usable: bool


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
        scores_usable=predicts and scores_are_shares(summary),
    )
