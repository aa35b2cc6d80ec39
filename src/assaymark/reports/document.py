"""A report before it is set: what HTML and PDF are both made from."""

from dataclasses import dataclass

from assaymark.reports.section import Chart, Section


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
