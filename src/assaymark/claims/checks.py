"""Checks at the door: each raises InputError with the value shown and what was expected."""

import difflib
import math
from collections.abc import Collection
from numbers import Real
from typing import Any

from assaymark.errors import InputError


def open_share(name: str, value: float) -> float:
    """The value, if it lies strictly between 0 and 1.

    >>> open_share("confidence", 0.95)
    0.95
    """
    if isinstance(value, Real) and math.isfinite(value) and 0 < value < 1:
        return float(value)
    hint = ""
    if isinstance(value, str):
        hint = " Write a number, without quotation marks."
    elif isinstance(value, Real) and 2 <= value < 100:
        hint = f" Did you mean {value / 100:g}?"
    elif value in (0, 1):
        hint = " 0 and 1 themselves are excluded."
    raise InputError(f"'{name}' must be between 0 and 1, got {value!r}.{hint}")


def same_order(first: Any, second: Any) -> None:
    """Refused where two pandas series hold the same rows in different orders: pairs go by position."""
    one, other = (value.index if hasattr(value, "iloc") else None for value in (first, second))
    if one is None or other is None or len(one) != len(other) or one.equals(other):
        return
    if set(one) == set(other):
        raise InputError(
            "The two series hold the same rows in different orders, and rows are paired by position. "
            "Put them in one order first: second.loc[first.index]."
        )


def count(name: str, value: int) -> int:
    """The value, if it is a whole number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(f"'{name}' must be a whole number of at least 0, got {value!r}.")
    return value


def choice(name: str, value: str, allowed: Collection[str]) -> str:
    """The value, if it is one of those allowed; the nearest one is suggested otherwise."""
    if value in allowed:
        return value
    hint = did_you_mean(value, allowed)
    raise InputError(f"'{name}' must be one of {', '.join(allowed)}, got {value!r}.{hint}")


def did_you_mean(value: str, allowed: Collection[str]) -> str:
    """The question after a message, where one of the names allowed is spelled much like this one."""
    near = difflib.get_close_matches(str(value), list(allowed), n=1)
    return f" Did you mean '{near[0]}'?" if near else ""
