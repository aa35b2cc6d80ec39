"""The chart of the bound: what is drawn is true at its place."""

from types import SimpleNamespace

from assaymark.certification.report.charts import path_chart
from assaymark.certification.view.dossier import Path, PathPoint
from assaymark.drawing.marks import Line


def test_a_bound_outside_the_picture_is_not_drawn_along_its_edge() -> None:
    """A bound of nothing looked like one of 0.5, because the axis began there."""
    steps = ((10, 0.6, 0.0), (20, 0.9, 0.1), (30, 0.9, 0.55), (40, 0.9, 0.7))
    points = tuple(PathPoint(labels=n, draws=n, point=p, bound=b) for n, p, b in steps)
    path = Path(metric="recall", side="lower", target=0.75, points=points, marks=())
    chart = path_chart(SimpleNamespace(path=path, claim_title="Recall"))
    assert chart is not None
    (plot,) = chart.figure.plots
    (bound,) = (mark for mark in plot.marks if isinstance(mark, Line) and mark.steps)
    assert plot.y.low == 0.5
    assert bound.points == ((30.0, 0.55), (40.0, 0.7))
    assert "Thick line: lower bound" in chart.caption


def test_the_caption_is_about_what_is_drawn() -> None:
    """A dot was called a thick line, because bounds outside the picture were counted."""
    steps = ((10, 0.6, 0.0), (20, 0.9, 0.1), (40, 0.9, 0.7))
    points = tuple(PathPoint(labels=n, draws=n, point=p, bound=b) for n, p, b in steps)
    path = Path(metric="recall", side="lower", target=0.75, points=points, marks=())
    chart = path_chart(SimpleNamespace(path=path, claim_title="Recall"))
    assert chart is not None
    assert "Dot: lower bound" in chart.caption
