"""The figures of `policies`, from its tables alone."""

from collections.abc import Callable
from typing import Any

from assaymark.lab import vega_lite as vega
from assaymark.lab.vega_lite import FONTS, Spec

Tables = dict[str, list[dict[str, Any]]]

LOOK: Spec = {**vega.frame(legend=FONTS), "padding": vega.room(right=24)}
ASKED = vega.dashed(y={"datum": 0.93})


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
    x = vega.number(
        "labels",
        title="training labels (log scale)",
        scale={"type": "log", "nice": False},
        axis={"values": [50, 100, 200, 500, 1000, 2000, 5000, 10000]},
    )
    low, mean = (
        vega.number(column, title="cross-validated − true F1") for column in ("low", "mean")
    )
    area = {"type": "area", "color": "#bbbbbb", "opacity": 0.6}
    return vega.figure(
        "Cross-validated less true F1: mean, and 8 of 10 runs",
        look=LOOK,
        width=440,
        height=240,
        data=vega.rows(_first(tables["optimism"])),
        layer=[
            vega.layer(area, x=x, y=low, y2={"field": "high"}),
            vega.layer({"type": "line", "color": "black"}, x=x, y=mean),
            vega.dashed(y={"datum": 0}),
        ],
    )


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
    place = {
        "x": vega.number("labels", title="training labels"),
        "y": vega.number("total", title="total labels"),
    }
    test = vega.name("test", title="a test of that size")
    shapes = {"domain": list(words.values()), "range": ["circle", "cross", "triangle-up"]}
    colours = {"domain": list(words.values()), "range": ["#0b7a4b", "#b3261e", "#999999"]}
    looks = {"shape": {**test, "scale": shapes}, "color": {**test, "scale": colours}}
    mark = {"type": "point", "filled": True, "size": 40, "opacity": 0.6}
    ring = {"type": "point", "size": 160, "color": "black", "strokeWidth": 2}
    text = {"type": "text", "align": "left", "dx": 9, "dy": -9, "fontSize": 10}
    return vega.figure(
        f"One run ({run}): training labels plus the fixed test suggested",
        look=LOOK,
        width=560,
        height=300,
        layer=[
            vega.layer(mark, values, **place, **looks),
            vega.layer(ring, stops, **place),
            vega.layer(text, stops, **place, text={"field": "policy"}),
        ],
    )


def ideal(tables: Tables) -> Spec:
    """Figure 1 with a true classifier: F1 rises, the total falls, reaches its least and rises."""
    looks = tables["ideal"]
    x = vega.number("labels", title="training labels")
    total = vega.number("total", title="training and fixed test, labels")
    f1, target = (
        vega.number(column, title="true F1 (dashed), target (dotted)")
        for column in ("f1", "target")
    )
    line = {"type": "line", "color": "black", "point": {"color": "black"}}
    dashes = {"type": "line", "color": "#0b5cad", "strokeDash": [5, 3]}
    dots = {"type": "line", "color": "#777777", "strokeDash": [1, 3]}
    shares = [vega.layer(dashes, x=x, y=f1), vega.layer(dots, x=x, y=target)]
    return vega.figure(
        f"The true classifier of one run ({tables['one-run'][0]['run']})",
        look=LOOK,
        width=440,
        height=240,
        resolve={"scale": {"y": "independent"}},
        layer=[
            vega.layer(line, [row for row in looks if row["total"] is not None], x=x, y=total),
            {"data": vega.rows(looks), "layer": shares},
        ],
    )


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
        x = vega.number("wait", title="looks waited (w)")
        y = vega.number("value", title=title, axis={"format": "%"})
        line = {"type": "line", "point": {"color": "black"}, "color": "black"}
        layers = [
            _range(x, y),
            vega.layer(line, x=x, y=y),
            *([ASKED] if field == "success" else []),
        ]
        panels.append({"width": 190, "height": 190, "data": vega.rows(values), "layer": layers})
    return vega.figure(
        "Waiting after the first total within the budget (fixed tests)", look=LOOK, hconcat=panels
    )


def _range(x: Spec, y: Spec) -> Spec:
    rule = {"type": "rule", "color": "#777777"}
    return vega.layer(rule, x=x, y={**y, "field": "low"}, y2={"field": "high"})


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
    scale = {"zero": False}
    x = vega.number(
        "total", title="mean total, of the clairvoyant's", scale=scale, axis={"format": ".1f"}
    )
    y = vega.number("success", title="success", axis={"format": "%"}, scale=scale)
    policy = vega.name(
        "policy",
        sort=list(dict.fromkeys(value["policy"] for value in values)),
        title="policy",
        legend={"orient": "bottom", "columns": 2, "labelLimit": 260},
    )
    point = {"type": "point", "size": 70, "color": "black"}
    layers = [_range(x, y), vega.layer(point, x=x, y=y, shape=policy), ASKED]
    return vega.figure(
        "Success and total cost, one mark per collection",
        look=LOOK,
        data=vega.rows(values),
        facet={"column": vega.name("budget", title="budget, of the clairvoyant's total")},
        spec={"width": 190, "height": 200, "layer": layers},
    )


FIGURES: dict[str, Callable[[Tables], Spec]] = {
    "optimism": optimism,
    "one-run": one_run,
    "ideal": ideal,
    "waiting": waiting,
    "success-and-total": success_and_total,
}
