"""Two views of the same text, for two classifiers that see different things.

Views by vocabulary and by halves need one text column; views by columns need two (title, body).
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assaymark.errors import InputError
from assaymark.hints import option

WORD = re.compile(r"[#@]?\w+")
URL = re.compile(r"https?://\S+")


def words(text: str | None) -> list[str]:
    """The terms of a text, in lower case, as `assaymark.pair_recall.keyword_filters` finds them.

    >>> words("Mars ROVER #mars http://t.co/x")
    ['mars', 'rover', '#mars']
    """
    return WORD.findall(URL.sub(" ", text or "").lower())


def side_of(word: str) -> int:
    """0 or 1 by the word's SHA-256, the same on every machine."""
    return hashlib.sha256(word.encode()).digest()[0] & 1


def by_vocabulary(texts: Sequence[str | None]) -> tuple[str, str]:
    """Each word goes to one of two views by its hash, wherever it occurs."""
    parts: tuple[list[str], list[str]] = ([], [])
    for text in texts:
        for word in words(text):
            parts[side_of(word)].append(word)
    return " ".join(parts[0]), " ".join(parts[1])


def by_halves(texts: Sequence[str | None]) -> tuple[str, str]:
    """The first and the second half of the words.

    >>> by_halves(["one two three four five"])
    ('one two', 'three four five')
    """
    tokens = [word for text in texts for word in words(text)]
    middle = len(tokens) // 2
    return " ".join(tokens[:middle]), " ".join(tokens[middle:])


def by_columns(texts: Sequence[str | None]) -> tuple[str, str]:
    """The first text column and the others."""
    return texts[0] or "", " ".join(text or "" for text in texts[1:])


@dataclass(frozen=True, kw_only=True)
class Split:
    """A way to make two views: `columns` is how many text columns it needs at least."""

    name: str
    title: str
    columns: int
    views: Callable[[Sequence[str | None]], tuple[str, str]]


SPLITS = {
    split.name: split
    for split in (
        Split(name="columns", title="two text columns", columns=2, views=by_columns),
        Split(name="vocabulary", title="words split by hash", columns=1, views=by_vocabulary),
        Split(name="halves", title="first and second half", columns=1, views=by_halves),
    )
}


def two_views(split: Split, rows: Sequence[Sequence[str | None]]) -> tuple[list[str], list[str]]:
    """Both views of every item; each row holds the item's text columns."""
    if rows and len(rows[0]) < split.columns:
        raise InputError(
            f"The split '{split.name}' needs {split.columns} text columns, got {len(rows[0])}. Name "
            f"them with {option('text', 'TITLE')} {option('text', 'BODY')}, or split by vocabulary or halves."
        )
    pairs = [split.views(row) for row in rows]
    return [first for first, _ in pairs], [second for _, second in pairs]
