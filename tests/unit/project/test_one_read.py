"""A command reads the ledger once, and nothing that a project remembers changes an answer."""

from collections import Counter

import pytest

from assaymark.certification.looks import look
from assaymark.errors import PlanError
from assaymark.ledger.events import chain, replay
from assaymark.project.folder import Project
from worlds_on_disk import write_labels


@pytest.fixture
def decoded(monkeypatch) -> Counter[str]:
    """How often events of each kind were decoded."""
    found: Counter[str] = Counter()
    read = chain.read_event

    def counting(kind: str, body: str) -> object:
        found[kind] += 1
        return read(kind, body)

    monkeypatch.setattr(chain, "read_event", counting)
    return found


def test_every_command_decodes_the_ledger_once(assaymark, project, world, tmp_path, decoded):
    labels = tmp_path / "l.csv"
    commands = (
        ("plan", "f1 >= 0.5", "--seed", "s", "-p", project),
        ("draw", 200, "-o", tmp_path / "b.csv", "-p", project, "--json"),
        ("label", labels, "-p", project),
        ("status", "-p", project),
        ("look", "-p", project),
        ("certify", "-p", project),
        ("verify", project / "certificate.json", "-p", project),
        ("report", "-o", tmp_path / "report.html", "-p", project),
    )
    for command in commands:
        decoded.clear()
        done = assaymark(*command)
        assert done.code == 0, done.err
        assert decoded["PoolRegistered"] == 1, command
        if command[0] == "draw":
            write_labels(labels, {item: world.truth[item] for item in done.json["items"]})


def test_what_others_wrote_meanwhile_is_read_on(labelled):
    one, other = Project(folder=labelled), Project(folder=labelled)
    before = len(one.state().attempts[0].looks)
    look(other)
    assert len(one.state().attempts[0].looks) == before + 1
    assert one.state() == other.state() == replay(one.ledger.entries())


def spoil(project: Project) -> None:
    """A step that changes the state at hand and fails."""
    with project.read_once(), project.writing() as session:
        session.state.answers.clear()
        raise PlanError("refused")


def test_a_step_that_fails_leaves_nothing_behind(labelled):
    project = Project(folder=labelled)
    project.state()
    with pytest.raises(PlanError):
        spoil(project)
    assert project.state() == replay(project.ledger.entries())


def test_a_copy_goes_on_apart(labelled):
    state = Project(folder=labelled).state()
    twin = state.copy()
    item = next(iter(twin.answers))
    twin.answers.give(item, "somebody", 1)
    twin.attempts[0].order.clear()
    assert state == Project(folder=labelled).state()
    assert twin != state


def test_one_step_reads_once_and_knows_what_it_wrote(labelled, monkeypatch):
    project, other = Project(folder=labelled), Project(folder=labelled)
    with project.read_once() as state:
        before = len(state.attempts[0].looks)
        look(other)
        assert len(project.state().attempts[0].looks) == before  # one reading for the whole step
        look(project)  # a write meets what came between, and its own event is known at once
        monkeypatch.setattr(type(project.ledger), "entries", None)
        assert len(project.state().attempts[0].looks) == before + 2
        monkeypatch.undo()
    assert project.state() == replay(project.ledger.entries())


def test_a_write_that_fails_ends_the_one_reading(labelled):
    project = Project(folder=labelled)
    with project.read_once():
        with pytest.raises(PlanError):
            spoil(project)
        assert project.state() == replay(project.ledger.entries())
