"""Results as small pictures and tables that a notebook shows: SVG and HTML, nothing to install."""

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

WIDTH, LEFT, RIGHT, ROW = 520, 110, 490, 34
INK, BAR, GOOD = "#555", "#4c78a8", "#b33"


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A picture in SVG. Notebooks show it; `str()` is its source."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg


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
    height = 30 + ROW * len(bars) + 26
    rows = "".join(_row(_moved(bar, least), 30 + ROW * i) for i, bar in enumerate(bars))
    ticks = "".join(_tick(part / 5, least, height - 26) for part in range(6))
    return Picture(
        svg=(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="12" role="img">'
            f"<title>{escape(caption)}</title>"
            f'<text x="10" y="18" fill="{INK}">{escape(_short(caption, 78))}</text>'
            f"{rows}{ticks}</svg>"
        )
    )


def html_answer(sentence: str, rows: Sequence[tuple[str, str]], picture: Picture | None) -> str:
    """A sentence, what belongs to it, and its picture."""
    lines = "".join(
        f'<tr><td style="text-align:left">{escape(name)}</td>'
        f'<td style="text-align:left">{escape(value)}</td></tr>'
        for name, value in rows
    )
    return (
        f"<div><p><strong>{escape(sentence)}</strong></p><table>{lines}</table>"
        f"{picture.svg if picture else ''}</div>"
    )


def html_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as an HTML table."""
    names = list(rows[0]) if rows else []
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_cell(row[name]))}</td>" for name in names) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """The rows as a pandas or polars data frame, whichever is installed; otherwise a list of dicts."""
    for library in ("pandas", "polars"):
        if importlib.util.find_spec(library) is not None:
            return importlib.import_module(library).DataFrame([dict(row) for row in rows])
    return [dict(row) for row in rows]


def _moved(bar: Bar, least: float) -> Bar:
    """The bar with its values as shares of the scale from `least` to 1."""
    values = {
        name: None if value is None else (value - least) / (1 - least)
        for name, value in vars(bar).items()
        if name != "title"
    }
    return Bar(title=bar.title, **values)


def _x(share: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * min(1.0, max(0.0, share)), 1)


def _row(bar: Bar, top: int) -> str:
    middle = top + ROW // 2
    parts = [
        f'<text x="10" y="{middle + 4}" fill="{INK}">{escape(_short(bar.title, 15))}</text>',
        f'<line x1="{LEFT}" x2="{RIGHT}" y1="{middle}" y2="{middle}" stroke="#ddd"/>',
    ]
    if bar.low is not None and bar.high is not None:
        width = round(_x(bar.high) - _x(bar.low), 1)
        parts.append(
            f'<rect x="{_x(bar.low)}" y="{middle - 6}" width="{width}" height="12" '
            f'fill="{BAR}" fill-opacity="0.35"/>'
        )
    if bar.point is not None:
        parts.append(f'<circle cx="{_x(bar.point)}" cy="{middle}" r="4" fill="{BAR}"/>')
    if bar.target is not None:
        x = _x(bar.target)
        parts.append(
            f'<line x1="{x}" x2="{x}" y1="{middle - 12}" y2="{middle + 12}" stroke="{GOOD}" '
            'stroke-dasharray="3 2"/>'
        )
    return "".join(parts)


def _tick(share: float, least: float, y: int) -> str:
    value = least + share * (1 - least)
    return (
        f'<text x="{_x(share)}" y="{y + 16}" text-anchor="middle" fill="{INK}">{value:.1f}</text>'
    )


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _cell(value: Any) -> str:
    return "–" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
