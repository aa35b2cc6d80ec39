"""What a label format of another package is made of: a reader, a writer, or both."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assaymark.files.answers import Answer
from assaymark.files.decoding import Glimpse
from assaymark.files.places import BatchRow
from assaymark.files.spelling import Names

GROUP = "assaymark.formats"


@dataclass(frozen=True, kw_only=True)
class Reader:
    """How labels come back from one tool."""

    title: str
    endings: tuple[str, ...]
    fits: Callable[[Glimpse], bool]
    read: Callable[[Path, Names], Iterator[Answer]]


@dataclass(frozen=True, kw_only=True)
class Writer:
    """How items go out to one tool. `fill` says where the label goes."""

    title: str
    endings: tuple[str, ...]
    write: Callable[[Path, Sequence[BatchRow], Sequence[str]], None]
    fill: str


@dataclass(frozen=True, kw_only=True)
class LabelFormat:
    """What an entry point of `assaymark.formats` loads."""

    reader: Reader | None = None
    writer: Writer | None = None


def reader_of(offered: Any) -> Reader | None:
    """The reader of a label format that a package offers."""
    return _checked(offered).reader


def writer_of(offered: Any) -> Writer | None:
    """The writer of a label format that a package offers."""
    return _checked(offered).writer


def _checked(offered: Any) -> LabelFormat:
    if not isinstance(offered, LabelFormat):
        raise TypeError(f"it must be a LabelFormat, got {type(offered).__name__}")
    parts = ((offered.reader, Reader), (offered.writer, Writer))
    if not any(part for part, _ in parts) or any(
        part is not None and not isinstance(part, kind) for part, kind in parts
    ):
        raise TypeError("it needs a Reader, a Writer or both")
    return offered
