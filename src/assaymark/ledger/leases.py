"""Leases of items, shared by every server that works on one ledger: no item goes to two people.

A lease says who has an item on the screen, and until when. It is no event: what was answered is
in the ledger, and a lease that is lost costs at most an answer that was not needed.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from assaymark.claims.canonical import read_json
from assaymark.ledger import Ledger

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows, where one server has a project to itself
    fcntl = None  # type: ignore[assignment]

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
FILE = "leases.lock"  # like every lock it stays out of backups


@dataclass(frozen=True, kw_only=True)
class Lease:
    """An item in somebody's hands until this moment (seconds on the asking server's clock)."""

    item: str
    annotator: str
    until: float


class LeaseStore(Protocol):
    """Where the servers of one ledger keep their leases."""

    def holding(self, now: float) -> AbstractContextManager["HeldLeases"]:
        """The leases that have not run out, locked; `now` is the time on the caller's clock."""
        ...


def leases_of(ledger: Ledger, folder: Path) -> LeaseStore:
    """The leases that belong to this ledger: in its database, or in a file of the project folder."""
    from assaymark.ledger.postgres import PostgresLedger

    if isinstance(ledger, PostgresLedger):
        return PostgresLeases(ledger)
    return FileLeases(folder / FILE)


class FileLeases:
    """Leases in one small file, for the servers of one machine; a lock of the kernel guards it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def holding(self, now: float) -> Iterator["HeldLeases"]:
        """The leases that have not run out, locked."""
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o600)
        except OSError:  # a project on a read-only medium takes no answers, so nothing is leased
            yield HeldLeases([])
            return
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
            held = HeldLeases([lease for lease in _read(file) if lease.until > now])
            yield held
            if held.changed:
                _write(file, held.leases)
        finally:
            os.close(file)


class PostgresLeases:
    """Leases in the ledger's database. Its clock decides, because the servers' clocks differ."""

    def __init__(self, ledger: Any) -> None:
        self._ledger = ledger

    @contextmanager
    def holding(self, now: float) -> Iterator["HeldLeases"]:
        """The leases that have not run out, locked."""
        with self._ledger.leasing() as table:
            held = HeldLeases(
                [
                    Lease(item=item, annotator=annotator, until=now + left)
                    for item, annotator, left in table.rows()
                ]
            )
            yield held
            for annotator in held.changed:
                leases = [lease for lease in held.leases if lease.annotator == annotator]
                table.replace(annotator, [(lease.item, lease.until - now) for lease in leases])


class HeldLeases:
    """The leases in memory until the lock is given back, and whose have changed."""

    def __init__(self, leases: list[Lease]) -> None:
        self.leases: list[Lease] = leases
        self.changed: set[str] = set()

    def replace(self, annotator: str, items: Iterable[str], *, until: float) -> None:
        """Have this person hold these items and no others."""
        self.changed.add(annotator)
        self.leases = [lease for lease in self.leases if lease.annotator != annotator]
        self.leases += [Lease(item=item, annotator=annotator, until=until) for item in items]


def _read(file: int) -> list[Lease]:
    """What the file says; nothing where a server died while it wrote."""
    try:
        return [
            Lease(item=str(row["item"]), annotator=str(row["annotator"]), until=float(row["until"]))
            for row in read_json(os.read(file, os.fstat(file).st_size))
        ]
    except (ValueError, TypeError, KeyError):
        return []


def _write(file: int, leases: Sequence[Lease]) -> None:
    text = json.dumps([asdict(lease) for lease in leases]).encode()
    with contextlib.suppress(OSError):  # a full disk: answers are refused, and leases run out
        os.ftruncate(file, 0)
        os.lseek(file, 0, os.SEEK_SET)
        os.write(file, text)
