"""The one thread that owns the desk: answers that arrive together are written together."""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import Any, TypeVar

from assaymark.errors import LedgerError
from assaymark.labelling.desk import Desk, Outcome, Submission

Result = TypeVar("Result")
Job = tuple[Callable[[Desk], Any] | Submission, "Future[Any]"]
MOST_TOGETHER = 200


class Runner:
    """Calls the desk in turn, so that nothing else ever touches its state."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="desk", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Finish what was asked for, then end; whoever asks later is refused."""
        with self._closing:
            self._closed = True
            self._jobs.put(None)
        self._thread.join(timeout=30)

    async def ask(self, function: Callable[[Desk], Result]) -> Result:
        """What the function finds at the desk."""
        answer: Result = await asyncio.wrap_future(self._queued(function))
        return answer

    def call(self, function: Callable[[Desk], Result]) -> Result:
        """The same for a thread that may wait; never from the desk's own."""
        answer: Result = self._queued(function).result()
        return answer

    async def record(self, submission: Submission) -> Outcome:
        """Have an answer recorded; returns when it is on disk."""
        outcome: Outcome = await asyncio.wrap_future(self._queued(submission))
        return outcome

    def _queued(self, work: Callable[[Desk], Any] | Submission) -> "Future[Any]":
        """What will come of it. Refused once the end is queued: nobody would ever answer."""
        future: Future[Any] = Future()
        with self._closing:
            if self._closed:
                raise LedgerError("The server is closing. Nothing was recorded; try again later.")
            self._jobs.put((work, future))
        return future

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            answers: list[tuple[Submission, Future[Any]]] = []
            while (
                job is not None and isinstance(job[0], Submission) and len(answers) < MOST_TOGETHER
            ):
                answers.append((job[0], job[1]))
                job = self._next()
            self._record(answers)
            if job is not None:
                if isinstance(job[0], Submission):
                    self._record([(job[0], job[1])])
                else:
                    self._call(job[0], job[1])

    def _next(self) -> Job | None:
        try:
            job = self._jobs.get_nowait()
        except queue.Empty:
            return None
        if job is None:  # the end: leave it for the loop
            self._jobs.put(None)
        return job

    def _record(self, answers: list[tuple[Submission, "Future[Any]"]]) -> None:
        if not answers:
            return
        try:
            outcomes = self._desk.record([submission for submission, _ in answers])
            pairs = list(zip(answers, outcomes, strict=True))
        except Exception as error:  # noqa: BLE001 - goes to those who asked, and the thread goes on
            for _, future in answers:
                _settle(future, error)
            return
        for (_, future), outcome in pairs:
            _settle(future, outcome)

    def _call(self, function: Callable[[Desk], Any], future: "Future[Any]") -> None:
        try:
            _settle(future, function(self._desk))
        except Exception as error:  # noqa: BLE001 - goes to the one who asked
            _settle(future, error)


def _settle(future: "Future[Any]", outcome: Any) -> None:
    with contextlib.suppress(InvalidStateError):  # nobody waits any more: the connection was lost
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
