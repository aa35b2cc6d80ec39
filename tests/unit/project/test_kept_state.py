"""A state that was kept between commands saves reading, and never changes an answer."""

import os
import pickle
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from assaymark.cli import cli
from assaymark.errors import AssaymarkError
from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.ledger.events import chain, replay
from assaymark.overview.check import check
from assaymark.project import folder as project_folder
from assaymark.project import kept_state
from assaymark.project.folder import Project


@pytest.fixture
def cache(monkeypatch, tmp_path) -> Path:
    """A cache of our own, in which even short ledgers are kept."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(project_folder, "FEWEST", 1)
    return tmp_path / "cache" / "assaymark"


def resumed(folder) -> Project:
    return Project(folder=folder, resumes=True)


def one_label(folder, who: str) -> None:
    """An append as the command makes it."""
    item = Project(folder=folder).state().attempts[-1].order[0]
    label(resumed(folder), [LabelRow(item=item, label=1, annotator=who)])


@pytest.fixture
def kept(cache, labelled) -> Path:
    """The one file that the cache holds after a label."""
    one_label(labelled, "a")
    (file,) = cache.glob("*.state")
    return file


def truth(folder):
    return replay(Project(folder=folder).ledger.entries())


def decoded_by_one_label(monkeypatch, folder, who: str) -> int:
    """How many events that were there before had to be decoded."""
    kinds = []
    read = chain.read_event
    item = truth(folder).attempts[-1].order[0]
    with monkeypatch.context() as patch:
        patch.setattr(chain, "read_event", lambda k, b: (kinds.append(k), read(k, b))[1])
        label(resumed(folder), [LabelRow(item=item, label=1, annotator=who)])
    return kinds.count("PoolRegistered")


def test_an_append_reads_on_from_what_was_kept(monkeypatch, labelled, kept):
    assert decoded_by_one_label(monkeypatch, labelled, "b") == 0
    assert resumed(labelled).state() == truth(labelled)


def test_a_look_by_command_reads_on_too(monkeypatch, labelled, kept):
    kinds = []
    read = chain.read_event
    monkeypatch.setattr(chain, "read_event", lambda k, b: (kinds.append(k), read(k, b))[1])
    said = CliRunner().invoke(cli, ["look", "-p", str(labelled)])
    assert "waiting for a decision" in str(said.exception)  # the answer of before differs from a's
    assert "PoolRegistered" not in kinds


def test_others_find_it_closed_to_them(kept):
    assert kept.stat().st_mode & 0o077 == 0
    assert (kept.parent / "key").stat().st_mode & 0o077 == 0


def forged(kept: Path) -> bytes:
    """A state in which nobody answered, sealed with a stranger's key."""
    state = pickle.loads(kept.read_bytes()[kept_state.MAC :])
    state.answers.clear()
    body = pickle.dumps(state)
    return kept_state._seal(b"x" * 32, "elsewhere", body) + body


@pytest.mark.parametrize(
    "spoil",
    [
        lambda kept: kept.write_bytes(b""),
        lambda kept: kept.write_bytes(kept.read_bytes()[:-1]),
        lambda kept: kept.write_bytes(kept.read_bytes()[:100] + b"\0" + kept.read_bytes()[101:]),
        lambda kept: kept.write_bytes(forged(kept)),
        lambda kept: (kept.parent / "key").write_bytes(b"y" * 32),
        lambda kept: (kept.parent / "key").unlink(),
        lambda kept: (kept.parent / "key").chmod(0o644),
    ],
    ids=["empty", "cut", "flipped", "forged", "other key", "no key", "open key"],
)
def test_what_is_broken_or_forged_is_left_aside(monkeypatch, labelled, kept, spoil):
    spoil(kept)
    assert decoded_by_one_label(monkeypatch, labelled, "b") == 1
    assert resumed(labelled).state() == truth(labelled)


def test_another_ledger_under_the_same_name_is_read_whole(labelled, kept, assaymark, world):
    """As after a restore: the kept state is of events that this ledger does not hold."""
    old = kept.read_bytes()
    for file in labelled.glob("ledger.*"):
        file.unlink()
    columns = ("--id", "id", "--score", "score", "--threshold", 0.5)
    assert assaymark("init", labelled, "--pool", world.path, *columns).code == 0
    kept.write_bytes(old)
    assert resumed(labelled).state() == truth(labelled)
    assert not resumed(labelled).state().attempts


def test_other_code_reads_the_ledger(monkeypatch, labelled, kept):
    monkeypatch.setattr(kept_state, "_code", lambda: b"another version")
    assert decoded_by_one_label(monkeypatch, labelled, "b") == 1


def test_where_nothing_can_be_kept_labels_are_taken_all_the_same(monkeypatch, labelled, tmp_path):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(project_folder, "FEWEST", 1)
    one_label(labelled, "a")
    assert resumed(labelled).state() == truth(labelled)


def test_what_proves_reads_everything(labelled, kept, assaymark, monkeypatch):
    """Even a kept state that fits is not asked by check, certify and verify."""
    monkeypatch.setattr(kept_state, "load_state", lambda _name: pytest.fail("asked"))
    monkeypatch.setattr(project_folder, "load_state", lambda _name: pytest.fail("asked"))
    assert all(found.outcome != "failed" for found in check(labelled))
    decided = Project(folder=labelled).state().attempts[-1].order[0]
    row = LabelRow(item=decided, label=1, annotator="lead")
    label(Project(folder=labelled), [row], adjudicate=True)
    assert assaymark("certify", "-p", labelled).code == 0
    assert assaymark("verify", labelled / "certificate.json", "-p", labelled).code == 0
    with pytest.raises((AssaymarkError, pytest.fail.Exception), match="asked"):
        resumed(labelled).state()


def test_what_nobody_read_for_a_month_is_deleted(labelled, kept):
    month_ago = time.time() - kept_state.UNUSED - 60
    unused, recent, cut_short = (kept.parent / n for n in ("a.state", "b.state", ".state-c"))
    for path in (unused, recent, cut_short):
        path.write_bytes(b"of another project")
    for path in (unused, cut_short):
        os.utime(path, (month_ago, month_ago))
    kept_state.keep_state("a ledger", truth(labelled))
    assert not unused.exists()
    assert not cut_short.exists()
    assert recent.exists()
    assert kept.exists()


def test_reading_keeps_it_for_another_month(monkeypatch, labelled, kept):
    month_ago = time.time() - kept_state.UNUSED - 60
    os.utime(kept, (month_ago, month_ago))
    decoded_by_one_label(monkeypatch, labelled, "b")
    kept_state.keep_state("a ledger", truth(labelled))
    assert kept.exists()
