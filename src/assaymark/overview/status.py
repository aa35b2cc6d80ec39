"""Where a project stands, without looking at its verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assaymark.certification.forecasts.lesser_claim import StillPossible, still_possible
from assaymark.certification.modes import judge
from assaymark.certification.modes.words import closed_because
from assaymark.claims.pictures import InSentence
from assaymark.claims.results import counted
from assaymark.hints import command
from assaymark.labelling.blocking import Blocking, blocking_items
from assaymark.labelling.recording import answer_command
from assaymark.ledger.events import (
    Attempt,
    State,
    SurveyWork,
    is_frozen,
    labels_digest,
    settings_of,
    training_labels,
    training_of,
)
from assaymark.project.folder import Project, registered_pool, resume_wealth
from assaymark.training.training_advice import advice_of

if TYPE_CHECKING:
    from assaymark.composite.look_facts import LookFacts
    from assaymark.composite.work import ClaimWork


@dataclass(frozen=True, kw_only=True)
class Status(InSentence):
    """What is done and what is missing.

    Counts are those of the plan, or of the estimate where one is being worked on: `estimate` then
    says which metric it is of. Without either they are those of the latest survey, whose purpose
    `survey` says. `unclear` are the labelled items that nobody could tell. `blocking` items keep later
    labels from counting; settling them comes first. `advice` is the next step, and `possible` is what
    could still be claimed after a plan failed. `doubt` says that an open claim that was looked at
    looks false by the labels so far.
    """

    summary: str
    items: int
    claim: str | None
    confidence: float | None
    size: int | None
    draws: int
    labelled: int
    missing: int
    disputed: int
    events: int
    advice: str
    unclear: int = 0
    possible: str | None = None
    estimate: str | None = None
    survey: str | None = None
    blocking: Blocking | None = None
    doubt: str | None = None

    def __str__(self) -> str:
        unclear = f" ({self.unclear:,} of them: cannot tell)" if self.unclear else ""
        return f"{self.summary} {self.labelled:,} of {self.draws:,} drawn items labelled{unclear}."


def status(project: Project) -> Status:
    """Counts of what happened; nothing that a label could tell about the claim."""
    state = project.state()
    pool = registered_pool(state)
    attempt = state.attempt
    order = attempt.order if attempt else []
    counts = _counts(state, order)
    missing = counts.missing
    size = attempt.plan.size if attempt else None
    draws = len(attempt.draws) if attempt else 0
    blocking = blocking_items(state)
    possible = still_possible(project)
    if attempt is None:
        summary, advice = "No plan yet.", command("plan", pool.columns.example_claim)
    elif not attempt.open:
        summary, advice = _ended(attempt), _after(attempt, possible)
    elif attempt.looks and attempt.looks[-1].event.decision == "pass":
        summary, advice = f"Plan {attempt.plan.number}: established.", command("certify")
    elif blocking is not None:
        summary = f"Plan {attempt.plan.number}: {blocking.sentence}"
        advice = command("draw", pending=True)
    elif not draws or (attempt.plan.kind.judged_once and size is not None and draws < size):
        summary, advice = f"Plan {attempt.plan.number} is open.", command("draw")
    elif missing:
        summary, advice = (
            f"Plan {attempt.plan.number} waits for labels.",
            command("draw", pending=True),
        )
    elif attempt.looks and attempt.looks[-1].seq > state.labels_at:
        labels = counted(attempt.looks[-1].event.labels, "label")
        summary = f"Plan {attempt.plan.number}: not yet, at the last look ({labels})."
        advice = command("draw")
    else:
        summary, advice = f"Plan {attempt.plan.number} can be looked at.", command("look")
    summary_of = Status(
        summary=summary,
        items=pool.summary.items,
        claim=str(attempt.plan.claim) if attempt else None,
        confidence=attempt.plan.confidence if attempt else None,
        size=size,
        draws=draws,
        events=state.head.seq if state.head else 0,
        advice=advice,
        blocking=blocking,
        possible=None if possible is None else possible.sentence,
        doubt=None if attempt is None else _doubt_of_plan(project, state, attempt),
        **vars(counts),
    )
    return _about(summary_of, state)


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Drawn items with a label and without one, in dispute, and such that nobody could tell."""

    labelled: int
    missing: int
    disputed: int
    unclear: int


