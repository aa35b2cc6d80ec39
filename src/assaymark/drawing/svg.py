"""Charts as SVG text: no style attributes, scripts or links, and every text is escaped."""

from dataclasses import dataclass
from functools import singledispatch
from html import escape
from itertools import pairwise

from assaymark.drawing.marks import (
    Band,
    Bars,
    Circle,
    Dots,
    EndLabels,
    Figure,
    KeyEntry,
    Line,
    Mark,
    MovableRule,
    Notches,
    Plot,
    Point,
    Rule,
    Words,
)
from assaymark.drawing.themes import PAGE, Theme

LETTER = 6.4  # about the width of a letter of 12 px
KEY_LEFT = 50  # about where the plot area begins
APART = 19  # lines of text, far enough apart for the letters on a phone
DASHES = ' stroke-dasharray="6 4"'


def svg(
    figure: Figure, *, theme: Theme = PAGE, title: str = "", about: str = "", kind: str = "chart"
) -> str:
    """The figure as one <svg> element of class `kind`; `title` and `about` say in words what it shows."""
    body, across, down = [], 0, 0
    for plot in figure.plots:
        x, y = (across, 0) if figure.across else (0, down)
        body.append(f'<g transform="translate({x} {y})">{_plot(plot, theme)}</g>')
        across += plot.width + figure.gap
        down += plot.height + figure.gap
    width = across - figure.gap if figure.across else max(plot.width for plot in figure.plots)
    height = max(plot.height for plot in figure.plots) if figure.across else down - figure.gap
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="{theme.font}" font-size="12"'
        f"{_in_words(title, about)}{_background(theme)}{''.join(body)}</svg>"
    )


def _in_words(title: str, about: str) -> str:
    if not title:
        return ">"
    label = ". ".join(part for part in (title, about) if part)
    return f' role="img" aria-label="{escape(label)}"><title>{escape(title)}</title>'


def _background(theme: Theme) -> str:
    if theme.background is None:
        return ""
    return f'<rect width="100%" height="100%" fill="{theme.background}"/>'


@dataclass(frozen=True, kw_only=True)
class Frame:
    """The plot area on the picture, and the colours to draw with."""

    plot: Plot
    theme: Theme
    left: float
    top: float
    right: float
    bottom: float

    def x(self, value: float) -> float:
        """Across."""
        return round(self.left + self.plot.x.share(value) * (self.right - self.left), 1)

    def y(self, value: float) -> float:
        """Down."""
        return round(self.bottom - self.plot.y.share(value) * (self.bottom - self.top), 1)

    def colour(self, role: str) -> str:
        """The colour of a role."""
        return self.theme.colours[role]

    def text(self, x: float, y: float, text: str, *, role: str = "soft", more: str = "") -> str:
        """A text at a place of the picture."""
        return (
            f'<text x="{round(x, 1)}" y="{round(y, 1)}" fill="{self.colour(role)}"{more}>'
            f"{escape(text)}</text>"
        )


def _plot(plot: Plot, theme: Theme) -> str:
    frame = _frame(plot, theme)
    return "".join(
        [_key(frame), _x_axis(frame), _y_axis(frame), *(_drawn(one, frame) for one in plot.marks)]
    )


def _frame(plot: Plot, theme: Theme) -> Frame:
    widest = max((len(text) for _, text in plot.y.labels()), default=0)
    head = 20 * len(_key_lines(plot))
    return Frame(
        plot=plot,
        theme=theme,
        left=max(18 + LETTER * widest if widest else 6, plot.room_left),
        right=plot.width - plot.room_right,
        top=head + (24 if plot.y.title else 8),
        bottom=plot.height - _foot(plot),
    )


def _foot(plot: Plot) -> int:
    return (22 if plot.x.labels() else 8) + (20 if plot.x.title else 0)


def _key(frame: Frame) -> str:
    parts = []
    for line, entries in enumerate(_key_lines(frame.plot)):
        x, y = frame.left, 3 + 20 * line
        for role, opacity, text in entries:
            parts.append(
                f'<rect x="{x:.1f}" y="{y}" width="11" height="11" fill="{frame.colour(role)}" '
                f'fill-opacity="{opacity:g}" stroke="{frame.colour("ink")}" stroke-width="0.6"/>'
                + frame.text(x + 16, y + 10, text)
            )
            x += _key_width(text)
    return "".join(parts)


