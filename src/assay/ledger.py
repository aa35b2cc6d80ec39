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
    """The ledger while nobody else can write to it. `entries` are all, or those after a known one."""

    entries: list[Entry]

    def append(self, events: Sequence[Event], *, time: str) -> None:
        """Add these events to the end; all become durable together, or none does."""
        ...


class Ledger(Protocol):
    """What every store of events can do."""

    def entries(self, after: Entry | None = None) -> list[Entry]:
        """All events in order, or those after a known one, when their chain was checked."""
        ...

    def writing(self, after: Entry | None = None) -> AbstractContextManager[Writer]:
        """The ledger, locked, for reading (what follows `after`) and appending in one go."""
        ...

    def held(self) -> AbstractContextManager[None]:
        """The ledger kept ready by somebody who will write often. Locks nothing."""
        ...


class SqliteWriter:
    """Appends to a locked SQLite ledger."""

    def __init__(
        self, connection: sqlite3.Connection, entries: list[Entry], after: Entry | None = None
    ) -> None:
        self._connection = connection
        self._after = after
        self.entries = entries

    def append(self, events: Sequence[Event], *, time: str) -> None:
        """Add these events to the end; they become durable when the lock is given back."""
        for event in events:
            last = self.entries[-1] if self.entries else self._after
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

    def entries(self, after: Entry | None = None) -> list[Entry]:
        """All events in order, or those after a known one, when their chain was checked."""
        with self._connected() as connection:
            return _read(connection, after)

    @contextmanager
    def writing(self, after: Entry | None = None) -> Iterator[Writer]:
        """The ledger, locked, for reading (what follows `after`) and appending in one go."""
        # SQLite's busy handler sleeps without a queue and starves some writers; a file lock does
        # not, and the kernel gives it back when its holder dies.
        with self._locked(), self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteWriter(connection, _read(connection, after), after)
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise

    @contextmanager
    def held(self) -> Iterator[None]:
        """The ledger kept ready by somebody who will write often. Locks nothing."""
        # SQLite empties its write-ahead log whenever the last connection closes, which costs as
        # much as the write itself
        with closing(sqlite3.connect(self.path, check_same_thread=False)) as connection:
            connection.execute("SELECT count(*) FROM event").fetchone()
            yield

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


def _read(connection: sqlite3.Connection, after: Entry | None = None) -> list[Entry]:
    if after is not None:
        return _read_news(connection, after)
    strays = connection.execute(
        "SELECT count(*) FROM event WHERE ledger IS NOT ?", (NAME,)
    ).fetchone()
    if strays[0]:
        raise VerificationError(
            f"The ledger was edited: {strays[0]} of its events carry another ledger's name."
        )
    entries = _select(connection, 0)
    check_chain(entries)
    return entries


def _read_news(connection: sqlite3.Connection, after: Entry) -> list[Entry]:
    """What follows a known event, if that event still stands where it stood."""
    found = _select(connection, after.seq)
    if not found or found[0].hash != after.hash:
        raise VerificationError(
            f"The ledger was edited: event {after.seq} ({after.kind}) is no longer the one that was "
            "read before."
        )
    check_chain(found[1:], after)
    return found[1:]


def _select(connection: sqlite3.Connection, first: int) -> list[Entry]:
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM event WHERE ledger = ? AND seq >= ? ORDER BY seq", (NAME, first)
    )
    return [
        Entry(seq=seq, time=time, kind=kind, body=body, previous=previous, hash=hash_)
        for seq, time, kind, body, previous, hash_ in rows
    ]


def _row(entry: Entry) -> tuple[str | int, ...]:
    return (NAME, entry.seq, entry.time, entry.kind, entry.body, entry.previous, entry.hash)
