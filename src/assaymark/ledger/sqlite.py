"""A ledger in one SQLite file of the project."""

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from assaymark.errors import LedgerError, VerificationError
from assaymark.hints import command
from assaymark.ledger.events import Entry
from assaymark.ledger.head import Head, head_file, keep_head, read_head
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
TABLES = {"event": SCHEMA}
"""Every table that a ledger file may hold, by the statement that makes it. Nothing else may be in
it: a trigger could swallow labels, and a view could show others."""
IDLE = 1.0  # seconds without a write, after which the write-ahead log goes into the file
MIGRATIONS: dict[int, tuple[str, ...]] = {
    0: (),  # the first ledgers carried no version; their table is the one of schema 1
}
"""Schema of the file -> statements that bring it to the next one."""


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
        if not self.path.exists():
            with contextlib.suppress(OSError):
                head_file(self.path).unlink(missing_ok=True)  # of a ledger that was there before
        with self._connected("rwc") as connection:
            connection.execute(SCHEMA)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def entries(self, after: Entry | None = None) -> list[Entry]:
        """All events in order, or those after a known head, once their chain was checked."""
        with self._reading() as connection:
            return _read(connection, after)

    def remembered(self) -> Head | None:
        """The head kept beside the file at the last commit, if there is one."""
        return read_head(self.path)

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
            if writer.moved_to is None:
                keep_head(self.path, Head(events=writer.head.seq, hash=writer.head.hash))
            _log_appended(writer.added, writer.head.seq)

    @contextmanager
    def held(self) -> Iterator[None]:
        """The ledger kept ready by somebody who will write often. Locks nothing.

        When nobody wrote for a moment, and at the end, everything goes into the one file.
        """
        if not self._writable():
            yield
            return
        stop = threading.Event()
        tidying = threading.Thread(
            target=self._tidy, args=(stop,), name="assaymark-tidy", daemon=True
        )
        # SQLite empties its write-ahead log whenever the last connection closes, which costs as
        # much as the write itself
        with self._connected(shared=True) as connection:
            connection.execute("SELECT count(*) FROM event").fetchone()
            tidying.start()
            try:
                yield
            finally:
                stop.set()
                tidying.join()
        self._checkpoint("TRUNCATE")

    def _tidy(self, stop: threading.Event) -> None:
        last = done = None
        while not stop.wait(IDLE):
            now = _stamp(self._beside("-wal"))
            if now is not None and now == last != done and self._checkpoint("PASSIVE"):
                done = now
            last = now

    def _checkpoint(self, how: str) -> bool:
        """Bring what is in the write-ahead log into the file; tried again later if that fails."""
        try:
            with self._connected() as connection:
                busy, _, _ = connection.execute(f"PRAGMA wal_checkpoint({how})").fetchone()
                return not busy
        except (LedgerError, VerificationError):
            return False

    def _beside(self, ending: str) -> Path:
        return self.path.with_name(self.path.name + ending)

    def _writable(self) -> bool:
        """Whether the file can be written, or is not there at all."""
        if not self.path.exists():
            return True
        return os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)

    def _retire(self) -> None:
        """Rename the file, so that nobody writes to it any more."""
        with self._connected() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.path.rename(self.path.with_suffix(".moved"))
        with contextlib.suppress(OSError):
            head_file(self.path).unlink(missing_ok=True)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        if not self._writable():
            raise LedgerError(
                f"Nothing can be recorded: {self.path.name} lies on a disk or in a folder that can only "
                f"be read. To work on it, make a copy: {command('backup')}, then {command('restore')}."
            )
        try:
            stream = self.path.with_suffix(".lock").open("a")
        except OSError as error:
            raise LedgerError(
                f"The ledger {self.path.name} cannot be locked: {error.strerror}. Nothing was recorded."
            ) from error
        with stream:
            if fcntl is not None:
                fcntl.flock(stream, fcntl.LOCK_EX)
            yield

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to read from, also where nothing can be written."""
        if self._writable():
            with self._connected() as connection:
                yield connection
        elif self._answers():  # somebody who may write has it open
            with self._connected("ro") as connection:
                yield connection
        elif not _stamp(self._beside("-wal")):
            with self._connected("ro&immutable=1") as connection:
                yield connection
        else:  # the file alone lacks what is in its write-ahead log
            import tempfile  # not needed where the folder can be written

            with (
                tempfile.TemporaryDirectory() as place,
                SqliteLedger(self._copied(Path(place)))._connected() as connection,
            ):
                yield connection

    def _answers(self) -> bool:
        try:
            with self._connected("ro"):
                return True
        except LedgerError:
            return False

    def _copied(self, place: Path) -> Path:
        import shutil

        for ending in ("", "-wal"):
            shutil.copyfile(self._beside(ending), place / (self.path.name + ending))
        return place / self.path.name

    @contextmanager
    def _connected(self, mode: str = "rw", *, shared: bool = False) -> Iterator[sqlite3.Connection]:
        # "rw" never makes a file: a ledger that was moved away must not come back empty
        address = f"{self.path.absolute().as_uri()}?mode={mode}"
        try:
            with closing(
                sqlite3.connect(
                    address,
                    uri=True,
                    isolation_level=None,
                    timeout=60,
                    check_same_thread=not shared,
                )
            ) as connection:
                _check_tables(connection, self.path.name, new=mode == "rwc")
                if mode.startswith("rw"):
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


def _log_appended(events: int, seq: int) -> None:
    import logging  # what only reads starts faster without it

    logging.getLogger("assaymark.ledger").info("appended", extra={"events": events, "seq": seq})


def _stamp(path: Path) -> tuple[int, int] | None:
    """What changes when a file is written; None where there is no file, or nothing in it."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return (stat.st_size, stat.st_mtime_ns) if stat.st_size else None


def _check_tables(connection: sqlite3.Connection, name: str, *, new: bool) -> None:
    """Refuse a file whose schema holds anything but our tables, exactly as we make them."""
    connection.execute("PRAGMA trusted_schema = OFF")
    missing = set() if new else {"event"}
    for kind, what, table, sql in connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master"
    ):
        ours = kind == "table" and what in TABLES and _same(sql, TABLES[what])
        if not ours and not (kind == "index" and sql is None and table in TABLES):
            raise VerificationError(
                f"The ledger file {name} is not one that assaymark made: it holds the {kind} {what!r}, "
                "which could change what is read or recorded. Restore the project from a backup."
            )
        missing.discard(what)
    if missing:
        raise VerificationError(
            f"The ledger file {name} is not one that assaymark made: it has no table of events. "
            "Restore the project from a backup."
        )


def _same(existing: str | None, made_by: str) -> bool:
    wanted = made_by.replace("IF NOT EXISTS ", "").split()
    return existing is not None and existing.split() == wanted


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
