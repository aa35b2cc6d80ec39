"""Triage and its audit as people read them: the promise, the yield plot, the scores with both cut-offs."""

from collections.abc import Mapping
from typing import Any

from assaymark.claims.results import percent, rounded, shown
from assaymark.reports.section import Chart, Section, Table

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
LOOK: dict[str, Any] = {
    "$schema": SCHEMA,
    "background": "white",
    "padding": {"left": 12, "right": 24, "top": 8, "bottom": 8},
    "width": 420,
    "height": 220,
    "config": {
        "aria": False,
        "font": "sans-serif",
        "axis": {"labelFontSize": 11, "titleFontSize": 11},
        "legend": {"labelFontSize": 11, "titleFontSize": 11, "orient": "bottom"},
    },
}
SHARE = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": {"format": ".0%"}}
# told apart in black and white too
ROUTES = {"reject": "#9ecae1", "review": "#eeeeee", "accept": "#08519c"}


def triage_section(result: Mapping[str, Any]) -> Section:
    """What is automated, what is promised about it, and the two pictures."""
    return Section(
        title="Triage: accept, review, reject",
        sentence=result["promise"],
        paragraphs=(_cutoffs(result), _seen(result), _origin(result)),
        tables=(_figures(result),),
        charts=(yield_chart(result), score_chart(result)),
        assumptions=tuple(result["assumptions"]),
    )


def audit_section(result: Mapping[str, Any]) -> Section:
    """Whether the promise is still kept, batch by batch."""
    rows = tuple(
        (
            batch["name"],
            f"{batch['automated']:,}",
            percent(round(batch["yield"], 4)),
            f"{batch['draws']:,}",
            f"{batch['right']:,}",
            f"{batch['unclear']:,}",
        )
        for batch in result["batches"]
    )
    head = ("batch", "automated items", "yield", "draws audited", "right", "unclear")
    low = rounded(result["low"])
    sure = percent(result["confidence"])
    return Section(
        title="Triage over time",
        sentence=result["sentence"],
        paragraphs=(
            f"Of all automated items so far, each batch by its size, at least {low} were right with {sure} "
            "confidence, items that nobody could tell counted as wrong.",
            f"The alarm '{result['alarm']}' is silent while, {result['null']}",
            *result["warnings"],
        ),
        tables=(Table(caption="What was audited, in order", header=head, rows=rows),),
        assumptions=tuple(result["assumptions"]),
    )


def _cutoffs(result: Mapping[str, Any]) -> str:
    low, high = result["low"], result["high"]
    if low is None and high is None:
        return "All items go to people."
    parts = [
        f"accepted from a score of {high:.6g}" if high is not None else "none is accepted",
        f"rejected up to {low:.6g}" if low is not None else "none is rejected",
    ]
    where = "the pool" if result["yield_of"] == "pool" else "the development labels"
    share = percent(round(result["yield"], 4))
    return (
        f"Items are {parts[0]} and {parts[1]}: {share} of {where} is automated, the rest reviewed."
    )


def _seen(result: Mapping[str, Any]) -> str:
    automated = result["tp"] + result["fp"] + result["fn"] + result["tn"]
    return (
        f"Of {result['labels']:,} labels {automated:,} lie in the automated region, and "
        f"{result['fp'] + result['fn']:,} of those decisions are wrong."
    )


def _origin(result: Mapping[str, Any]) -> str:
    if result["rule"] == "empirical":
        return (
            "The accuracy shown is that on the labels that chose the cut-offs. On new items such "
            "cut-offs miss their target more often than not."
        )
    return f"Where the cut-offs come from: {result['placed_by']}."


def _figures(result: Mapping[str, Any]) -> Table:
    rows = (
        ("accuracy of automated decisions", shown(result["accuracy"])),
        ("precision of accepted items", shown(result["precision_accept"])),
        ("precision of rejected items", shown(result["precision_reject"])),
        ("irrelevant items accepted (type I)", shown(result["type_1"])),
        ("relevant items rejected (type II)", shown(result["type_2"])),
        ("target", f"{result['target']:g}"),
        ("risk", f"{result['delta']:g}"),
    )
    return Table(caption="On the development labels", header=("figure", "value"), rows=rows)


def yield_chart(result: Mapping[str, Any]) -> Chart:
    """The most that could be automated at each target, by hindsight, and what is promised."""
    curve = [{"target": p["target"], "yield": p["yield"]} for p in result["curve"]]
    x = {
        "field": "target",
        "type": "quantitative",
        "title": "wanted accuracy",
        "scale": {"domain": [0.5, 1], "nice": False},
        "axis": {"format": ".0%", "values": [0.5, 0.6, 0.7, 0.8, 0.9, 1]},
    }
    y = {"field": "yield", "title": "share automated (yield)", **SHARE}
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": curve},
            "mark": {"type": "line", "color": "#555555"},
            "encoding": {"x": x, "y": y},
        },
        {
            "data": {"values": [{"target": result["target"]}]},
            "mark": {"type": "rule", "strokeDash": [5, 4], "color": "black"},
            "encoding": {"x": x},
        },
    ]
    if not (result["low"] is None and result["high"] is None):
        words = "promised" if result["certified"] else "chosen, no guarantee"
        point = {"target": result["target"], "yield": result["yield"], "text": words}
        layers += [
            {
                "data": {"values": [point]},
                "mark": {"type": "point", "filled": True, "size": 90, "color": "black"},
                "encoding": {"x": x, "y": y},
            },
            {
                "data": {"values": [point]},
                "mark": {"type": "text", "align": "right", "dx": -9, "dy": 12, "fontSize": 11},
                "encoding": {"x": x, "y": y, "text": {"field": "text"}},
            },
        ]
    caption = (
        "The line is what the best cut-offs would have automated on the labels themselves, known only "
        "by hindsight; the dot is what is used."
    )
    spec = {**LOOK, "layer": layers, "title": _title("Yield at each wanted accuracy")}
    return Chart(title="Yield plot", caption=caption, spec=spec)


def score_chart(result: Mapping[str, Any]) -> Chart:
    """The scores as bars, parted by both cut-offs."""
    rows = [{**row, "floor": 0} for row in result["histogram"] if row["items"]]
    cuts = [{"cut": c} for c in (result["low"], result["high"]) if c is not None]
    colour = {
        "field": "route",
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(ROUTES), "range": list(ROUTES.values())},
    }
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": rows},
            "mark": {"type": "rect", "stroke": "#555555", "strokeWidth": 0.5},
            "encoding": {
                "x": {"field": "from", "type": "quantitative", "title": "score",
                      "scale": {"zero": False, "nice": False}},
                "x2": {"field": "to"},
                "y": {"field": "height", "type": "quantitative",
                      "title": "items per fortieth of the range"},
                "y2": {"field": "floor"},
                "color": colour,
            },
        }
    ]  # fmt: skip
    if cuts:
        layers.append(
            {
                "data": {"values": cuts},
                "mark": {"type": "rule", "color": "black", "strokeWidth": 1.5},
                "encoding": {"x": {"field": "cut", "type": "quantitative"}},
            }
        )
    return Chart(
        title="Scores and both cut-offs",
        caption="Left of the lower line items are rejected, right of the upper one accepted; people "
        "see what lies between.",
        spec={**LOOK, "layer": layers, "title": _title("Scores and both cut-offs")},
    )


def _title(text: str) -> dict[str, Any]:
    return {"text": text, "anchor": "start", "fontSize": 13}
