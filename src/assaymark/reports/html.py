"""The report as one HTML file: no script, no link, nothing fetched. All text is escaped."""

from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from assaymark.drawing.responsive import responsive_svg
from assaymark.hints import for_command_line
from assaymark.reports.section import Chart, Report


def html(report: Report) -> str:
    """The whole page as text."""
    return _template().render(report=report, picture=_picture)


def _picture(chart: Chart) -> Markup:
    return Markup(responsive_svg(chart.figure))  # noqa: S704 - its texts are escaped


def _spelled(value: object) -> object:
    """What a report shows; its reader checks it on the command line."""
    return for_command_line(value) if type(value) is str else value


@lru_cache(maxsize=1)
def _template() -> Template:
    loader = PackageLoader("assaymark.reports", "templates")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_spelled,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html")
