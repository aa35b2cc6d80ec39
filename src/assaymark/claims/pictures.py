"""Results as small pictures and tables that a notebook shows: SVG and HTML, nothing to install."""

import importlib.util
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH = 520


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A picture in SVG. Notebooks show it; `str()` is its source."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg


class InSentence:
    """A result that says in one sentence what it is: notebooks show that in place of all its fields."""

    def _repr_html_(self) -> str:
        return f"<p>{_escaped(str(self))}</p>"


@dataclass(frozen=True, kw_only=True)
class Bar:
    """An interval with its point and the value that was claimed."""

    title: str
    low: float | None
    high: float | None
    point: float | None = None
    target: float | None = None


def interval_picture(bars: Sequence[Bar], *, caption: str, least: float = 0.0) -> Picture:
    """The intervals below each other, on one scale from `least` (0 or −1) to 1."""
    from assaymark.drawing.interval_rows import IntervalRow, interval_figure  # most draw nothing
    from assaymark.drawing.svg import svg
    from assaymark.drawing.themes import NOTEBOOK

    rows = [
        IntervalRow(name=bar.title, low=bar.low, high=bar.high, point=bar.point, target=bar.target)
        for bar in bars
    ]
    figure = interval_figure(rows, low=least, width=WIDTH)
    return Picture(svg=svg(figure, theme=NOTEBOOK, title=caption))


def _escaped(text: str) -> str:
    from html import escape  # notebooks only

    return escape(text)


def html_answer(sentence: str, rows: Sequence[tuple[str, str]], picture: Picture | None) -> str:
    """A sentence, what belongs to it, and its picture."""
    lines = "".join(
        f'<tr><td style="text-align:left">{_escaped(name)}</td>'
        f'<td style="text-align:left">{_escaped(value)}</td></tr>'
        for name, value in rows
    )
    return (
        f"<div><p><strong>{_escaped(sentence)}</strong></p><table>{lines}</table>"
        f"{picture.svg if picture else ''}</div>"
    )


def html_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as an HTML table."""
    names = list(rows[0]) if rows else []
    head = "".join(f"<th>{_escaped(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{_escaped(_cell(name, row[name]))}</td>" for name in names) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """The rows as a pandas or polars data frame, whichever is installed; otherwise a list of dicts."""
    for library in ("pandas", "polars"):
        if importlib.util.find_spec(library) is not None:
            return importlib.import_module(library).DataFrame([dict(row) for row in rows])
    return [dict(row) for row in rows]


def _cell(name: str, value: Any) -> str:
    """The value in words; the ends of an interval never look better than they are."""
    if not isinstance(value, float):
        return "–" if value is None else str(value)
    scaled = round(value * 1e4, 6)
    if name.endswith(("low", "bound")):
        value = math.floor(scaled) / 1e4
    elif name.endswith("high"):
        value = math.ceil(scaled) / 1e4
    return f"{value:.4f}"
