"""The figure of `certify-race`: labels relative to the fixed test, one mark per claim."""

from collections.abc import Sequence
from typing import Any

from assaymark.lab.vega_lite import frame, room, titled


def race_figure(laps: Sequence[Any]) -> dict[str, Any]:
    """One row per entrant, one tick per claim, a dot at the geometric mean."""
    values = [
        {"entrant": lap.entrant, "of_fixed": round(lap.of_fixed, 4), "where": lap.where}
        for lap in laps
    ]
    order = list(dict.fromkeys(lap.entrant for lap in laps))
    least = min(value["of_fixed"] for value in values)
    x = {
        "field": "of_fixed",
        "type": "quantitative",
        "title": "mean labels as a share of the fixed test (log scale)",
        "scale": {"type": "log", "domain": [max(0.01, least * 0.9), 10], "nice": False},
        "axis": {"values": [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10], "format": "~g"},
    }
    y = {"field": "entrant", "type": "nominal", "sort": order, "title": None}
    return {
        **frame(),
        "title": titled("Labels to certify the same claims"),
        "padding": room(left=40),
        "width": 420,
        "height": 240,
        "data": {"values": values},
        "layer": [
            {
                "mark": {"type": "tick", "color": "#555555", "thickness": 1, "opacity": 0.8},
                "encoding": {"x": x, "y": y},
            },
            {
                "transform": [
                    {"calculate": "log(datum.of_fixed)", "as": "log"},
                    {
                        "aggregate": [{"op": "mean", "field": "log", "as": "log"}],
                        "groupby": ["entrant"],
                    },
                    {"calculate": "exp(datum.log)", "as": "of_fixed"},
                ],
                "mark": {"type": "point", "filled": True, "color": "black", "size": 70},
                "encoding": {"x": x, "y": y},
            },
        ],
    }
