"""The heat map of validity: worst measured error over the promised one, by promise and world."""

from collections.abc import Sequence

from evidence_records import WORLDS, Record

from assaymark.drawing.marks import Bars, Mark, Plot, Words, figure
from assaymark.drawing.scales import Axis
from assaymark.drawing.svg import svg
from assaymark.drawing.themes import FILE

TITLES = {"exact": "enumerated", "made": "made", "adversary": "adversary", "real": "real"}
ROW, HEAD = 30, 70


def heat_map(records: Sequence[Record]) -> str:
    """One box per promise and kind of world; darker is nearer to what is allowed, brown above it."""
    names = tuple(dict.fromkeys(one["promise"] for one in records))
    marks: list[Mark] = []
    for row, promise in enumerate(names):
        for column, world in enumerate(WORLDS):
            measured = [
                one
                for one in records
                if one["promise"] == promise and one["world"].split(":")[0] == world
            ]
            if measured:
                marks += _box(row, column, measured)
    marks += [
        Words(x=column + 0.5, y=-0.5, text=TITLES[world], anchor="middle", dy=-6, bold=True)
        for column, world in enumerate(WORLDS)
    ]
    plot = Plot(
        x=Axis(low=0, high=len(WORLDS), ticks=()),
        y=Axis(names=tuple(name.replace("-", " ") for name in names) or ("none",), title=" "),
        marks=tuple(marks),
        height=HEAD + ROW * max(1, len(names)),
        key=(
            ("accent", 0.15, "far below what is promised"),
            ("accent", 0.9, "as promised"),
            ("warn", 0.9, "measured above it (may be chance)"),
        ),
    )
    about = "A box says the worst measured share of errors over the promised share, and of how many worlds"
    return svg(figure(plot), theme=FILE, title="Validity by promise and world", about=about) + "\n"


def _box(row: int, column: int, measured: Sequence[Record]) -> list[Mark]:
    worst = max(measured, key=lambda one: one["measured"] / one["nominal"])
    ratio = worst["measured"] / worst["nominal"]
    above = ratio > 1 + 1e-9
    box = Bars(
        boxes=((column + 0.03, column + 0.97, row + 0.45, row - 0.45),),
        role="warn" if above else "accent",
        opacity=0.75 if above else 0.08 + 0.7 * min(1.0, ratio),
        hints=(f"{worst['world']}: {worst['measured']:.4g} of {worst['nominal']:.4g}",),
    )
    text = f"{ratio:.2f} ({len(measured)})"
    dark = above or ratio > 0.75
    return [
        box,
        Words(
            x=column + 0.5, y=row, text=text, anchor="middle", dy=4, role="paper" if dark else "ink"
        ),
    ]
