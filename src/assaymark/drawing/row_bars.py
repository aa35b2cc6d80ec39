"""Bars below each other, each with its number beside it."""

from collections.abc import Sequence

from assaymark.drawing.marks import Bars, Mark, Plot, Words
from assaymark.drawing.scales import Axis

ROW = 24


def row_bars(
    names: Sequence[str], values: Sequence[int], *, title: str, width: int = 760, opacity: float = 1
) -> Plot:
    """A bar for each name, as long as its count."""
    rows = [(float(place), float(value)) for place, value in enumerate(values)]
    numbers: list[Mark] = [
        Words(x=value, y=place, text=f"{value:,.0f}", dx=5, dy=4) for place, value in rows
    ]
    boxes = tuple((0.0, value, place + 0.3, place - 0.3) for place, value in rows)
    return Plot(
        x=Axis(high=1.15 * max([1, *values]), title=title, numbers="count"),
        y=Axis(names=tuple(names)),
        marks=(Bars(boxes=boxes, opacity=opacity), *numbers),
        width=width,
        height=ROW * len(rows) + 50,
        room_right=30,
    )
