"""A flow diagram: boxes below each other with arrows, and what leaves the flow beside them."""

from collections.abc import Sequence
from dataclasses import dataclass

from assaymark.drawing.marks import Bars, Line, Mark, Plot, Words
from assaymark.drawing.scales import Axis

WIDTH, BOX, ASIDE = 720.0, 330.0, 310.0
NARROW, STEM, INDENT = 360.0, 18.0, 44.0
LINE, PADDING, GAP, HEAD = 17.0, 9.0, 26.0, 5.0


@dataclass(frozen=True, kw_only=True)
class FlowStep:
    """One box of the flow, its first line in bold, and what leaves the flow there."""

    lines: tuple[str, ...]
    aside: tuple[str, ...] = ()


def flow_boxes(steps: Sequence[FlowStep]) -> Plot:
    """The steps from top to bottom as one plot."""
    heights = [_height(step) for step in steps]
    total = sum(heights) + GAP * (len(steps) - 1)
    marks: list[Mark] = []
    top = total
    for number, (step, height) in enumerate(zip(steps, heights, strict=True)):
        bottom, middle = top - height, top - height / 2
        marks += _box(0.0, BOX, bottom, top, step.lines)
        if step.aside:
            tall = _tall(step.aside)
            marks += _arrow((BOX, middle), (WIDTH - ASIDE, middle))
            marks += _box(WIDTH - ASIDE, WIDTH, middle - tall / 2, middle + tall / 2, step.aside)
        if number < len(steps) - 1:
            marks += _arrow((BOX / 2, bottom), (BOX / 2, bottom - GAP))
        top = bottom - GAP
    return Plot(
        x=Axis(high=WIDTH, ticks=()),
        y=Axis(high=total, ticks=()),
        marks=tuple(marks),
        height=round(total) + 40,
    )


def narrow_flow(steps: Sequence[FlowStep]) -> Plot:
    """The same for a phone: what leaves the flow stands below its step, indented."""
    boxes = [
        (lines, aside)
        for step in steps
        for lines, aside in ((step.lines, False), (step.aside, True))
        if lines
    ]
    total = sum(_tall(lines) for lines, _ in boxes) + GAP * (len(boxes) - 1)
    marks: list[Mark] = []
    top, begun = total, total
    for lines, aside in boxes:
        bottom = top - _tall(lines)
        if aside:
            middle = (top + bottom) / 2
            marks += [Line(points=((STEM, begun), (STEM, middle)))]
            marks += _arrow((STEM, middle), (INDENT, middle))
        elif top < total:
            marks += _arrow((STEM, begun), (STEM, top))
        marks += _box(INDENT if aside else 0.0, NARROW, bottom, top, lines)
        begun = begun if aside else bottom
        top = bottom - GAP
    return Plot(
        x=Axis(high=NARROW, ticks=()),
        y=Axis(high=total, ticks=()),
        marks=tuple(marks),
        width=round(NARROW) + 20,
        height=round(total) + 16,
        room_right=10,
    )


def _tall(lines: Sequence[str]) -> float:
    return LINE * len(lines) + 2 * PADDING


def _height(step: FlowStep) -> float:
    return max(_tall(step.lines), _tall(step.aside) if step.aside else 0.0)


def _box(left: float, right: float, bottom: float, top: float, lines: Sequence[str]) -> list[Mark]:
    first = (bottom + top) / 2 + LINE * (len(lines) - 1) / 2
    return [
        Bars(boxes=((left, right, bottom, top),), role="paper", outline="ink"),
        *(
            Words(x=left + 12, y=first - LINE * number, text=text, dy=4, bold=number == 0)
            for number, text in enumerate(lines)
        ),
    ]


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> list[Mark]:
    (x, y), across = end, start[1] == end[1]
    wings = (
        ((x - 2 * HEAD, y + HEAD), (x, y), (x - 2 * HEAD, y - HEAD))
        if across
        else ((x - HEAD, y + 2 * HEAD), (x, y), (x + HEAD, y + 2 * HEAD))
    )
    return [Line(points=(start, end)), Line(points=wings)]
