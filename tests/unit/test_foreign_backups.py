"""Backups, ledgers and addresses from somebody who means harm, and what they cannot do."""

import gzip
import hashlib
import io
import json
import sqlite3
import stat
import subprocess
import sys
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from assaymark.ledger import open_ledger
from assaymark.ledger.events.chain import START, entry_hash
from assaymark.project.restore import restore
from worlds_on_disk import Answer, World

Run = Callable[..., Answer]
Members = list[tuple[tarfile.TarInfo, bytes]]


@pytest.fixture
def archive(labelled: Path, tmp_path: Path, assaymark: Run) -> Path:
    """A good backup of a project with labels."""
    path = tmp_path / "b.tar.gz"
    assert assaymark("backup", "-o", path, "-p", labelled).code == 0
    return path


def members_of(archive: Path) -> Members:
    with tarfile.open(archive) as old:
        return [(member, old.extractfile(member).read()) for member in old]  # type: ignore[union-attr]


def write_archive(archive: Path, members: Members) -> None:
    with tarfile.open(archive, "w:gz") as new:
        for member, content in members:
            member.size = len(content)
            new.addfile(member, io.BytesIO(content))


def smuggle(
    archive: Path, name: str, content: bytes, *, times: int = 1, kind: bytes = b"0"
) -> None:
    """Put one more file into the archive, listed in its manifest as if it belonged there."""
    members = members_of(archive)
    manifest = json.loads(members[0][1])
    said = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    manifest["files"][name] = said
    members[0] = (members[0][0], json.dumps(manifest).encode())
    for _ in range(times):
        member = tarfile.TarInfo(f"files/{name}")
        member.type = kind
        member.linkname = "/etc/passwd"
        members.append((member, content if kind == b"0" else b""))
    write_archive(archive, members)


def names_under(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.mark.parametrize(
    "name",
    [
        "/{outside}",
        "../outside",
        "a/../../outside",
        "a//b",
        "a/./b",
        "",
        "a/",
        "..\\outside",
        "C:outside",
        "a/C:outside",
        "users.json.",
        "users.json ",
        "reserve /x",
        "users.json::$DATA",
        "a\nb",
        "project.json",
        "Project.JSON",
        "serve.key",
        "serve.ended",
        "users.json",
        "connections.json",
        "hooks-sent.json",
        "ledger.sqlite",
        "ledger.sqlite-wal",
        "other.sqlite",
        "ledger.head",
        ".git/config",
    ],
)
def test_a_backup_writes_nothing_but_files_of_a_project(
    name: str, archive: Path, tmp_path: Path, assaymark: Run
) -> None:
    target = tmp_path / "outside"
    smuggle(archive, name.replace("{outside}", str(target)), b"harm")
    before = names_under(tmp_path)
    done = assaymark("restore", archive, tmp_path / "deep" / "again")
    assert done.code == 1, done.err
    assert "no file of ours" in done.err
    assert names_under(tmp_path) == before, "nothing is left behind"


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, b"6", b"S"])
def test_only_plain_files_are_restored(
    kind: bytes, archive: Path, tmp_path: Path, assaymark: Run
) -> None:
    smuggle(archive, "x", b"", kind=kind)
    done = assaymark("restore", archive, tmp_path / "again")
    assert done.code in (1, 2), done.err
    assert not (tmp_path / "again").exists()


def test_a_name_comes_once(archive: Path, tmp_path: Path, assaymark: Run) -> None:
    smuggle(archive, "x", b"twice", times=2)
    done = assaymark("restore", archive, tmp_path / "again")
    assert "each once" in done.err
    assert not (tmp_path / "again").exists()


def test_a_member_longer_than_its_manifest_says_is_refused(
    archive: Path, tmp_path: Path, assaymark: Run
) -> None:
    smuggle(archive, "x", b"short")
    members = members_of(archive)
    members[-1] = (members[-1][0], b"short and more")
    write_archive(archive, members)
    done = assaymark("restore", archive, tmp_path / "again")
    assert "longer than 5 bytes" in done.err
    assert not (tmp_path / "again").exists()


