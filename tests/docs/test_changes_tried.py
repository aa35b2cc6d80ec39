"""Every change of the table in CONTRIBUTING, made in a copy of the source and used.

A copy is edited in the files that the table names and in no other; files of the change's own, such
as the module of a command, come on top. What is then run fails where the change did not take.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import DOCS
from tried_changes import TRIALS, Trial

sys.path.insert(0, str(DOCS))
from changes import CHANGES, file_of

SOURCE = DOCS.parent / "src" / "assaymark"
PATIENCE = 600  # seconds; guards against hanging only


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source, to be changed at will."""
    target = tmp_path_factory.mktemp("changed") / "assaymark"
    shutil.copytree(SOURCE, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target


@pytest.fixture
def changed(copy: Path, request: pytest.FixtureRequest) -> Iterator[Trial]:
    """The copy with one change in it, which is taken back afterwards."""
    trial: Trial = request.param
    before = {copy / name: (copy / name).read_text(encoding="utf-8") for name in trial.edits}
    for path, text in before.items():
        for old, new in trial.edits[path.relative_to(copy).as_posix()].items():
            assert text.count(old) == 1, f"{path.name}: {old}"
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
    own = [copy / name for name in trial.own]
    for path, text in zip(own, trial.own.values(), strict=True):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    yield trial
    for path, text in before.items():
        path.write_text(text, encoding="utf-8")
    for path in own:
        path.unlink()


def _run(trial: Trial, copy: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    words = f"import assaymark\nprint(assaymark.__file__)\n{trial.works}"
    return subprocess.run(
        [sys.executable, "-B", "-c", words],
        env={**os.environ, "PYTHONPATH": str(copy.parent), "ASSAYMARK_DEBUG": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize("changed", TRIALS, indirect=True, ids=lambda trial: trial.change)
def test_a_change_takes_the_files_of_the_table_and_no_other(
    changed: Trial, copy: Path, tmp_path: Path
) -> None:
    done = _run(changed, copy, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(str(copy))


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.change)
def test_without_the_change_it_does_not_work(trial: Trial, copy: Path, tmp_path: Path) -> None:
    assert _run(trial, copy, tmp_path).returncode == 1


def test_every_change_was_tried_in_the_files_that_the_table_names() -> None:
    files = {change.name: {file_of(at) for at in change.places} for change in CHANGES}
    tried = {trial.change: set(trial.edits) for trial in TRIALS}
    del files["mode"]  # tests/contracts/test_mode_objects.py holds each to its contract
    elsewhere = {
        "plug-in": set(),  # a package of its own
        "event": {"ledger/events/witnesses.py"},  # beside its class
    }
    assert tried == files | elsewhere
