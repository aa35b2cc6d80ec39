"""A replay of wealth that was kept between looks saves work, and never changes an answer."""

from pathlib import Path

import numpy as np
import pytest

from assaymark.certification.looks import look
from assaymark.certification.modes import judge
from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.ledger.events import replay
from assaymark.project import folder as project_folder
from assaymark.project import kept_state
from assaymark.project.folder import Project
from assaymark.stats.betting.race import Race
from assaymark.stats.score_guided import checkpoints


@pytest.fixture
def cache(monkeypatch, tmp_path) -> Path:
    """A cache of our own, in which even short replays are kept."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for module in (kept_state, project_folder):
        monkeypatch.setattr(module, "DRAWS", 1)
    return tmp_path / "cache" / "assaymark"


@pytest.fixture(params=[(), ("--mode", "budget", "--budget", 400)], ids=["anytime", "ceiling"])
def guided(request, project, world, assaymark, tmp_path) -> Path:
    """A score-guided plan with 120 labels."""
    plan = ("plan", "f1 >= 0.83", "--design", "score-guided", *request.param)
    assert assaymark(*plan, "-p", project).code == 0
    more_labels(assaymark, project, world, 120)
    return project


def more_labels(assaymark, project, world, count: int) -> None:
    wanted = len(Project(folder=project).state().attempts[-1].draws) + count
    while (missing := wanted - len(Project(folder=project).state().attempts[-1].draws)) > 0:
        batch = project.parent / f"batch-{wanted - missing}.csv"
        assert assaymark("draw", missing, "-o", batch, "-p", project).code == 0
        order = Project(folder=project).state().attempts[-1].order
        rows = [LabelRow(item=i, label=world.truth[i], annotator="a") for i in order]
        state = Project(folder=project).state()
        label(Project(folder=project), [row for row in rows if not state.labelled(row.item)])


def next_command() -> None:
    """Forget what a process that ended would have forgotten."""
    checkpoints._kept.clear()
    kept_state._taken_up.clear()


def fed(monkeypatch, project) -> tuple[object, int]:
    """The verdict of a look by command, and how many draws it replayed."""
    next_command()
    counts, feed = [], Race.feed
    with monkeypatch.context() as patch:
        patch.setattr(
            Race, "feed", lambda race, draws, **k: (counts.append(len(draws)), feed(race, draws, **k))[1]
        )  # fmt: skip
        verdict = look(Project(folder=project, resumes=True)).verdict
    return verdict, sum(counts)


def truth(project) -> object:
    """The verdict from the ledger alone."""
    state = replay(Project(folder=project).ledger.entries())
    checkpoints._kept.clear()
    return judge(state, state.attempts[-1])


def walk_file(cache: Path) -> Path:
    (file,) = cache.glob("*.state")  # the state of so short a ledger is not kept
    return file


def test_a_look_goes_on_from_the_last_block(monkeypatch, cache, guided, world, assaymark):
    first, whole = fed(monkeypatch, guided)
    assert whole >= 120
    again, none = fed(monkeypatch, guided)
    assert (again, none) == (first, 0)
    more_labels(assaymark, guided, world, 20)
    later, part = fed(monkeypatch, guided)
    assert later == truth(guided)
    assert part < 60 < whole


def test_a_label_that_was_changed_is_replayed(monkeypatch, cache, guided):
    before, whole = fed(monkeypatch, guided)
    state = Project(folder=guided).state()
    item = state.attempts[-1].order[2]
    row = LabelRow(item=item, label=1 - state.label(item), annotator="a")
    label(Project(folder=guided), [row], correct=True)
    after, replayed = fed(monkeypatch, guided)
    assert replayed == whole
    assert after == truth(guided) != before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(file.read_bytes()[:-1]),
        lambda file: file.write_bytes(file.read_bytes()[:200] + b"\0" + file.read_bytes()[201:]),
        lambda file: (file.parent / "key").write_bytes(b"y" * 32),
    ],
    ids=["empty", "cut", "flipped", "other key"],
)
def test_what_is_broken_or_forged_is_left_aside(monkeypatch, cache, guided, spoil):
    first, whole = fed(monkeypatch, guided)
    spoil(walk_file(cache))
    assert fed(monkeypatch, guided) == (first, whole)


def test_other_code_and_other_numbers_replay_everything(monkeypatch, cache, guided):
    first, whole = fed(monkeypatch, guided)
    with monkeypatch.context() as patch:
        patch.setattr(kept_state, "_code", lambda: b"another version")
        assert fed(monkeypatch, guided) == (first, whole)
    monkeypatch.setattr(np, "__version__", "0.0")
    assert fed(monkeypatch, guided) == (first, whole)


def test_what_proves_asks_for_nothing_kept(monkeypatch, cache, guided, assaymark):
    fed(monkeypatch, guided)
    asked = []
    monkeypatch.setattr(project_folder, "load_walk", asked.append)
    next_command()
    assert assaymark("check", "-p", guided).code == 0
    assaymark("certify", "-p", guided)
    assert asked == []
    assaymark("look", "-p", guided)
    assert len(asked) == 1
