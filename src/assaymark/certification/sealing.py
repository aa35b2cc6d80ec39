"""Seal a plan: from here on the claim, the size and the draws are decided."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace

from assaymark import __version__
from assaymark.certification.bought_labels import from_labels
from assaymark.certification.calculators import expected_words
from assaymark.certification.planning import (
    Wish,
    expected_labels,
    forecast,
    from_scores,
    guided_strata,
    make_plan,
    other_margins,
    stake_for,
)
from assaymark.certification.seeding import (
    SeedPart,
    beacon_source,
    committed_source,
    keep_part,
    refuse_steerable,
)
from assaymark.claims.direction import refuse_wrong_way
from assaymark.claims.record import stored
from assaymark.claims.results import Basis, Forecast
from assaymark.errors import PlanError
from assaymark.hints import command, option, switch
from assaymark.ledger.events import Event, PlanClosed, PlanSealed, State, outgrown
from assaymark.pool import Progress, silent
from assaymark.project.folder import Project, open_attempt, registered_pool
from assaymark.records.decimals import complement
from assaymark.records.plan import Expectation, Plan, known_labels
from assaymark.records.seeds import SeedSource
from assaymark.sampling.reserve import build_reserve

__all__ = [
    "Wish",
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
    wish: Wish,
    *,
    progress: Progress = silent,
    also: Callable[[Plan], tuple[Event, ...]] = lambda _plan: (),
) -> Plan:
    """Seal the plan and store its reserve of tickets. Refused while another plan is open.

    `also` are events that become durable together with the plan, or not at all.
    """
    state = project.state()
    _refuse_second(state)
    wish = chosen(wish, _forecast(state, wish))
    (plan, part), known = _make(state, wish, now=project.now()), len(state.attempts)
    stored: tuple[Event, ...] = ()
    if plan.seed:
        stored = (build_reserve(project, registered_pool(state), plan, progress=progress),)
    with project.writing() as session:
        _refuse_second(session.state)
        if len(session.state.attempts) != known:
            raise PlanError(
                "Another plan was sealed at the same moment. Look at it, then try again."
            )
        keep_part(project, part)
        session.record(PlanSealed(plan=plan, software=__version__), *stored, *also(plan))
    return plan


def refuse_spent(state: State, wish: Wish) -> None:
    """Refuse a seed that chose items before, and one that was chosen after labels were seen."""
    if wish.seed in state.seeds:
        raise PlanError(
            f"The seed {wish.seed!r} was used in this project before: the same items would be drawn "
            f"again, and their labels are known. Use another seed, or leave {option('seed')} out."
        )
    if wish.seed is not None and any(old.pool is state.pool for old in state.attempts):
        raise PlanError(
            "A plan was sealed on this collection before, so labels are known, and a seed of one's own "
            f"choice could be picked to draw the lucky ones. Leave {option('seed')} out: 128 random bits "
            "are taken."
        )
    spent = {text for old in state.attempts for text in old.plan.source.commitments}
    if spent & {text.strip().lower() for text in wish.commit}:
        raise PlanError(
            "A part of this seed was committed to before, for another plan, and may be known by now: "
            "every plan needs new parts."
        )


def _make(state: State, wish: Wish, *, now: str) -> tuple[Plan, SeedPart | None]:
    refuse_spent(state, wish)
    source, part = _source(wish, now)
    stake, stated = stake_for(state, wish.claim, wish.asked)
    plan = make_plan(
        replace(wish, confidence=stated),
        registered_pool(state).summary,
        number=len(state.attempts) + 1,
        seed=(wish.seed or secrets.token_hex(16)) if source.law == "open" else "",
        stake=stake,
        source=source,
    )
    refuse_steerable(plan)
    known = {item: label.value for item, label in state.known.items()}
    return replace(plan, known=known_labels(stored(known))), part


def _source(wish: Wish, now: str) -> tuple[SeedSource, SeedPart | None]:
    """Where the seed comes from, and this side's part of it."""
    if wish.commit:
        return committed_source(wish.commit)
    return (beacon_source(wish.beacon, now) if wish.beacon else SeedSource()), None


