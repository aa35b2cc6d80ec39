"""From a claim and a pool's summary to a plan that can be sealed."""

from collections.abc import Callable

from assaymark.certification.planning.belief import belief_of, from_scores
from assaymark.certification.planning.forecast import forecast, weighted_forecast
from assaymark.certification.planning.request import PlanRequest
from assaymark.certification.planning.rows import compiled, constants_of
from assaymark.certification.planning.sealed import check_sealed
from assaymark.certification.planning.sizes import SIZES, expected_labels, other_margins
from assaymark.certification.planning.stakes import little_left, stake_for
from assaymark.certification.planning.strata import domain_strata, guided_strata, scores_are_shares
from assaymark.claims.checks import open_share
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import binomial_test, metric
from assaymark.errors import InputError, PlanError
from assaymark.hints import option, switch
from assaymark.records.plan import DESIGNS, MODES, Plan, Stake
from assaymark.records.pool import PoolSummary
from assaymark.records.seeds import SeedSource
from assaymark.stats.methods import fits, lead_of, method_name

__all__ = [
    "PlanRequest",
    "belief_of",
    "check_sealed",
    "expected_labels",
    "forecast",
    "from_scores",
    "guided_strata",
    "little_left",
    "make_plan",
    "other_margins",
    "scores_are_shares",
    "stake_for",
    "weighted_forecast",
]


def make_plan(
    request: PlanRequest,
    summary: PoolSummary,
    *,
    number: int,
    seed: str,
    stake: Stake | None = None,
    source: SeedSource | None = None,
    know: Callable[[Plan], Plan] = lambda plan: plan,
) -> Plan:
    """The plan that the request asks for, at its part of the risk (default: all of it).

    Refused where its promise could not be kept. The confidence of the request is the one stated.
    `know` adds the labels that are known before the seal: its size follows from what is left.
    """
    mode, design = _routed(request, summary)
    _refuse_unprovable(request.claim, summary, design)
    _refuse_needless(request, mode)
    open_share("power", request.power)
    rows = compiled(request.claim, summary)
    method = _method(request, mode, design)
    plan = Plan(
        number=number,
        claim=request.claim,
        mode=mode,  # type: ignore[arg-type]
        design=design,  # type: ignore[arg-type]
        method=method,
        confidence=open_share("confidence", request.confidence),
        seed=seed,
        source=source or SeedSource(),
        rows=rows.digest,
        constants=constants_of(rows),
        strata=guided_strata(request.claim, summary, method=method)
        if design == "weighted"
        else domain_strata(request.claim, summary),
        expectation=request.expectation,
        lead=lead_of(method, one_by_one=request.one_by_one),
        stake=Stake() if stake is None else stake,
    )
    fill = SIZES[mode]
    return fill(know(plan), request, summary)


def _method(request: PlanRequest, mode: str, design: str) -> str:
    if request.method is None:
        return method_name(mode, design)
    if not fits(request.method, mode, design):
        raise InputError(
            f"The method {request.method!r} does not fit mode {mode!r} and its design."
        )
    return request.method


def _routed(request: PlanRequest, summary: PoolSummary) -> tuple[str, str]:
    """The mode and design asked for, or the usual ones; refused in combinations without a proof."""
    if request.mode is not None and request.mode not in MODES:
        raise InputError(
            f"'mode' must be one of score-guided, {', '.join(MODES)}, got {request.mode!r}."
        )
    if request.design is not None and request.design not in DESIGNS:
        raise InputError(f"'design' must be score-guided or simple, got {request.design!r}.")
    if request.mode == "fixed" and request.design == "weighted":
        raise PlanError(
            "A score-guided plan is judged on the way, so it has no mode 'fixed'. Take "
            f"{option('mode', 'score-guided')} or {option('mode', 'budget')} with it, or leave "
            f"{option('design')} out."
        )
    if request.mode in ("fixed", "budget"):
        return request.mode, request.design or "simple"
    if request.budget is not None:
        raise PlanError(
            f"{option('budget')} belongs to a mode that promises one: add "
            f"{option('mode', 'fixed')} (judged once, at the end) "
            f"or {option('mode', 'budget')} (judged on the way, ends at the budget)."
        )
    predicts = summary.predicted_positive + summary.predicted_negative > 0
    return "anytime", request.design or ("weighted" if predicts else "simple")


def refuse_unpredicted(claim: Claim, summary: PoolSummary) -> None:
    """Refuse a claim about a classifier where the pool has no predictions."""
    predicted = summary.predicted_positive + summary.predicted_negative
    if predicted == 0 and claim.metric != "prevalence":
        raise PlanError(
            f"A claim about {metric(claim.metric).title} needs predictions, and this pool has "
            f"none. Register it in a new folder with {option('prediction', 'COL')}, or "
            f"{option('score', 'COL')} {option('threshold', 'X')}."
        )


def _refuse_unprovable(claim: Claim, summary: PoolSummary, design: str) -> None:
    refuse_unpredicted(claim, summary)
    if summary.predicted_positive + summary.predicted_negative == 0 and design == "weighted":
        raise PlanError("Score-guided sampling needs predictions, and this pool has none.")
    if binomial_test(claim) is None and design != "weighted":
        raise PlanError(
            f"{metric(claim.metric).title} has no exact bound for a simple random sample: its items "
            "have three different gains, so no binomial law applies. Use "
            f"{option('mode', 'score-guided')}."
        )


def _refuse_needless(request: PlanRequest, mode: str) -> None:
    if request.claim_only and mode == "anytime":
        raise PlanError(
            f"{switch('claim-only')} is for plans that are judged at a number of draws: one that you may "
            "look at whenever you like proves its bound on the way. Leave it out, or add "
            f"{option('mode', 'fixed')}."
        )
