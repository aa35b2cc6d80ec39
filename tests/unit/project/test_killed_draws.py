"""A draw that is killed between the file of its batch and its event does not block the next one."""

import os
import signal
import subprocess
import sys

import pytest

from assaymark.project.folder import Project

KILLED = """
import os, signal, sys
from assaymark.cli import main
from assaymark.ledger.rows import RowWriter

def killed(self, *events, **named):
    os.kill(os.getpid(), signal.SIGKILL)

RowWriter.append = killed
sys.argv = ["assaymark", *sys.argv[1:]]
main()
"""
PLANS = {
    "a claim": (("plan", "accuracy >= 0.7", "--mode", "fixed", "--budget", 20), "batch-1-1.csv"),
    "an estimate": (("plan", "--estimate", "accuracy", "--budget", 20), "survey-1-1.csv"),
}


@pytest.fixture(params=PLANS)
def killed(request, assaymark, project):
    """A project whose draw of seven items ended after the file and before the event."""
    plan, file = PLANS[request.param]
    assert assaymark(*plan, "--seed", "s", "-p", project).code == 0
    before = len(Project(folder=project).ledger.entries())
    command = [sys.executable, "-c", KILLED, "draw", "7", "-p", project]
    assert subprocess.run(command, env=os.environ, check=False).returncode == -signal.SIGKILL
    assert (project / file).exists(), "killed at another point than this test is about"
    assert len(Project(folder=project).ledger.entries()) == before
    return project, project / file


@pytest.mark.parametrize("count", [7, 5], ids=["as many", "fewer"])
def test_the_next_draw_knows_its_unfinished_file_and_goes_on(assaymark, killed, count) -> None:
    project, file = killed
    drawn = assaymark("draw", count, "-p", project, "--json")
    assert drawn.code == 0, drawn.err
    rows = file.read_text(encoding="utf-8").splitlines()[1:]
    assert sorted(row.split(",")[0] for row in rows) == sorted(drawn.json["items"])
    assert len(rows) == count
    assert assaymark("draw", 2, "-p", project).code == 0
    assert [path.name for path in project.glob(".*part*")] == []


def test_what_somebody_wrote_into_it_or_put_in_its_place_stays(assaymark, killed) -> None:
    project, file = killed
    touched = file.read_text(encoding="utf-8").replace(",,", ",1,", 1) + " "
    file.write_text(touched, encoding="utf-8")
    refused = assaymark("draw", 7, "-p", project)
    assert refused.code == 2
    assert "exists already and may hold labels" in refused.err
    assert file.read_text(encoding="utf-8") == touched


def test_a_batch_that_was_recorded_is_never_written_over(assaymark, project, tmp_path) -> None:
    plan = ("plan", "accuracy >= 0.7", "--mode", "fixed", "--budget", 20, "--seed", "s")
    assert assaymark(*plan, "-p", project).code == 0
    first = assaymark("draw", 7, "-o", tmp_path / "b.csv", "-p", project)
    assert first.code == 0
    content = (tmp_path / "b.csv").read_bytes()
    assert assaymark("draw", 7, "-o", tmp_path / "b.csv", "-p", project).code == 2
    assert (tmp_path / "b.csv").read_bytes() == content
