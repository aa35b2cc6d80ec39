"""The desk's thread answers all that was asked before it ends, and leaves nobody waiting after."""

import asyncio
import threading
from typing import Any, cast

import pytest

from assaymark.errors import LedgerError
from assaymark.labelling.desk import Desk, Submission
from assaymark.web.runner import Runner

DESK = cast("Desk", "the desk")


def test_what_was_asked_before_the_end_is_answered() -> None:
    runner, begun, may_end = Runner(DESK), threading.Event(), threading.Event()
    answers: list[Any] = []

    def slow(desk: Desk) -> Desk:
        begun.set()
        may_end.wait(60)
        return desk

    asking = threading.Thread(target=lambda: answers.append(runner.call(slow)))
    asking.start()
    begun.wait(60)
    closing = threading.Thread(target=runner.close)
    closing.start()
    may_end.set()
    for thread in (asking, closing):
        thread.join(60)
    assert answers == [DESK]


def test_whoever_asks_after_the_end_is_refused_and_does_not_wait() -> None:
    runner = Runner(DESK)
    runner.close()
    with pytest.raises(LedgerError, match=r"The server is closing\. Nothing was recorded"):
        runner.call(str)
    with pytest.raises(LedgerError, match="closing"):
        asyncio.run(runner.ask(str))


class DeskOf:
    """A desk that gives these outcomes for whatever is recorded, however much that is."""

    def __init__(self, *outcomes: Any) -> None:
        self.outcomes = outcomes

    def record(self, submissions: list[Submission]) -> list[Any]:
        return list(self.outcomes)


def recorded_together(runner: Runner, count: int) -> list[Any]:
    """What each of these callers gets, whose answers wait at the desk together."""
    answer = Submission(item="d1", annotator="kim", label=1)
    held, may_go_on = threading.Event(), threading.Event()

    async def all_of_them() -> list[Any]:
        asked = asyncio.gather(
            *(runner.record(answer) for _ in range(count)), return_exceptions=True
        )
        await asyncio.sleep(0)  # all of them are queued
        may_go_on.set()
        return await asyncio.wait_for(asked, 60)

    def hold(desk: Desk) -> None:
        held.set()
        may_go_on.wait(60)

    holding = threading.Thread(target=lambda: runner.call(hold))
    holding.start()
    held.wait(60)
    answers = asyncio.run(all_of_them())
    holding.join(60)
    return answers


def test_an_answer_that_fails_fails_for_its_caller_alone() -> None:
    refusal = LedgerError("not this one")
    runner = Runner(cast("Desk", DeskOf("recorded", refusal, "recorded")))
    assert recorded_together(runner, 3) == ["recorded", refusal, "recorded"]
    runner.close()


def test_outcomes_that_do_not_fit_the_answers_leave_nobody_waiting() -> None:
    """The thread ended with the first such fault, and nobody was answered any more."""
    runner = Runner(cast("Desk", DeskOf("recorded")))
    answers = recorded_together(runner, 2)
    assert [type(answer) for answer in answers] == [ValueError, ValueError]
    assert runner.call(lambda desk: "still here") == "still here"
    runner.close()
