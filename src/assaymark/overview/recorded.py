"""What is recorded of the latest claim of any kind, and what of it is news."""

from dataclasses import dataclass
from typing import Literal

from assaymark.certification.handover import OnRecord, on_record
from assaymark.composite.handover import claim_on_record
from assaymark.composite.wording import ending_of
from assaymark.composite.work import ClaimWork, current_claim
from assaymark.ledger.events import Attempt, State, review_of
from assaymark.reviewing.handover import review_on_record
from assaymark.reviewing.standing import confidence_of

Event = Literal["established", "refuted", "not established", "stale"]


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What the project claims now. A claim of several parts has the number of its survey."""

    kind: Literal["plan", "claim", "review"]
    number: int
    claim: str
    confidence: float
    event: Event | None
    """The news of it, by what is recorded; None where it is still open."""


def latest_on_record(state: State) -> OnRecord:
    """Where the latest claim stands, without a look."""
    return review_on_record(state) or claim_on_record(state) or on_record(state)


def subject_of(state: State) -> Subject | None:
    """The latest claim and its news; None before anything is claimed."""
    record, review = latest_on_record(state), review_of(state)
    work, attempt = current_claim(state), state.attempt
    if review is not None:
        number, confidence = len(state.reviews), float(confidence_of(review))
        event: Event | None = "established" if review.certificates else None
    elif work is not None:
        number, confidence, event = work.number, work.sealed.stated, _event_of_parts(work)
    elif attempt is not None:
        number, confidence, event = attempt.plan.number, attempt.plan.confidence, event_of(attempt)
    else:
        return None
    return Subject(
        kind=record.kind,
        number=number,
        claim=record.claim or "",
        confidence=confidence,
        event=event,
    )


def event_of(attempt: Attempt) -> Event | None:
    """The news of a plan, by what is recorded; None where it is still open."""
    if attempt.watches and attempt.watches[-1].event.decision == "drifted":
        return "stale"
    if attempt.closed is not None and attempt.closed.outcome == "failed":
        return "refuted" if attempt.closed.shows_false else "not established"
    last = attempt.looks[-1].event.decision if attempt.looks else None
    if attempt.certificate is not None or (attempt.open and last == "pass"):
        return "established"
    return None


def _event_of_parts(work: ClaimWork) -> Event | None:
    """The news of a comparison, a cut-off or a claim of several parts, by its last look."""
    if work.last_look is None:
        return None
    events: dict[str, Event] = {
        "pass": "established", "fail": "refuted", "unproven": "not established"
    }  # fmt: skip
    return events.get(ending_of(work.last_look.facts))
