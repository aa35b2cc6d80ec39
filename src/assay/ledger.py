"""Door 2, append-only: events in SQLite, hash-chained, durable before they are acknowledged."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Protocol

from assay.errors import LedgerError, VerificationError
from assay.events import Entry, Event, check_chain, seal

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows, where SQLite's own lock must do
    fcntl = None  # type: ignore[assignment]

NAME = "main"
SCHEMA = """
CREATE TABLE IF NOT EXISTS event (
  ledger TEXT NOT NULL, seq INTEGER NOT NULL, time TEXT NOT NULL, kind TEXT NOT NULL,
  body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL,
  PRIMARY KEY (ledger, seq), UNIQUE (ledger, previous)
) WITHOUT ROWID
"""
COLUMNS = "seq, time, kind, body, previous, hash"


class Writer(Protocol):
    """The ledger while nobody else can write to it."""

    entries: list[Entry]

    def append(self, events: Sequence[Event], *, time: str) -> None:
        """Add these events to the end; all become durable together, or none does."""
        ...


class Ledger(Protocol):
    """What every store of events can do."""

    def entries(self) -> list[Entry]:
        """All events in order, after the chain was checked."""
        ...

    def writing(self) -> AbstractContextManager[Writer]:
        """The ledger, locked, for reading and appending in one go."""
        ...


class SqliteWriter:
    """Appends to a locked SQLite ledger."""

    def __init__(self, connection: sqlite3.Connection, entries: list[Entry]) -> None:
        self._connection = connection
        self.entries = entries

    def append(self, events: Sequence[Event], *, time: str) -> None:
        """Add these events to the end; they become durable when the lock is given back."""
        for event in events:
            last = self.entries[-1] if self.entries else None
            self.entries.append(seal(last, time=time, kind=event.kind, body=event.body()))
            self._connection.execute(
                "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)", _row(self.entries[-1])
            )


class SqliteLedger:
    """A ledger in one SQLite file: write-ahead log, full synchronisation, one writer at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self) -> None:
        """Make an empty ledger unless there is one."""
        with self._connected() as connection:
            connection.execute(SCHEMA)

    def entries(self) -> list[Entry]:
        """All events in order, after the chain was checked."""
        with self._connected() as connection:
            return _read(connection)

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """The ledger, locked, for reading and appending in one go."""
        # SQLite's busy handler sleeps without a queue and starves some writers; a file lock does
        # not, and the kernel gives it back when its holder dies.
        with self._locked(), self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteWriter(connection, _read(connection))
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self.path.with_suffix(".lock").open("a") as stream:
            if fcntl is not None:
                fcntl.flock(stream, fcntl.LOCK_EX)
            yield

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(
                sqlite3.connect(self.path, isolation_level=None, timeout=60)
            ) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                yield connection
        except sqlite3.OperationalError as error:
            raise LedgerError(f"The ledger {self.path.name} cannot be used: {error}.") from error
        except sqlite3.DatabaseError as error:
            raise VerificationError(
                f"The ledger file {self.path.name} is damaged and cannot be read ({error}). "
                "Restore it from a backup."
            ) from error


def _read(connection: sqlite3.Connection) -> list[Entry]:
    strays = connection.execute(
        "SELECT count(*) FROM event WHERE ledger IS NOT ?", (NAME,)
    ).fetchone()
    if strays[0]:
        raise VerificationError(
            f"The ledger was edited: {strays[0]} of its events carry another ledger's name."
        )
    rows = connection.execute(f"SELECT {COLUMNS} FROM event WHERE ledger = ? ORDER BY seq", (NAME,))
    entries = [
        Entry(seq=seq, time=time, kind=kind, body=body, previous=previous, hash=hash_)
        for seq, time, kind, body, previous, hash_ in rows
    ]
    check_chain(entries)
    return entries


def _row(entry: Entry) -> tuple[str | int, ...]:
    return (NAME, entry.seq, entry.time, entry.kind, entry.body, entry.previous, entry.hash)
