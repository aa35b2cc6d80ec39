"""What a new user writes for each task runs as it stands, and type checkers find nothing in it."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.py"))


def _run(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_script_runs_without_a_warning(script: Path, tmp_path: Path) -> None:
    done = _run("-W", "error", script, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert list(tmp_path.iterdir()) == []


def test_pyright_finds_nothing_in_the_scripts(tmp_path: Path) -> None:
    """mypy reads them with the source, in `make lint`."""
    if importlib.util.find_spec("basedpyright") is None:
        pytest.skip("basedpyright is not installed")
    config = tmp_path / "pyrightconfig.json"
    config.write_text(
        '{"typeCheckingMode": "standard", "reportMissingTypeStubs": false}', encoding="utf-8"
    )
    done = _run(
        "-m", "basedpyright", "--project", config, "--pythonpath", sys.executable, *SCRIPTS,
        folder=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
