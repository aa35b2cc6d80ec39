"""The figures of `policies`, from its tables alone."""

from collections.abc import Callable
from typing import Any

from assaymark.lab.vega_lite import FONTS, Spec, frame, room, titled

Tables = dict[str, list[dict[str, Any]]]

LOOK: Spec = {**frame(legend=FONTS), "padding": room(right=24)}


def _x(field: str, title: str, **more: Any) -> Spec:
    return {"field": field, "type": "quantitative", "title": title, **more}


def _low(row: dict[str, Any], field: str) -> float:
    low = row[field] - 2 * (row[f"{field}_error"] or 0)
    return float(low if field == "saving" else max(0.0, low))


def _high(row: dict[str, Any], field: str) -> float:
    return float(min(1.0, row[field] + 2 * (row[f"{field}_error"] or 0)))


def _first(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of the first collection, and of its first way where there are several."""
    members = [row for row in rows if row["collection"] == rows[0]["collection"]]
    return [row for row in members if row.get("way") == members[0].get("way")]


def optimism(tables: Tables) -> Spec:
    """Figure 3 in kind: cross-validated less true F1, by training size."""
    x = _x(
        "labels",
        "training labels (log scale)",
        scale={"type": "log", "nice": False},
        axis={"values": [50, 100, 200, 500, 1000, 2000, 5000, 10000]},
    )
    return {
        **LOOK,
        "title": titled("Cross-validated less true F1: mean, and 8 of 10 runs"),
        "width": 440,
        "height": 240,
        "data": {"values": _first(tables["optimism"])},
        "layer": [
            {
                "mark": {"type": "area", "color": "#bbbbbb", "opacity": 0.6},
                "encoding": {
                    "x": x,
                    "y": _x("low", "cross-validated − true F1"),
                    "y2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "line", "color": "black"},
                "encoding": {"x": x, "y": _x("mean", "cross-validated − true F1")},
            },
            {"mark": {"type": "rule", "strokeDash": [4, 3]}, "encoding": {"y": {"datum": 0}}},
        ],
    }


def one_run(tables: Tables) -> Spec:
    """Figures 2 and 4 in kind: the total of every look of one run, and where each policy stops."""
    run = tables["one-run"][0]["run"]
    words = {True: "passes", False: "fails", None: "not within the budget"}
    values = [
        {
            "labels": row["labels"],
            "total": 10_000 if row["size"] is None else row["labels"] + row["size"],
            "test": words[row["passed"]],
        }
        for row in tables["one-run"]
    ]
    annotations: dict[tuple[int, int], list[str]] = {}
    for row in tables["stops"]:
        annotations.setdefault((row["labels"], row["total"]), []).append(row["policy"])
    stops = [
        {"labels": labels, "total": total, "policy": ", ".join(names)}
        for (labels, total), names in annotations.items()
    ]
    place = {"x": _x("labels", "training labels"), "y": _x("total", "total labels")}
    test = {"field": "test", "type": "nominal", "title": "a test of that size"}
    shapes = {"domain": list(words.values()), "range": ["circle", "cross", "triangle-up"]}
    colours = {"domain": list(words.values()), "range": ["#0b7a4b", "#b3261e", "#999999"]}
    marks: Spec = {
        "data": {"values": values},
        "mark": {"type": "point", "filled": True, "size": 40, "opacity": 0.6},
        "encoding": {
            **place,
            "shape": {**test, "scale": shapes},
            "color": {**test, "scale": colours},
        },
    }
    rings: Spec = {
        "data": {"values": stops},
        "mark": {"type": "point", "size": 160, "color": "black", "strokeWidth": 2},
        "encoding": place,
    }
    names: Spec = {
        "data": {"values": stops},
        "mark": {"type": "text", "align": "left", "dx": 9, "dy": -9, "fontSize": 10},
        "encoding": {**place, "text": {"field": "policy"}},
    }
    return {
        **LOOK,
        "title": titled(f"One run ({run}): training labels plus the fixed test suggested"),
        "width": 560,
        "height": 300,
        "layer": [marks, rings, names],
    }


def ideal(tables: Tables) -> Spec:
    """Figure 1 with a true classifier: F1 rises, the total falls, reaches its least and rises."""
    rows = tables["ideal"]
    x = _x("labels", "training labels")
    total = [row for row in rows if row["total"] is not None]
    return {
        **LOOK,
        "title": titled(f"The true classifier of one run ({tables['one-run'][0]['run']})"),
        "width": 440,
        "height": 240,
        "resolve": {"scale": {"y": "independent"}},
        "layer": [
            {
                "data": {"values": total},
                "mark": {"type": "line", "color": "black", "point": {"color": "black"}},
                "encoding": {"x": x, "y": _x("total", "training and fixed test, labels")},
            },
            {
                "data": {"values": rows},
                "layer": [
                    {
                        "mark": {"type": "line", "color": "#0b5cad", "strokeDash": [5, 3]},
                        "encoding": {"x": x, "y": _x("f1", "true F1 (dashed), target (dotted)")},
                    },
                    {
                        "mark": {"type": "line", "color": "#777777", "strokeDash": [1, 3]},
                        "encoding": {
                            "x": x,
                            "y": _x("target", "true F1 (dashed), target (dotted)"),
                        },
                    },
                ],
            },
        ],
    }


def waiting(tables: Tables) -> Spec:
    """Figures 5 to 7 in kind: what waiting saves, how often it succeeds, and misses its chance."""
    panels = []
    for field, title in (
        ("saving", "saving against w = 0"),
        ("success", "success"),
        ("never", "never attempted"),
    ):
        values = [
            {
                "wait": row["wait"],
                "value": row[field],
                "low": _low(row, field),
                "high": _high(row, field),
            }
            for row in _first(tables["waits"])
            if row[field] is not None
        ]
        y = _x("value", title, axis={"format": "%"})
        layer: list[Spec] = [
            {
                "mark": {"type": "rule", "color": "#777777"},
                "encoding": {
                    "x": _x("wait", "looks waited (w)"),
                    "y": {**y, "field": "low"},
                    "y2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "line", "point": {"color": "black"}, "color": "black"},
                "encoding": {"x": _x("wait", "looks waited (w)"), "y": y},
            },
        ]
        if field == "success":
            layer.append(
                {"mark": {"type": "rule", "strokeDash": [4, 3]}, "encoding": {"y": {"datum": 0.93}}}
            )
        panels.append({"width": 190, "height": 190, "data": {"values": values}, "layer": layer})
    return {
        **LOOK,
        "title": titled("Waiting after the first total within the budget (fixed tests)"),
        "hconcat": panels,
    }


def success_and_total(tables: Tables) -> Spec:
    """Every policy at every budget: how often it succeeds, and at which share of the yardstick."""
    values = [
        {
            "policy": row["policy"],
            "budget": f"{row['budget']:g} ×",
            "collection": row["collection"],
            "success": row["success"],
            "low": _low(row, "success"),
            "high": _high(row, "success"),
            "total": row["total"],
        }
        for row in tables["policies"]
        if row["sampling"] == "random" and row["success"] is not None and row["total"] is not None
    ]
    names = list(dict.fromkeys(value["policy"] for value in values))
    x = _x(
        "total",
        "mean total, of the clairvoyant's",
        scale={"zero": False},
        axis={"format": ".1f"},
    )
    y = _x("success", "success", axis={"format": "%"}, scale={"zero": False})
    shape = {
        "field": "policy",
        "type": "nominal",
        "sort": names,
        "title": "policy",
        "legend": {"orient": "bottom", "columns": 2, "labelLimit": 260},
    }
    inner: Spec = {
        "width": 190,
        "height": 200,
        "layer": [
            {
                "mark": {"type": "rule", "color": "#777777"},
                "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "size": 70, "color": "black"},
                "encoding": {"x": x, "y": y, "shape": shape},
            },
            {"mark": {"type": "rule", "strokeDash": [4, 3]}, "encoding": {"y": {"datum": 0.93}}},
        ],
    }
    return {
        **LOOK,
        "title": titled("Success and total cost, one mark per collection"),
        "data": {"values": values},
        "facet": {
            "column": {
                "field": "budget",
                "type": "nominal",
                "title": "budget, of the clairvoyant's total",
            }
        },
        "spec": inner,
    }


FIGURES: dict[str, Callable[[Tables], Spec]] = {
    "optimism": optimism,
    "one-run": one_run,
    "ideal": ideal,
    "waiting": waiting,
    "success-and-total": success_and_total,
}
