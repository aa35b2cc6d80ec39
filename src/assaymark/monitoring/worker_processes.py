"""Map a function over items with forked worker processes, where the system has a safe fork.

One idea: a worker can only help. What it did not hand back, because the function raised, it was
killed or could not be started, is done again by the caller, where the same error appears as without it.
"""

import os
import pickle
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

CAN_FORK = sys.platform == "linux"  # elsewhere libraries do not survive it, or there is none


@dataclass(frozen=True, kw_only=True)
class _Worker:
    """A process that was started, and where it writes its results."""

    process: int
    pipe: int


def map_forked(function: Callable[[T], R], items: Sequence[T], *, processes: int) -> list[R]:
    """The result for each item, in order: the same as without workers.

    *Assumes* that the function only reads, and that its results can be pickled.
    """
    count = max(1, min(processes, len(items))) if CAN_FORK else 1
    shares = [items[place::count] for place in range(count)]
    workers: list[_Worker | None] = []
    try:
        for share in shares[1:]:
            workers.append(_start(function, share))
        results = [[function(item) for item in shares[0]]]
    finally:  # whatever happened here, none is left behind
        handed: list[list[R] | None] = [_results(worker) for worker in workers]
    for share, back in zip(shares[1:], handed, strict=True):
        results.append([function(item) for item in share] if back is None else back)
    return [results[place % count][place // count] for place in range(len(items))]


def _start(function: Callable[[T], R], items: Sequence[T]) -> _Worker | None:
    pipe, end = os.pipe()
    try:
        with warnings.catch_warnings():  # numpy's threads, which its library starts again
            warnings.simplefilter("ignore", DeprecationWarning)
            process = os.fork()
    except OSError:  # no more processes: the caller does it
        os.close(pipe)
        os.close(end)
        return None
    if process:
        os.close(end)
        return _Worker(process=process, pipe=pipe)
    try:  # the worker: it never returns from here, and flushes nothing that its caller wrote
        content = pickle.dumps([function(item) for item in items])
        with os.fdopen(end, "wb") as stream:
            stream.write(content)
        os._exit(0)
    finally:
        os._exit(1)


def _results(worker: _Worker | None) -> list[R] | None:
    """What the worker handed back, once it has ended; None if it did not get that far."""
    if worker is None:
        return None
    with os.fdopen(worker.pipe, "rb") as stream:
        content = stream.read()
    _, status = os.waitpid(worker.process, 0)
    if status:
        return None
    with suppress(pickle.UnpicklingError, EOFError):
        results: list[R] = pickle.loads(content)  # noqa: S301 - written by our own process
        return results
    return None
