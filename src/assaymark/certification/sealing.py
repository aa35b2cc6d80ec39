"""Seal a plan: from here on the claim, the size and the draws are decided."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from assaymark import __version__
from assaymark.certification.drawing import next_draws
from assaymark.certification.forecasts.bought_labels import from_labels, left_possible
from assaymark.certification.forecasts.calculators import expected, expected_words
from assaymark.certification.known_labels import known_in, with_known
from assaymark.certification.planning import (
    PlanRequest,
    expected_labels,
    forecast,
    from_scores,
    guided_strata,
    make_plan,
    other_margins,
    refuse_unpredicted,
    stake_for,
)
from assaymark.certification.planning.forecast import as_doubtful
from assaymark.certification.planning.forecast_words import hopeful_value, needed_words
from assaymark.certification.planning.strata import domain_strata
from assaymark.certification.seeding import (
    SeedPart,
    keep_part,
    refuse_committed_before,
    refuse_steerable,
    source_of,
)
from assaymark.claims.claim import Claim
from assaymark.claims.direction import refuse_wrong_way
from assaymark.claims.results import Basis, Forecast, shown
from assaymark.errors import InputError, PlanError
from assaymark.hints import command, option, switch
from assaymark.ledger.events import (
    Attempt,
    Event,
    PlanClosed,
    PlanSealed,
    ReserveStored,
    State,
    is_frozen,
    outgrown,
)
from assaymark.pool import Progress, silent
from assaymark.project.folder import Project, open_attempt, registered_pool
from assaymark.project.purpose import pool_for_sampling
from assaymark.records.decimals import complement
from assaymark.records.modes import OFFERED
from assaymark.records.plan import Expectation, Plan
from assaymark.records.pool import PoolSummary
from assaymark.sampling.reserve import build_reserve
from assaymark.sampling.surveys import refuse_used_seed

__all__ = [
    "PlanRequest",
    "abandon_plan",
    "chances_at_other_margins",
    "chosen",
    "expected_by",
    "expected_in_words",
    "expected_of",
    "forecast_plan",
    "predicted_share",
    "refuse_spent",
    "seal_plan",
]


def seal_plan(
    project: Project,
    request: PlanRequest,
    *,
    progress: Progress = silent,
    also: Callable[[Plan], tuple[Event, ...]] = lambda _plan: (),
) -> Plan:
    """Seal the plan and store its reserve of tickets. Refused while another plan is open.

    `also` are events that become durable together with the plan, or not at all.
    """
    state = project.state()
    _refuse_second(state)
    request = _planned_by_labels(
        state, request, chosen(request, _forecast(project, state, request, sealing=True))
    )
    plan, part = _make(project, state, request)
    before = _moment(state)
    stored: tuple[ReserveStored, ...] = ()
    if plan.seed:
        stored = (build_reserve(project, registered_pool(state), plan, progress=progress),)
    with project.writing() as session:
        _refuse_second(session.state)
        if _moment(session.state) != before:
            raise PlanError(
                "Another plan was sealed or labels came in at the same moment. Look at it, then try "
                "again."
            )
        keep_part(project, part)
        sealed = PlanSealed(plan=plan, software=__version__)
        session.record(sealed, *stored, *_first_draws(project, session.state, plan, stored))
        session.record(*also(plan))
    return plan


def _planned_by_labels(state: State, request: PlanRequest, choice: PlanRequest) -> PlanRequest:
    """A mode that was chosen by what earlier labels say is planned by what they say."""
    expected = expected_by(state, choice)
    if request.mode == choice.mode or expected is None or expected.basis != "labels":
        return choice
    return replace(choice, expectation=expected.expectation)


def _moment(state: State) -> tuple[int, ...]:
    """What must not have moved between the making of the plan and its seal."""
    return len(state.attempts), state.labels_at, len(state.known)


def _first_draws(
    project: Project, state: State, plan: Plan, stored: tuple[ReserveStored, ...]
) -> tuple[Event, ...]:
    """The first draws of a simple plan in which labels are known: recorded before they can be seen.

    Otherwise a plan whose draws meet unlucky known labels could be given up as if nothing was drawn.
    """
    if plan.known is None or plan.kind.guided or not stored:
        return ()
    attempt = Attempt(plan=plan, sealed_at=0, pool=state.pool, reserves=list(stored))
    batch, more = next_draws(project, state, attempt)
    return (*more, batch)


def refuse_spent(state: State, request: PlanRequest) -> None:
    """Refuse a seed that chose items before, and one that was chosen after labels were seen."""
    refuse_used_seed(state, request.seed)
    if request.seed is not None and (
        state.known or any(old.pool is state.pool for old in state.attempts)
    ):
        raise _chosen_seed()
    refuse_committed_before(state, request.commit)


def _chosen_seed() -> PlanError:
    return PlanError(
        "Labels of this collection are known before the plan, and a seed chosen by hand could "
        f"favour items whose labels help. Leave {option('seed')} out: 128 random bits are taken."
    )


def _make(project: Project, state: State, request: PlanRequest) -> tuple[Plan, SeedPart | None]:
    refuse_spent(state, request)
    source, part = source_of(request.commit, request.beacon, project.now())
    stake, stated = stake_for(state, request.claim, request.asked)
    plan = make_plan(
        replace(request, confidence=stated),
        registered_pool(state).summary,
        number=len(state.attempts) + 1,
        seed=(request.seed or secrets.token_hex(16)) if source.law == "open" else "",
        stake=stake,
        source=source,
        know=partial(with_known, project, state),
    )
    if plan.known and request.seed is not None:
        raise _chosen_seed()
    refuse_steerable(plan)
    return plan, part


def chosen(request: PlanRequest, cost: Forecast | None) -> PlanRequest:
    """The request as it will be sealed: in the recommended mode, where none was asked for.

    Refused where the claim looks false by what is expected or by labels, or points the wrong way,
    unless `anyway` is set. Raw scores alone refuse nothing, because they are often off; whoever names
    the size of a plan tries all the same.
    """
    refuse_wrong_way(request.claim, anyway=request.anyway)
    if cost is None:
        return request
    if cost.refused and not _is_meant(request):
        sentences = (
            cost.looks_false,
            needed_words(cost),
            f"To seal it anyway, add {switch('anyway')}.",
        )
        raise PlanError(" ".join(filter(None, sentences)))
    if cost.recommended is None or request.mode or request.design or request.budget is not None:
        return request
    kind = OFFERED[cost.recommended]
    return replace(request, mode=kind.mode, design=kind.design)


def _is_meant(request: PlanRequest) -> bool:
    """Whether somebody said that a claim is to be sealed although it looks false."""
    return request.anyway or request.budget is not None


def forecast_plan(project: Project, request: PlanRequest) -> Forecast | None:
    """What the claim will cost in every mode; None where nothing is known about the classifier.

    Without an expectation the labels bought so far are asked, then the scores.
    """
    return _forecast(project, project.state(), request)


def _forecast(
    project: Project, state: State, request: PlanRequest, *, sealing: bool = False
) -> Forecast | None:
    """The forecast; for `sealing` only as far as it decides about the mode, or refuses the claim.

    The mode with a budget never refuses alone, since the fixed mode can pass wherever it can; and
    scores do not recommend that mode.
    """
    summary = pool_for_sampling(state).summary
    known = expected_by(state, request)
    if known is None:
        return None
    by_scores = known.basis == "scores"
    chosen_by_user = bool(request.mode or request.design or request.budget is not None)
    if sealing and chosen_by_user and by_scores:
        return None  # whoever chooses a way of testing has more to go by than the scores
    predicts = summary.predicted_positive + summary.predicted_negative > 0
    stake, stated = stake_for(state, request.claim, request.asked)
    strata = (guided_strata if predicts else domain_strata)(request.claim, summary)
    priced = partial(
        forecast,
        request.claim,
        confidence=stated if stake.level is None else float(complement(stake.level)),
        power=request.power,
        summary=summary,
        strata=strata if predicts else (),
        to_a_ceiling=request.kind is not None and request.kind.has_ceiling,
        known=known_in(project, state, strata),
    )
    cost = priced(
        known.expectation,
        basis=known.basis,
        budget=not (sealing and (chosen_by_user or by_scores)),
    )
    if cost.looks_false and known.basis != "expectation" and not (sealing and _is_meant(request)):
        hoped = _hoped(request.claim, summary)
        cost = replace(cost, if_needed=None if hoped is None else as_doubtful(priced(hoped)))
    return cost


def _hoped(claim: Claim, summary: PoolSummary) -> Expectation | None:
    """A classifier that is good enough for the claim; None where none can be with these predictions."""
    value = hopeful_value(claim)
    if value is None:
        return None
    try:
        return expected(claim, float(value), share=summary.predicted_positive / summary.items)
    except InputError:
        return None


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What is expected of the classifier, and what that depends on."""

    expectation: Expectation
    basis: Basis


