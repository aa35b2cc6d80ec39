"""A ledger in one SQLite file of the project."""

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from assaymark.errors import LedgerError, VerificationError
from assaymark.events import Entry
from assaymark.ledger.rows import (
    COLUMNS,
    SCHEMA_VERSION,
    RowWriter,
    as_row,
    check_known,
    check_version,
    read_rows,
)

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
MIGRATIONS: dict[int, tuple[str, ...]] = {
    0: (),  # the first ledgers carried no version; their table is the one of schema 1
}
"""Schema of the file -> statements that bring it to the next one."""
LOG = logging.getLogger("assaymark.ledger")


class SqliteLedger:
    """A ledger in one SQLite file: write-ahead log, full synchronisation, one writer at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def address(self) -> str:
        """The file's name in the project."""
        return self.path.name

    def create(self) -> None:
        """Make an empty ledger unless there is one."""
        with self._connected("rwc") as connection:
            connection.execute(SCHEMA)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def entries(self, after: Entry | None = None) -> list[Entry]:
        """All events in order, or those after a known head, once their chain was checked."""
        with self._connected() as connection:
            return _read(connection, after)

    @contextmanager
    def writing(self, after: Entry | None = None) -> Iterator[RowWriter]:
        """The ledger, locked, for reading on from a known head and appending in one go."""
        # SQLite's busy handler sleeps without a queue and starves some writers; a file lock does
        # not, and the kernel gives it back when its holder dies.
        with self._locked():
            with self._connected() as connection:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    _migrate(connection)
                    writer = RowWriter(_read(connection, after), after)
                    writer.insert = _inserter(connection)
                    yield writer
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
            if writer.moved_to is not None:
                self._retire()
        if writer.added and writer.head:
            LOG.info("appended", extra={"events": writer.added, "seq": writer.head.seq})

    @contextmanager
    def held(self) -> Iterator[None]:
        """The ledger kept ready by somebody who will write often. Locks nothing."""
        # SQLite empties its write-ahead log whenever the last connection closes, which costs as
        # much as the write itself
        with closing(sqlite3.connect(self.path, check_same_thread=False)) as connection:
            connection.execute("SELECT count(*) FROM event").fetchone()
            yield

    def _retire(self) -> None:
        """Rename the file, so that nobody writes to it any more."""
        with self._connected() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.path.rename(self.path.with_suffix(".moved"))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self.path.with_suffix(".lock").open("a") as stream:
            if fcntl is not None:
                fcntl.flock(stream, fcntl.LOCK_EX)
            yield

    @contextmanager
    def _connected(self, mode: str = "rw") -> Iterator[sqlite3.Connection]:
        # "rw" never makes a file: a ledger that was moved away must not come back empty
        address = f"{self.path.absolute().as_uri()}?mode={mode}"
        try:
            with closing(
                sqlite3.connect(address, uri=True, isolation_level=None, timeout=60)
            ) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                check_version(_version(connection))
                yield connection
        except sqlite3.OperationalError as error:
            raise LedgerError(
                f"The ledger {self.path.name} cannot be used: {error}. Nothing was recorded."
            ) from error
        except sqlite3.DatabaseError as error:
            raise VerificationError(
                f"The ledger file {self.path.name} is damaged and cannot be read ({error}). "
                "Restore it from a backup."
            ) from error


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _migrate(connection: sqlite3.Connection) -> None:
    for version in range(_version(connection), SCHEMA_VERSION):
        for statement in MIGRATIONS[version]:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {version + 1}")


def _inserter(connection: sqlite3.Connection) -> Callable[[Entry], None]:
    def insert(entry: Entry) -> None:
        connection.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)", as_row(NAME, entry))

    return insert


def _read(connection: sqlite3.Connection, after: Entry | None) -> list[Entry]:
    strays = connection.execute(
        "SELECT count(*) FROM event WHERE ledger < ? OR ledger > ?", (NAME, NAME)
    ).fetchone()
    if strays[0]:
        raise VerificationError(
            f"The ledger was edited: {strays[0]} of its events carry another ledger's name."
        )
    if after is not None:
        known = connection.execute(
            "SELECT hash FROM event WHERE ledger = ? AND seq = ?", (NAME, after.seq)
        ).fetchone()
        check_known(after, known[0] if known else None)
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM event WHERE ledger = ? AND seq > ? ORDER BY seq",
        (NAME, after.seq if after else -(2**62)),
    )
    return read_rows(rows, after)
