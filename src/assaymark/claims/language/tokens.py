"""The words of a claim with their places, and the errors that point at one."""

import difflib
import re
from dataclasses import dataclass
from typing import Literal

from assaymark.errors import InputError

Kind = Literal["word", "name", "number", "relation", "sign", "comma", "unknown", "end"]

PATTERNS: tuple[tuple[Kind, str], ...] = (
    ("relation", r">\s*=|=\s*>|≥|>|<\s*=|=\s*<|≤|<|\bat\s+least|\bat\s+most"),
    ("name", r'"(?:[^"\\]|\\.)*"|“[^”]*”|\'[^\']*\''),
    # f1, f-2, F_0.5, "f .5": one word, although it holds a number
    ("word", r"\bf[-_\s]*(?:\d+(?:\.\d+)?|\.\d+)(?:[-_]score)?(?![\w.])"),
    ("number", r"(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*(?:%|percent\b)?"),
    ("word", r"[^\W\d]\w*(?:[-.][^\W\d]\w*)*"),
    ("sign", r"[-+−]"),
    ("comma", r","),
    ("unknown", r"\S"),
)
_ANY = re.compile(
    "|".join(f"(?P<{kind}{i}>{pattern})" for i, (kind, pattern) in enumerate(PATTERNS)),
    re.IGNORECASE,
)
LOWER = (">=", "=>", "≥", ">")


@dataclass(frozen=True, kw_only=True)
class Token:
    """A piece of the text; `value` is the name without quotes, or the text itself."""

    kind: Kind
    text: str
    start: int

    @property
    def low(self) -> str:
        """The text in lower case, for words of the grammar; a quoted name is none."""
        return "" if self.kind == "name" else self.text.lower()

    @property
    def value(self) -> str:
        """The name that is meant."""
        if self.kind != "name":
            return self.text
        inner = self.text[1:-1]
        return re.sub(r"\\(.)", r"\1", inner, flags=re.DOTALL) if self.text[0] == '"' else inner

    @property
    def is_lower(self) -> bool:
        """Whether a relation asks for at least."""
        return "".join(self.low.split()) in LOWER or self.low.endswith("least")

    @property
    def is_strict(self) -> bool:
        """Whether a relation leaves ties out, where two classifiers are compared."""
        return self.text in (">", "<")


def tokens(text: str) -> tuple[Token, ...]:
    """All tokens of the text, and one for its end.

    >>> [t.text for t in tokens("F-0.5 of b ≥ 80 %")]
    ['F-0.5', 'of', 'b', '≥', '80 %', '']
    """
    pieces = [
        Token(kind=PATTERNS[i][0], text=match.group().rstrip(), start=match.start())
        for match in _ANY.finditer(text)
        for i in [int(re.sub(r"\D", "", match.lastgroup or "0"))]
    ]
    return (*pieces, Token(kind="end", text="", start=len(text.rstrip())))


FORMS = (
    "f1 >= 0.75",
    "recall >= 0.8",
    "precision >= 0.7",
    "accuracy >= 0.9",
    "elusion <= 0.2 %",
    "recall of spam >= 0.8",
    "recall of every class >= 0.7",
    "recall >= 0.8 in every language",
    "recall >= 0.8 in every language and region",
    "accuracy of b > accuracy of a",
    "f1 of b >= f1 of a - 0.01",
    "accuracy of a within 0.02 of b",
    "recall gap between regions <= 0.1",
    "recall >= 0.8 and precision >= 0.7",
    "macro f1 >= 0.7",
    "balanced accuracy >= 0.7",
)


class SlipError(Exception):
    """Where reading stopped and why. Never leaves the room.

    `words` are what could stand there; `instead` is what would be read in its place;
    `form` is an example that shows what is meant.
    """

    def __init__(
        self,
        token: Token,
        reason: str,
        words: tuple[str, ...] = (),
        *,
        instead: str | None = None,
        form: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.instead = instead
        self.form = form
        self.token = token
        self.reason = reason
        self.words = words


def nearest(word: str, words: tuple[str, ...]) -> str | None:
    """The allowed word that is spelled most like this one."""
    close = difflib.get_close_matches(word.lower(), words, n=1, cutoff=0.6)
    return close[0] if close else None


def nearest_form(text: str) -> str:
    """The example that looks most like the text."""
    return max(FORMS, key=lambda form: difflib.SequenceMatcher(None, text.lower(), form).ratio())


def pointed(text: str, slip: SlipError, offer: str) -> InputError:
    """One sentence, the text with a caret line under the word, and the form to use."""
    line = text.translate({ord(c): " " for c in "\n\r\t\v\f"})
    caret = " " * slip.token.start + "^" * max(1, len(slip.token.text))
    place = f"at {slip.token.text!r}" if slip.token.text else "at its end"
    return InputError(
        f"The claim cannot be read {place}: {slip.reason} Try: {offer}\n  {line}\n  {caret}"
    )
