"""The last head of a ledger, kept beside its file: a ledger that lost its end is noticed.

It is written after a commit, in the background: nobody waits for it, and a head that is late or
could not be written only says less. It never says more than was acknowledged.
"""

import contextlib
import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from assaymark.events import Entry

STALE = 10.0  # seconds; after that whoever was writing the head is dead


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
    handle = _claim(part)
    if handle is None:
        return
    try:
        known = read_head(ledger)
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(f"{head.events} {head.hash}\n")
            stream.flush()
            os.fsync(stream.fileno())
        if known is None or known.events < head.events:
            part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def _claim(part: Path) -> int | None:
    """The part file, made by us alone; None where another writer keeps it for long."""
    for _ in range(400):
        try:
            return os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            with contextlib.suppress(FileNotFoundError):
                if time.time() - part.stat().st_mtime > STALE:
                    part.unlink()
            time.sleep(0.005)
    return None
