"""Figures of the experiment `test-size`: success, confidence and size against the target."""

from collections.abc import Sequence
from typing import Any

from assaymark.lab import vega_lite as vega
from assaymark.lab.experiments.test_size.trials import CONFIDENCE, POWER, TITLES
from assaymark.lab.vega_lite import Spec

PAPER = "the paper's Table 1"
# a shape, a colour and a place beside the target, so that marks do not hide each other
STYLES = {
    TITLES["printed"]: ("circle", "#000000", -0.024),
    TITLES["mended"]: ("square", "#777777", -0.008),
    TITLES["exact"]: ("triangle-up", "#1f5fa8", 0.008),
    PAPER: ("cross", "#b03030", 0.024),
}
X = vega.number(
    "x",
    title="target as a share of the true F1",
    scale={"domain": [0.46, 0.94], "nice": False},
    axis={"values": [0.5, 0.6, 0.7, 0.8, 0.9], "format": ".1f", "grid": False},
)


def figures_of(columns: Sequence[Any]) -> dict[str, Spec]:
    """All figures, a panel per kind of table."""
    return {
        "success": success_figure(columns),
        "confidence": confidence_figure(columns),
        "sizes": sizes_figure(columns),
    }


def success_figure(columns: Sequence[Any]) -> Spec:
    """The share of tests that pass, with 95 % intervals of the mean over tables."""
    values = []
    for column in columns:
        if column.success is not None:
            values.append(_point(column, TITLES[column.way], column.success, column.error or 0.0))
        if column.way == "printed":
            # the paper's figure is a deviation over its 100 tables, hence a tenth of it
            values.append(_point(column, PAPER, column.paper, column.paper_spread / 10))
    ends = [value[end] for value in values for end in ("low", "high")]
    y = _share("tests that pass", min(0.9, *ends) - 0.004, max(0.96, *ends) + 0.004)
    title = "How often tests of the planned size pass (asked: 93 %)"
    return _panels(title, values, [_line(POWER, y), *_bars(y, list(STYLES))])


def confidence_figure(columns: Sequence[Any]) -> Spec:
    """How often the bound of such a test is not above the truth; the whisker is the worst table."""
    values = [
        {
            **_point(column, TITLES[column.way], column.confidence, 0.0),
            "low": round(column.worst_confidence, 5),
        }
        for column in columns
        if column.confidence is not None
    ]
    y = _share("bounds that hold", 0.0, 1.0)
    title = "How often the bound of the test holds (asked: 95 %)"
    return _panels(title, values, [_line(CONFIDENCE, y), *_bars(y, list(TITLES.values()))])


def sizes_figure(columns: Sequence[Any]) -> Spec:
    """Median size against the target."""
    values = [
        {
            "where": f"{column.where} tables",
            "way": TITLES[column.way],
            "x": column.share,
            "y": column.median_size,
        }
        for column in columns
        if column.median_size is not None
    ]
    y = vega.number(
        "y",
        title="labels in the test, median (log scale)",
        scale={"type": "log", "nice": True},
        axis={"format": ",d", "values": [10, 30, 100, 300, 1000, 3000, 10000, 30000]},
    )
    looks = _looks(list(TITLES.values()))
    line = vega.layer({"type": "line", "strokeWidth": 1.4}, x=X, y=y, color=looks["color"])
    return _panels("How many labels each way asks for", values, [line, _marks(y, looks)])


def _point(column: Any, way: str, value: float, error: float) -> Spec:
    return {
        "where": f"{column.where} tables",
        "way": way,
        "x": round(column.share + STYLES[way][2], 4),
        "y": round(value, 5),
        "low": round(value - 1.96 * error, 5),
        "high": round(value + 1.96 * error, 5),
    }


def _share(title: str, low: float, high: float) -> Spec:
    scale = {"domain": [round(low, 3), round(high, 3)], "nice": False, "zero": False}
    return vega.number("y", title=title, scale=scale, axis={"format": ".0%"})


def _line(value: float, y: Spec) -> Spec:
    return vega.dashed(
        y={key: part for key, part in y.items() if key != "field"} | {"datum": value}
    )


def _bars(y: Spec, names: list[str]) -> list[Spec]:
    looks = _looks(names)
    ends = {"y": {**y, "field": "low"}, "y2": {"field": "high"}}
    whisker = vega.layer({"type": "rule", "strokeWidth": 1.3}, x=X, color=looks["color"], **ends)
    return [whisker, _marks(y, looks)]


def _marks(y: Spec, looks: Spec) -> Spec:
    return vega.layer(
        {"type": "point", "filled": True, "size": 45, "opacity": 1}, x=X, y=y, **looks
    )


def _looks(names: list[str]) -> Spec:
    legend = {"title": None, "orient": "bottom", "columns": 2, "symbolSize": 80, "labelLimit": 260}
    return {
        channel: {
            "field": "way",
            "type": "nominal",
            "scale": {"domain": names, "range": [STYLES[name][part] for name in names]},
            "legend": legend,
        }
        for part, channel in enumerate(("shape", "color"))
    }


def _panels(title: str, values: list[Spec], layers: list[Spec]) -> Spec:
    panels = list(dict.fromkeys(value["where"] for value in values))
    return vega.figure(
        title,
        padding=vega.room(right=16),
        data=vega.rows(values),
        facet={"column": vega.name("where", sort=panels, header={"labelFontSize": 12})},
        spec={"width": 300, "height": 220, "layer": layers},
    )
