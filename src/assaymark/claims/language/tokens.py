"""The words of a claim with their places, so that an error can point at one."""

import re
from dataclasses import dataclass
from typing import Literal

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
