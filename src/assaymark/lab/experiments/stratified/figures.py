"""Figures of the experiment `stratified`: both yardsticks, tuning, and true accuracy."""

from collections.abc import Sequence
from typing import Any

from assaymark.lab.vega_lite import frame, room, titled

WAYS = {
    "proportional": "proportional",
    "equal": "equal",
    "optimal-steps, as printed": "optimal in steps, as printed",
    "optimal-steps": "optimal in steps, guarded",
    "mixc by mass": "mixc (default)",
}


def _frame(title: str, values: list[dict[str, Any]], **rest: Any) -> dict[str, Any]:
    return {
        **frame(legend={"labelLimit": 260}),
        "title": titled(title),
        "padding": room(),
        "data": {"values": values},
        **rest,
    }


def _x() -> dict[str, Any]:
    return {
        "field": "labels",
        "type": "quantitative",
        "title": "labels",
        "scale": {"type": "log", "domain": [45, 1800], "nice": False},
        "axis": {"values": [50, 100, 200, 400, 800, 1600]},
    }


def _y(field: str, title: str) -> dict[str, Any]:
    """A ratio on a log scale that holds every value: a bar at the edge would tell a lie."""
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"type": "log", "nice": True},
        "axis": {"values": [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50], "format": "~g"},
    }


def _lines(field: str, title: str, group: str, heading: str) -> dict[str, Any]:
    return {
        "layer": [
            {"mark": {"type": "rule", "strokeDash": [4, 3]}, "encoding": {"y": {"datum": 1}}},
            {
                "mark": {"type": "line", "point": {"size": 60}},
                "encoding": {
                    "x": _x(),
                    "y": _y(field, title),
                    "strokeDash": {"field": group, "type": "nominal", "legend": None},
                    "shape": {"field": group, "type": "nominal", "title": heading},
                    "color": {
                        "field": group,
                        "type": "nominal",
                        "legend": None,
                        "scale": {"scheme": "dark2"},
                    },
                },
            },
        ],
        "width": 270,
        "height": 240,
    }


def ratio_figure(summary: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """True ratio on the left, the paper's on the right; real pools where there are any."""
    where = "real" if any(row["where"] == "real" for row in summary) else "made"
    values = [
        {
            "labels": row["labels"],
            "way": WAYS[row["way"]],
            "true_vr": round(row["true_vr"], 4),
            "paper_vr": round(row["paper_vr"], 4),
        }
        for row in summary
        if row["where"] == where and row["way"] in WAYS
    ]
    parts = [
        _lines("true_vr", "true error over random sampling", "way", "way"),
        _lines("paper_vr", "as the paper measures it", "way", "way"),
    ]
    return _frame("Variance against random sampling, two yardsticks", values, hconcat=parts)


def tuning_figure(tuning: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """True ratio at 800 labels against the first labels per stratum, with and without guard."""
    values = [
        {
            "first": str(row["first"]),
            "true_vr": round(row["true_vr"], 4),
            "way": f"{row['allocation']}, {'guarded' if row['guard'] else 'as printed'}",
        }
        for row in tuning
        if row["labels"] == 800 and row["step"] == 10
    ]
    return _frame(
        "Learning allocations at 800 labels, by first labels per stratum, every pool",
        values,
        mark={"type": "tick", "color": "black", "thickness": 1.5},
        width=420,
        height=190,
        encoding={
            "x": _y("true_vr", "true error over random sampling (log scale)"),
            "y": {"field": "first", "type": "ordinal", "title": None, "sort": ["5", "10", "20"]},
            "row": {
                "field": "way",
                "type": "nominal",
                "title": None,
                "header": {"labelAngle": 0, "labelAlign": "left", "labelLimit": 220},
            },
        },
    ) | {"height": {"step": 14}}


def accuracy_figure(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The same learner at three accuracies: the paper's way and measure, and the true error."""
    values = [
        {
            "labels": row["labels"],
            "true_vr": round(row["true_vr"], 4),
            "paper_vr": round(max(row["paper_vr"], 1e-3), 4),
            "classifier": f"accuracy {row['accuracy']:.2f}",
        }
        for row in rows
        if row["way"].startswith("equal size")
    ]
    parts = [
        _lines("paper_vr", "as the paper measures it", "classifier", "classifier"),
        _lines("true_vr", "true error over random sampling", "classifier", "classifier"),
    ]
    title = "The same learner at three accuracies, the paper's way, two yardsticks"
    return _frame(title, values, hconcat=parts)
