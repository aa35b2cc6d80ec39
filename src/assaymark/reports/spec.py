"""What every chart is made of: the schema, its width, and colours by role."""

from typing import Any

from assaymark.reports.section import Chart

Spec = dict[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
WIDTH = 640
# colours by role; `render` puts the theme's colour in their place
INK, SOFT, ACCENT, PAPER = "{ink}", "{soft}", "{accent}", "{paper}"


def chart(title: str, caption: str, spec: Spec) -> Chart:
    """The specification as a chart."""
    return Chart(title=title, caption=caption, spec={"$schema": SCHEMA, **spec})
