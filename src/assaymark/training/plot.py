"""The learning curve as a picture of its own."""

from html import escape
from pathlib import Path
from typing import Any

from assaymark.errors import InputError, PlanError
from assaymark.files.places import part_of
from assaymark.hints import command
from assaymark.reports.render import LIGHT, PRINT_FONT, VERSION, svg, themed
from assaymark.reports.renderer import chart_renderer
from assaymark.training.report import learning_chart, total_chart
from assaymark.triaging.files import refuse_written

FORMS = (".html", ".svg", ".png")


def write_training_plot(path: Path, told: dict[str, Any]) -> None:
    """Learning curve and projected total: one picture, or a page with both and their captions."""
    refuse_written(path)
    form = path.suffix.lower()
    if form not in FORMS:
        raise InputError(f"A plot is written as {', '.join(FORMS)}, got {path.name!r}.")
    if not told["looks"]:
        raise PlanError(
            "There is no model yet, so there is no learning curve to draw. Label what was handed out, "
            f"then: {command('train')}."
        )
    charts = [found for found in (learning_chart(told), total_chart(told)) if found is not None]
    if form == ".html":
        made = _page(told, charts).encode()
    else:
        made = _picture({"vconcat": [found.spec for found in charts], "spacing": 28}, form)
    with part_of(path) as part:
        part.write_bytes(made)


def _picture(spec: dict[str, Any], form: str) -> bytes:
    renderer = chart_renderer()
    ready = {**themed(spec, LIGHT, font=PRINT_FONT), "background": "white", "padding": 14}
    if form == ".svg":
        drawn: str = renderer.vegalite_to_svg(ready, vl_version=VERSION, allowed_base_urls=[])
        return drawn.encode()
    made: bytes = renderer.vegalite_to_png(ready, vl_version=VERSION, scale=2, allowed_base_urls=[])
    return made


def _page(told: dict[str, Any], charts: list[Any]) -> str:
    figures = "".join(
        f"<h2>{escape(found.title)}</h2><figure>{svg(found.spec, theme='light')}"
        f"<figcaption>{escape(found.caption)}</figcaption></figure>"
        for found in charts
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Learning curve</title>'
        "<style>body{font:16px system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}"
        "figure{margin:0}</style>"
        f"<h1>{escape(told['claim'])}</h1><p>{escape(told['sentence'])}</p>{figures}</html>\n"
    )
