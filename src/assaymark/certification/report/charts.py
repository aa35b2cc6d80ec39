"""The charts of dashboard and report, as one set of Vega-Lite specifications.

They say the same in black and white: lines differ by dash and weight, bars by fill and outline.
Colours are named by role and filled in by `render`, so that one specification serves both themes.
"""

from assaymark.certification.report.collection_charts import score_chart, strata_chart
from assaymark.certification.view.dossier import CardNumber, Dossier, Path
from assaymark.claims.results import percent, rounded, shown
from assaymark.reports.section import Chart
from assaymark.reports.spec import ACCENT, INK, PAPER, SOFT, WIDTH, Spec, chart


def charts_of(dossier: Dossier) -> tuple[Chart, ...]:
    """Every chart that the dossier has data for, in reading order."""
    makers = (path_chart, card_chart, strata_chart, score_chart)
    return tuple(chart for chart in (make(dossier) for make in makers) if chart is not None)


def path_chart(dossier: Dossier) -> Chart | None:
    """Estimate and bound against labels, with the claim and every look and correction."""
    path = dossier.path
    if path is None or not any(p.point is not None or p.bound is not None for p in path.points):
        return None
    word = "lower bound" if path.side == "lower" else "upper bound"
    low, high = _window(path)
    spec = {
        "width": WIDTH,
        "height": 260,
        "layer": [
            *_lines(path, word, title=dossier.claim_title or path.metric, window=(low, high)),
            *_marks(path, low),
        ],
    }
    return chart(
        "The way so far",
        f"Thin line: estimate. {_bound_told(path, word)} Dashed line: the claim."
        f"{_marks_told(path)}",
        spec,
    )


def _bound_told(path: Path, word: str) -> str:
    number = sum(point.bound is not None for point in path.points)
    if number == 0:
        return f"There is no {word} yet."
    if number == 1:
        return f"Dot: {word}, at the look for which it holds."
    return f"Thick line: {word}, which holds at every look at once."


def _marks_told(path: Path) -> str:
    kinds = {mark.kind for mark in path.marks}
    looks = " Ticks on the axis: looks." if "look" in kinds else ""
    return looks + (" Triangles: corrections and decisions." if kinds - {"look"} else "")


