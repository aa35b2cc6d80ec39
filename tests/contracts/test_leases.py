"""Leases shared by several servers: no item to two people, whatever keeps the ledger."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assaymark.errors import LedgerError
from assaymark.labelling.desk import Desk, Submission
from assaymark.ledger import Ledger, open_ledger
from assaymark.ledger.leases import Lease, LeaseStore, leases_of
from assaymark.ledger.postgres import TABLES, PostgresLedger
from assaymark.project.folder import Project
from postgres import Server
from worlds_on_disk import Answer, World

Run = Callable[..., Answer]


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return "ledger.sqlite"
    found: Server = request.getfixturevalue("server")
    return f"{found.url}#{tmp_path.name}"


@pytest.fixture
def ledger(address: str, tmp_path: Path) -> Ledger:
    made = open_ledger(address, folder=tmp_path, name="x")
    made.create()
    return made


@pytest.fixture
def store(ledger: Ledger, tmp_path: Path) -> LeaseStore:
    return leases_of(ledger, tmp_path)


def postgres_ledger(url: str, name: str) -> PostgresLedger:
    """One whose connections are closed when the tests end."""
    return PostgresLedger.at(url, name=name)


def held(store: LeaseStore, now: float = 1000.0) -> dict[str, str]:
    with store.holding(now) as holder:
        return {lease.item: lease.annotator for lease in holder.leases}


def test_a_person_holds_what_was_handed_to_them_last(store: LeaseStore) -> None:
    with store.holding(1000.0) as holder:
        holder.replace("kim", ["a", "b"], until=1900.0)
        holder.replace("lee", ["c"], until=1900.0)
    assert held(store) == {"a": "kim", "b": "kim", "c": "lee"}
    with store.holding(1000.0) as holder:
        holder.replace("kim", ["ü'\""], until=1900.0)
    assert held(store) == {"ü'\"": "kim", "c": "lee"}


def test_leases_run_out(store: LeaseStore) -> None:
    with store.holding(1000.0) as holder:
        holder.replace("kim", ["a"], until=1900.0)
        holder.replace("lee", ["b"], until=1000.0)
    assert held(store) == {"a": "kim"}
    with store.holding(1000.0) as holder:
        (lease,) = holder.leases
        assert isinstance(lease, Lease)
        assert 1000 < lease.until <= 1900


def test_what_fails_leases_nothing(store: LeaseStore) -> None:
    def fail() -> None:
        with store.holding(1000.0) as holder:
            holder.replace("kim", ["a"], until=1900.0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert held(store) == {}


def test_only_one_at_a_time_changes_leases(
    ledger: Ledger, store: LeaseStore, tmp_path: Path
) -> None:
    """A hundred changes by four threads, and none is lost."""

    def lease(who: str) -> None:
        own = leases_of(ledger, tmp_path)
        for _ in range(25):
            with own.holding(1000.0) as holder:
                mine = [one.item for one in holder.leases if one.annotator == who]
                holder.replace(who, [*mine, f"{who}-{len(mine)}"], until=1900.0)

    threads = [threading.Thread(target=lease, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(held(store)) == 100


def test_a_damaged_file_of_leases_is_as_good_as_none(tmp_path: Path) -> None:
    ledger = open_ledger("ledger.sqlite", folder=tmp_path, name="x")
    (tmp_path / "leases.lock").write_text('[{"item": "a", "annot', encoding="utf-8")
    store = leases_of(ledger, tmp_path)
    assert held(store) == {}
    with store.holding(1000.0) as holder:
        holder.replace("kim", ["a"], until=1900.0)
    assert held(store) == {"a": "kim"}


def test_nobody_else_on_the_machine_reads_the_leases(tmp_path: Path) -> None:
    store = leases_of(open_ledger("ledger.sqlite", folder=tmp_path, name="x"), tmp_path)
    assert held(store) == {}
    assert (tmp_path / "leases.lock").stat().st_mode & 0o077 == 0


@pytest.fixture
def drawn(address: str, world: World, tmp_path: Path, assaymark: Run) -> Project:
    folder = tmp_path / "work"
    ledger = () if address == "ledger.sqlite" else ("--ledger", f"{address}-drawn")
    done = assaymark(
        "init", folder, "--pool", world.path, "--id", "id", "--score", "score",
        "--threshold", 0.5, "--text", "body", *ledger,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", folder).code == 0
    assert assaymark("draw", 20, "-p", folder).code == 0
    return Project(folder=folder)


def test_two_servers_hand_no_item_to_two_people(drawn: Project) -> None:
    one, two = (Desk(drawn, clock=time.time) for _ in range(2))
    hands = [one.hand("kim"), two.hand("lee"), one.hand("mo"), two.hand("kim")]
    assert hands[0] == hands[3], "the same person gets the same items from either"
    assert len({item for hand in hands[:3] for item in hand}) == 6
    everything: list[str] = []
    for turn in range(40):
        desk, name = ((one, "kim"), (two, "lee"))[turn % 2]
        for item in desk.hand(name)[:1]:
            (outcome,) = desk.record([Submission(item=item, annotator=name, label=1)])
            assert outcome == "recorded"
            everything.append(item)
    assert len(set(everything)) == len(everything) == 18, "two are still in mo's hands"
    one.release("mo")
    assert len(two.hand("lee")) == 2


def test_an_answer_given_at_the_other_server_is_known_before_handing(drawn: Project) -> None:
    one, two = (Desk(drawn, clock=time.time) for _ in range(2))
    first = one.hand("kim")[0]
    one.record([Submission(item=first, annotator="kim", label=1)])
    one.hand("kim")
    assert first not in two.hand("lee")


HOLD = """
import sys, time
import psycopg
from assaymark.ledger.postgres import _lock_key
with psycopg.connect(sys.argv[1]) as connection:
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_lock_key(sys.argv[2]),))
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_a_lock_that_is_not_given_back_ends_in_one_sentence(server: Server) -> None:
    """Whoever administers the database may choose the time; otherwise it is a minute."""
    quick = f"{server.url}?options=-c%20lock_timeout%3D300ms"
    postgres_ledger(server.url, "stuck").create()
    ledger = postgres_ledger(quick, "stuck")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, server.url, "stuck"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holder.stdout is not None
    assert holder.stdout.readline() == "locked\n"
    for _ in range(2):  # with a new connection and with a used one
        with pytest.raises(LedgerError) as refusal, ledger.writing():
            pass
        sentence = str(refusal.value)
        assert sentence.startswith("The ledger 'stuck' stayed locked by another program for 300ms")
        assert "from 127.0.0.1). Nothing was recorded; try again" in sentence
        assert ledger.entries() == [], "reading waits for nobody"
    holder.communicate()
    with ledger.writing() as writer:
        assert writer.entries == []


