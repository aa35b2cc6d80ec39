"""One way to write JSON, so that everyone who writes the same thing gets the same bytes."""

import hashlib
import json
from typing import Any


def canonical(value: Any) -> str:
    """JSON with sorted keys, no spaces, shortest round-trip floats, and no NaN.

    >>> canonical({"b": 0.1, "a": [1, None]})
    '{"a":[1,null],"b":0.1}'
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def digest(value: Any) -> str:
    """Hex SHA-256 of the canonical JSON."""
    return digest_text(canonical(value))


def digest_text(text: str) -> str:
    """Hex SHA-256 of the text as UTF-8."""
    # a lone surrogate cannot be UTF-8; it is kept by its own bytes so that nothing is ever lost
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
