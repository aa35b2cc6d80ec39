"""Check, backup, restore, move and join: what they promise and what they refuse."""

import gzip
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from assaymark.ledger.sqlite import SqliteLedger
from assaymark.project.connections import FILE as CONNECTIONS
from assaymark.project.connections import add_hook, add_program
from assaymark.project.users import KEY, USERS, server_key
from postgres import Server
from worlds_on_disk import Answer, World, write_labels

Run = Callable[..., Answer]
COMPILES_NOTHING = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
"""Without room Python leaves half a compiled module behind, and trips over it from then on."""


def head(folder: Path) -> str:
    return SqliteLedger(folder / "ledger.sqlite").entries()[-1].hash


def finish(
    assaymark: Run, folder: Path, world: World, tmp_path: Path, *, name: str = "x"
) -> dict[str, object]:
    """Plan, draw, label and certify in a registered project; the certificate as JSON."""
    planned = assaymark(
        "plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 300, "--seed", "s", "-p", folder
    )
    assert planned.code == 0, planned.err
    drawn = assaymark("draw", "-o", tmp_path / f"{name}.csv", "-p", folder, "--json").json["items"]
    labels = write_labels(tmp_path / f"{name}-labels.csv", {i: world.truth[i] for i in drawn})
    assert assaymark("label", labels, "-p", folder).code == 0
    assert assaymark("look", "-p", folder).code == 0
    done = assaymark("certify", "-o", tmp_path / f"{name}.json", "-p", folder)
    assert done.code == 0, done.err
    return json.loads((tmp_path / f"{name}.json").read_text())


def test_check_of_a_healthy_project_names_what_it_looked_at(labelled: Path, assaymark: Run) -> None:
    found = assaymark("check", "-p", labelled, "--json")
    assert found.code == 0, found.out
    names = {check["name"]: check["outcome"] for check in found.json["checks"]}
    assert names["ledger"] == names["stored files"] == names["pool"] == names["DuckDB"] == "ok"


@pytest.mark.parametrize(
    ("harm", "sentence"),
    [
        (lambda folder, pool: pool.unlink(), "is not there"),
        (lambda folder, pool: pool.write_text(pool.read_text() + "x,0.5,1,y\n"), "The pool changed after init"),
        (lambda folder, pool: shutil.rmtree(folder / "reserve"), "is missing; restore it from a backup"),
        (lambda folder, pool: next((folder / "reserve").iterdir()).write_bytes(b"x"), "was changed; restore"),
    ],
    ids=["pool gone", "pool changed", "reserve gone", "reserve changed"],
)  # fmt: skip
def test_check_says_what_is_wrong(
    harm: Callable[[Path, Path], object],
    sentence: str,
    labelled: Path,
    world: World,
    assaymark: Run,
) -> None:
    harm(labelled, world.path)
    found = assaymark("check", "-p", labelled)
    assert found.code == 1
    assert sentence in found.out


def test_check_without_a_project_looks_at_the_machine(tmp_path: Path, assaymark: Run) -> None:
    found = assaymark("check", "-p", tmp_path, "--json")
    assert found.code == 0
    assert found.json["checks"][-1]["outcome"] == "not checked"


def test_a_backup_comes_back_whole(labelled: Path, tmp_path: Path, assaymark: Run) -> None:
    archive = tmp_path / "b.tar.gz"
    assert assaymark("backup", "-o", archive, "-p", labelled).code == 0
    again = labelled.parent / "again"  # beside the first, so that the pool is found
    assert assaymark("restore", archive, again).code == 0
    assert head(again) == head(labelled)
    assert assaymark("check", "-p", again).code == 0
    assert assaymark("look", "-p", again, "--json").json["decision"] == "pass"


def test_a_backup_holds_no_secret_and_nobody_who_may_come_in(
    labelled: Path, tmp_path: Path, assaymark: Run
) -> None:
    server_key(labelled)
    add_program(labelled, "robot", "lead")
    secret = add_hook(labelled, "https://example.org/told", ("refuted",)).secret
    assert assaymark("users", "add", "kim", "--role", "lead", "-p", labelled).code == 0
    archive, again = tmp_path / "b.tar.gz", tmp_path / "again"
    assert assaymark("backup", "-o", archive, "-p", labelled).code == 0
    assert assaymark("restore", archive, again).code == 0
    assert not {KEY, USERS, CONNECTIONS} & {path.name for path in again.iterdir()}
    with gzip.open(archive) as stream:
        assert secret.encode() not in stream.read()


def test_a_backup_never_overwrites(labelled: Path, tmp_path: Path, assaymark: Run) -> None:
    archive = tmp_path / "b.tar.gz"
    archive.write_text("mine")
    assert assaymark("backup", "-o", archive, "-p", labelled).code == 2
    assert archive.read_text() == "mine"


