"""Document text as it may be shown: hostile until proven otherwise, and visible where it hides."""

import json
import re
from collections.abc import Iterator
from typing import Any

LONGEST_JSON = 300_000  # characters; longer ones are shown as they are
# everything that does something without being seen: control characters but tab and line end, the
# marks that turn the direction of text, spaces of no width (the joiners that scripts need stay)
HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060"
    "\u2066-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udfff]|[\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """The text with control characters shown, not obeyed.

    >>> visible("a\\x00b\\u202ec")
    'a␀b⟨U+202E⟩c'
    """
    return HIDDEN.sub(_shown, text.replace("\r\n", "\n").replace("\r", "\n"))


def _shown(match: re.Match[str]) -> str:
    number = ord(match.group())
    if number < 0x20:
        return chr(0x2400 + number)
    return "␡" if number == 0x7F else f"⟨U+{number:04X}⟩"


def readable(text: str) -> str:
    """What a list shows of a text, and where it is searched: of JSON what it says, without its marks.

    >>> readable('{"name": "Kova\\\\u010d", "born": [1981, null]}')
    'Kovač 1981'
    """
    if len(text) > LONGEST_JSON or not text.lstrip().startswith(("[", "{")):
        return text
    try:
        return " ".join(_leaves(json.loads(text)))
    except (ValueError, RecursionError):
        return text


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for inside in value.values() if isinstance(value, dict) else value:
            yield from _leaves(inside)
    elif value is not None:
        yield str(value)
