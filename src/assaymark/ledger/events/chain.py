"""Each event is sealed with the hash of the one before, so that no part can change unnoticed."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assaymark.claims.canonical import canonical, digest_text
from assaymark.errors import VerificationError
from assaymark.ledger.events.event import read_event

START = "0" * 64


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An event as it is stored. `body` is canonical JSON text."""

    seq: int
    time: str
    kind: str
    body: str
    previous: str
    hash: str

    @property
    def event(self) -> Any:
        """What happened; decoded once, however often the entry is replayed."""
        # functools.cached_property takes a lock, which takes as long as to decode a label
        known = vars(self)
        event = known.get("decoded")
        if event is None:
            event = known["decoded"] = read_event(self.kind, self.body)
        return event


def entry_hash(previous: str, seq: int, time: str, kind: str, body: str) -> str:
    """Hex SHA-256 of the canonical JSON [previous, seq, time, kind, body].

    `previous` is such a hash itself.
    """
    return digest_text(f'["{previous}",{seq},{_stamp(time, kind)},{body}]')


@functools.lru_cache(maxsize=64)
def _stamp(time: str, kind: str) -> str:
    """Both as canonical JSON; all labels of one file have the same."""
    if not isinstance(time, str) or not isinstance(kind, str):
        raise TypeError("a time and a kind are text")
    return f"{canonical(time)},{canonical(kind)}"


def seal(previous: Entry | None, *, time: str, kind: str, body: str) -> Entry:
    """The event as the next link of the chain."""
    seq = previous.seq + 1 if previous else 1
    before = previous.hash if previous else START
    return Entry(
        seq=seq,
        time=time,
        kind=kind,
        body=body,
        previous=before,
        hash=entry_hash(before, seq, time, kind, body),
    )


def check_chain(entries: Sequence[Entry], after: Entry | None = None) -> None:
    """Refuses a ledger in which anything was changed, naming the first bad event.

    The entries follow `after`, or are the whole ledger.
    """
    previous, expected = (after.hash, after.seq + 1) if after else (START, 1)
    for entry in entries:
        if entry.seq != expected:
            raise VerificationError(
                f"The ledger was edited: event {expected} is missing or out of place "
                f"(found event {entry.seq!r} there)."
            )
        if entry.previous != previous:
            raise VerificationError(
                f"The ledger was edited: event {entry.seq} ({entry.kind}) does not follow the event "
                "before it."
            )
        try:
            actual = entry_hash(previous, entry.seq, entry.time, entry.kind, entry.body)
        except (AttributeError, TypeError):  # bytes in the place of text, say
            actual = None
        if entry.hash != actual:
            raise VerificationError(
                f"The ledger was edited: the contents of event {entry.seq} ({entry.kind}) do not "
                "match its hash."
            )
        previous, expected = entry.hash, expected + 1
