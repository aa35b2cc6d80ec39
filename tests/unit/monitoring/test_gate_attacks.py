"""Files of a certified claim that were broken, cut, exchanged or linked: the gate names which."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from claims_on_disk import Folder

from assaymark.claims.canonical import canonical
from assaymark.ledger.events import seal
from assaymark.ledger.head import settle_heads
from assaymark.project.folder import Project


def _cut_ledger(folder: Folder) -> None:
    with sqlite3.connect(folder.project / "ledger.sqlite") as connection:
        kept = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        for (name,) in connection.execute(kept).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM event WHERE seq > (SELECT max(seq) - 3 FROM event)")


def _cut_ledger_and_head(folder: Folder) -> None:
    _cut_ledger(folder)
    for path in folder.project.glob("ledger.head*"):
        path.unlink()


def _edit_json(path: Path, **fields: object) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**data, **fields}), encoding="utf-8")


def _edit_lock(folder: Folder, **fields: object) -> None:
    _edit_json(folder.claim.with_suffix(".lock"), **fields)


def _edit_certificate(folder: Folder, **fields: object) -> None:
    _edit_json(folder.project / "certificate.json", **fields)


def _as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


TAMPERED: dict[str, tuple[Callable[[Folder], object], str]] = {
    "no database": (
        lambda f: (f.project / "ledger.sqlite").write_text("no ledger " * 50, "utf-8"),
        "is damaged and cannot be read",
    ),
    "half a ledger": (
        lambda f: os.truncate(f.project / "ledger.sqlite", 20_000),
        "is damaged and cannot be read",
    ),
    "the end of the ledger cut off": (_cut_ledger, "the end is lost"),
    "and the head kept beside it": (_cut_ledger_and_head, "This ledger is not the one certified"),
    "a lock that is a folder": (
        lambda f: _as_folder(f.claim.with_suffix(".lock")),
        "cannot be read: Is a directory.",
    ),
    "a lock with a field more": (lambda f: _edit_lock(f, more=1), "no field 'more'"),
    "a lock of schema -1": (lambda f: _edit_lock(f, schema=-1), "its schema is -1"),
    "a lock of schema 'two'": (lambda f: _edit_lock(f, schema="two"), "its schema is 'two'"),
    "a certificate that is nothing": (
        lambda f: (f.project / "certificate.json").write_text("null", "utf-8"),
        "not an assaymark certificate",
    ),
    "a certificate of another kind": (
        lambda f: _edit_certificate(f, kind="assaymark claim certificate"),
        "its hash does not fit",
    ),
    "a certificate from the future": (
        lambda f: _edit_certificate(f, issued="2099-01-01T00:00:00.000Z"),
        "'issued' does not follow",
    ),
    "fewer labels": (lambda f: _edit_certificate(f, labels=1), "'labels' does not follow"),
    "another name": (lambda f: f.edit('"toxicity"', '"mild"'), "no lock of a claim named 'mild'"),
    "no expiry": (lambda f: f.edit("expires = 2099-06-30\n", ""), "'expires' was '2099-06-30'"),
    "another protocol": (lambda f: f.edit("version 3", "version 4"), "'protocol' was"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_the_gate_says_tampered_and_what_is_wrong(certified, name) -> None:
    settle_heads()
    act, reason = TAMPERED[name]
    act(certified)
    assert certified.gate().code == 6
    assert reason in certified.only()["reason"]


def _linked(path: Path) -> None:
    place = path.with_name(f"elsewhere-{path.name}")
    shutil.move(path, place)
    path.symlink_to(place)


HARMLESS: dict[str, Callable[[Folder], object]] = {
    "links": lambda f: [_linked(p) for p in (f.project, f.project.parent / "pool.csv")],
    "another file name": lambda f: [
        shutil.move(f.claim.with_suffix(end), f.claim.with_name(f"größe ☃{end}"))
        for end in (".toml", ".lock")
    ],
    "a date as text": lambda f: f.edit("2099-06-30", '"2099-06-30"'),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_changes_nothing_stays_certified(certified, name) -> None:
    settle_heads()
    HARMLESS[name](certified)
    assert certified.gate().code == 0


def test_a_pipe_in_the_place_of_the_pool_is_not_waited_for(certified) -> None:
    pool = certified.project.parent / "pool.csv"
    pool.unlink()
    os.mkfifo(pool)
    assert certified.gate().code == 0
    assert "its content was not compared" in certified.only()["reason"]


@pytest.mark.parametrize("text", [b"\xff", b"a = " + b"[" * 5000, b""])
def test_a_claim_file_that_cannot_be_read_is_bad_input(certified, text) -> None:
    certified.claim.write_bytes(text)
    assert certified.gate().code == 2


def _other_last_look(folder: Folder, **facts: object) -> None:
    """Other facts of the last look, with every hash after it made to fit, and the head beside it gone."""
    settle_heads()
    entries = Project(folder=folder.project).ledger.entries()
    place = max(n for n, entry in enumerate(entries) if entry.kind == "Looked")
    chain = entries[:place]
    for entry in entries[place:]:
        more = facts if entry is entries[place] else {}
        body = canonical({**json.loads(entry.body), **more})
        chain.append(seal(chain[-1], time=entry.time, kind=entry.kind, body=body))
    for path in folder.project.glob("ledger.head*"):
        path.unlink()
    with sqlite3.connect(folder.project / "ledger.sqlite") as connection:
        connection.execute("DELETE FROM event")
        connection.executemany(
            "INSERT INTO event VALUES ('main', ?, ?, ?, ?, ?, ?)",
            [(e.seq, e.time, e.kind, e.body, e.previous, e.hash) for e in chain],
        )


def test_the_look_that_refuted_a_claim_is_judged_again(folder) -> None:
    """The gate repeats its numbers: a look that was made up named 7 labels, and the gate did too."""
    folder.edit("f1 >= 0.8", "f1 >= 0.99")
    folder.lock()
    folder.label()
    assert folder.only()["outcome"] == "refuted"
    _other_last_look(folder, labels=7)
    assert folder.only()["outcome"] == "tampered"
    assert "The field 'labels' of event" in folder.only()["reason"]


def test_a_refutation_that_no_look_shows_is_none(folder) -> None:
    """The last look says that the claim goes on, and yet its plan is closed as refuted."""
    folder.edit("f1 >= 0.8", "f1 >= 0.99")
    folder.lock()
    folder.label()
    look = json.loads(
        next(
            entry.body
            for entry in reversed(Project(folder=folder.project).ledger.entries())
            if entry.kind == "Looked"
        )
    )
    rows = [{**look["rows"][0], "decision": "continue"}]
    _other_last_look(folder, rows=rows)
    assert folder.only()["outcome"] == "tampered"
    assert "no look before it shows that" in folder.only()["reason"]