SMALL = """
import resource, sys
from pathlib import Path
from assaymark.project.restore import restore
taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + int(sys.argv[3]),) * 2)
restore(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.mark.parametrize("where", ["file", "header"])
def test_a_small_archive_cannot_take_all_memory(where: str, archive: Path, tmp_path: Path) -> None:
    """120 MB of zeros, as a file and as the header of one, restored with 60 MB to spare."""
    zeros = bytes(120_000_000)
    if where == "file":
        smuggle(archive, "x", zeros)
    else:
        members = members_of(archive)
        member = tarfile.TarInfo("././@LongLink")
        member.type = tarfile.GNUTYPE_LONGNAME
        write_archive(archive, [*members, (member, zeros)])
    del zeros
    assert archive.stat().st_size < 1_000_000
    found = subprocess.run(
        [sys.executable, "-c", SMALL, str(archive), str(tmp_path / "again"), str(60 << 20)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "MemoryError" not in found.stderr
    assert (found.returncode == 0) == (where == "file"), found.stderr
    if where == "header":
        assert "header of unheard-of length" in found.stderr


@pytest.mark.parametrize("said", ["all of it", "a part of it"])
def test_events_that_say_nothing_take_no_memory(said: str, archive: Path, tmp_path: Path) -> None:
    """90 MB of blanks in three chained events: refused by their number, or at the first of them."""
    members = members_of(archive)
    manifest, (member, _) = json.loads(members[0][1]), members[1]
    with gzip.open(tmp_path / "lines", "wb", compresslevel=1) as stream:
        previous, length = START, 0
        for seq in range(1, 4):
            body = "{" + " " * 30_000_000 + "}"
            now = entry_hash(previous, seq, "x", "LabelRecorded", body)
            entry = {"seq": seq, "time": "x", "kind": "LabelRecorded", "body": body,
                     "previous": previous, "hash": now}  # fmt: skip
            length += stream.write(json.dumps(entry).encode() + b"\n")
            previous = now
    manifest |= {"bytes": length if said == "all of it" else 60_000_000, "events": 3}
    with gzip.open(tmp_path / "lines") as lines, tarfile.open(archive, "w:gz") as new:
        text = json.dumps(manifest).encode()
        members[0][0].size, member.size = len(text), manifest["bytes"]
        new.addfile(members[0][0], io.BytesIO(text))
        new.addfile(member, lines)
    found = subprocess.run(
        [sys.executable, "-c", SMALL, str(archive), str(tmp_path / "again"), str(400 << 20)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "MemoryError" not in found.stderr
    told = (
        "90 MB of events cannot lie in" if said == "all of it" else "'LabelRecorded' cannot be read"
    )
    assert told in found.stderr, found.stderr[-400:]


def test_a_backup_that_does_not_fit_is_refused_before_it_is_unpacked(
    archive: Path, tmp_path: Path, assaymark: Run
) -> None:
    members = members_of(archive)
    manifest = json.loads(members[0][1])
    manifest["files"]["x"] = {"sha256": "0" * 64, "size": 10**18}
    members[0] = (members[0][0], json.dumps(manifest).encode())
    write_archive(archive, members)
    assert "GB are free" in assaymark("restore", archive, tmp_path / "again").err


@pytest.mark.parametrize(
    "harm",
    [
        "CREATE TRIGGER swallow BEFORE INSERT ON event BEGIN SELECT RAISE(IGNORE); END",
        "CREATE VIEW seen AS SELECT * FROM event",
        "CREATE TABLE other (x)",
        "CREATE INDEX i ON event (kind)",
        "ALTER TABLE event ADD COLUMN more",
    ],
    ids=["trigger", "view", "table", "index", "column"],
)
def test_a_ledger_with_anything_but_our_tables_is_not_opened(
    harm: str, labelled: Path, tmp_path: Path, assaymark: Run
) -> None:
    with closing(sqlite3.connect(labelled / "ledger.sqlite")) as connection:
        connection.execute(harm)
    for command in (
        ("check", "-p", labelled),
        ("status", "-p", labelled),
        ("label", tmp_path / "labels.csv", "-p", labelled),
    ):
        done = assaymark(*command)
        assert done.code == 1
        assert "is not one that assaymark made" in done.out + done.err


@pytest.mark.parametrize(
    ("harm", "sentence"),
    [
        ("PRAGMA user_version = -1", "The ledger has schema -1"),
        ("UPDATE event SET time = CAST(time AS BLOB) WHERE seq = 3", "do not match its hash"),
        ("UPDATE event SET kind = X'ff' WHERE seq = 3", "do not match its hash"),
        ("UPDATE event SET body = CAST(body AS BLOB) WHERE seq = 3", "do not match its hash"),
        ("UPDATE event SET seq = 9e999 WHERE seq = 3", "event 3 is missing or out of place"),
    ],
)
def test_values_of_another_kind_in_a_ledger_get_one_sentence(
    harm: str, sentence: str, labelled: Path, tmp_path: Path, assaymark: Run
) -> None:
    with closing(sqlite3.connect(labelled / "ledger.sqlite")) as connection:
        connection.execute(harm)
        connection.commit()
    for command in (("check",), ("status",), ("label", tmp_path / "labels.csv")):
        done = assaymark(*command, "-p", labelled)
        assert done.code in (1, 2)
        assert sentence in done.out + done.err


@pytest.mark.parametrize(
    "address", ["../x.sqlite", "sub/x.sqlite", "/tmp/x.sqlite", "certificate.json", "", ".sqlite"]
)
def test_a_ledger_is_moved_only_to_where_the_project_finds_it(
    address: str, labelled: Path, tmp_path: Path, assaymark: Run
) -> None:
    before = names_under(tmp_path)
    done = assaymark("move", "--ledger", address, "-p", labelled)
    assert done.code == 2
    assert "cannot be kept at" in done.err
    assert assaymark("join", tmp_path / "joined", "--ledger", address).code == 2
    assert names_under(tmp_path) - before <= {"work/ledger.lock"}
    assert assaymark("look", "-p", labelled).code == 0


def test_a_moved_ledger_is_read_back_before_the_old_one_ends(
    labelled: Path, assaymark: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assaymark.project import move

    genuine = move.named_ledger
    found = assaymark("move", "--ledger", "second.sqlite", "-p", labelled)
    assert found.code == 0, found.err
    assert assaymark("check", "-p", labelled).code == 0
    monkeypatch.setattr(move, "copy_entries", lambda entries, new: None)
    lost = assaymark("move", "--ledger", "third.sqlite", "-p", labelled)
    assert "does not hold what was written to it" in lost.err
    assert genuine("second.sqlite", labelled).entries()
    assert assaymark("look", "-p", labelled).code == 0


@pytest.mark.parametrize(
    "address",
    [
        "host=db password=hush",
        "postgresql:kim:hush@db/x",
        "postgresql://kim:pa#hush@db/x",
        "postgresql://kim@db/x#n?password=hush",
        "postgresql://db/x?hush",
        "postgresql://db/x\ud800hush",
    ],
)
def test_what_may_be_a_password_is_not_shown(address: str, labelled: Path, assaymark: Run) -> None:
    done = assaymark("move", "--ledger", address, "-p", labelled)
    assert done.code == 2
    assert "hush" not in done.err + done.out


def test_the_address_of_a_database_on_this_machine_stays_as_it_was_written(tmp_path: Path) -> None:
    """postgresql:///x is a database behind a socket; it became postgresql:/x."""
    address = "postgresql:///x?host=/run/postgresql#n"
    assert open_ledger(address, folder=tmp_path, name="w").address == address


@pytest.mark.parametrize(
    "key",
    [
        "password",
        "sslpassword",
        "passfile",
        "PassWord",
        "pass%77ord",
        "password%20",
        "scram_client_key",
    ],
)
def test_secrets_in_the_query_of_an_address_are_refused(
    key: str, world: World, labelled: Path, assaymark: Run
) -> None:
    done = assaymark("move", "--ledger", f"postgresql://kim@db/x?{key}=hush#n", "-p", labelled)
    assert done.code == 2
    assert "out of the ledger's address" in done.err
    assert "hush" not in done.err + done.out


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_a_project_writes_is_its_owners(
    world: World, archive: Path, labelled: Path, tmp_path: Path, assaymark: Run
) -> None:
    assert mode(labelled) == 0o700
    assert mode(tmp_path / "b.csv") == mode(archive) == 0o600
    assert assaymark("move", "--ledger", "second.sqlite", "-p", labelled).code == 0
    assert mode(labelled / "project.json") == 0o600
    restore(archive, tmp_path / "again")
    assert mode(tmp_path / "again") == 0o700
