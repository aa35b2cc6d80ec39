"""The learning curve as a picture of its own."""

from html import escape
from pathlib import Path

from assaymark.drawing.marks import Figure
from assaymark.drawing.svg import svg
from assaymark.drawing.themes import FILE
from assaymark.errors import InputError, PlanError
from assaymark.files.places import KEPT, part_of, refuse_existing
from assaymark.hints import command
from assaymark.reports.section import Chart
from assaymark.reports.typesetter import png
from assaymark.training.report import learning_chart, total_chart
from assaymark.training.summary import TrainingSummary

FORMS = (".html", ".svg", ".png")


def write_training_plot(path: Path, summary: TrainingSummary) -> None:
    """Learning curve and projected total: one picture, or a page with both and their captions."""
    refuse_existing(path, because=KEPT)
    form = path.suffix.lower()
    if form not in FORMS:
        raise InputError(f"A plot is written as {', '.join(FORMS)}, got {path.name!r}.")
    if not summary.looks:
        raise PlanError(
            "There is no model yet, so there is no learning curve to draw. Label what was handed out, "
            f"then: {command('train')}."
        )
    charts = [
        chart for chart in (learning_chart(summary), total_chart(summary)) if chart is not None
    ]
    if form == ".html":
        made = _page(summary, charts).encode()
    else:
        plots = tuple(plot for chart in charts for plot in chart.figure.plots)
        made = _picture(Figure(plots=plots, gap=28), form)
    with part_of(path) as part:
        part.write_bytes(made)


def _picture(figure: Figure, form: str) -> bytes:
    return png(figure) if form == ".png" else svg(figure, theme=FILE).encode()


def _page(summary: TrainingSummary, charts: list[Chart]) -> str:
    figures = "".join(
        f"<h2>{escape(chart.title)}</h2><figure>{svg(chart.figure, theme=FILE)}"
        f"<figcaption>{escape(chart.caption)}</figcaption></figure>"
        for chart in charts
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Learning curve</title>'
        "<style>body{font:16px system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}"
        "figure{margin:0}</style>"
        f"<h1>{escape(summary.claim)}</h1><p>{escape(summary.sentence)}</p>{figures}</html>\n"
    )
