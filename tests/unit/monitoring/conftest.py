"""A claim file with its pool, for every test of the gate."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assaymark.certification.drawing import draw_batch
from assaymark.certification.issuing import certify
from assaymark.certification.looks import look
from assaymark.labelling.recording import label_file
from assaymark.ledger.head import settle_heads
from assaymark.monitoring.locking import lock
from assaymark.project.folder import Project
from worlds_on_disk import Answer, write_labels

sys.path.insert(0, str(Path(__file__).parent))
from claims_on_disk import Folder, existing_folder, write_folder


@pytest.fixture
def folder(tmp_path: Path, assaymark: Callable[..., Answer]) -> Folder:
    return write_folder(tmp_path, assaymark)


@pytest.fixture(scope="session")
def certified_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certified claim, made once; every test works on its own copy."""
    place = tmp_path_factory.mktemp("certified")
    folder = write_folder(place, run=lambda *_: pytest.fail("no command line here"))
    lock(folder.claim, seed="s")
    project = Project(folder=folder.project)
    while look(project).verdict.decision == "continue":
        draw_batch(project)
        state = project.state()
        waiting = [item for item in state.attempt.order if not state.labelled(item)]
        truth = {item: folder.world.truth[item] for item in waiting}
        label_file(project, write_labels(place / "labels.csv", truth))
    certify(project)
    settle_heads()
    return place


@pytest.fixture
def certified(certified_place: Path, tmp_path: Path, assaymark: Callable[..., Answer]) -> Folder:
    shutil.copytree(certified_place, tmp_path, dirs_exist_ok=True)
    return existing_folder(tmp_path, assaymark)
