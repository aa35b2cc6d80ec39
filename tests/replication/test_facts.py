"""The facts of method number 1: draws, wealth, bounds and decisions, as they were first recorded."""

import json
from pathlib import Path
from typing import Any

import pytest

from facts_of_projects import CASES, HERE, facts


@pytest.mark.parametrize("name", CASES)
def test_a_project_gives_the_facts_on_record(name: str, tmp_path: Path) -> None:
    """Decisions, draws and counts exactly, computed numbers to 11 digits.

    Two processors of one architecture differ in the last of their 16 digits, so no number of a proof
    may rest on those; `verify` allows for 8 digits.
    """
    recorded = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    current = json.loads(json.dumps(facts(name, tmp_path / "work")))
    assert current.keys() == recorded.keys()
    for key in recorded:
        assert current[key] == _nearly(recorded[key]), key


def _nearly(value: Any) -> Any:
    """The value, with the last digits of its computed numbers left open."""
    if isinstance(value, dict):
        return {key: _nearly(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_nearly(item) for item in value]
    return Nearly(value) if isinstance(value, str) and "." in value else value


class Nearly(str):
    """The text of a number that equals texts of the same number up to its last digits."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str):
            return False
        try:
            return float(other) == pytest.approx(float(self), rel=1e-11, abs=1e-13)
        except ValueError:
            return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other


def test_a_tenth_digit_is_noticed() -> None:
    assert _nearly(["19.617472643636503", 3]) == ["19.617472643636514", 3]
    assert _nearly("19.617472643636503") != "19.617472653636503"
    assert _nearly("pool.csv") == "pool.csv" != _nearly("pools.csv")
