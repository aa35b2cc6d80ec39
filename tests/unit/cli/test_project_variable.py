"""ASSAYMARK_PROJECT names the project wherever -p does not."""

from collections.abc import Callable
from pathlib import Path

import pytest

from worlds_on_disk import Answer, World

Run = Callable[..., Answer]


def test_it_is_the_default_of_the_option(
    project: Path, assaymark: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert assaymark("status").code == 2
    monkeypatch.setenv("ASSAYMARK_PROJECT", str(project))
    assert assaymark("status").code == 0


def test_the_option_wins(
    project: Path, tmp_path: Path, assaymark: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAYMARK_PROJECT", str(project))
    assert assaymark("status", "-p", tmp_path).code == 2


def test_commands_that_also_work_on_files_take_it_where_no_file_is_given(
    project: Path, world: World, assaymark: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAYMARK_PROJECT", str(project))
    assert "Give --dev" not in assaymark("triage").err  # the project has no labels for it
    on_file = assaymark(
        "recall", "--pool", world.path, "--id", "id", "--a", "prediction", "--b", "body"
    )
    assert "Give --draw N" in on_file.err


def test_verify_finds_the_ledger_by_it(
    labelled: Path, tmp_path: Path, assaymark: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = tmp_path / "elsewhere.json"
    assert assaymark("certify", "-o", certificate, "-p", labelled).code == 0
    assert assaymark("verify", certificate).code == 1  # consistent only
    monkeypatch.setenv("ASSAYMARK_PROJECT", str(labelled))
    assert assaymark("verify", certificate).code == 0
