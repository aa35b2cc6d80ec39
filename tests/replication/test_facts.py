"""The facts of method number 1: draws, wealth, bounds and decisions, as they were first recorded."""

import json
import platform
from pathlib import Path
from typing import Any

import pytest

from facts_of_projects import CASES, HERE, facts


@pytest.mark.parametrize("name", CASES)
def test_a_project_gives_the_facts_on_record(name: str, tmp_path: Path) -> None:
    """Bit for bit on the kind of processor that recorded them, to 8 digits elsewhere."""
    recorded = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    found = json.loads(json.dumps(facts(name, tmp_path / "work")))
    same = recorded.pop("machine") == platform.machine()
    found.pop("machine")
    assert found.keys() == recorded.keys()
    for key in recorded:
        assert _exact(found[key], same=same) == _exact(recorded[key], same=same), key


def _exact(value: Any, *, same: bool) -> Any:
    """The value; on another kind of processor with its floats cut to 8 digits."""
    if isinstance(value, dict):
        return {key: _exact(item, same=same) for key, item in value.items()}
    if isinstance(value, list):
        return [_exact(item, same=same) for item in value]
    if same or not isinstance(value, str):
        return value
    try:
        return pytest.approx(float(value), rel=1e-8, abs=1e-8)
    except ValueError:
        return value
