"""Connections that cannot be used up: deadlines for the slow, and the idle make room for others."""

import asyncio
import errno
import logging
import time
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

RECEIVE, SEND = 30.0, 60.0  # seconds to send a whole request, and to take in an answer
MOST = 500  # connections at once
SHORT = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
log = logging.getLogger("assaymark.serve")


def protocol(
    *, most: int = MOST, receive: float = RECEIVE, send: float = SEND
) -> type[asyncio.Protocol]:
    """The protocol of a server that limits connections, and the wait for each."""

    class Bounded(Patient):
        waiting: dict[Patient, None] = {}  # noqa: RUF012 - one for all connections of a server
        limits = (most, receive, send)

    return Bounded


class Patient(H11Protocol):
    """A connection that ends when its request, or its reader, does not come within a deadline."""

    waiting: dict["Patient", None]
    limits: tuple[int, float, float]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request; one too many ends the one that has waited longest."""
        self._due: asyncio.TimerHandle | None = None
        self._stuck: asyncio.TimerHandle | None = None
        super().connection_made(transport)
        if len(self.connections) > self.limits[0]:
            oldest = next(iter(self.waiting), self)
            self.waiting.pop(oldest, None)
            oldest.transport.abort()
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request; the deadline is for all of its parts together."""
        super().data_received(data)
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete and not cycle.more_body:
            self._work()
        elif self._due is None:
            self._wait()

    def on_response_complete(self) -> None:
        """Idle again; whoever keeps a connection open may lose it to somebody new."""
        self._work()
        self.waiting[self] = None
        super().on_response_complete()

    def _wait(self) -> None:
        self.waiting[self] = None
        self._due = self.loop.call_later(self.limits[1], self._give_up)

    def _work(self) -> None:
        self.waiting.pop(self, None)
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _give_up(self) -> None:
        self._due = None
        self.transport.abort()

    def pause_writing(self) -> None:
        """The other side does not read: not for ever."""
        super().pause_writing()
        if self._stuck is None:
            self._stuck = self.loop.call_later(self.limits[2], self.transport.abort)

    def resume_writing(self) -> None:
        """The other side reads on."""
        self._read_on()
        super().resume_writing()

    def _read_on(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._work()
        self._read_on()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)


def room_for() -> int:
    """How many connections the machine's limit of open files leaves room for."""
    try:
        import resource
    except ImportError:  # pragma: no cover - not on Windows
        return MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST
    wanted = 4 * MOST if hard == resource.RLIM_INFINITY else min(hard, 4 * MOST)
    if wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(8, min(MOST, max(soft, wanted) // 2))


def say_shortage_once(loop: asyncio.AbstractEventLoop, *, every: float = 60.0) -> None:
    """Have the loop report a lack of open files in one line a minute, without a traceback."""
    last = [float("-inf")]
    usual = loop.get_exception_handler()

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in SHORT):
            usual(loop, context) if usual else loop.default_exception_handler(context)
            return
        if time.monotonic() - last[0] >= every:
            last[0] = time.monotonic()
            log.warning("no more connections are taken for a moment: %s", error.strerror)

    loop.set_exception_handler(handle)
