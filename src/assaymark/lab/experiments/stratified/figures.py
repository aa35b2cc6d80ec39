"""Figures of the experiment `stratified`: both yardsticks, tuning, and true accuracy."""

from collections.abc import Sequence
from typing import Any

from assaymark.lab import vega_lite as vega
from assaymark.lab.vega_lite import Spec

WAYS = {
    "proportional": "proportional",
    "equal": "equal",
    "optimal-steps, as printed": "optimal in steps, as printed",
    "optimal-steps": "optimal in steps, guarded",
    "mixc by mass": "mixc (default)",
}
LOOK = {**vega.frame(legend={"labelLimit": 260}), "padding": vega.room()}
TRUE, PRINTED = "true error over random sampling", "as the paper measures it"
Rows = Sequence[dict[str, Any]]


def _ratio(field: str, title: str) -> Spec:
    """A ratio on a log scale that holds every value: a bar at the edge would tell a lie."""
    return vega.number(
        field,
        title=title,
        scale={"type": "log", "nice": True},
        axis={"values": [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50], "format": "~g"},
    )


def _lines(field: str, title: str, group: str) -> Spec:
    x = vega.number(
        "labels",
        title="labels",
        scale={"type": "log", "domain": [45, 1800], "nice": False},
        axis={"values": [50, 100, 200, 400, 800, 1600]},
    )
    plain = {"field": group, "type": "nominal", "legend": None}
    lines = vega.layer(
        {"type": "line", "point": {"size": 60}},
        x=x,
        y=_ratio(field, title),
        strokeDash=plain,
        shape=vega.name(group, title=group),
        color=plain | {"scale": {"scheme": "dark2"}},
    )
    return {"layer": [vega.dashed(y={"datum": 1}), lines], "width": 270, "height": 240}


def ratio_figure(summary: Rows) -> Spec:
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
    return vega.figure(
        "Variance against random sampling, two yardsticks",
        look=LOOK,
        data=vega.rows(values),
        hconcat=[_lines("true_vr", TRUE, "way"), _lines("paper_vr", PRINTED, "way")],
    )


def tuning_figure(tuning: Rows) -> Spec:
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
    header = {"labelAngle": 0, "labelAlign": "left", "labelLimit": 220}
    return vega.figure(
        "Learning allocations at 800 labels, by first labels per stratum, every pool",
        look=LOOK,
        data=vega.rows(values),
        mark={"type": "tick", "color": "black", "thickness": 1.5},
        width=420,
        height={"step": 14},
        encoding={
            "x": _ratio("true_vr", f"{TRUE} (log scale)"),
            "y": {"field": "first", "type": "ordinal", "title": None, "sort": ["5", "10", "20"]},
            "row": vega.name("way", header=header),
        },
    )


def accuracy_figure(accuracies: Rows) -> Spec:
    """The same learner at three accuracies: the paper's way and measure, and the true error."""
    values = [
        {
            "labels": row["labels"],
            "true_vr": round(row["true_vr"], 4),
            "paper_vr": round(max(row["paper_vr"], 1e-3), 4),
            "classifier": f"accuracy {row['accuracy']:.2f}",
        }
        for row in accuracies
        if row["way"].startswith("equal size")
    ]
    return vega.figure(
        "The same learner at three accuracies, the paper's way, two yardsticks",
        look=LOOK,
        data=vega.rows(values),
        hconcat=[_lines("paper_vr", PRINTED, "classifier"), _lines("true_vr", TRUE, "classifier")],
    )
