"""The forms that a report can be written in; each renderer is loaded when it is first used."""

from collections.abc import Callable
from pathlib import Path

from assaymark.errors import InputError
from assaymark.reports.section import Report


def _html(report: Report) -> bytes:
    from assaymark.reports.html import html

    return html(report).encode("utf-8", "replace")


def _pdf(report: Report) -> bytes:
    from assaymark.reports.pdf import pdf

    return pdf(report)


FORMS: dict[str, Callable[[Report], bytes]] = {"html": _html, "pdf": _pdf}
REPORT_FORMS = tuple(FORMS)


def form_of(path: Path) -> str:
    """The form that a file name asks for; refused where there is none."""
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMS:
        raise InputError(f"A report is written as .html or .pdf, got {path.name!r}.")
    return form