def test_a_restore_into_a_used_folder_is_refused(
    labelled: Path, tmp_path: Path, assaymark: Run
) -> None:
    archive = tmp_path / "b.tar.gz"
    assert assaymark("backup", "-o", archive, "-p", labelled).code == 0
    assert "already is an assaymark project" in assaymark("restore", archive, labelled).err
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    assert "is not empty" in assaymark("restore", archive, tmp_path / "full").err


def _rewrite(archive: Path, change: Callable[[str, bytes], tuple[str, bytes] | None]) -> None:
    """The archive with every member passed through `change`."""
    import io

    with tarfile.open(archive) as old:
        members = [(m.name, old.extractfile(m).read()) for m in old]  # type: ignore[union-attr]
    with tarfile.open(archive, "w:gz") as new:
        for name, content in filter(None, (change(*member) for member in members)):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            new.addfile(entry, io.BytesIO(content))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda n, c: (n, c.replace(rb'\"value\":1', rb'\"value\":0', 1)) if n == "ledger.jsonl" else (n, c), "do not match its hash"),
        (lambda n, c: (n, b"".join(c.splitlines(keepends=True)[:-1])) if n == "ledger.jsonl" else (n, c), "events are missing"),
        (lambda n, c: (n, c + b"x") if n.startswith("files/") else (n, c), "was changed"),
        (lambda n, c: None if n.startswith("files/") else (n, c), "not those of its manifest"),
        (lambda n, c: None if n == "manifest.json" else (n, c), "has no manifest.json"),
        (lambda n, c: ("../outside", c) if n.startswith("files/") else (n, c), "no file of ours"),
    ],
    ids=["label", "tail", "file", "missing", "manifest", "path"],
)  # fmt: skip
def test_a_damaged_backup_restores_nothing(
    change: Callable[[str, bytes], tuple[str, bytes] | None],
    sentence: str,
    labelled: Path,
    tmp_path: Path,
    assaymark: Run,
) -> None:
    archive = tmp_path / "b.tar.gz"
    assert assaymark("backup", "-o", archive, "-p", labelled).code == 0
    _rewrite(archive, change)
    done = assaymark("restore", archive, tmp_path / "again")
    assert done.code in (1, 2)
    assert sentence in done.err
    assert not (tmp_path / "again").exists()
    assert not (tmp_path / "outside").exists()


def test_a_ledger_goes_to_postgres_and_back_with_the_same_chain(
    server: Server, labelled: Path, assaymark: Run
) -> None:
    before = head(labelled)
    there = assaymark("move", "--ledger", f"{server.url}#there-and-back", "-p", labelled, "--json")
    assert there.code == 0, there.err
    assert there.json["head"] == before
    assert not (labelled / "ledger.sqlite").exists()
    assert assaymark("check", "-p", labelled).code == 0
    assert assaymark("look", "-p", labelled).code == 0
    back = assaymark("move", "--ledger", "ledger.sqlite", "-p", labelled, "--json")
    assert back.json["events"] == there.json["events"] + 1
    assert not (labelled / "project.json").exists()
    assert assaymark("certify", "-o", labelled / "c.json", "-p", labelled).code == 0
    assert assaymark("verify", labelled / "c.json", "-p", labelled).code == 0
    stale = assaymark("join", labelled.parent / "late", "--ledger", f"{server.url}#there-and-back")
    assert "was moved to ledger.sqlite" in stale.err


def test_a_name_that_another_project_uses_is_refused(
    server: Server, labelled: Path, world: World, tmp_path: Path, assaymark: Run
) -> None:
    assert assaymark("move", "--ledger", f"{server.url}#taken", "-p", labelled).code == 0
    done = assaymark(
        "init", tmp_path / "other", "--pool", world.path, "--id", "id", "--score", "score",
        "--threshold", 0.5, "--ledger", f"{server.url}#taken",
    )  # fmt: skip
    assert done.code == 2
    assert "is in use by another project" in done.err


