"""The report as PDF, set by typst. Texts reach it as data, so nothing in them is ever a command."""

import json
import tempfile
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from assaymark.claims.record import plain
from assaymark.drawing.marks import Figure, Plot
from assaymark.drawing.svg import svg
from assaymark.drawing.themes import PAPER
from assaymark.hints import for_command_line
from assaymark.reports.section import Chart, Report, Section
from assaymark.reports.typesetter import typesetter


def pdf(report: Report) -> bytes:
    """The whole document; its fonts are inside."""
    return typeset(report, form="pdf")[0]


def typeset(report: Report, *, form: Literal["pdf", "png"]) -> list[bytes]:
    """The document as one PDF, or as one PNG for each page."""
    typst = typesetter()
    with tempfile.TemporaryDirectory() as folder:
        source = write_source(report, Path(folder))
        made = typst.compile(
            source, root=source.parent, format=form, ignore_system_fonts=True, ppi=90
        )
    return made if isinstance(made, list) else [made]


def write_source(report: Report, root: Path) -> Path:
    """The document as typst reads it: its template, beside it the data and the charts."""
    data = _spelled(_data(report, root))
    (root / "report.json").write_text(json.dumps(data), encoding="utf-8")
    source = root / "report.typ"
    source.write_bytes((files("assaymark.reports") / "templates" / "report.typ").read_bytes())
    return source


def _spelled(value: Any) -> Any:
    """The data with every hint in the words of the command line, where readers check the report."""
    if isinstance(value, str):
        return for_command_line(value)
    if isinstance(value, dict):
        return {key: _spelled(part) for key, part in value.items()}
    return [_spelled(part) for part in value] if isinstance(value, list | tuple) else value


def _data(report: Report, root: Path) -> dict[str, Any]:
    """The report as data; its charts are written beside the document."""
    data: dict[str, Any] = plain(replace(report, chart=None, record=(), annex=()))
    data["chart"] = None if report.chart is None else _first_chart(report.chart, root)
    data["record"] = [_section(part, root) for part in report.record]
    data["annex"] = [_section(part, root) for part in report.annex]
    return data


def _section(section: Section, root: Path) -> dict[str, Any]:
    charts = [_chart(chart, root) for chart in section.charts]
    return {**plain(replace(section, charts=())), "charts": charts}


def _first_chart(chart: Chart, root: Path) -> dict[str, Any]:
    """The chart of page one at every height; the template takes the highest that page one has room for."""
    return {**_words(chart), "files": [_drawn(chart, root, height) for height in FIRST_PAGE]}


def _chart(chart: Chart, root: Path) -> dict[str, str]:
    return {**_words(chart), "file": _drawn(chart, root, INSIDE)}


def _words(chart: Chart) -> dict[str, str]:
    return {"title": chart.title, "caption": chart.caption}


def _drawn(chart: Chart, root: Path, highest: int) -> str:
    name = f"chart-{len(list(root.iterdir()))}.svg"
    drawn = printed_figure(chart.figure, highest=highest)
    (root / name).write_text(svg(drawn, theme=PAPER), encoding="utf-8")
    return name


WIDE = 660  # pixels: on A4 with margins of 20 mm its letters come to 8.8 points
INSIDE = 200  # pixels of height of a chart on the other pages
FIRST_PAGE = (240, 200, 165, 135)  # pixels of height, so that page one has room for its sentences


def printed_figure(figure: Figure, *, highest: int = INSIDE) -> Figure:
    """The figure at the width of the text. What stands side by side or in boxes keeps its measures."""
    if figure.across:
        return figure
    return replace(figure, plots=tuple(_printed(plot, highest) for plot in figure.plots))


def _printed(plot: Plot, highest: int) -> Plot:
    boxes_only = not plot.x.labels() and not plot.y.labels()
    width = plot.width if boxes_only else min(plot.width, WIDE)
    height = plot.height if boxes_only or plot.y.names else min(plot.height, highest)
    return replace(plot, width=width, height=height)