def expected_by(state: State, request: PlanRequest) -> Expected | None:
    """What somebody said, else what labels bought so far say, else the scores; None without any."""
    if request.expectation is not None:
        return Expected(expectation=request.expectation, basis="expectation")
    bought = from_labels(state)
    if bought is not None:
        return Expected(expectation=bought, basis="labels")
    scores = from_scores(registered_pool(state).summary)
    return None if scores is None else Expected(expectation=scores, basis="scores")


def expected_of(state: State) -> int | None:
    """About how many labels the latest plan takes in all; None where nobody can tell.

    Of a classifier that was trained here the scores alone say something else than the forecast that was
    shown before the freeze, which knows the training labels.
    """
    attempt = state.attempt
    if attempt is None or attempt.pool is None or (attempt.plan.size is None and is_frozen(state)):
        return None
    return expected_labels(attempt.plan, attempt.pool.summary)


def chances_at_other_margins(project: Project, plan: Plan) -> tuple[tuple[float, float], ...]:
    """Of a plan with a ceiling: the chance to pass if the margin is this many times what is expected."""
    return other_margins(plan, registered_pool(project.state()).summary)


def expected_in_words(project: Project, request: PlanRequest) -> str:
    """What is expected of the classifier, in words: what was said, or what labels or scores say.

    Where an estimate says it and its interval holds the target too, that is said.
    """
    state, claim = project.state(), request.claim
    known = expected_by(state, request)
    if known is None:
        return "nothing is known"
    words = expected_words(claim, known.expectation, share=predicted_share(project, claim))
    ends = left_possible(state, claim.metric) if known.basis == "labels" else None
    if ends is None or not ends[0] < claim.target < ends[1]:
        return words
    return (
        f"{words}, but {shown(ends[0])} to {shown(ends[1])} is possible: it may take many more labels, "
        "or be false"
    )


