"""The figures of `pairs`: what labels cost, how dependent pairs are, errors over random splits."""

from collections.abc import Sequence
from typing import Any

from assaymark.lab.vega_lite import FONTS, frame, room, titled

LIMIT = {"labelLimit": 300}


def _frame(title: str, width: int, height: int, values: Sequence[Any]) -> dict[str, Any]:
    return {
        **frame(axis=LIMIT, legend=FONTS | LIMIT),
        "title": titled(title),
        "padding": room(left=40, right=16),
        "width": width,
        "height": height,
        "data": {"values": list(values)},
    }


def cost_figure(cost: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Labels for ± 0.05 against prevalence, both axes logarithmic (the paper's Figure 1)."""
    values = [
        {"prevalence": row["prevalence"], "labels": row[name], "how": how}
        for row in cost
        for name, how in (("unbiased", "unbiased sampling"), ("pair", "pair, if independent"))
    ]
    frame = _frame("Labels for recall to ± 0.05", 380, 230, values)
    return frame | {
        "mark": {"type": "line", "point": {"size": 60, "color": "black"}, "color": "black"},
        "encoding": {
            "x": {
                "field": "prevalence",
                "type": "quantitative",
                "scale": {"type": "log", "reverse": True},
                "axis": {"values": [0.01, 0.001, 0.0001], "format": "~g"},
                "title": "share of positives",
            },
            "y": {
                "field": "labels",
                "type": "quantitative",
                "scale": {"type": "log"},
                "axis": {"values": [100, 1000, 10000, 100000, 1000000, 10000000], "format": ",~r"},
                "title": "labels",
            },
            "strokeDash": {
                "field": "how",
                "type": "nominal",
                "title": None,
                "legend": {"symbolType": "stroke", "symbolSize": 600},
            },
        },
    }


def dependence_figure(summary: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """δ1 of every pair, by how it was built, with the band that is assumed by default."""
    values = [
        {"built": f"{row['built']} ({row['collection']})", "delta1": round(row["delta1"], 4)}
        for row in summary
    ]
    rows = len({value["built"] for value in values})
    y = {"field": "built", "type": "nominal", "sort": None, "title": None}
    x = {
        "field": "delta1",
        "type": "quantitative",
        "title": "δ1: 1 is independent",
        "scale": {"zero": False, "nice": True},
    }
    band = {"values": [{"from": 0.85, "to": 1.25}]}
    return _frame("How dependent the pairs are", 420, 24 * rows, values) | {
        "layer": [
            {
                "data": band,
                "mark": {"type": "rect", "color": "#e6e6e6"},
                "encoding": {
                    "x": {"field": "from", "type": "quantitative"},
                    "x2": {"field": "to"},
                },
            },
            {
                "data": {"values": [{"one": 1}]},
                "mark": {"type": "rule", "strokeDash": [4, 3]},
                "encoding": {"x": {"field": "one", "type": "quantitative"}},
            },
            {
                "mark": {"type": "point", "filled": True, "color": "black", "size": 45},
                "encoding": {"x": x, "y": y},
            },
        ]
    }


def split_figure(summary: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Mean error over random splits with its 95 % interval, as in the paper's Figure 5."""
    values = [
        {
            "topic": f"{row['topic']} ({row['collection']})",
            "error": round(row["error"], 5),
            "low": round(row["error_low"], 5),
            "high": round(row["error_high"], 5),
        }
        for row in summary
        if row["built"] == "columns"
    ]
    y = {"field": "topic", "type": "nominal", "sort": None, "title": None}
    title = "estimate minus true recall, mean and 95 % interval"
    return _frame("Error over random splits", 380, 24 * max(1, len(values)), values) | {
        "layer": [
            {
                "data": {"values": [{"zero": 0}]},
                "mark": {"type": "rule", "strokeDash": [4, 3]},
                "encoding": {
                    "x": {
                        "field": "zero",
                        "type": "quantitative",
                        "title": title,
                        "scale": {"domainMin": -0.02},
                    }
                },
            },
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {
                    "y": y,
                    "x": {"field": "low", "type": "quantitative", "title": title},
                    "x2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "point", "filled": True, "color": "black", "size": 50},
                "encoding": {
                    "y": y,
                    "x": {"field": "error", "type": "quantitative", "title": title},
                },
            },
        ]
    }
