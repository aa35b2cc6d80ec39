"""A ledger in a PostgreSQL database, for several servers at once."""

import atexit
import functools
import hashlib
import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from assaymark.errors import InputError, LedgerError
from assaymark.hints import command
from assaymark.ledger.events import Entry
from assaymark.ledger.rows import (
    COLUMNS,
    SCHEMA_VERSION,
    RowWriter,
    as_row,
    check_known,
    check_version,
    read_rows,
)

Connection = Any
"""A psycopg connection; the package is only needed by those who use it."""

PATIENCE = 20.0  # seconds to wait for a database that is starting or restarting
SCHEMA = """
CREATE TABLE IF NOT EXISTS event (
  ledger text NOT NULL, seq bigint NOT NULL, time text NOT NULL, kind text NOT NULL,
  body text NOT NULL, previous text NOT NULL, hash text NOT NULL,
  PRIMARY KEY (ledger, seq), UNIQUE (ledger, previous)
);
CREATE TABLE IF NOT EXISTS ledger (
  name text PRIMARY KEY, schema integer NOT NULL, moved_to text
);
"""
LEASES = """
CREATE TABLE IF NOT EXISTS lease (
  ledger text NOT NULL, item text NOT NULL, annotator text NOT NULL, until timestamptz NOT NULL,
  PRIMARY KEY (ledger, item, annotator)
);
"""
TABLES = ("event", "ledger", "lease")
"""Every table that assaymark makes in a database."""
LOCK_WAIT = "60s"  # for a lock, unless the database or the role has a lock_timeout of its own
CREATION = 0x61737361  # the advisory lock under which tables are made
HOLDER = """
SELECT current_setting('lock_timeout'), a.pid,
       coalesce('from ' || host(a.client_addr), 'on its own machine')
FROM (SELECT 1) AS one
LEFT JOIN pg_locks AS l ON l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
  AND l.classid = (%(high)s::bigint & 4294967295)::oid
  AND l.objid = (%(low)s::bigint & 4294967295)::oid
LEFT JOIN pg_stat_activity AS a USING (pid)
LIMIT 1
"""
LOG = logging.getLogger("assaymark.ledger")