def _key_lines(plot: Plot) -> list[list[KeyEntry]]:
    """The entries of the key, in as many lines as the width of the plot asks for."""
    lines: list[list[KeyEntry]] = []
    room = 0.0
    for entry in plot.key:
        needed = _key_width(entry[2])
        if not lines or needed > room:
            lines.append([])
            room = plot.width - KEY_LEFT
        lines[-1].append(entry)
        room -= needed
    return lines


def _key_width(text: str) -> float:
    return 34 + LETTER * len(text)


def _x_axis(frame: Frame) -> str:
    axis, floor = frame.plot.x, frame.bottom
    parts, every = [], _every(frame)
    for place, (value, text) in enumerate(axis.labels()):
        x = frame.x(value)
        if axis.grid:
            parts.append(_segment((x, frame.top), (x, floor), frame.colour("grid"), 1))
        if place % every == 0:
            parts.append(frame.text(x, floor + 17, text, more=' text-anchor="middle"'))
    if axis.labels():
        ends = (frame.left, floor), (frame.right, floor)
        parts.append(_segment(*ends, frame.colour("soft"), 1))
    if axis.title:
        more = ' text-anchor="end" font-weight="600"'
        parts.append(frame.text(frame.right, frame.plot.height - 6, axis.title, more=more))
    return "".join(parts)


def _every(frame: Frame) -> int:
    """Every how many numbers of the axis are printed, so that they never overlap."""
    places = [(frame.x(value), LETTER * (len(text) + 1)) for value, text in frame.plot.x.labels()]
    for every in range(1, len(places)):
        shown = places[::every]
        if all((a[1] + b[1]) / 2 <= b[0] - a[0] for a, b in pairwise(shown)):
            return every
    return max(len(places), 1)


def _y_axis(frame: Frame) -> str:
    axis = frame.plot.y
    parts = []
    for value, text in axis.labels():
        y = frame.y(value)
        if axis.grid:
            parts.append(_segment((frame.left, y), (frame.right, y), frame.colour("grid"), 1))
        parts.append(frame.text(frame.left - 8, y + 4, text, more=' text-anchor="end"'))
    if axis.title:
        parts.append(frame.text(6, frame.top - 11, axis.title, more=' font-weight="600"'))
    return "".join(parts)


def _segment(start: Point, end: Point, colour: str, width: float, more: str = "") -> str:
    return (
        f'<line x1="{start[0]}" x2="{end[0]}" y1="{start[1]}" y2="{end[1]}" stroke="{colour}" '
        f'stroke-width="{width:g}"{more}/>'
    )


@singledispatch
def _drawn(mark: Mark, frame: Frame) -> str:  # noqa: ARG001 - the shape of every drawing
    raise TypeError(f"{type(mark).__name__} is no mark of a chart.")


@_drawn.register
def _line(mark: Line, frame: Frame) -> str:
    if not mark.points:
        return ""
    places = [(frame.x(x), frame.y(y)) for x, y in mark.points]
    path = f"M{places[0][0]} {places[0][1]}"
    for x, y in places[1:]:
        path += f"H{x}V{y}" if mark.steps else f"L{x} {y}"
    dashes = DASHES if mark.dashed else ""
    return (
        f'<path d="{path}" fill="none" stroke="{frame.colour(mark.role)}" '
        f'stroke-width="{mark.width:g}" stroke-linejoin="round"{dashes}/>'
    )


@_drawn.register
def _band(mark: Band, frame: Frame) -> str:
    there = [f"{frame.x(x)} {frame.y(high)}" for x, _, high in mark.points]
    back = [f"{frame.x(x)} {frame.y(low)}" for x, low, _ in reversed(mark.points)]
    return (
        f'<path d="M{"L".join(there + back)}Z" fill="{frame.colour(mark.role)}" '
        f'fill-opacity="{mark.opacity:g}"/>'
    )


