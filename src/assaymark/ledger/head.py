"""The last head of a ledger, kept beside its file: a ledger that lost its end is noticed.

It is written after a commit, in the background: nobody waits for it, and a head that is late or
could not be written only says less. It never says more than was acknowledged.
"""

import contextlib
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from assaymark.ledger.events import Entry

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows, where a head may come late
    fcntl = None  # type: ignore[assignment]


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
    try:
        events, digest = head_file(ledger).read_text(encoding="ascii").split()
        return Head(events=int(events), hash=digest)
    except (OSError, ValueError):
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
_writer: ThreadPoolExecutor | None = None


def keep_head(ledger: Path, head: Head) -> None:
    """Have the head written soon; at the end of the program at the latest."""
    global _writer
    with _lock:
        _waiting[ledger.absolute()] = head  # an older one that still waits is not worth writing
        if _writer is None:
            _writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="assaymark-head")
        with contextlib.suppress(RuntimeError):  # the program ends: the head stays behind
            _writer.submit(_write_waiting, ledger.absolute())


def settle_heads() -> None:
    """Wait until every head is written."""
    with _lock:
        jobs = [_writer.submit(lambda: None)] if _writer is not None else []
    wait(jobs)


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
            _write(head_file(ledger), ledger, head)


def _write(file: Path, ledger: Path, head: Head) -> None:
    """The file in one step, unless it is further on already."""
    part = file.with_name(file.name + ".part")
    with os.fdopen(_claim(part), "w", encoding="ascii") as stream:
        known = read_head(ledger)
        if known is not None and known.events >= head.events:
            part.unlink()
            return
        stream.write(f"{head.events} {head.hash}\n")
        stream.flush()
        os.fsync(stream.fileno())
        part.replace(file)


def _claim(part: Path) -> int:
    """The part file, held by us alone; the kernel gives it back when its holder dies."""
    while True:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT, 0o600)
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), part.stat()):
                os.ftruncate(handle, 0)
                return handle
        os.close(handle)  # whoever had it before us has moved it to its place