def _window(path: Path) -> tuple[float, float]:
    """The part of the axis that is worth looking at; what lies outside is cut off."""
    points = [p.point for p in path.points if p.point is not None]
    settled = points[len(points) // 8 :] or [path.target]
    bounds = [p.bound for p in path.points if p.bound is not None]
    if path.side == "lower":
        # the bound that the first sentence quotes is always in the picture
        low = min(path.target - 0.25, min(settled) - 0.05, *(last - 0.05 for last in bounds[-1:]))
        return max(0.0, int(low * 20) / 20), 1.0
    return 0.0, min(1.0, max(2.2 * path.target, 1.15 * max(settled), 1.1 * (bounds or [0])[-1]))


def _lines(path: Path, word: str, *, title: str, window: tuple[float, float]) -> list[Spec]:
    rows = []
    for point in path.points:
        for name, value in (("estimate", point.point), (word, point.bound)):
            if value is not None:
                rows.append({"labels": point.labels, "series": name, "value": value})
    ends = (0, max((p.labels for p in path.points), default=1))
    rows += [{"labels": end, "series": "claim", "value": path.target} for end in ends]
    order = [word, "estimate", "claim"]
    bound = [row for row in rows if row["series"] == word]
    rest = [row for row in rows if row["series"] != word]
    encoding = _line_encoding(order, title=title, window=window)
    return [
        # between two prefixes the bound is not known to be higher than at the first of them
        _line_layer(bound, encoding, interpolate="step-after"),
        _line_layer(rest, encoding, interpolate="linear"),
    ]


def _line_layer(rows: list[Spec], encoding: Spec, *, interpolate: str) -> Spec:
    return {
        "data": {"values": rows},
        "mark": {
            "type": "line",
            "interpolate": interpolate,
            "clip": True,
            # a bound of a single look would be a line without length
            "point": {"size": 60, "opacity": 1} if len(rows) == 1 else False,
        },
        "encoding": encoding,
    }


def _line_encoding(order: list[str], *, title: str, window: tuple[float, float]) -> Spec:
    style = {"field": "series", "type": "nominal", "sort": order}
    return {
        "x": {
            "field": "labels",
            "type": "quantitative",
            "title": "labels",
            "axis": {"tickMinStep": 1, "tickCount": 8, "grid": False, "labelFlush": False},
        },
        "y": {
            "field": "value",
            "type": "quantitative",
            "title": title,
            "scale": {"domain": list(window), "nice": False, "zero": False},
        },
        "color": style
        | {
            "scale": {"domain": order, "range": [ACCENT, SOFT, INK]},
            "legend": {"title": None, "orient": "top", "symbolSize": 260, "symbolType": "stroke"},
        },
        "strokeDash": style | {"scale": {"domain": order, "range": [[1, 0], [1, 0], [6, 4]]}},
        "strokeWidth": style | {"scale": {"domain": order, "range": [3.2, 1.1, 1.3]}},
    }


def _marks(path: Path, low: float) -> list[Spec]:
    looks = [{"labels": m.labels, "value": low} for m in path.marks if m.kind == "look"]
    changes = [{"labels": m.labels, "value": low} for m in path.marks if m.kind != "look"]
    x = {"field": "labels", "type": "quantitative"}
    y = {"field": "value", "type": "quantitative"}
    layers: list[Spec] = []
    if looks:
        layers.append(
            {
                "data": {"values": looks},
                "mark": {
                    "type": "tick",
                    "orient": "vertical",
                    "color": INK,
                    "size": 14,
                    "thickness": 1.4,
                },
                "encoding": {"x": x, "y": y},
            }
        )
    if changes:
        layers.append(
            {
                "data": {"values": changes},
                "mark": {
                    "type": "point",
                    "shape": "triangle-up",
                    "filled": True,
                    "color": INK,
                    "size": 70,
                    "opacity": 1,
                    "yOffset": -10,
                },
                "encoding": {"x": x, "y": y},
            }
        )
    return layers


def card_chart(dossier: Dossier) -> Chart | None:
    """The four numbers as ranges, each on its own scale."""
    known = [number for number in dossier.card if number.low is not None]
    if not known:
        return None
    spec = {"vconcat": [_range_row(number) for number in known], "spacing": 6}
    return chart(
        "Four numbers",
        f"Each bar is a range that holds with {percent(known[0].confidence)} confidence on its own; "
        "the dot is the estimate.",
        spec,
    )


def _range_row(number: CardNumber) -> Spec:
    low, high = number.low or 0.0, number.high if number.high is not None else 1.0
    wide = 1.0 if high > 0.3 else min(1.0, 1.25 * high)
    row = {"name": number.title, "low": low, "high": high, "point": number.point}
    axis = {"grid": False, "tickCount": 5, "format": "~p" if wide > 0.05 else "~%"}
    x = {"type": "quantitative", "scale": {"domain": [0, wide], "nice": True}}
    y = {
        "field": "name",
        "type": "nominal",
        "title": None,
        "axis": {"ticks": False, "domain": False, "minExtent": 80, "labelFontSize": 13},
    }
    layers: list[Spec] = [
        {
            "mark": {"type": "bar", "height": 14, "color": ACCENT, "opacity": 0.45},
            "encoding": {
                "x": x | {"field": "low", "title": None, "axis": axis},
                "x2": {"field": "high"},
            },
        }
    ]
    layers += [
        {
            "mark": {"type": "tick", "size": 18, "thickness": 2.5, "color": INK},
            "encoding": {"x": x | {"field": end}},
        }
        for end in ("low", "high")
    ]
    if number.point is not None:
        layers.append(
            {
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 70,
                    "color": INK,
                    "stroke": PAPER,
                    "opacity": 1,
                },
                "encoding": {"x": x | {"field": "point"}},
            }
        )
    return {
        "width": WIDTH - 90,
        "height": 26,
        "data": {"values": [row]},
        "encoding": {"y": y},
        "layer": layers,
    }


def range_text(number: CardNumber) -> str:
    """The range as text, rounded outwards: "0.71 to 0.83"."""
    if number.low is None or number.high is None:
        return "not known"
    if number.low == number.high:
        return shown(number.low)
    return f"{rounded(number.low)} to {rounded(number.high, up=True)}"
