"""The last head of a ledger, kept beside its file: a ledger that lost its end is noticed.

It is written after a commit, in the background: nobody waits for it, and a head that is late or
could not be written only says less. It never says more than was acknowledged.
"""

import contextlib
import os
import threading
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assaymark.ledger.events import Entry

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows, where a head may come late
    fcntl = None  # type: ignore[assignment]

LONGEST = 200  # bytes; a line has 95
READS = 3  # a line that is being written at this moment is read again
NOT_A_LINK = getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, kw_only=True)
class Head:
    """How many events a ledger had at a commit, and the hash of the last one."""

    events: int
    hash: str


def head_file(ledger: Path) -> Path:
    """Where the head of this ledger is kept."""
    return ledger.with_suffix(".head")


def read_head(ledger: Path) -> Head | None:
    """The head that is kept; None where there is none that can be read."""
    file = head_file(ledger)
    for _ in range(READS):
        try:
            if not file.is_file():
                return None
            with file.open("rb") as stream:
                line = stream.read(LONGEST)
        except OSError:
            return None
        if head := _parsed(line):
            return head
    return None


def lost_end(entries: Sequence[Entry], head: Head | None) -> str | None:
    """What is wrong with a ledger beside which this head is kept; None if nothing is.

    The head must have been read before the entries.
    """
    if head is None or head.events < 1:
        return None
    if head.events > len(entries):
        return (
            f"the ledger ends at event {len(entries):,}, but event {head.events:,} was acknowledged "
            "(so says the head kept beside it): the end is lost. Was the file copied without its "
            "-wal file, or put back from an older copy? Restore it from a backup"
        )
    if entries[head.events - 1].hash != head.hash:
        return (
            f"event {head.events:,} is not the one that was acknowledged (so says the head kept beside "
            "the ledger): the ledger was exchanged. Restore it from a backup"
        )
    return None


_waiting: dict[Path, Head] = {}
_lock = threading.Lock()
_writer: "ThreadPoolExecutor | None" = None


def keep_head(ledger: Path, head: Head) -> None:
    """Have the head written soon; at the end of the program at the latest."""
    global _writer
    with _lock:
        _waiting[ledger.absolute()] = head  # an older one that still waits is not worth writing
        with contextlib.suppress(RuntimeError):  # the program ends: the head stays behind
            if _writer is None:
                from concurrent.futures import ThreadPoolExecutor  # what only reads needs none

                _writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="assaymark-head")
            _writer.submit(_write_waiting, ledger.absolute())


def settle_heads() -> None:
    """Wait until every head is written."""
    with _lock:
        last = _writer.submit(lambda: None) if _writer is not None else None
    if last is not None:
        last.result()


def _forget() -> None:
    """A forked child has none of its parent's threads."""
    global _writer, _lock
    _writer, _lock = None, threading.Lock()
    _waiting.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _write_waiting(ledger: Path) -> None:
    with _lock:
        head = _waiting.pop(ledger, None)
    if head is not None:
        with contextlib.suppress(OSError):
            _write(head_file(ledger), head)


def _write(file: Path, head: Head) -> None:
    """The head in its place, unless the file is further on already.

    It is overwritten where it lies: a part file beside it would come and go under the hands of
    whoever copies the folder. A half-written line has a wrong checksum and says nothing.
    """
    handle = os.open(file, os.O_RDWR | os.O_CREAT | NOT_A_LINK, 0o600)
    with os.fdopen(handle, "r+b", buffering=0) as stream:
        if fcntl is not None:
            fcntl.flock(stream, fcntl.LOCK_EX)
        known = _parsed(stream.read(LONGEST))
        if known is not None and known.events >= head.events:
            return
        line = _line(head)
        stream.seek(0)
        stream.write(line)
        stream.truncate(len(line))
        os.fsync(handle)


def _line(head: Head) -> bytes:
    """Always as long, so that no end of an older line is left behind."""
    said = f"{head.events:020d} {head.hash}"
    return f"{said} {zlib.crc32(said.encode('ascii')):08x}\n".encode("ascii")


def _parsed(line: bytes) -> Head | None:
    said, _, _ = line.rpartition(b" ")
    try:
        events, digest = said.decode("ascii").split()
        head = Head(events=int(events), hash=digest)
        return head if line == _line(head) else None
    except ValueError:
        return None
