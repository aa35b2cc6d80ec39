"""Whether events can have happened in this order: a ledger that assaymark wrote always passes."""

from collections.abc import Iterable

from assaymark.errors import VerificationError
from assaymark.ledger.events.chain import Entry
from assaymark.ledger.events.event import KINDS
from assaymark.ledger.events.state import State


def check_story(entries: Iterable[Entry], state: State | None = None) -> State:
    """The state after these events; refused if, though chained, they cannot have followed each other.

    They follow those of `state`, which moves on, or are the whole ledger.
    """
    state = state or State()
    for entry in entries:
        event = entry.event
        fault = KINDS[event.kind].fault(state, event)
        if state.pool is None and event.kind != "PoolRegistered":
            fault = "no pool is registered yet"
        if fault:
            raise VerificationError(
                f"The ledger cannot be genuine: event {entry.seq} ({entry.kind}): {fault}."
            )
        state.apply(event, entry)
        state.head = entry
    return state
