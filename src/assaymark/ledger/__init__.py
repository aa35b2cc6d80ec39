"""Door 2, append-only: events behind one protocol, hash-chained, durable before acknowledged."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from assaymark.errors import InputError
from assaymark.events import Entry, Event


class Writer(Protocol):
    """The ledger while nobody else can write to it. `entries` are those after the known head."""

    entries: list[Entry]

    def append(self, events: Sequence[Event], *, time: str) -> None:
        """Add these events to the end; all become durable together, or none does."""
        ...

    def copy(self, entries: Sequence[Entry]) -> None:
        """Add entries of another ledger as they are: hashes, times and all."""
        ...

    def retire(self, moved_to: str) -> None:
        """Close the ledger for good when the lock is given back: its events live on elsewhere."""
        ...


class Ledger(Protocol):
    """What every store of events can do."""

    @property
    def address(self) -> str:
        """Where it is, as people write it; never with a password."""
        ...

    def create(self) -> None:
        """Make an empty ledger unless there is one."""
        ...

    def entries(self, after: Entry | None = None) -> list[Entry]:
        """All events in order, or those after a known head, once their chain was checked."""
        ...

    def writing(self, after: Entry | None = None) -> AbstractContextManager[Writer]:
        """The ledger, locked, for reading on from a known head and appending in one go."""
        ...

    def held(self) -> AbstractContextManager[None]:
        """The ledger kept ready by somebody who will write often. Locks nothing."""
        ...


def open_ledger(address: str, *, folder: Path, name: str) -> Ledger:
    """The ledger at this address: a file of the project folder, or a PostgreSQL database.

    `name` tells the ledgers of one database apart, unless the address ends in #name.
    """
    scheme, mark, _ = address.partition("://")
    if not mark:
        from assaymark.ledger.sqlite import SqliteLedger

        return SqliteLedger(folder / address)
    if scheme in ("postgresql", "postgres"):
        from assaymark.ledger.postgres import PostgresLedger

        return PostgresLedger.at(address, name=name)
    raise InputError(
        f"A ledger cannot be kept at {scheme}://…. Give postgresql://user@host/database, or leave "
        "--ledger out to keep it in the project folder."
    )
