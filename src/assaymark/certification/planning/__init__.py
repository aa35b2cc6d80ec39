"""From a claim and a pool's summary to a plan that can be sealed."""

from collections.abc import Callable

from assaymark.certification.modes import mode_of
from assaymark.certification.planning.belief import belief_of, from_scores
from assaymark.certification.planning.forecast import forecast
from assaymark.certification.planning.request import PlanRequest
from assaymark.certification.planning.sizes import expected_labels, other_margins, sized
from assaymark.certification.planning.stakes import little_left, stake_for
from assaymark.certification.planning.strata import domain_strata, guided_strata
from assaymark.claims.cells import Cell, Cells
from assaymark.claims.checks import open_share
from assaymark.claims.claim import Claim
from assaymark.claims.language.grammar import parse
from assaymark.claims.linear import compile_claim
from assaymark.claims.ratio_metrics import binomial_test, metric
from assaymark.claims.rows import LinearClaim
from assaymark.errors import InputError, PlanError, VerificationError
from assaymark.hints import option, switch
from assaymark.records.decimals import decimal_text
from assaymark.records.modes import MODES, SAMPLES, ModeKind, kind_asked_for
from assaymark.records.plan import Plan, Stake
from assaymark.records.pool import PoolSummary
from assaymark.records.pool_shape import CLASSIFIER
from assaymark.records.seeds import SeedSource
from assaymark.stats.methods import fits, lead_of


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
    kind = _kind(request, summary)
    _refuse_unprovable(request.claim, summary, kind)
    _refuse_needless(request, kind)
    open_share("power", request.power)
    rows = compiled(request.claim, summary)
    method = _method(request, kind)
    plan = Plan(
        number=number,
        claim=request.claim,
        mode=kind.mode,
        design=kind.design,
        method=method,
        confidence=open_share("confidence", request.confidence),
        seed=seed,
        source=source or SeedSource(),
        rows=rows.digest,
        constants=constants_of(rows),
        strata=guided_strata(request.claim, summary, method=method)
        if kind.guided
        else domain_strata(request.claim, summary),
        expectation=request.expectation,
        lead=lead_of(method, one_by_one=request.one_by_one),
        stake=Stake() if stake is None else stake,
    )
    return sized(know(plan), request, summary)


def _method(request: PlanRequest, kind: ModeKind) -> str:
    if request.method is None:
        return kind.method
    if not fits(request.method, kind):
        raise InputError(
            f"The method {request.method!r} does not fit mode {kind.mode!r} and its design."
        )
    return request.method


def _kind(request: PlanRequest, summary: PoolSummary) -> ModeKind:
    """The kind of plan asked for, or the usual one; refused in combinations without a proof."""
    if request.mode is not None and request.mode not in MODES:
        raise InputError(
            f"'mode' must be one of score-guided, {', '.join(MODES)}, got {request.mode!r}."
        )
    if request.design is not None and request.design not in SAMPLES:
        raise InputError(f"'design' must be score-guided or simple, got {request.design!r}.")
    predicts = summary.predicted_positive + summary.predicted_negative > 0
    kind = kind_asked_for(request.mode, request.design, predicts=predicts)
    if kind is None:
        raise PlanError(
            "A score-guided plan is judged on the way, so it has no mode 'fixed'. Take "
            f"{option('mode', 'score-guided')} or {option('mode', 'budget')} with it, or leave "
            f"{option('design')} out."
        )
    if request.budget is not None and not kind.promise:
        raise PlanError(
            f"{option('budget')} is for a mode with a fixed number of labels: add "
            f"{option('mode', 'fixed')} (judged once, at the end) or {option('mode', 'budget')} "
            "(judged on the way, ends at the budget)."
        )
    return kind


def refuse_unpredicted(claim: Claim, summary: PoolSummary) -> None:
    """Refuse a claim about a classifier where the pool has no predictions."""
    predicted = summary.predicted_positive + summary.predicted_negative
    if predicted == 0 and claim.metric != "prevalence":
        raise PlanError(
            f"A claim about {metric(claim.metric).title} needs predictions, and this pool has "
            f"none. Register it in a new folder with {option('prediction', 'COL')}, or "
            f"{option('score', 'COL')} {option('threshold', 'X')}."
        )


def _refuse_unprovable(claim: Claim, summary: PoolSummary, kind: ModeKind) -> None:
    refuse_unpredicted(claim, summary)
    if summary.predicted_positive + summary.predicted_negative == 0 and kind.guided:
        raise PlanError("Score-guided sampling needs predictions, and this pool has none.")
    if binomial_test(claim) is None and not kind.guided:
        raise PlanError(
            f"{metric(claim.metric).title} has no exact bound for a simple random sample: its "
            "items count in three different ways, so it is not a simple share. Use "
            f"{option('mode', 'score-guided')}."
        )


def _refuse_needless(request: PlanRequest, kind: ModeKind) -> None:
    if request.claim_only and not kind.promise:
        raise PlanError(
            f"{switch('claim-only')} is for plans that are judged at planned numbers of draws: a "
            "plan that you may look at whenever you like proves its bound on the way. Leave it "
            f"out, or add {option('mode', 'fixed')}."
        )


def check_sealed(plan: Plan, summary: PoolSummary) -> None:
    """Refuses a plan whose parts do not follow from its claim, its mode and the pool."""
    if plan.kind.guided:
        strata = guided_strata(plan.claim, summary, method=plan.method)
    else:
        strata = domain_strata(plan.claim, summary)
    rows = compiled(plan.claim, summary)
    faults = {
        "strata": plan.strata != strata,
        "method": not fits(plan.method, plan.kind),
        "claim": (plan.rows, plan.constants) != (rows.digest, constants_of(rows)),
        "renewal": plan.lead not in (lead_of(plan.method), lead_of(plan.method, one_by_one=True)),
        "size": not mode_of(plan).is_sized(plan),
    }
    for name, wrong in faults.items():
        if wrong:
            raise VerificationError(
                f"The plan's field '{name}' does not follow from its claim and the pool."
            )


def compiled(claim: Claim, summary: PoolSummary) -> LinearClaim:
    """The claim as rows over the cells of this pool."""
    word = ">=" if claim.side == "lower" else "<="
    tree = parse(f"{claim.metric} {word} {decimal_text(claim.target)}")
    return compile_claim(tree, _cells_of_pool(summary))


def constants_of(rows: LinearClaim) -> tuple[tuple[str, str], ...]:
    """What the compiler chose, as text."""
    return tuple(sorted((name, str(value)) for name, value in rows.constants.items()))


def _cells_of_pool(summary: PoolSummary) -> Cells:
    # without predictions only the prevalence can be claimed, which asks for none
    sides = {1: summary.predicted_positive, 0: summary.predicted_negative}
    if not summary.predicts:
        sides = {0: summary.items}
    return Cells(
        classifiers=(CLASSIFIER,),
        classes=("0", "1"),
        positive="1",
        cells=tuple(Cell(predictions=(str(side),), items=items) for side, items in sides.items()),
    )