ROUTES = {
    "score-guided": ("anytime", "weighted"),
    "anytime": ("anytime", "simple"),
    "budget": ("budget", None),
    "fixed": ("fixed", None),
}
"""Names of the table of costs -> mode and design of the plan."""


def chosen(wish: Wish, cost: Forecast | None) -> Wish:
    """The wish as it will be sealed: in the recommended mode, where none was asked for.

    Refused where the claim looks false or points the wrong way, unless `anyway` is set. Raw scores
    alone refuse nothing, because they are often off; whoever names the size of a plan tries all the
    same.
    """
    refuse_wrong_way(wish.claim, anyway=wish.anyway)
    if cost is None:
        return wish
    if cost.refused and not wish.anyway and wish.budget is None:
        raise PlanError(f"{cost.looks_false} To seal it all the same, add {switch('anyway')}.")
    if cost.recommended is None or wish.mode or wish.design or wish.budget is not None:
        return wish
    mode, design = ROUTES[cost.recommended]
    return replace(wish, mode=mode, design=design)


def forecast_plan(project: Project, wish: Wish) -> Forecast | None:
    """What the claim will cost in every mode; None where nothing is known about the classifier.

    Without an expectation the labels bought so far are asked, then the scores.
    """
    return _forecast(project.state(), wish)


def _forecast(state: State, wish: Wish) -> Forecast | None:
    summary = registered_pool(state).summary
    known = expected_by(state, wish)
    if known is None:
        return None
    predicts = summary.predicted_positive + summary.predicted_negative > 0
    stake, stated = stake_for(state, wish.claim, wish.asked)
    return forecast(
        wish.claim,
        known.expectation,
        confidence=stated if stake.level is None else float(complement(stake.level)),
        power=wish.power,
        summary=summary,
        strata=guided_strata(wish.claim, summary) if predicts else (),
        basis=known.basis,
        to_a_ceiling=wish.mode == "budget" and wish.design == "weighted",
    )


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What is expected of the classifier, and what that rests on."""

    expectation: Expectation
    basis: Basis


def expected_by(state: State, wish: Wish) -> Expected | None:
    """What somebody said, else what labels bought so far say, else the scores; None without any."""
    if wish.expectation is not None:
        return Expected(expectation=wish.expectation, basis="expectation")
    bought = from_labels(state)
    if bought is not None:
        return Expected(expectation=bought, basis="labels")
    scores = from_scores(registered_pool(state).summary)
    return None if scores is None else Expected(expectation=scores, basis="scores")


def expected_of(state: State) -> int | None:
    """About how many labels the latest plan takes in all; None where nobody can tell."""
    attempt = state.attempt
    if attempt is None or attempt.pool is None:
        return None
    return expected_labels(attempt.plan, attempt.pool.summary)


def chances_at_other_margins(project: Project, plan: Plan) -> tuple[tuple[float, float], ...]:
    """Of a plan with a ceiling: the chance to pass if the margin is so many times what is expected."""
    return other_margins(plan, registered_pool(project.state()).summary)


def expected_in_words(project: Project, wish: Wish) -> str:
    """What is expected of the classifier, in words: what was said, or what labels or scores say."""
    known = expected_by(project.state(), wish)
    if known is None:
        return "nothing is known"
    return expected_words(wish.claim, known.expectation, share=predicted_share(project))


def predicted_share(project: Project) -> float:
    """The share of the pool's items that are predicted positive."""
    summary = registered_pool(project.state()).summary
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
            "Training went on after the classifier was frozen, and a plan on its scores could draw what "
            f"trains the next one. Freeze the next one first: {command('train', stop=True)} seals its plan."
        )


def abandon_plan(project: Project, reason: str) -> int:
    """Close the open plan for good, with a reason. Returns its number."""
    if not reason.strip():
        raise PlanError("Say why the plan is abandoned: the reason goes on record.")
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
