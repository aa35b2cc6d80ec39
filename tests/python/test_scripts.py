"""What a new user writes for each task runs as it stands, and type checkers find nothing in it."""

import contextlib
import importlib.util
import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.py"))


def _run(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_script_runs_without_a_warning(
    script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the main module of this process, where warnings are errors; the release check starts each."""
    with contextlib.chdir(tmp_path):
        runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_a_script_runs_in_an_interpreter_of_its_own(tmp_path: Path) -> None:
    """The first import meets no warning either."""
    done = _run("-W", "error", SCRIPTS[0], folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_pyright_finds_nothing_in_the_scripts(tmp_path: Path) -> None:
    """mypy reads them with the source, in `make lint`."""
    if importlib.util.find_spec("basedpyright") is None:
        pytest.skip("basedpyright is not installed")
    config = tmp_path / "pyrightconfig.json"
    settings = {
        "typeCheckingMode": "standard",
        "reportMissingTypeStubs": False,
        "useLibraryCodeForTypes": False,  # guessing the types of untyped packages took half the time
    }
    config.write_text(json.dumps(settings), encoding="utf-8")
    done = _run(
        "-m", "basedpyright", "--project", config, "--pythonpath", sys.executable, *SCRIPTS,
        folder=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
