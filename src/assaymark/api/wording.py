"""Results as Python users read them: what they advise is spelled as calls."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from assaymark.hints import for_python

Result = TypeVar("Result")


def in_python(result: Result) -> Result:
    """The result with every hint in its sentences, however deep, spelled in Python's words.

    >>> from assaymark.hints import command
    >>> in_python({"next": (f"Next: {command('draw', 20)}",)})
    {'next': ('Next: ask(20)',)}
    """
    return cast("Result", _spelled(result))


def _spelled(value: Any) -> Any:
    if isinstance(value, str):
        return for_python(value)
    if type(value) in (tuple, list):
        parts = [_spelled(part) for part in value]
        return type(value)(parts) if _differ(parts, value) else value
    if isinstance(value, Mapping):
        entries = {key: _spelled(part) for key, part in value.items()}
        return entries if _differ(entries.values(), value.values()) else value
    if is_dataclass(value) and not isinstance(value, type):
        known = {one.name: getattr(value, one.name) for one in fields(value) if one.init}
        changed = {name: new for name, old in known.items() if (new := _spelled(old)) is not old}
        return replace(value, **changed) if changed else value
    return value


def _differ(new: Any, old: Any) -> bool:
    return any(one is not other for one, other in zip(new, old, strict=True))
