"""The shell completes commands, as docs/how-to/shell.md says."""

from collections.abc import Callable

import pytest

from worlds_on_disk import Answer


def test_the_shell_completes_commands(
    assaymark: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_ASSAYMARK_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "assaymark ver")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert assaymark().out.split() == ["plain,verify"]
