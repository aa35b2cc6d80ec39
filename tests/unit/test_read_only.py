"""A project on a disk that can only be read: it answers, and says why it records nothing."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assaymark.errors import LedgerError
from assaymark.ledger.head import settle_heads
from assaymark.ledger.sqlite import SqliteLedger
from worlds_on_disk import Answer, World

Run = Callable[..., Answer]


@pytest.fixture
def sealed(
    labelled: Path, tmp_path: Path, assaymark: Run, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A certified project that nobody may write to; for the superuser too, who ignores rights."""
    assert assaymark("look", "-p", labelled).code == 0
    assert assaymark("certify", "-p", labelled).code == 0
    settle_heads()
    for place in (labelled / "ledger.sqlite", labelled):
        place.chmod(place.stat().st_mode & ~0o222)
    if os.access(
        labelled, os.W_OK
    ):  # the superuser: let the question be answered as on such a disk
        genuine = os.access
        monkeypatch.setattr(
            os, "access", lambda path, mode: mode != os.W_OK and genuine(path, mode)
        )
    yield labelled
    labelled.chmod(0o700)


def test_everything_that_reads_works(sealed: Path, tmp_path: Path, assaymark: Run) -> None:
    for command in (
        ("status",), ("check",), ("verify", sealed / "certificate.json"),
        ("report", "-o", tmp_path / "r.html"),
    ):  # fmt: skip
        done = assaymark(*command, "-p", sealed)
        assert done.code == 0, (command, done.out, done.err)


def test_what_would_be_recorded_is_refused_in_one_sentence(
    sealed: Path, tmp_path: Path, assaymark: Run
) -> None:
    before = sorted(path.name for path in sealed.iterdir())
    done = assaymark("label", tmp_path / "labels.csv", "-p", sealed)
    assert done.code == 2
    assert "Nothing can be recorded: ledger.sqlite lies on a disk" in done.err
    assert sorted(path.name for path in sealed.iterdir()) == before


def test_a_write_ahead_log_on_such_a_disk_is_read_too(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy of file and log taken while a server held them: the file alone lacks events."""
    from assaymark.certification.sealing import PlanRequest, seal_plan
    from assaymark.claims.ratio_metrics import parse_claim
    from assaymark.project.folder import Project

    copy = tmp_path / "copy"
    copy.mkdir()
    with SqliteLedger(project / "ledger.sqlite").held():
        seal_plan(Project(folder=project), PlanRequest(claim=parse_claim("f1 >= 0.8")))
        for name in ("ledger.sqlite", "ledger.sqlite-wal"):
            shutil.copy(project / name, copy / name)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    here = SqliteLedger(copy / "ledger.sqlite")
    monkeypatch.setattr(SqliteLedger, "_answers", lambda self: False)  # as on a true one
    assert here.entries() == SqliteLedger(project / "ledger.sqlite").entries()
    with pytest.raises(LedgerError, match="can only be read"), here.writing():
        pass


def test_an_idle_server_brings_everything_into_the_one_file(project: Path, tmp_path: Path) -> None:
    import time

    from assaymark.certification.sealing import PlanRequest, seal_plan
    from assaymark.claims.ratio_metrics import parse_claim
    from assaymark.project.folder import Project

    ledger = SqliteLedger(project / "ledger.sqlite")
    with ledger.held():
        seal_plan(Project(folder=project), PlanRequest(claim=parse_claim("f1 >= 0.8")))
        wanted, end = ledger.entries(), time.monotonic() + 600
        while time.monotonic() < end:
            shutil.copy(project / "ledger.sqlite", tmp_path / "alone.sqlite")
            if SqliteLedger(tmp_path / "alone.sqlite").entries() == wanted:
                break
            time.sleep(0.2)
        else:
            pytest.fail("the file alone never had all events")


def test_an_unprivileged_reader_can_verify(
    labelled: Path, world: World, tmp_path: Path, assaymark: Run
) -> None:
    """The same without any pretence, where this runs as the superuser and others can start Python."""
    if os.geteuid() != 0:
        pytest.skip("only the superuser can become somebody else")
    assert assaymark("look", "-p", labelled).code == 0
    assert assaymark("certify", "-p", labelled).code == 0

    def somebody() -> None:
        os.setgid(65534)
        os.setuid(65534)

    def run(*line: str) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                [sys.executable, "-m", "assaymark", *line],
                capture_output=True, text=True, check=False, preexec_fn=somebody, cwd="/",
            )  # fmt: skip
        except (PermissionError, subprocess.SubprocessError):
            pytest.skip("other users cannot start this Python")

    if run("--version").returncode:
        pytest.skip("other users cannot start this Python")
    for place in (*tmp_path.rglob("*"), tmp_path, *tmp_path.parents[:2]):
        place.chmod(place.stat().st_mode | (0o055 if place.is_dir() else 0o044))
    for command in (["status"], ["verify", str(labelled / "certificate.json")], ["check"]):
        done = run(*command, "-p", str(labelled))
        assert done.returncode == 0, (done.stdout, done.stderr)
    done = run("label", str(tmp_path / "labels.csv"), "-p", str(labelled))
    assert (done.returncode, "Nothing can be recorded" in done.stderr) == (2, True), done.stderr