def test_both_stores_issue_the_same_certificate(
    server: Server, world: World, tmp_path: Path, assaymark: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given the same story and the same clock, nothing but the store differs."""
    from datetime import UTC, datetime

    from assaymark.project import folder as project

    class Stopped(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            return datetime(2026, 1, 1, tzinfo=UTC)

    monkeypatch.setattr(project, "datetime", Stopped)
    issued = []
    for name, ledger in (("lite", "ledger.sqlite"), ("post", f"{server.url}#same-story")):
        folder = tmp_path / name
        done = assaymark(
            "init", folder, "--pool", world.path, "--id", "id", "--score", "score",
            "--threshold", 0.5, "--text", "body", "--ledger", ledger,
        )  # fmt: skip
        assert done.code == 0, done.err
        issued.append(finish(assaymark, folder, world, tmp_path, name=f"issued-{name}"))
    assert issued[0] == issued[1]


def test_two_machines_draw_from_one_ledger_and_never_the_same_item(
    server: Server, world: World, tmp_path: Path, assaymark: Run
) -> None:
    first, second = tmp_path / "one", tmp_path / "far" / "two"
    ledger = f"{server.url}#two-machines"
    assert assaymark(
        "init", first, "--pool", world.path, "--id", "id", "--score", "score",
        "--threshold", 0.5, "--text", "body", "--ledger", ledger,
    ).code == 0  # fmt: skip
    simple = ("--mode", "anytime", "--design", "simple")
    assert assaymark("plan", "f1 >= 0.8", *simple, "-p", first).code == 0
    joined = assaymark("join", second, "--ledger", ledger, "--pool", world.path)
    assert joined.code == 0, joined.err
    drawing = [
        subprocess.Popen(
            [sys.executable, "-m", "assaymark", "draw", "40", "--json", "-p", str(folder)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for folder in (first, second, first, second)
    ]  # fmt: skip
    found = [process.communicate(timeout=600) for process in drawing]
    assert all(process.returncode == 0 for process in drawing), found
    items = [item for out, _ in found for item in json.loads(out)["items"]]
    assert len(set(items)) == len(items) == 160


def test_joining_nothing_is_refused(server: Server, tmp_path: Path, assaymark: Run) -> None:
    done = assaymark("join", tmp_path / "x", "--ledger", f"{server.url}#nobody-here")
    assert done.code == 2
    assert "has no ledger called 'nobody-here'" in done.err
    assert not (tmp_path / "x").exists()


def test_a_full_disk_is_one_sentence_and_the_chain_is_whole(
    labelled: Path, world: World, tmp_path: Path, assaymark: Run
) -> None:
    """The operating system refuses to let any file grow over 32 kB; 300 labels need more."""
    before, limit = head(labelled), 32 * 1024
    labels = write_labels(
        tmp_path / "more.csv", {i: 1 - world.truth[i] for i in _drawn(assaymark, labelled)}
    )

    def no_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(
        [sys.executable, "-m", "assaymark", "label", str(labels), "--annotator", "sam", "-p", str(labelled)],
        capture_output=True, text=True, check=False, preexec_fn=no_room, env=COMPILES_NOTHING,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "The ledger ledger.sqlite cannot be used" in done.stderr
    assert "Nothing was recorded" in done.stderr
    assert head(labelled) == before
    assert assaymark("check", "-p", labelled).code == 0


def test_a_full_disk_seals_no_plan(project: Path) -> None:
    """The reserve of tickets does not fit: one sentence, and no half of it."""
    before, limit = head(project), 40 * 1024

    def no_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(
        [sys.executable, "-m", "assaymark", "plan", "f1 >= 0.8", "-p", str(project)],
        capture_output=True, text=True, check=False, preexec_fn=no_room, env=COMPILES_NOTHING,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "is the disk full?" in done.stderr
    assert head(project) == before
    assert not list((project / "reserve").iterdir())


def _drawn(assaymark: Run, folder: Path) -> list[str]:
    entries = SqliteLedger(folder / "ledger.sqlite").entries()
    bodies = [json.loads(entry.body) for entry in entries if entry.kind == "BatchDrawn"]
    return list(dict.fromkeys(item["id"] for body in bodies for item in body["draws"]))


def test_a_newer_ledger_is_refused_and_an_older_one_brought_up_to_date(
    labelled: Path, assaymark: Run
) -> None:
    import sqlite3
    from contextlib import closing

    def version(number: int | None = None) -> int:
        with closing(sqlite3.connect(labelled / "ledger.sqlite")) as connection:
            if number is not None:
                connection.execute(f"PRAGMA user_version = {number}")
            return int(connection.execute("PRAGMA user_version").fetchone()[0])

    version(0)
    assert assaymark("look", "-p", labelled).code == 0
    assert version() == 1
    version(99)
    refused = assaymark("look", "-p", labelled)
    assert refused.code == 2
    assert "The ledger has schema 99" in refused.err


def test_the_log_tells_what_happened_and_no_label(
    labelled: Path, tmp_path: Path, assaymark: Run
) -> None:
    log = tmp_path / "log.jsonl"
    assert assaymark("--log", log, "look", "-p", labelled).code == 0
    assert assaymark("--log", log, "draw", "-p", labelled).code == 2
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["message"], line.get("code")) for line in lines] == [
        ("command began", None),
        ("appended", None),
        ("command ended", 0),
        ("command began", None),
        ("command ended", 2),
    ]
    assert "label" not in log.read_text()


def test_a_lost_reserve_is_drawn_again_from_the_pool(project: Path, assaymark: Run) -> None:
    """Also its later parts, which continue after the tickets of the earlier ones."""
    simple = ("--mode", "anytime", "--design", "simple")
    assert assaymark("plan", "f1 >= 0.8", *simple, "--seed", "s", "-p", project).code == 0
    first = assaymark("draw", 1600, "-o", project / "a.csv", "-p", project, "--json").json["items"]
    files = sorted((project / "reserve").iterdir())
    shutil.rmtree(project / "reserve")
    more = assaymark("draw", 20, "-o", project / "b.csv", "-p", project, "--json")
    assert more.code == 0, more.err
    assert not set(first) & set(more.json["items"])
    assert sorted((project / "reserve").iterdir()) == files