class PostgresLedger:
    """One ledger of a database, appended under a lock of its own. Connections are kept and reused."""

    def __init__(self, url: str, *, name: str, patience: float = PATIENCE) -> None:
        self.url = url
        self.name = name
        self._patience = patience
        self._idle: list[Connection] = []
        self._process = os.getpid()

    @classmethod
    def at(cls, address: str, *, name: str) -> "PostgresLedger":
        """The ledger at postgresql://…/database#name; without #name it is called `name`.

        Refuses a password in the address, because the project remembers the address.
        """
        parts = urlsplit(address)
        if parts.password is not None:
            raise InputError(
                "Leave the password out of the ledger's address, because the project remembers it. "
                "Give it by the environment variable PGPASSWORD or the file ~/.pgpass."
            )
        bare, _, _ = address.partition("#")  # as it was written: urlunsplit makes :/db of :///db
        return _kept(bare, parts.fragment or name)

    @property
    def address(self) -> str:
        """The address with the ledger's name, as `--ledger` takes it."""
        return f"{self.url}#{self.name}"

    def create(self) -> None:
        """Make the tables and an empty ledger unless they are there."""
        with self._transaction(CREATION) as connection:
            connection.execute(SCHEMA + LEASES)
            connection.execute(
                "INSERT INTO ledger VALUES (%s, %s, NULL) ON CONFLICT DO NOTHING",
                (self.name, SCHEMA_VERSION),
            )

    def entries(self, after: Entry | None = None) -> list[Entry]:
        """All events in order, or those after a known head, once their chain was checked."""
        with self._transaction(None) as connection:
            self._check_usable(connection)
            return self._read(connection, after)

    def remembered(self) -> None:
        """The database keeps its own log; nothing is kept beside it."""

    @contextmanager
    def writing(self, after: Entry | None = None) -> Iterator[RowWriter]:
        """The ledger, locked, for reading on from a known head and appending in one go."""
        writer = RowWriter([], after)
        try:
            with self._transaction(_lock_key(self.name)) as connection:
                self._check_usable(connection)
                writer.entries += self._read(connection, after)
                writer.insert = self._inserter(connection)
                yield writer
                if writer.moved_to is not None:
                    self._retire(connection, writer.moved_to)
        except LedgerError:
            # when the server goes away during COMMIT, we cannot know whether it happened
            if not (writer.added and writer.head and self._holds(writer.head)):
                raise
        if writer.added and writer.head:
            LOG.info("appended", extra={"events": writer.added, "seq": writer.head.seq})

    @contextmanager
    def leasing(self) -> Iterator["LeaseTable"]:
        """The leases of this ledger's items, locked; the chain of events is not."""
        with self._transaction(_lock_key(self.name, of="assaymark leases")) as connection:
            row = connection.execute("SELECT to_regclass('lease')").fetchone()
            if row[0] is None:  # the ledger is older than its leases
                connection.execute(LEASES)
            yield LeaseTable(connection, self.name)

    @contextmanager
    def held(self) -> Iterator[None]:
        """The ledger kept ready by somebody who will write often. Locks nothing."""
        yield  # connections are kept in any case

    def close(self) -> None:
        """Give the idle connections back."""
        while self._idle:
            self._idle.pop().close()

    def _retire(self, connection: Connection, moved_to: str) -> None:
        connection.execute("UPDATE ledger SET moved_to = %s WHERE name = %s", (moved_to, self.name))

    def _holds(self, entry: Entry) -> bool:
        with self._transaction(None) as connection:
            row = connection.execute(
                "SELECT 1 FROM event WHERE ledger = %s AND seq = %s AND hash = %s",
                (self.name, entry.seq, entry.hash),
            ).fetchone()
        return row is not None

    @contextmanager
    def _transaction(self, lock: int | None) -> Iterator[Connection]:
        """A transaction, under the lock if one is named; undone if anything goes wrong in it."""
        psycopg = _driver()
        connection = self._begin(lock)
        try:
            yield connection
            connection.execute("COMMIT")
        except psycopg.errors.UndefinedTable as error:
            connection.close()
            raise self._missing() from error
        except psycopg.Error as error:
            connection.close()
            raise LedgerError(
                f"The ledger's database failed: {_first_line(error)}. Nothing was recorded; "
                "try again."
            ) from error
        except BaseException:
            connection.close()  # which also rolls back, and needs no answer from the server
            raise
        self._idle.append(connection)

    def _begin(self, lock: int | None) -> Connection:
        """A transaction on a connection that is alive, once the lock is ours."""
        psycopg = _driver()
        while True:
            connection, fresh = self._connection()
            try:
                # READ COMMITTED: what is read after the lock was granted is the newest there is
                connection.execute("BEGIN")
                if lock is not None:
                    connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock,))
                return connection
            except psycopg.errors.LockNotAvailable as error:
                raise self._locked_out(connection, lock) from error
            except psycopg.Error as error:
                connection.close()
                if fresh:  # an old one may be from before a restart of the server
                    raise LedgerError(
                        f"The ledger's database does not answer: {_first_line(error)}. "
                        "Nothing was recorded; try again."
                    ) from error

    def _locked_out(self, connection: Connection, lock: int | None) -> LedgerError:
        """The sentence for a lock that somebody else kept too long, and who that is."""
        connection.execute("ROLLBACK")
        row = connection.execute(HOLDER, {"high": (lock or 0) >> 32, "low": lock}).fetchone()
        connection.close()
        who = f"process {row[1]} of the database, {row[2]}" if row and row[1] else "unknown"
        return LedgerError(
            f"The ledger {self.name!r} stayed locked by another program for {row[0]} ({who}). Nothing "
            "was recorded; try again when that program has finished, or end it."
        )

    def _connection(self) -> tuple[Connection, bool]:
        """A connection, and whether it is a new one."""
        if self._process != os.getpid():  # a forked child must not share its parent's connections
            self._idle, self._process = [], os.getpid()
        try:
            return self._idle.pop(), False
        except IndexError:
            return self._connect(), True

    def _connect(self) -> Connection:
        psycopg = _driver()
        start, pause = time.monotonic(), 0.05
        while True:
            try:
                connection = psycopg.connect(
                    self.url,
                    autocommit=True,
                    connect_timeout=10,
                    fallback_application_name="assaymark",
                )
                connection.execute("SET synchronous_commit = on")
                connection.execute(
                    "SELECT set_config('lock_timeout', %s, false) "
                    "WHERE current_setting('lock_timeout') = '0'",
                    (LOCK_WAIT,),
                )
                return connection
            except psycopg.OperationalError as error:
                if time.monotonic() - start > self._patience or _hopeless(error):
                    raise LedgerError(
                        f"The ledger's database cannot be reached: {_first_line(error)}. "
                        "Nothing was recorded."
                    ) from error
                time.sleep(pause)
                pause = min(pause * 2, 1.0)
            except psycopg.ProgrammingError as error:
                raise InputError(
                    "The ledger's address cannot be read. Give it as "
                    "postgresql://user@host/database#name."
                ) from error

    def _inserter(self, connection: Connection) -> Callable[[Entry], None]:
        def insert(entry: Entry) -> None:
            connection.execute(
                "INSERT INTO event VALUES (%s, %s, %s, %s, %s, %s, %s)", as_row(self.name, entry)
            )

        return insert

    def _check_usable(self, connection: Connection) -> None:
        try:
            row = connection.execute(
                "SELECT schema, moved_to FROM ledger WHERE name = %s", (self.name,)
            ).fetchone()
        except _driver().errors.UndefinedTable as error:
            raise self._missing() from error
        if row is None:
            raise self._missing()
        check_version(row[0])
        if row[1] is not None:
            raise LedgerError(f"The ledger {self.name!r} was moved to {row[1]}. Work on it there.")

    def _missing(self) -> InputError:
        return InputError(
            f"The database has no ledger called {self.name!r}. Make one with {command('init', ledger='')} "
            f"or {command('move', ledger='')}."
        )

    def _read(self, connection: Connection, after: Entry | None) -> list[Entry]:
        if after is not None:
            known = connection.execute(
                "SELECT hash FROM event WHERE ledger = %s AND seq = %s", (self.name, after.seq)
            ).fetchone()
            check_known(after, known[0] if known else None)
        rows = connection.execute(
            f"SELECT {COLUMNS} FROM event WHERE ledger = %s AND seq > %s ORDER BY seq",
            (self.name, after.seq if after else -1),
        )
        return read_rows(rows, after)


