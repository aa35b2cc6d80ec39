"""The files that users copy do what they say: their commands are run as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


def _shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    here = Path(sys.executable).parent
    settings = {
        **os.environ,
        "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "PYTHONUTF8": "1",
    }
    return subprocess.run(
        ["sh", "-c", line], cwd=folder, env=settings, capture_output=True, encoding="utf-8",
        timeout=600, check=False,
    )  # fmt: skip


def _steps(name: str) -> list[str]:
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    return re.findall(r"^ +(?:- )?run: (.+)$", text, re.MULTILINE)


@pytest.mark.parametrize(("changed", "code"), [(False, 0), (True, 5)])
def test_the_workflow_for_github_actions(certified, tmp_path, changed, code) -> None:
    if changed:
        certified.edit("sha256:11", "sha256:12")
    install, gate, summary = _steps("gate.yml")
    assert install == "pip install assaymark"
    done = _shell(gate, tmp_path)
    assert done.returncode == code, done.stderr
    assert _shell(summary, tmp_path).returncode == 0
    assert "assaymark gate:" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert (tmp_path / "gate.xml").exists()
    assert (tmp_path / "gate.sarif").exists()


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("# none", "# none", 0),
        ("sha256:11", "sha256:12", 0),
        ("0.95", "0.9", 6),
        ("name =", "x", 2),
    ],
)
def test_the_hook_stops_what_was_tampered_with_and_nothing_else(
    certified, tmp_path, before, after, code
) -> None:
    if before != after:
        certified.edit(before, after)
    assert _shell(str(EXAMPLES / "pre-commit"), tmp_path).returncode == code


def test_the_hook_of_the_framework_runs_the_same_file() -> None:
    text = (EXAMPLES / "pre-commit-config.yaml").read_text(encoding="utf-8")
    assert "entry: sh hooks/assaymark-gate\n" in text
    assert "pass_filenames: false\n" in text