def _counts(state: State, order: Sequence[str]) -> Counts:
    labelled = [item for item in order if state.labelled(item)]
    return Counts(
        labelled=len(labelled),
        missing=len(order) - len(labelled),
        disputed=sum(state.disputed(item) for item in order),
        unclear=sum(state.label(item) is None for item in labelled),
    )


def _after(attempt: Attempt, possible: StillPossible | None) -> str:
    """What can be done once a plan is closed; nothing but the report, where a claim failed for good."""
    if attempt.outcome == "abandoned":
        return command("plan", str(attempt.plan.claim))
    if possible is None or attempt.certificate is not None:
        return command("report")
    if possible.proven:
        return command("certify", bound=True)
    lesser = possible.claim is not None and possible.labels is not None
    return command("plan", possible.claim) if lesser else command("report")


def _ended(attempt: Attempt) -> str:
    """How a closed plan ended, in a sentence."""
    if attempt.outcome != "failed":
        return f"Plan {attempt.plan.number}: {attempt.outcome}."
    return f"Plan {attempt.plan.number}: {closed_because(attempt).rstrip('.')}."


def _about(status: Status, state: State) -> Status:
    """The status of what the project works on, where that is not a plan."""
    attempt = state.attempt
    if state.reviews and attempt is None:
        return _of_review(status, state)
    work = _estimate(state)
    if work is not None:
        return _of_estimate(status, state, work)
    claim = _claim(state)
    if claim is not None:
        return _of_claim(status, state, claim)
    training = training_of(state)
    if training is not None and _trains(state, training):
        return _of_training(status, state, training)
    if training is not None and attempt is not None and attempt.closed is not None:
        return replace(status, advice=command("train"))
    return status if attempt is not None or not state.surveys else _of_survey(status, state)


def _counting(status: Status, state: State, order: Sequence[str]) -> Status:
    """The status with the counts of these drawn items."""
    return replace(status, draws=len(order), **vars(_counts(state, order)))


def _of_review(status: Status, state: State) -> Status:
    """The same, about a review."""
    review = state.reviews[-1]
    status = _counting(status, state, review.order)
    if status.missing:
        summary, advice = "The review waits for labels.", command("review next", pending=True)
    elif review.is_issued(state):
        summary, advice = "The review's certificate is issued; it can go on.", command("report")
    else:
        summary, advice = "The review can go on.", command("review status")
    return replace(
        status,
        summary=summary,
        advice=advice,
        survey="review",
        confidence=float(review.opened.confidence),
    )


def _claim(state: State) -> "ClaimWork | None":
    """The claim of several rows that is worked on, if there is one."""
    if not any(work.survey.purpose == "claim" for work in state.surveys):
        return None  # other projects answer faster without its statistics
    from assaymark.composite.work import current_claim

    return current_claim(state)


def _said(result: "LookFacts") -> str:
    """The sentence of a recorded look."""
    from assaymark.composite.wording import statement

    return statement(result)


def _lesser(state: State, claim: "ClaimWork") -> str | None:
    """What could still be claimed after this one failed."""
    from assaymark.composite.view.lesser_claim import lesser_words

    return lesser_words(state, claim)


def _doubt_of_plan(project: Project, state: State, attempt: Attempt) -> str | None:
    """That the open plan's claim looks false by the labels of now, where it was looked at."""
    if not (attempt.open and attempt.looks and attempt.plan.kind.guided):
        return None
    resume_wealth(project, len(attempt.draws))
    return judge(state, attempt).doubt


def _doubt(state: State, claim: "ClaimWork") -> str | None:
    """That the open claim looks false by the labels of now, where it was looked at."""
    from assaymark.composite.view.estimates import looks_false_words

    last = claim.last_look
    return None if last is None else looks_false_words(state, claim, last.facts)