class LeaseTable:
    """The rows about one ledger's items, inside a transaction that has them locked."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection = connection
        self._name = name

    def rows(self) -> list[tuple[str, str, float]]:
        """Item, annotator and the seconds that are left of every lease, by the database's clock."""
        self._connection.execute(
            "DELETE FROM lease WHERE ledger = %s AND until <= clock_timestamp()", (self._name,)
        )
        cursor = self._connection.execute(
            "SELECT item, annotator, extract(epoch FROM until - clock_timestamp())::float8 "
            "FROM lease WHERE ledger = %s ORDER BY until, item",
            (self._name,),
        )
        return list(cursor.fetchall())

    def replace(self, annotator: str, items: Sequence[tuple[str, float]]) -> None:
        """Have this person hold these items for this many seconds, and no others."""
        self._connection.execute(
            "DELETE FROM lease WHERE ledger = %s AND annotator = %s", (self._name, annotator)
        )
        for item, seconds in items:
            self._connection.execute(
                "INSERT INTO lease VALUES (%s, %s, %s, "
                "clock_timestamp() + make_interval(secs => %s))",
                (self._name, item, annotator, seconds),
            )


@functools.cache
def _kept(url: str, name: str) -> PostgresLedger:
    """One object per ledger, so that its connections serve the whole process."""
    ledger = PostgresLedger(url, name=name)
    atexit.register(ledger.close)
    return ledger


def _driver() -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise InputError(
            "A ledger in PostgreSQL needs the package psycopg: pip install 'assaymark[postgres]'."
        ) from error
    return psycopg


def _lock_key(name: str, *, of: str = "assaymark") -> int:
    return int.from_bytes(hashlib.sha256(f"{of}:{name}".encode()).digest()[:8], signed=True)


def _first_line(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")


def _hopeless(error: Exception) -> bool:
    """Whether waiting cannot help: the database answered, and said no."""
    said = str(error)
    return any(
        word in said
        for word in ("password authentication", "does not exist", "no pg_hba", "not known")
    )
