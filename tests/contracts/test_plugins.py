"""Another package adds a label format, a learner and a pool engine; its mistakes touch nothing else."""

import json
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from assaymark import plugins
from worlds_on_disk import World

SOURCE = Path(__file__).parents[1] / "plugins"
PATIENCE = 600  # seconds; guards against hanging only


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a machine that has the plug-in."""
    target = tmp_path_factory.mktemp("plugin")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
           "--no-index", "--disable-pip-version-check", "--target", target, SOURCE]  # fmt: skip
    subprocess.run(list(map(str, pip)), check=True, timeout=PATIENCE, capture_output=True)
    return {**os.environ, "PYTHONPATH": str(target), "ASSAYMARK_DEBUG": "1"}


def _run(installed: dict[str, str], *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "assaymark", *map(str, words)]
    return subprocess.run(
        command, env=installed, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def test_a_project_is_worked_through_with_engine_and_format(
    installed: dict[str, str], world: World, tmp_path: Path
) -> None:
    work, batch = tmp_path / "work", tmp_path / "batch.pipes"
    begun = _run(installed, "init", work, "--pool", world.path, "--id", "id", "--score", "score",
                 "--threshold", 0.5, "--text", "body", "--engine", "memory")  # fmt: skip
    assert begun.returncode == 0, begun.stderr
    assert _run(installed, "plan", "f1 >= 0.7", "--seed", "s", "-p", work).returncode == 0
    drawn = _run(installed, "draw", 20, "-o", batch, "--format", "pipes", "-p", work)
    assert drawn.returncode == 0, drawn.stderr
    items = [line.removesuffix("|") for line in batch.read_text(encoding="utf-8").splitlines()]
    batch.write_text("".join(f"{item}|{world.truth[item]}\n" for item in items), encoding="utf-8")
    given = _run(installed, "label", batch, "--format", "pipes", "-p", work)
    assert given.returncode == 0, given.stderr


def test_the_learner_is_known_by_its_name(installed: dict[str, str]) -> None:
    line = (
        "from assaymark.learners.documents import load_factory; print(load_factory('tiny-bayes')())"
    )
    done = subprocess.run(
        [sys.executable, "-c", line], env=installed, capture_output=True, text=True, check=True
    )
    assert "MultinomialNB" in done.stdout


def test_the_policy_is_known_by_its_name(installed: dict[str, str]) -> None:
    line = (
        "from assaymark.training.stats.stopping_policy import POLICIES; "
        "print(POLICIES.find('policy', 'tiny-at-once')(None).action)"
    )
    done = subprocess.run(
        [sys.executable, "-c", line], env=installed, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "certify"


def test_mistakes_are_named_and_nothing_else_is_affected(
    installed: dict[str, str], tmp_path: Path
) -> None:
    told = _run(installed, "check", "-p", tmp_path, "--json")
    checks = {check["name"]: check for check in json.loads(told.stdout)["checks"]}
    assert checks["plug-ins"]["outcome"] == "failed"
    detail = checks["plug-ins"]["detail"]
    assert "csv of assaymark-tiny (the name 'csv' is in use already)" in detail
    assert "broken-format (TypeError: it must be a LabelFormat, got function)" in detail
    assert "broken-engine (ModuleNotFoundError: No module named 'tiny.missing')" in detail
    line = "from assaymark.files.tools import READERS; print(READERS['csv'].title, *READERS)"
    done = subprocess.run(
        [sys.executable, "-c", line], env=installed, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("a table in text")
    assert done.stdout.split()[-1] == "pipes"


def test_whoever_asks_for_a_refused_plug_in_is_told_why(
    installed: dict[str, str], world: World, tmp_path: Path
) -> None:
    done = _run(installed, "init", tmp_path / "work", "--pool", world.path, "--id", "id",
                "--engine", "broken-engine")  # fmt: skip
    assert done.returncode == 2
    assert "The plug-in 'broken-engine' of assaymark.engines is refused" in done.stderr
    assert "choose one of duckdb, spark, memory" in done.stderr


def test_plug_ins_that_end_the_program_or_take_one_anothers_names_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every other name goes on working, and each refusal has its own line."""
    (tmp_path / "quits.py").write_text("import sys\nsys.exit('no')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    offered = {"bad": ("quits:one", "json:missing"), "twin": ("json:dumps", "json:loads")}
    points = [
        EntryPoint(name=name, value=value, group="g") for name in offered for value in offered[name]
    ]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: points)
    found = plugins.Registry("g", {"own": len}, plugins.takes("x"))
    assert list(found) == ["own", "twin"]
    assert found["twin"] is json.dumps
    assert found.refused == {
        "bad": "AttributeError: module 'json' has no attribute 'missing'",
        "bad of quits": "SystemExit: no",
        "twin of json": "the name 'twin' is in use already",
    }
