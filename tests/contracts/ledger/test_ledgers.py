"""One suite over every store of events: what the chain, the lock and durability promise."""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assaymark.errors import InputError, LedgerError, VerificationError
from assaymark.ledger import Ledger, open_ledger
from assaymark.ledger.events import LabelRecorded, check_chain
from postgres import Server

NOON = "2026-01-01T12:00:00.000Z"
CONTEXT = multiprocessing.get_context("spawn")
Made = Callable[[str], Ledger]


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the ledger of this test is kept."""
    if request.param == "sqlite":
        return "ledger.sqlite"
    found: Server = request.getfixturevalue("server")
    return f"{found.url}#{tmp_path.name}"


@pytest.fixture
def ledger(address: str, tmp_path: Path) -> Ledger:
    made = open_ledger(address, folder=tmp_path, name="x")
    made.create()
    return made


def skipped(item: str) -> LabelRecorded:
    return LabelRecorded(item=item, annotator="kim")


def test_events_come_back_in_order_and_chained(ledger: Ledger) -> None:
    with ledger.writing() as writer:
        writer.append([skipped("a"), skipped("b")], time=NOON)
    with ledger.writing() as writer:
        assert len(writer.entries) == 2
        writer.append([skipped("ü\u0001\"'")], time=NOON)
    entries = ledger.entries()
    assert [entry.seq for entry in entries] == [1, 2, 3]
    check_chain(entries)


def test_making_it_twice_keeps_what_is_there(ledger: Ledger) -> None:
    with ledger.writing() as writer:
        writer.append([skipped("a")], time=NOON)
    ledger.create()
    assert len(ledger.entries()) == 1


def test_a_step_that_fails_records_nothing(ledger: Ledger) -> None:
    def fail() -> None:
        with ledger.writing() as writer:
            writer.append([skipped("a")], time=NOON)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert ledger.entries() == []


def test_reading_on_from_a_known_head_gives_only_the_news(ledger: Ledger) -> None:
    with ledger.writing() as writer:
        writer.append([skipped("a"), skipped("b")], time=NOON)
    first, second = ledger.entries()
    assert ledger.entries(after=first) == [second]
    with ledger.writing(after=second) as writer:
        assert writer.entries == []
        writer.append([skipped("c")], time=NOON)
    check_chain(ledger.entries())
    assert len(ledger.entries()) == 3


def test_reading_on_from_an_event_that_is_not_there_is_refused(ledger: Ledger) -> None:
    with ledger.writing() as writer:
        writer.append([skipped("a")], time=NOON)
    (entry,) = ledger.entries()
    forged = type(entry)(**{**vars(entry), "hash": "0" * 64})
    with pytest.raises(VerificationError, match="is no longer the one that was read before"):
        ledger.entries(after=forged)


def test_entries_of_another_ledger_can_be_copied_and_nothing_else(
    ledger: Ledger, tmp_path: Path
) -> None:
    with ledger.writing() as writer:
        writer.append([skipped("a"), skipped("b")], time=NOON)
    entries = ledger.entries()
    other = open_ledger("copy.sqlite", folder=tmp_path, name="copy")
    other.create()
    with other.writing() as writer:
        writer.copy(entries)
    assert other.entries() == entries
    with pytest.raises(VerificationError), other.writing() as again:
        again.copy(entries)
    assert other.entries() == entries


def test_a_retired_ledger_takes_nothing_more(ledger: Ledger) -> None:
    with ledger.writing() as writer:
        writer.append([skipped("a")], time=NOON)
        writer.retire("elsewhere")
    with pytest.raises(LedgerError), ledger.writing():
        raise AssertionError("it was open")


def test_a_clock_that_goes_backwards_breaks_nothing(ledger: Ledger) -> None:
    with ledger.writing() as writer:
        writer.append([skipped("a")], time="2026-01-02T00:00:00.000Z")
        writer.append([skipped("b")], time="2025-01-02T00:00:00.000Z")
    check_chain(ledger.entries())


def _write(address: str, folder: Path, who: int, count: int) -> None:
    ledger = open_ledger(address, folder=folder, name="x")
    head = None
    for number in range(count):
        with ledger.writing(after=head) as writer:
            writer.append([skipped(f"{who}-{number}")], time=NOON)
        head = writer.entries[-1]


def test_many_writers_at_once_lose_nothing(ledger: Ledger, address: str, tmp_path: Path) -> None:
    writers = [
        CONTEXT.Process(target=_write, args=(address, tmp_path, who, 15)) for who in range(6)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(600)
        assert writer.exitcode == 0
    entries = ledger.entries()
    assert len({entry.body for entry in entries}) == len(entries) == 90


def _hang(address: str, folder: Path, ready: str) -> None:
    ledger = open_ledger(address, folder=folder, name="x")
    with ledger.writing() as writer:
        writer.append([skipped("never")], time=NOON)
        Path(ready).touch()
        time.sleep(600)


def test_a_writer_killed_before_it_commits_leaves_nothing_and_blocks_nobody(
    ledger: Ledger, address: str, tmp_path: Path
) -> None:
    ready = tmp_path / "ready"
    victim = CONTEXT.Process(target=_hang, args=(address, tmp_path, str(ready)))
    victim.start()
    while not ready.exists():
        time.sleep(0.02)
    os.kill(victim.pid or 0, signal.SIGKILL)
    victim.join(600)
    with ledger.writing() as writer:
        assert writer.entries == []
        writer.append([skipped("a")], time=NOON)
    assert len(ledger.entries()) == 1


def _write_through(address: str, folder: Path, who: int, stop: str, told: str) -> None:
    """Appends until told to stop; tries again what was refused; notes what was acknowledged."""
    ledger = open_ledger(address, folder=folder, name="x")
    number = 0
    with Path(told).open("w", encoding="utf-8") as acknowledged:
        while not Path(stop).exists():
            try:
                with ledger.writing() as writer:
                    writer.append([skipped(f"{who}-{number}")], time=NOON)
            except LedgerError:
                continue
            acknowledged.write(f"{who}-{number}\n")
            acknowledged.flush()
            number += 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT], ids=["restart", "crash"])
def test_postgres_restarted_while_20_writers_append(
    how: signal.Signals, own_server: Server, tmp_path: Path
) -> None:
    """Every acknowledged event is there once, and the chain holds."""
    ledger = open_ledger(own_server.url, folder=tmp_path, name="x")
    ledger.create()
    stop, count = tmp_path / "stop", 20
    told = [str(tmp_path / f"told-{who}") for who in range(count)]
    threads = [
        CONTEXT.Process(target=_crowd, args=(own_server.url, tmp_path, group, str(stop), told))
        for group in (range(10), range(10, count))
    ]
    for thread in threads:
        thread.start()
    _wait_for(lambda: all(_lines(name) for name in told))
    own_server.stop(how)
    own_server.start()
    before = [len(_lines(name)) for name in told]
    _wait_for(lambda: all(len(_lines(n)) > b for n, b in zip(told, before, strict=True)))
    stop.touch()
    for thread in threads:
        thread.join(600)
        assert thread.exitcode == 0
    entries = ledger.entries()
    bodies = [entry.body for entry in entries]
    acknowledged = [skipped(line).body() for name in told for line in _lines(name)]
    assert len(set(bodies)) == len(bodies)
    assert set(acknowledged) <= set(bodies)


def _crowd(address: str, folder: Path, group: range, stop: str, told: list[str]) -> None:
    import threading

    threads = [
        threading.Thread(target=_write_through, args=(address, folder, who, stop, told[who]))
        for who in group
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _lines(name: str) -> list[str]:
    path = Path(name)
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def _wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("waited ten minutes in vain")


def test_a_password_in_the_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Leave the password out of the ledger's address"):
        open_ledger("postgresql://kim:secret@db/x", folder=tmp_path, name="x")


def test_an_unknown_kind_of_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="A ledger cannot be kept at mysql://"):
        open_ledger("mysql://db/x", folder=tmp_path, name="x")


def test_a_database_that_is_not_there_is_one_clear_sentence(tmp_path: Path) -> None:
    from assaymark.ledger.postgres import PostgresLedger

    ledger = PostgresLedger("postgresql://kim@127.0.0.1:1/x", name="x", patience=0.0)
    with pytest.raises(LedgerError, match=r"The ledger's database cannot be reached: .*refused"):
        ledger.entries()


def test_a_ledger_name_that_is_not_there_is_refused(server: Server, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="The database has no ledger called 'nobody'"):
        open_ledger(f"{server.url}#nobody", folder=tmp_path, name="x").entries()
