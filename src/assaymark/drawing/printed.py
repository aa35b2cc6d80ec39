"""A figure for paper: drawn so wide that its letters can be read in print."""

from dataclasses import replace

from assaymark.drawing.marks import Figure, Plot

WIDE = 660  # pixels: on A4 with margins of 20 mm its letters come to 8.8 points
FIRST_PAGE = 240  # pixels of height, so that page one has room for its sentences


def printed_figure(figure: Figure, *, first_page: bool = False) -> Figure:
    """The figure at the width of the text. What stands side by side or in boxes keeps its measures."""
    if figure.across:
        return figure
    return replace(
        figure, plots=tuple(_printed(plot, first_page=first_page) for plot in figure.plots)
    )


def _printed(plot: Plot, *, first_page: bool) -> Plot:
    boxes_only = not plot.x.labels() and not plot.y.labels()
    width = plot.width if boxes_only else min(plot.width, WIDE)
    height = min(plot.height, FIRST_PAGE) if first_page and not plot.y.names else plot.height
    return replace(plot, width=width, height=height)