@_drawn.register
def _bars(mark: Bars, frame: Frame) -> str:
    outline = ""
    if mark.outline is not None:
        outline = f' stroke="{frame.colour(mark.outline)}" stroke-width="0.7"'
    parts = []
    for place, (left, right, bottom, top) in enumerate(mark.boxes):
        x0, x1 = sorted((frame.x(left), frame.x(right)))
        y0, y1 = sorted((frame.y(bottom), frame.y(top)))
        hint = f"<title>{escape(mark.hints[place])}</title>" if mark.hints else ""
        parts.append(
            f'<rect x="{x0}" y="{y0}" width="{max(x1 - x0, 1):.1f}" height="{y1 - y0:.1f}" '
            f'fill="{frame.colour(mark.role)}" fill-opacity="{mark.opacity:g}"{outline}>{hint}</rect>'
        )
    return "".join(parts)


@_drawn.register
def _dots(mark: Dots, frame: Frame) -> str:
    ink = frame.colour(mark.role)
    fill, edge = (frame.colour("paper"), ink) if mark.hollow else (ink, frame.colour("paper"))
    colours = f'fill="{fill}" stroke="{edge}" stroke-width="1.2"'
    parts = []
    for at_x, at_y in mark.points:
        x, y, r = frame.x(at_x), frame.y(at_y), mark.radius
        if mark.shape == "triangle":
            parts.append(f'<path d="M{x - r} {y + r}h{2 * r}l{-r} {-2 * r}z" {colours}/>')
        else:
            parts.append(f'<circle cx="{x}" cy="{y}" r="{r:g}" {colours}/>')
    return "".join(parts)


@_drawn.register
def _rule(mark: Rule, frame: Frame) -> str:
    if mark.x is not None:
        x = frame.x(mark.x)
        ends = (x, frame.top), (x, frame.bottom)
    else:
        y = frame.y(mark.y or 0.0)
        ends = (frame.left, y), (frame.right, y)
    dashes = DASHES if mark.dashed else ""
    return _segment(*ends, frame.colour(mark.role), mark.width, dashes)


@_drawn.register
def _notches(mark: Notches, frame: Frame) -> str:
    places = [frame.x(place) for place in mark.places]
    top, colour = frame.bottom - 5, frame.colour(mark.role)
    return "".join(_segment((x, top), (x, frame.bottom + 3), colour, 1.4) for x in places)


@_drawn.register
def _words(mark: Words, frame: Frame) -> str:
    more = f' text-anchor="{mark.anchor}"' + (' font-weight="600"' if mark.bold else "")
    x, y = frame.x(mark.x) + mark.dx, frame.y(mark.y) + mark.dy
    return frame.text(x, y, mark.text, role=mark.role, more=more)


@_drawn.register
def _end_labels(mark: EndLabels, frame: Frame) -> str:
    parts, last = [], float("-inf")
    for value, text, role in sorted(mark.labels, key=lambda label: -label[0]):
        last = max(frame.y(value) + 4, last + APART)
        parts.append(frame.text(frame.right + 8, last, text, role=role, more=' font-weight="600"'))
    return "".join(parts)


@_drawn.register
def _circle(mark: Circle, frame: Frame) -> str:
    return (
        f'<circle cx="{frame.x(mark.x)}" cy="{frame.y(mark.y)}" r="{mark.radius:g}" '
        f'fill="{frame.colour(mark.role)}" fill-opacity="0.18" stroke="{frame.colour("ink")}"/>'
    )


@_drawn.register
def _movable(mark: MovableRule, frame: Frame) -> str:
    x, axis = frame.x(mark.x), frame.plot.x
    return (
        f'<line class="{escape(mark.name)}" data-x0="{axis.low:.6g}" data-x1="{axis.high:.6g}" '
        f'data-left="{frame.left:g}" data-right="{frame.right:g}" x1="{x}" x2="{x}" y1="{frame.top}" '
        f'y2="{frame.bottom}" stroke="{frame.colour("warn")}" stroke-width="2"{DASHES} '
        'visibility="hidden"/>'
    )
