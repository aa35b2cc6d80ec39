"""The figure of `certify-race`: labels relative to the fixed test, one mark per claim."""

from collections.abc import Sequence
from typing import Any

from assaymark.lab import vega_lite as vega
from assaymark.lab.vega_lite import Spec


def race_figure(laps: Sequence[Any]) -> Spec:
    """One row per entrant, one tick per claim, a dot at the geometric mean."""
    values = [
        {"entrant": lap.entrant, "of_fixed": round(lap.of_fixed, 4), "where": lap.where}
        for lap in laps
    ]
    least = min(value["of_fixed"] for value in values)
    x = vega.number(
        "of_fixed",
        title="mean labels as a share of the fixed test (log scale)",
        scale={"type": "log", "domain": [max(0.01, least * 0.9), 10], "nice": False},
        axis={"values": [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10], "format": "~g"},
    )
    y = vega.name("entrant", sort=list(dict.fromkeys(lap.entrant for lap in laps)))
    mean = {"op": "mean", "field": "log", "as": "log"}
    geometric_mean = [
        {"calculate": "log(datum.of_fixed)", "as": "log"},
        {"aggregate": [mean], "groupby": ["entrant"]},
        {"calculate": "exp(datum.log)", "as": "of_fixed"},
    ]
    tick = {"type": "tick", "color": "#555555", "thickness": 1, "opacity": 0.8}
    dot = {"type": "point", "filled": True, "color": "black", "size": 70}
    return vega.figure(
        "Labels to certify the same claims",
        padding=vega.room(left=40),
        width=420,
        height=240,
        data=vega.rows(values),
        layer=[
            vega.layer(tick, x=x, y=y),
            vega.layer(dot, x=x, y=y) | {"transform": geometric_mean},
        ],
    )
