"""The pytest plugin, in pytest runs of their own."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

PLUGIN = "assaymark.monitoring.pytest_plugin"
TESTS = """
import pytest
from assaymark import assert_certified

def test_function():
    assert_certified("claims/toxicity.toml", today="2027-01-01")

def test_fixture(assaymark_gate):
    assert assaymark_gate("claims", today="2027-01-01").claims[0].labels > 0

@pytest.mark.assaymark(undecided="xfail")
def test_mark():
    assert_certified("claims/toxicity.toml", today="2027-01-01")
"""


def _run(place: Path, text: str, *options: str) -> str:
    (place / "test_release.py").write_text(text, encoding="utf-8")
    installed = any(point.value == PLUGIN for point in entry_points(group="pytest11"))
    plugin = [] if installed else ["-p", PLUGIN]
    settings = {**os.environ, "PYTHONUTF8": "1", "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *plugin, *options, "test_release.py"],
        cwd=place, env=settings, capture_output=True, encoding="utf-8", timeout=600, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def test_a_certified_claim_passes_and_a_stale_one_fails_with_its_reason(
    certified, tmp_path
) -> None:
    assert "3 passed" in _run(tmp_path, TESTS, "--strict-markers")
    certified.edit("sha256:11", "sha256:12")
    out = _run(tmp_path, TESTS)
    assert "3 failed" in out, "stale is no matter of opinion"
    assert "toxicity is stale (f1 >= 0.8): The classifier changed: model." in out


def test_an_undecided_claim_fails_or_is_expected_to(folder, tmp_path) -> None:
    assert "2 failed, 1 xfailed" in _run(tmp_path, TESTS, "--strict-markers")
    assert "3 xfailed" in _run(tmp_path, TESTS, "-o", "assaymark_undecided=xfail")


def test_runs_that_do_not_use_it_load_nothing_heavy(tmp_path) -> None:
    text = "import sys\n\ndef test_it():\n    assert 'numpy' not in sys.modules\n"
    text += "    assert 'assaymark.monitoring.gate' not in sys.modules\n"
    assert "1 passed" in _run(tmp_path, text)


def test_the_entry_point_is_declared() -> None:
    text = (Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    assert f'[project.entry-points.pytest11]\nassaymark = "{PLUGIN}"' in text
