"""The report as PDF, set by typst. Texts reach it as data, so nothing in them is ever a command."""

import json
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from assaymark.claims.record import plain
from assaymark.reports.document import Report
from assaymark.reports.render import pdf as chart_pdf
from assaymark.reports.renderer import typesetter

DATA = "report.json"


def pdf(report: Report) -> bytes:
    """The whole document; its fonts are inside."""
    return typeset(report, form="pdf")[0]


def typeset(report: Report, *, form: Literal["pdf", "png"]) -> list[bytes]:
    """The document as one PDF, or as one PNG for each page."""
    typst = typesetter()
    data = plain(report)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _place(data, root)
        (root / DATA).write_text(json.dumps(data), encoding="utf-8")
        source = root / "report.typ"
        source.write_bytes((files("assaymark.reports") / "templates" / "report.typ").read_bytes())
        made = typst.compile(source, root=root, format=form, ignore_system_fonts=True, ppi=90)
    return made if isinstance(made, list) else [made]


def _place(value: Any, root: Path) -> None:
    """Write every chart beside the document, and leave its file name in its place."""
    if isinstance(value, dict):
        if "spec" in value and "caption" in value:
            name = f"chart-{len(list(root.iterdir()))}.pdf"
            (root / name).write_bytes(chart_pdf(value.pop("spec")))
            value["file"] = name
            return
        for item in value.values():
            _place(item, root)
    elif isinstance(value, list):
        for item in value:
            _place(item, root)
