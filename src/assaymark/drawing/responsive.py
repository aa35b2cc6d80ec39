"""A figure drawn twice, for wide screens and for phones; the page shows the one that fits."""

from dataclasses import replace

from assaymark.drawing.marks import Figure, Plot, Words
from assaymark.drawing.svg import svg

PHONE = 380  # drawn this wide, letters of 12 px stay readable on a phone
LONG = 16  # letters of a name that would take half of the picture
EDGE = 18  # pixels beside the first number of the axis, which is centred below its stroke
LINE = 18  # height of a name that stands above its row


def responsive_svg(figure: Figure, *, title: str = "", about: str = "") -> str:
    """Two <svg> elements of the classes `on-wide` and `on-phone`; style sheets hide one of them."""
    wide = svg(figure, title=title, about=about, kind="chart on-wide")
    return wide + svg(phone_figure(figure), title=title, about=about, kind="chart on-phone")


def phone_figure(figure: Figure) -> Figure:
    """The same figure for a narrow screen: plots below each other, nothing beyond the edge."""
    if figure.narrow:
        return Figure(plots=figure.narrow, gap=figure.gap)
    names = figure.plots[0].y.names
    return Figure(plots=tuple(_narrow(plot, names) for plot in figure.plots), gap=figure.gap)


def _narrow(plot: Plot, names: tuple[str, ...]) -> Plot:
    """The plot, with the names of its neighbour where it has left them out."""
    full_names = plot.y.names
    if full_names and not any(full_names):
        plot = replace(plot, y=replace(plot.y, names=names))
    if max(map(len, plot.y.names), default=0) > LONG:
        plot = _names_above(plot)
    return replace(plot, width=min(plot.width, PHONE))


def _names_above(plot: Plot) -> Plot:
    """The plot with each name above its row, so that the row has the whole width."""
    names = plot.y.names
    height = plot.height + LINE * len(names)
    row = height / max(len(names), 1)
    above = tuple(
        Words(x=plot.x.low, y=float(place), text=name, dx=2, dy=-round(0.3 * row), role="ink")
        for place, name in enumerate(names)
    )
    blank = replace(plot.y, names=("",) * len(names))
    return replace(plot, y=blank, marks=(*plot.marks, *above), height=height, room_left=EDGE)
