"""Workers only help: results, errors and their order are those of one process."""

import os
import signal

import pytest

from assaymark.errors import InputError
from assaymark.monitoring import worker_processes
from assaymark.monitoring.worker_processes import map_forked


@pytest.mark.parametrize("processes", [0, 1, 2, 3, 8])
@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_the_results_are_in_order(processes, count) -> None:
    assert map_forked(str, range(count), processes=processes) == [str(n) for n in range(count)]


def test_large_results_come_back_whole() -> None:
    """More than a pipe holds at once."""
    assert map_forked(lambda n: "x" * 10**6 + str(n), range(4), processes=2)[3].endswith("x3")


@pytest.mark.parametrize("bad", [0, 1, 2, 3])
def test_an_error_appears_as_in_one_process(bad) -> None:
    def judged(number: int) -> int:
        if number == bad:
            raise InputError(f"number {number} is bad")
        return number

    with pytest.raises(InputError, match=f"number {bad} is bad"):
        map_forked(judged, range(4), processes=2)


def test_what_a_killed_worker_leaves_is_done_by_the_caller() -> None:
    caller = os.getpid()

    def judged(number: int) -> int:
        if os.getpid() != caller:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    assert map_forked(judged, range(5), processes=3) == list(range(5))


def test_without_a_process_to_spare_the_caller_does_everything(monkeypatch) -> None:
    def refused() -> int:
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refused)
    assert map_forked(str, range(5), processes=3) == ["0", "1", "2", "3", "4"]


def test_nothing_is_forked_where_that_is_not_safe(monkeypatch) -> None:
    monkeypatch.setattr(worker_processes, "CAN_FORK", False)
    monkeypatch.delattr(os, "fork")
    assert map_forked(str, range(3), processes=3) == ["0", "1", "2"]


def test_no_worker_is_left_behind(monkeypatch) -> None:
    """Each one is waited for. Other tests may have children of their own in this process."""
    started: list[int] = []
    fork = os.fork

    def noted() -> int:
        process = fork()
        if process:
            started.append(process)
        return process

    monkeypatch.setattr(os, "fork", noted)
    map_forked(str, range(6), processes=3)
    assert len(started) == 2
    for process in started:
        with pytest.raises(ChildProcessError):
            os.waitpid(process, os.WNOHANG)
