"""What a chart is made of: marks in the units of the data, colours by role.

Charts say the same in black and white: lines differ by dash and weight, bars by fill and outline.
"""

from dataclasses import dataclass
from typing import Literal

from assaymark.drawing.scales import Axis

Role = Literal["ink", "soft", "accent", "paper", "grid", "warn"]
Point = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line through points; with `steps` a value holds until the next point."""

    points: tuple[Point, ...]
    role: Role = "ink"
    width: float = 1.3
    dashed: bool = False
    steps: bool = False


@dataclass(frozen=True, kw_only=True)
class Band:
    """The area between a low and a high line: (x, low, high)."""

    points: tuple[tuple[float, float, float], ...]
    role: Role = "soft"
    opacity: float = 0.25


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Rectangles (left, right, bottom, top); `hints` are shown on hovering."""

    boxes: tuple[tuple[float, float, float, float], ...]
    role: Role = "accent"
    opacity: float = 1.0
    outline: Role | None = None
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Dots:
    """Points; hollow ones show the paper inside, triangles mark what happened."""

    points: tuple[Point, ...]
    role: Role = "ink"
    radius: float = 4.0
    hollow: bool = False
    shape: Literal["circle", "triangle"] = "circle"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A line across the whole plot at one x or one y."""

    x: float | None = None
    y: float | None = None
    role: Role = "ink"
    width: float = 1.3
    dashed: bool = True


@dataclass(frozen=True, kw_only=True)
class Notches:
    """Short ticks below the plot, such as the looks that were taken."""

    places: tuple[float, ...]
    role: Role = "ink"


@dataclass(frozen=True, kw_only=True)
class Words:
    """A text at a place, moved by pixels."""

    x: float
    y: float
    text: str
    role: Role = "ink"
    anchor: Literal["start", "middle", "end"] = "start"
    dx: float = 0.0
    dy: float = 0.0
    bold: bool = False


@dataclass(frozen=True, kw_only=True)
class EndLabels:
    """Names at the right end of lines, kept apart: (y, text, role)."""

    labels: tuple[tuple[float, str, Role], ...]


@dataclass(frozen=True, kw_only=True)
class Circle:
    """A circle whose radius is in pixels, as in a Venn diagram."""

    x: float
    y: float
    radius: float
    role: Role = "soft"


@dataclass(frozen=True, kw_only=True)
class MovableRule:
    """A hidden vertical line of class `name` that the script of a page shows and moves."""

    x: float
    name: str


Mark = Line | Band | Bars | Dots | Rule | Notches | Words | EndLabels | Circle | MovableRule


KeyEntry = tuple[Role, float, str]


@dataclass(frozen=True, kw_only=True)
class Plot:
    """Marks in one frame; `key` names fills: (role, opacity, text).

    `room_left` is the least room for names, so that plots below each other begin at one line.
    """

    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    width: int = 760
    height: int = 300
    room_left: int = 0
    room_right: int = 20
    key: tuple[KeyEntry, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Figure:
    """Plots below each other, or side by side; `narrow` are others for a phone."""

    plots: tuple[Plot, ...]
    across: bool = False
    gap: int = 12
    narrow: tuple[Plot, ...] = ()


def figure(*plots: Plot, across: bool = False) -> Figure:
    """The plots as one figure."""
    return Figure(plots=plots, across=across)
