"""Parts of a report or of the dashboard, a sentence first, and the report before it is set."""

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


@dataclass(frozen=True, kw_only=True)
class Report:
    """A report before it is set: its first page in parts, then its sections."""

    title: str
    tone: str
    mark: str
    word: str
    sentence: str
    facts: tuple[tuple[str, str], ...]
    card: tuple[tuple[str, str, str, str], ...]
    card_note: str
    chart: Chart | None
    assumptions: tuple[str, ...]
    limits: tuple[str, ...]
    record: tuple[Section, ...]
    annex: tuple[Section, ...]
    foot: str
