"""Looks at claims of several parts, with the facts that a test is about."""

from typing import Any

from assaymark.composite.look_facts import LookFacts, read_look

PART = {"part": "f1 >= 0.5", "group": [], "state": "open", "labels": 0, "items": 100}
LOOK = {
    "kind": "conjunction",
    "decision": "continue",
    "claim": "f1 >= 0.5",
    "confidence": 0.95,
    "judged": "any time",
    "most": 100,
    "labels": 0,
    "draws": 0,
    "skipped": 0,
    "certain": False,
    "family": "every",
    "left_out": [],
    "unreachable": False,
}


def a_look(*parts: dict[str, Any], **facts: Any) -> LookFacts:
    """A look at a conjunction of these parts."""
    return read_look({**LOOK, "parts": [{**PART, **part} for part in parts], **facts})