def _of_claim(status: Status, state: State, claim: "ClaimWork") -> Status:
    """The same, about a claim of several rows."""
    work, subject = claim.survey, f"The claim '{claim.sealed.claim}'"
    status = _counting(status, state, work.order)
    last = claim.last_look
    said = None if last is None else _said(last.facts)
    if claim.reports("certificate"):
        summary, advice = f"{subject} is closed: its certificate is issued.", command("report")
    elif not claim.open:
        summary, advice = f"Closed: {said}", command("report")
        status = replace(status, possible=_lesser(state, claim))
    elif not work.order:
        summary, advice = f"{subject} is sealed.", command("draw")
    elif status.blocking is not None:
        summary, advice = (
            f"{subject}: {status.blocking.sentence}",
            command("draw", pending=True),
        )
    elif status.missing:
        summary, advice = f"{subject} waits for labels.", command("draw", pending=True)
    elif last is None or last.seq < state.labels_at:
        summary, advice = f"{subject} can be looked at.", command("look")
    elif claim.established:
        summary, advice = (
            f"{subject} can be certified: {said}",
            command("certify"),
        )
    else:
        summary, advice = f"Not yet: {said}", command("draw")
    return replace(
        status,
        summary=summary,
        advice=advice,
        claim=claim.sealed.claim,
        doubt=_doubt(state, claim) if claim.open else None,
        confidence=claim.sealed.stated,
        size=None,
    )


def _of_survey(status: Status, state: State) -> Status:
    """The same, about the latest survey of a project without a plan."""
    work = state.surveys[-1]
    status = _counting(status, state, work.order)
    subject = f"Survey {work.survey.number} ({work.survey.purpose})"
    if status.missing:
        summary, advice = f"{subject} waits for labels.", command("draw", pending=True)
    elif not work.reports or work.reports[-1].seq < state.labels_at:
        summary, advice = f"{subject} can be read.", answer_command(work.survey)
    else:
        summary, advice = f"{subject} was read.", command("report")
    return replace(
        status,
        summary=summary,
        advice=advice,
        survey=work.survey.purpose,
    )


def _trains(state: State, work: SurveyWork) -> bool:
    """Whether the next step is one of the training: no plan is open, and it went on since the last."""
    attempt = state.attempt
    if attempt is None or is_frozen(state):
        return attempt is None or not attempt.open
    if attempt.open:
        return False
    since = bool(work.models) and work.models[-1].seq > attempt.sealed_at
    return since or any(not state.labelled(item) for item in work.order)


def _of_training(status: Status, state: State, work: SurveyWork) -> Status:
    """The same, about a training that no plan judges now."""
    status = _counting(status, state, work.order)
    last = work.models[-1].event if work.models else None
    if is_frozen(state):
        summary, advice = (
            "The classifier is frozen; its plan is not sealed.",
            command("train", stop=True),
        )
    elif status.missing:
        summary, advice = "Training waits for labels.", command("draw", pending=True)
    elif last is None or last.digest != labels_digest(training_labels(state, work)):
        summary, advice = "Training can go on.", command("train")
    elif advice_of(work).action == "certify":
        summary, advice = "Training may stop.", command("train", stop=True)
    elif advice_of(work).action == "reconsider":
        summary = "Certification is not advised: lower the target, raise the budget, or leave it."
        advice = command("train", status=True)
    else:
        summary, advice = "Training can go on.", command("train")
    before = f"{status.summary} " if state.attempt is not None else ""
    return replace(
        status,
        summary=f"{before}{summary}",
        advice=advice,
        claim=str(settings_of(work).goal.claim),
        confidence=settings_of(work).goal.confidence,
        survey="training",
        size=None,
    )


def _estimate(state: State) -> SurveyWork | None:
    """The estimate that is worked on, if there is one."""
    if not any(work.survey.purpose == "estimate" for work in state.surveys):
        return None  # claims answer faster without the statistics of estimates
    from assaymark.estimation.survey import latest_estimate

    return latest_estimate(state)


def _of_estimate(status: Status, state: State, work: SurveyWork) -> Status:
    """The same, about an estimate."""
    from assaymark.estimation.survey import design_of

    design, number = design_of(work), work.survey.number
    status = _counting(status, state, work.order)
    fresh = not work.reports or work.reports[-1].seq < state.labels_at
    if status.missing:
        summary, advice = f"Estimate {number} waits for labels.", command("draw", pending=True)
    elif status.draws < min(design.labels, design.items):
        summary, advice = f"Estimate {number} is open.", command("draw")
    elif fresh:
        summary, advice = f"Estimate {number} can be read.", command("estimate")
    else:
        summary, advice = f"Estimate {number} was read.", command("report")
    return replace(
        status,
        summary=summary,
        advice=advice,
        estimate=design.metric,
        confidence=design.confidence,
        size=design.labels,
    )
