"""What CONTRIBUTING says of changes is what the registries say."""

import re
import sys
from pathlib import Path

import pytest
from pages import DOCS

sys.path.insert(0, str(DOCS))
from changes import CHANGES, CONTRIBUTING, file_of, filled, place

SOURCE = DOCS.parent / "src" / "assaymark"


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_every_place_exists(change) -> None:
    for at in change.places:
        assert place(at) is not None
        assert (SOURCE / file_of(at)).is_file()


def test_twelve_of_fifteen_changes_are_one_place() -> None:
    assert len(CHANGES) == 15
    assert sum(len(change.places) == 1 for change in CHANGES) >= 12


def test_the_table_is_fresh() -> None:
    """If this fails, run: make docs."""
    text = CONTRIBUTING.read_text(encoding="utf-8")
    assert filled(text) == text


def test_the_default_power_is_written_once() -> None:
    """The lab replicates papers, whose numbers are their own."""
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in Path(SOURCE).rglob("*.py")
        if re.search(
            r"power[^\n]*0\.93\b|0\.93\b[^\n]*power", path.read_text(encoding="utf-8"), re.I
        )
    }
    assert {name for name in found if not name.startswith("lab/")} == {"claims/defaults.py"}
