"""Charts of the collection: where the labels went, and the scores with the cut-off."""

from assaymark.certification.view.dossier import Dossier, ScoreBin, StratumRow
from assaymark.reports.section import Chart
from assaymark.reports.spec import ACCENT, INK, PAPER, WIDTH, Spec, chart


def strata_chart(dossier: Dossier) -> Chart | None:
    """Labels and what may still hide, side by side, for each stratum."""
    rows = [row for row in dossier.strata if row.hidden is not None]
    if len(rows) < 2:
        return None
    names = [stratum_name(row) for row in rows]
    values = [
        {"name": name, "labels": row.labels, "wrong": row.wrong, "hidden": row.hidden}
        for name, row in zip(names, rows, strict=True)
    ]
    spec = {
        "data": {"values": values},
        "hconcat": [
            _bars(names, "labels", "labels given", names_shown=True),
            _bars(names, "hidden", "wrong predictions that could still hide", names_shown=False),
        ],
        "spacing": 28,
    }
    return chart(
        "Where the labels went",
        "Left: labels in each group of items. Right: how many wrong predictions could still hide "
        "among its unlabelled items, at most.",
        spec,
    )


def stratum_name(row: StratumRow) -> str:
    """The group in words, with its scores where it is cut by score."""
    if row.score_low is None or row.score_high is None:
        return row.name
    return f"{row.name}, {_score(row.score_low)} to {_score(row.score_high)}"


def _score(value: float) -> str:
    return f"{value:.3g}" if abs(value) >= 0.001 or value == 0 else f"{value:.1e}"


def _bars(names: list[str], field: str, title: str, *, names_shown: bool) -> Spec:
    y = {
        "field": "name",
        "type": "nominal",
        "sort": names,
        "title": None,
        "axis": {"labelLimit": 260, "ticks": False, "domain": False} if names_shown else None,
    }
    x = {
        "field": field,
        "type": "quantitative",
        "title": title,
        "axis": {"grid": False, "tickCount": 4},
    }
    return {
        "width": 190,
        "height": {"step": 22},
        "layer": [
            {
                "mark": {"type": "bar", "height": 13, "color": ACCENT, "opacity": 0.55},
                "encoding": {"x": x, "y": y},
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 4, "color": INK, "fontSize": 11},
                "encoding": {
                    "x": x,
                    "y": y,
                    "text": {"field": field, "type": "quantitative", "format": ","},
                },
            },
        ],
    }


def score_chart(dossier: Dossier) -> Chart | None:
    """Items by score and predicted class, labelled items marked, the cut-off as a line."""
    scores = dossier.scores
    if scores is None or not scores.bins:
        return None
    layers: list[Spec] = [_histogram(scores.bins, predicts=dossier.collection.predicts)]
    marked = [
        {"score": (b.low + b.high) / 2, "items": b.labelled} for b in scores.bins if b.labelled
    ]
    if marked:
        layers.append(
            {
                "data": {"values": marked},
                "mark": {
                    "type": "point",
                    "filled": True,
                    "color": INK,
                    "stroke": PAPER,
                    "strokeWidth": 1,
                    "size": 42,
                    "opacity": 1,
                },
                "encoding": {
                    "x": {"field": "score", "type": "quantitative"},
                    "y": {"field": "items", "type": "quantitative"},
                },
            }
        )
    if scores.threshold is not None:
        layers.append(_cut_off(scores.threshold))
    return chart(
        "Scores of the collection",
        "Bars: items by score (the axis is stretched near zero, so that small bars show). Dots: "
        "labelled items in the same bar. A new cut-off would be a new claim.",
        {"width": WIDTH, "height": 200, "layer": layers},
    )


def _histogram(bins: tuple[ScoreBin, ...], *, predicts: bool) -> Spec:
    groups = ("predicted relevant", "predicted not relevant") if predicts else ("items", "items")
    rows = [
        {"low": b.low, "high": b.high, "group": group, "items": number}
        for b in bins
        for group, number in zip(groups, (b.predicted_positive, b.predicted_negative), strict=True)
        if number
    ]
    order = list(dict.fromkeys(groups))
    return {
        "data": {"values": rows},
        "mark": {"type": "bar", "stroke": INK, "strokeWidth": 0.7, "binSpacing": 1},
        "encoding": {
            "x": {
                "field": "low",
                "type": "quantitative",
                "bin": {"binned": True},
                "title": "score",
                "axis": {"grid": False, "tickCount": 8},
            },
            "x2": {"field": "high"},
            "y": {
                "field": "items",
                "type": "quantitative",
                "title": "items",
                "stack": None,
                "scale": {"type": "symlog", "constant": 5},
                "axis": {"values": [0, *(10**k for k in range(1, 10))], "format": ","},
            },
            "color": {
                "field": "group",
                "type": "nominal",
                "scale": {"domain": order, "range": [ACCENT, PAPER][: len(order)]},
                "legend": {
                    "title": None,
                    "orient": "top",
                    "symbolType": "square",
                    "symbolStrokeColor": INK,
                }
                if predicts
                else None,
            },
        },
    }


def _cut_off(threshold: float) -> Spec:
    return {
        "data": {"values": [{"score": threshold, "text": f"cut-off {threshold:g}"}]},
        "encoding": {"x": {"field": "score", "type": "quantitative"}},
        "layer": [
            {"mark": {"type": "rule", "color": INK, "strokeDash": [6, 4], "strokeWidth": 1.3}},
            {
                "mark": {
                    "type": "text",
                    "align": "left",
                    "dx": 5,
                    "dy": 8,
                    "y": 0,
                    "color": INK,
                    "fontSize": 11,
                },
                "encoding": {"text": {"field": "text"}},
            },
        ],
    }
