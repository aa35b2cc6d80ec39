"""Entries as rows of the one table that every store of events has."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from assaymark.claims.record import maker
from assaymark.errors import LedgerError, VerificationError
from assaymark.ledger.events import Entry, Event, check_chain, seal

SCHEMA_VERSION = 1
COLUMNS = "seq, time, kind, body, previous, hash"


def read_rows(rows: Iterable[Sequence[Any]], after: Entry | None) -> list[Entry]:
    """The rows as entries, after their chain was checked from the known head on."""
    make = maker(Entry)
    entries: list[Entry] = [
        make(
            {
                "seq": seq,
                "time": time,
                "kind": kind,
                "body": body,
                "previous": previous,
                "hash": hash_,
            }
        )
        for seq, time, kind, body, previous, hash_ in rows
    ]
    check_chain(entries, after)
    return entries


def as_row(name: str, entry: Entry) -> tuple[str | int, ...]:
    """The entry as a row of the ledger called `name`."""
    return (name, entry.seq, entry.time, entry.kind, entry.body, entry.previous, entry.hash)


def check_known(after: Entry, stored: str | None) -> None:
    """Refuse to read on from an event that the ledger does not hold any more."""
    if stored != after.hash:
        raise VerificationError(
            f"The ledger was edited: event {after.seq} is no longer the one that was read before."
        )


def check_version(version: int) -> None:
    """Refuse a ledger that a newer assaymark wrote, or none."""
    if not 0 <= version <= SCHEMA_VERSION:
        raise LedgerError(
            f"The ledger has schema {version}, and this version of assaymark knows schemas up to "
            f"{SCHEMA_VERSION}. Install a newer assaymark to use it."
        )


class RowWriter:
    """Appends to a locked ledger, one row per event."""

    def __init__(self, entries: list[Entry], after: Entry | None) -> None:
        self.entries = entries
        self.insert: Callable[[Entry], object] | None = None
        self.added = 0
        self.moved_to: str | None = None
        self._after = after

    @property
    def head(self) -> Entry | None:
        """The last entry, read or appended."""
        return self.entries[-1] if self.entries else self._after

    def append(self, events: Sequence[Event], *, time: str) -> None:
        """Add these events to the end; they become durable when the lock is given back."""
        for event in events:
            self._add(seal(self.head, time=time, kind=event.kind, body=event.body()))

    def copy(self, entries: Sequence[Entry]) -> None:
        """Add entries of another ledger as they are: hashes, times and all."""
        check_chain(entries, self.head)
        for entry in entries:
            self._add(entry)

    def retire(self, moved_to: str) -> None:
        """Close the ledger for good when the lock is given back: its events live on elsewhere."""
        self.moved_to = moved_to

    def _add(self, entry: Entry) -> None:
        assert self.insert is not None, "the ledger sets it once it is locked"  # noqa: S101
        self.insert(entry)
        self.entries.append(entry)
        self.added += 1