def test_a_lock_is_waited_for_a_minute_unless_told_otherwise(server: Server) -> None:
    ledger = postgres_ledger(server.url, "usual")
    ledger.create()
    connection = ledger._idle[0]
    assert connection.execute("SHOW lock_timeout").fetchone() == ("1min",)


def test_a_database_holds_the_tables_we_name_and_no_others(server: Server) -> None:
    import psycopg

    postgres_ledger(server.url, "any").create()
    with psycopg.connect(server.url) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        assert {name for (name,) in found} == set(TABLES)


def test_the_least_rights_of_the_documentation_are_enough(
    server: Server, world: World, tmp_path: Path, assaymark: Run
) -> None:
    """The owner makes the tables; who labels may read, append and lease, and change nothing."""
    import re

    import psycopg

    page = Path(__file__).parents[2] / "docs" / "how-to" / "postgresql.md"
    (rights,) = re.findall(r"```sql\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    postgres_ledger(server.url, "owned").create()
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(rights)
    ledger = postgres_ledger(server.url.replace("assaymark@", "labelling@"), "owned")
    from assaymark.ledger.events import LabelRecorded

    with ledger.writing() as writer:
        writer.append([LabelRecorded(item="a", annotator="kim")], time="2026-01-01T12:00:00.000Z")
    with leases_of(ledger, tmp_path).holding(0.0) as holder:
        holder.replace("kim", ["a"], until=900.0)
    assert len(ledger.entries()) == 1
    with psycopg.connect(ledger.url, autocommit=True) as connection:
        for harm in (
            "DELETE FROM event", "UPDATE event SET body = ''", "TRUNCATE event", "DROP TABLE event",
            "UPDATE ledger SET moved_to = 'x'", "CREATE TABLE other (x int)",
            "CREATE TRIGGER t BEFORE INSERT ON event EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        ):  # fmt: skip
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(harm)
