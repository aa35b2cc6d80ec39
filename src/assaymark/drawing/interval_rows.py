"""Intervals below each other on one scale: the picture of every estimate with its uncertainty."""

from collections.abc import Sequence
from dataclasses import dataclass

from assaymark.drawing.marks import Bars, Dots, Figure, Line, Mark, Plot, figure
from assaymark.drawing.scales import Axis, Numbers

ROW = 34
HALF = 0.2  # half the height of a bar, as a share of its row


@dataclass(frozen=True, kw_only=True)
class IntervalRow:
    """A name with its interval, an optional wider one, the point estimate and what was claimed."""

    name: str
    low: float | None = None
    high: float | None = None
    wide_low: float | None = None
    wide_high: float | None = None
    point: float | None = None
    target: float | None = None


def interval_figure(
    rows: Sequence[IntervalRow],
    *,
    low: float = 0.0,
    high: float = 1.0,
    title: str = "",
    numbers: Numbers = "plain",
    width: int = 760,
    names_width: int = 0,
) -> Figure:
    """The rows on one scale: bar for the interval, thin line for the wide one, dot, dashed claim."""
    plot = Plot(
        x=Axis(low=low, high=high, title=title, numbers=numbers, grid=True),
        y=Axis(names=tuple(_shortened(row.name) for row in rows)),
        marks=tuple(mark for place, row in enumerate(rows) for mark in _marks(row, float(place))),
        width=width,
        room_left=names_width,
        height=ROW * len(rows) + (50 if title else 30),
    )
    return figure(plot)


def _marks(row: IntervalRow, y: float) -> list[Mark]:
    marks: list[Mark] = []
    if row.wide_low is not None and row.wide_high is not None:
        marks.append(Line(points=((row.wide_low, y), (row.wide_high, y)), width=1.4))
    if row.low is not None and row.high is not None:
        box = (row.low, row.high, y + HALF, y - HALF)
        marks.append(Bars(boxes=(box,), opacity=0.45))
        for end in (row.low, row.high):
            marks.append(Line(points=((end, y + HALF), (end, y - HALF)), width=1.6))
    if row.target is not None:
        ends = (row.target, y + 0.38), (row.target, y - 0.38)
        marks.append(Line(points=ends, role="warn", dashed=True, width=1.6))
    if row.point is not None:
        marks.append(Dots(points=((row.point, y),)))
    return marks


def _shortened(text: str, most: int = 34) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
