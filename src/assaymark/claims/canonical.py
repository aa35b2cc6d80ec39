"""Canonical JSON (RFC 8785): whoever writes the same thing, in any language, gets the same bytes."""

import hashlib
import json
import re
from typing import Any

import rfc8785

from assaymark.errors import InputError

SAFE = 2**53  # whole numbers from here on are written as decimal text

# Python's own writer gives the same bytes a few times faster, except for fractions that are whole
# or have an exponent, whole numbers beyond 15 digits, and characters that UTF-16 and code points
# sort differently.
_PLAIN = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)
_OTHER_ORDER = re.compile(r"[\ud800-\U0010ffff]")
_NUMBER = r"(?<![.0-9])-?[0-9]+(?:\.0(?![0-9])|(?:\.[0-9]+)?e[-+0-9]+|[0-9]{15,})"
_DELICATE = re.compile(rf"(?:^|[:,\[]){_NUMBER}")
_WORDS = re.compile(rf'"(?:[^"\\]|\\.)*"|{_NUMBER}')


def canonical(value: Any) -> str:
    """JSON as RFC 8785 writes it: sorted keys, no spaces, numbers as ECMAScript prints them.

    >>> canonical({"b": 1.0, "a": [0.1, 1e-7, None]})
    '{"a":[0.1,1e-7,null],"b":1}'
    """
    try:
        return _written(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise InputError(_refusal(value, error)) from error
    except ValueError as error:
        raise InputError(
            "A number that is not finite (NaN or infinity) cannot be stored. Leave it out."
        ) from error


def _written(value: Any) -> str:
    text = _PLAIN.encode(value)
    if _OTHER_ORDER.search(text):
        return rfc8785.dumps(value).decode()
    return _WORDS.sub(_again, text) if _DELICATE.search(text) else text


def _again(word: re.Match[str]) -> str:
    """A text as it stands; a delicate number as RFC 8785 writes it."""
    text = word.group()
    return text if text[0] == '"' else rfc8785.dumps(json.loads(text)).decode()


def _refusal(value: Any, error: Exception) -> str:
    text = _PLAIN.encode(value)
    if broken := re.search(r"[^\"]{0,20}[\ud800-\udfff][^\"]{0,20}", text):
        return (
            f"The text {broken.group()!a} holds half of a character (a lone surrogate), which no "
            "file in UTF-8 can hold. Write the character whole, or leave it out."
        )
    return f"This cannot be stored: {error}."


def digest(value: Any) -> str:
    """Hex SHA-256 of the canonical JSON."""
    return digest_text(canonical(value))


def digest_text(text: str) -> str:
    """Hex SHA-256 of the text as UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_READ = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # unknown to its stubs


def read_json(text: str | bytes) -> Any:
    """The value in this text, which a stranger may have written.

    Whatever cannot be read is a `ValueError`, brackets that never end among it.
    """
    try:
        if type(text) is str:  # canonical text has no blanks around it, which take a search
            value, end = _READ(text, 0)
            if end == len(text):
                return value
        return json.loads(text)
    except StopIteration:
        return json.loads(text)  # says what is wrong
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
