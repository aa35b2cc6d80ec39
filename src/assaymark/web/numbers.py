"""Numbers as people type them: 75 %, 0.75, 0,75, 3/4 and 75 are one share."""

import math
import re
from collections.abc import Mapping
from typing import Any

from assaymark.errors import AssaymarkError, InputError

NAMES = {
    "budget": "The number of labels",
    "cost": "The cost of a label",
    "count": "The number of items",
    "days": "The number of days",
    "expect": "What you expect of the worst part",
    "target": "The target",
    "threshold": "The cut-off",
    "twice": "The share that two people read",
    "within": "The precision",
}
"""Fields by the names that the page gives them."""
FRACTION = re.compile(r"([0-9]{1,9})\s*/\s*([0-9]{1,9})")


def _name(field: str) -> str:
    return NAMES.get(field, f"'{field}'")


class FieldError(InputError):
    """A field of a form that cannot be used; the page marks it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def number_of(asked: Mapping[str, Any], name: str) -> float | None:
    """The finite number in this field; None where it is empty.

    >>> number_of({"cost": "0,80"}, "cost")
    0.8
    """
    value = asked.get(name)
    text = "" if value is None else str(value).strip()
    if not text:
        return None
    plain = text.replace("\u00a0", "").replace(" ", "")
    if plain.count(",") == 1 and "." not in plain:
        plain = plain.replace(",", ".")
    try:
        number = float(plain)
    except (TypeError, ValueError, OverflowError) as error:
        message = f"{_name(name)} must be a number, got “{text[:40]}”."
        raise FieldError(name, message) from error
    if not math.isfinite(number):
        raise FieldError(name, f"{_name(name)} must be a finite number.")
    return number


def share_of(asked: Mapping[str, Any], name: str) -> float | None:
    """The share in this field, written as a fraction or in per cent.

    A number with the sign is per cent, and so is one from 10 on. Between 1 and 10 it may be a slip of
    0.15 to 1.5 as well as 1.5 %, so the sign is asked for.

    >>> [share_of({"target": text}, "target") for text in ("0.75", "75 %", "75", "3/4", "0,5 %")]
    [0.75, 0.75, 0.75, 0.75, 0.005]
    """
    text = str(asked.get(name) or "").strip()
    parts = FRACTION.fullmatch(text)
    if parts and int(parts[2]) > 0 and int(parts[1]) <= int(parts[2]):
        return int(parts[1]) / int(parts[2])
    percent = text.endswith("%")
    number = number_of({name: text.removesuffix("%")}, name)
    if number is None:
        return None
    if not percent and 1 < number < 10:
        raise FieldError(
            name,
            f"{_name(name)}, “{text[:40]}”, is above 1: write {number:g} % if you mean per cent, or a "
            "number between 0 and 1.",
        )
    if percent or number > 1:
        number = round(number / 100, 12)
    if not 0 <= number <= 1:
        raise FieldError(
            name, f"{_name(name)} must be between 0 and 1, or 0 % and 100 %, got “{text[:40]}”."
        )
    return number


def cut_off_of(asked: Mapping[str, Any], name: str) -> float | None:
    """A cut-off on scores of any range; with the sign of per cent it is a share.

    >>> cut_off_of({"threshold": "50 %"}, "threshold"), cut_off_of({"threshold": "-1,5"}, "threshold")
    (0.5, -1.5)
    """
    text = str(asked.get(name) or "").strip()
    return share_of(asked, name) if text.endswith("%") else number_of(asked, name)


def count_of(asked: Mapping[str, Any], name: str) -> int | None:
    """The whole number in this field; 1,000 and 1 000 are one thousand.

    >>> count_of({"budget": "1,000"}, "budget")
    1000
    """
    text = str(asked.get(name) or "").strip()
    if not text:
        return None
    plain = "".join(mark for mark in text if mark not in ", \u00a0'")
    if not plain.isdecimal() or len(plain) > 9 or int(plain) == 0:
        message = f"{_name(name)} must be a whole number above 0, got “{text[:40]}”."
        raise FieldError(name, message)
    return int(plain)


def field_of(error: AssaymarkError) -> str | None:
    """The field that an error is about, where it says so."""
    return error.field if isinstance(error, FieldError) else None
