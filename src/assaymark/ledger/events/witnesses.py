"""Heads of the ledger that somebody outside keeps."""

from dataclasses import dataclass
from typing import Literal

from assaymark.ledger.events.chain import Entry
from assaymark.ledger.events.event import Event, register, stamped
from assaymark.ledger.events.state import State


@dataclass(frozen=True, kw_only=True)
class WitnessRecorded(Event):
    """Somebody outside keeps a head of this ledger, or signed it.

    `form` is head, git (`evidence` is the commit) or rfc3161 (`evidence` is the time stamp in base64).
    """

    form: Literal["head", "git", "rfc3161"]
    head: str
    by: str
    evidence: str | None = None


def _witness_recorded(state: State, event: WitnessRecorded, entry: Entry) -> None:
    state.witnesses.append(stamped(event, entry))


def _witness(_state: State, event: WitnessRecorded) -> str | None:
    known = event.form in ("head", "git", "rfc3161")
    return None if known else "its form is unknown"


register(WitnessRecorded, follows=_witness_recorded, fault=_witness)
