"""A part of a report or of the dashboard: a sentence first, then what supports it."""

from dataclasses import dataclass

from assaymark.drawing.marks import Figure


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A picture, with the sentence that says what to see in it."""

    title: str
    caption: str
    figure: Figure


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows of text under a header; `caption` says what they are."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Section:
    """What was found in one sentence, then paragraphs, tables, charts and what it assumes."""

    title: str
    sentence: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    assumptions: tuple[str, ...] = ()
