"""Terminals that are not UTF-8: what they cannot show is written with signs that they can."""

import codecs
import sys
from typing import TextIO

NAME = "assaymark-stand-ins"
STAND_INS = {
    "✓": "+", "✗": "x", "…": "...", "–": "-", "—": "-", "−": "-", "·": "-", "×": "x", "→": "->",
    "≥": ">=", "≤": "<=", "≈": "about ", "≠": "!=", "“": '"', "”": '"', "‘": "'", "’": "'", "α": "alpha",
    "β": "beta", "δ": "delta", "τ": "tau", "²": "^2", "½": "1/2", "•": "*",
}  # fmt: skip


def stand_in(error: UnicodeError) -> tuple[str, int]:
    """What is written in place of characters that an encoding lacks; ids stay recognizable.

    >>> "recall ≥ 0.8 ✓ Ω".encode("ascii", NAME)
    b'recall >= 0.8 + \\\\u03a9'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    parts = error.object[error.start : error.end]
    known = [
        STAND_INS.get(sign) or sign.encode("ascii", "backslashreplace").decode() for sign in parts
    ]
    return "".join(known), error.end


codecs.register_error(NAME, stand_in)


def shows_everything(stream: TextIO) -> bool:
    """Whether every character can be written to this stream."""
    try:
        return codecs.lookup(stream.encoding or "ascii").name.startswith("utf")
    except (AttributeError, LookupError):
        return True  # a stream that keeps text, or no stream at all


def adapt_streams() -> None:
    """No character that we print ends a command; UTF-8 stays as it is."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None and not shows_everything(stream):
            reconfigure(errors=NAME)
