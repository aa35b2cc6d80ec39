"""Looks as they were recorded, judged again by the labels of their time.

A certificate is computed from labels, so nothing in it tells whether a look says what they gave. But
status, report and gate repeat the look that ended a plan: it must follow as well.
"""

import json
from collections.abc import Sequence

from assaymark.certification.certificate.checks import first_difference
from assaymark.certification.looks import look_events
from assaymark.certification.modes import judge
from assaymark.claims.results import counted
from assaymark.errors import AssaymarkError, VerificationError, message_of
from assaymark.ledger.events import (
    Attempt,
    Entry,
    Looked,
    PlanClosed,
    State,
    WitnessRecorded,
    replay,
)
from assaymark.records.certificate import Check

BREAKAGE = (TypeError, KeyError, ValueError, AttributeError, IndexError)
SILENT = (Looked, WitnessRecorded)  # events after which a verdict is what it was


def check_looks(entries: Sequence[Entry]) -> int:
    """How many looks at plans there are; raises at the first that does not follow from its labels."""
    state, looks = State(), 0
    for entry in entries:
        event = entry.event
        if isinstance(event, Looked):
            looks += 1
            _refuse_other(state, entries, entry.seq)
        elif isinstance(event, PlanClosed):
            _refuse_unseen(entries, event, entry.seq)
        state.apply(event, entry)
        state.head = entry
    return looks


def check_last_look(entries: Sequence[Entry], past: State) -> Check | None:
    """The last look at the latest plan of a state, judged again; None where nobody looked."""
    attempt = past.attempt
    if attempt is None or not attempt.looks:
        return None
    seq, looks = attempt.looks[-1].seq, len(attempt.looks)
    end = seq if past.head is None else past.head.seq
    same = all(isinstance(entry.event, SILENT) for entry in entries[seq:end])
    _refuse_other(past if same else replay(entries[: seq - 1]), entries, seq)
    which = "the only one" if looks == 1 else f"the last of {looks:,}"
    return Check.ok("looks", f"{which} follows from the labels known then")


def check_end(entries: Sequence[Entry], attempt: Attempt) -> None:
    """Refuse the end of a plan that failed, unless the look that shows it follows from its labels."""
    closed = attempt.closed
    place = next(e.seq for e in entries if e.kind == "PlanClosed" and e.event == closed)
    if closed is not None:
        _refuse_unseen(entries, closed, place)
    _refuse_other(replay(entries[: place - 2]), entries, place - 1)


def _refuse_unseen(entries: Sequence[Entry], closed: PlanClosed, seq: int) -> None:
    """A plan fails by the look before it, and by nothing else."""
    before = entries[seq - 2].event
    seen = isinstance(before, Looked) and before.plan == closed.plan and before.decision == "fail"
    if closed.outcome == "failed" and not seen:
        raise VerificationError(
            f"Event {seq} says that plan {closed.plan} failed, and no look before it shows that."
        )


def _refuse_other(state: State, entries: Sequence[Entry], seq: int) -> None:
    """Refuse the look with this number, and the end of its plan, unless they follow from the state."""
    try:
        due = look_events(state, judge(state, state.attempts[-1]))
    except (AssaymarkError, *BREAKAGE) as error:
        raise VerificationError(
            f"Event {seq} records a look that could not be taken then: {message_of(error)}"
        ) from error
    for place, event in enumerate(due, start=seq - 1):
        entry = entries[place] if place < len(entries) else None
        if entry is None or entry.kind != event.kind:
            raise VerificationError(
                f"By the labels known then the look of event {seq} ended plan {event.plan}, and event "
                f"{place + 1} does not say so."
            )
        where = first_difference(json.loads(entry.body), json.loads(event.body()))
        if where:
            raise VerificationError(
                f"The field '{where}' of event {entry.seq} ({entry.kind}) does not follow from the labels "
                "known then."
            )


def looks_in_words(looks: int, claims: int) -> str:
    """What was judged again, in words."""
    said = [counted(looks, "look") + " at plans"] if looks else []
    said += [f"the last look at {counted(claims, 'claim')} of several parts"] if claims else []
    verb = "follows" if looks + claims == 1 else "follow"
    return f"{' and '.join(said)} {verb} from the labels known then"