def predicted_share(project: Project, claim: Claim) -> float:
    """The share of the pool's items that are predicted positive, for a claim that may need it."""
    summary = pool_for_sampling(project.state()).summary
    refuse_unpredicted(claim, summary)
    return summary.predicted_positive / summary.items


def _refuse_second(state: State) -> None:
    attempt = state.attempt
    if attempt is not None and attempt.open:
        raise PlanError(
            f'Plan {attempt.plan.number} ("{attempt.plan.claim}") is still open. Finish it, or close '
            f"it for good with: {command('plan', abandon='REASON')}."
        )
    if outgrown(state):
        raise PlanError(
            "Training went on after the classifier was frozen, so a plan on its scores could "
            "draw items that train the next one. Freeze the next classifier first: "
            f"{command('train', stop=True)} seals its plan."
        )


def abandon_plan(project: Project, reason: str) -> int:
    """Close the open plan for good, with a reason. Returns its number."""
    if not reason.strip():
        raise PlanError("Say why the plan is abandoned: the reason is recorded.")
    with project.writing() as session:
        attempt = open_attempt(session.state)
        session.record(
            PlanClosed(
                plan=attempt.plan.number,
                outcome="abandoned",
                reason="given up",
                note=reason.strip(),
            )
        )
    return attempt.plan.number
