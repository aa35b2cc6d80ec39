"""How a classifier was trained, told: the learning curve, what it would cost, what was frozen."""

from collections.abc import Mapping
from typing import Any

from assaymark.claims.results import counted, percent
from assaymark.reports.section import Chart, Section, Table
from assaymark.reports.spec import ACCENT, INK, SOFT, WIDTH, Spec, chart

MOST_LOOKS = 60
ABOUT = {
    "rest": "The claim is about the items that training never takes",
    "whole": "The claim is about the whole collection, training items with the label people gave them",
    "future": "The claim is about a part that a lot set aside before training",
}
SAMPLINGS = {
    "random": "All training items are drawn at random.",
    "uncertainty": "Of every batch a part is drawn at random; the rest are items that the classifier "
    "of that moment doubted most.",
    "relevance": "Of every batch a part is drawn at random; the rest are items that the classifier of "
    "that moment scored highest.",
}


def training_section(result: Mapping[str, Any]) -> Section:
    """The section for a training, as `steps` tells it from the ledger."""
    charts = (learning_chart(result), total_chart(result)) if result["looks"] else ()
    return Section(
        title="How the classifier was trained"
        if result["frozen"]
        else "How the classifier is being trained",
        sentence=result["sentence"],
        paragraphs=_paragraphs(result),
        tables=(_labels(result), *((_looks(result),) if result["looks"] else ())),
        charts=tuple(found for found in charts if found is not None),
        assumptions=(
            "The learning curve, its range and the projected totals are advice: they decide when "
            "training stops, never whether the claim is established.",
            "Cross-validation uses the random training items alone, with cut-offs that did not see "
            "the item.",
        ),
    )


def _paragraphs(result: Mapping[str, Any]) -> tuple[str, ...]:
    budget = "without a budget"
    if result["budget"] is not None:
        budget = (
            f"with {counted(result['budget'], 'label')} for training and certification together"
        )
    when = (
        "; this was sealed before training chose any item"
        if result["named"]
        else ", as is usual then"
    )
    told = [
        f"The aim is {result['claim']} with {percent(result['confidence'])} confidence, {budget}, by "
        f"the policy “{result['policy']}”. Learner: {_learner(result)}.",
        f"{SAMPLINGS[result['sampling']]} {ABOUT[result['population']]}{when}.",
    ]
    frozen = result["frozen"]
    if frozen is not None:
        again = "" if result["freezes"] == 1 else f" (the latest of {result['freezes']} freezes)"
        told.append(
            f"Model {frozen['model']}, trained on {counted(frozen['labels'], 'label')}, was frozen"
            f"{again} with its cut-off at {frozen['threshold']:.4g} before the plan that judges it drew "
            f"its first item. It picks {frozen['flagged']:,} of {counted(frozen['items'], 'item')}. "
            f"{frozen['sentence']}"
        )
        told.append(
            "No label of the certification trained the classifier: items handed out for training are "
            "not in the scored collection, and the ledger takes no training label while a plan is "
            "open. The command verify checks both."
        )
    return tuple(told)


def _learner(result: Mapping[str, Any]) -> str:
    return str(result["looks"][-1]["learner"] if result["looks"] else result["learner"])


def _labels(result: Mapping[str, Any]) -> Table:
    names = {
        "handed_out": "items handed out",
        "labels": "labels used",
        "positives": "of these, relevant",
        "random": "of these, drawn at random",
        "active": "of these, chosen",
        "skipped": "items that nobody could tell",
        "waiting": "items without a settled label",
    }
    return Table(
        caption="Training items",
        header=("what", "number"),
        rows=tuple((text, f"{result[name]:,}") for name, text in names.items()),
    )


def _looks(result: Mapping[str, Any]) -> Table:
    looks = result["looks"][-MOST_LOOKS:]
    left = len(result["looks"]) - len(looks)
    frozen = result["frozen"]["model"] if result["frozen"] else None
    rows = tuple(
        (
            f"{look['model']}{' (frozen)' if look['model'] == frozen else ''}",
            f"{look['labels']:,}",
            f"{look['positives']:,}",
            _short(look["cross_validated"]),
            _short(look["estimate"]),
            f"{_short(look['low'])} to {_short(look['high'])}",
            "–" if look["total"] is None else f"{look['total']:,}",
            {"train": "go on training", "certify": "certify"}[look["action"]],
        )
        for look in looks
    )
    return Table(
        caption="Every model" if not left else f"The latest models; {left:,} earlier ones left out",
        header=(
            "model", "labels", "relevant", "cross-validated", "believed", "90% range",
            "labels in all", "advice",
        ),
        rows=rows,
    )  # fmt: skip


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _x(result: Mapping[str, Any]) -> Spec:
    # room on both sides, so that a single look is no line at the edge
    most = max(look["labels"] for look in result["looks"])
    return {
        "field": "labels",
        "type": "quantitative",
        "title": "training labels",
        "scale": {"domain": [0, most * 1.08], "nice": False},
        "axis": {"grid": False, "tickCount": 6},
    }


def learning_chart(result: Mapping[str, Any]) -> Chart:
    """The believed metric with its range against training labels; dots are cross-validation."""
    looks = [look for look in result["looks"] if look["estimate"] is not None]
    lowest = min([result["target"], *(look["low"] for look in looks)])
    y: Spec = {
        "field": "estimate",
        "type": "quantitative",
        "title": result["metric"],
        "scale": {"domain": [max(0.0, round(lowest - 0.05, 1)), 1], "nice": False, "clamp": True},
    }
    x = _x(result)
    values = [
        {key: look[key] for key in ("labels", "estimate", "low", "high", "cross_validated")}
        for look in looks
    ]
    layers: list[Spec] = [
        {
            "data": {"values": values},
            "mark": {"type": "area", "color": SOFT, "opacity": 0.25}
            if len(values) > 1
            else {"type": "rule", "color": SOFT, "strokeWidth": 7, "opacity": 0.4},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {
            "data": {"values": values},
            "mark": {
                "type": "line",
                "color": ACCENT,
                "strokeWidth": 2.5,
                "point": {"color": ACCENT},
            },
            "encoding": {"x": x, "y": y},
        },
        {
            "data": {"values": [v for v in values if v["cross_validated"] is not None]},
            "mark": {"type": "point", "color": INK, "size": 36},
            "encoding": {"x": x, "y": {**y, "field": "cross_validated"}},
        },
        {
            "data": {"values": [{"target": result["target"]}]},
            "mark": {"type": "rule", "strokeDash": [5, 4], "color": INK},
            "encoding": {"y": {**y, "field": "target"}},
        },
        _words(x, y, "estimate", [(0, result["target"], f"claimed: {result['target']:g}")]),
    ]
    return chart(
        "Learning curve",
        f"Line: what {result['metric']} is believed to be, with its 90% range. Circles: "
        "cross-validation alone, which is noisy. Dashed line: the claim.",
        {"width": WIDTH, "height": 260, "layer": layers},
    )


def total_chart(result: Mapping[str, Any]) -> Chart | None:
    """Labels in all if training had stopped there, against training labels; the budget on top."""
    values = [
        {"labels": look["labels"], "total": look["total"]}
        for look in result["looks"]
        if look["total"] is not None
    ]
    if not values:
        return None
    x = _x(result)
    most = max([*(value["total"] for value in values), result["budget"] or 0])
    along = _end(most, result, 0.7)
    y: Spec = {
        "field": "total",
        "type": "quantitative",
        "title": "labels in all",
        "scale": {"domain": [0, most * 1.1], "nice": False},
    }
    layers: list[Spec] = [
        {
            "data": {"values": values},
            "mark": {
                "type": "line",
                "color": ACCENT,
                "strokeWidth": 2.5,
                "point": {"color": ACCENT},
            },
            "encoding": {"x": x, "y": y},
        },
        {
            "data": {"values": [{"labels": 0, "total": 0}, _end(most, result)]},
            "mark": {"type": "line", "color": SOFT, "strokeWidth": 1},
            "encoding": {"x": x, "y": y},
        },
        _words(x, y, "total", [(along["labels"], along["total"], "training alone")], below=True),
    ]
    told = "Line: training and certification together, had training stopped there. Thin: training."
    if result["budget"] is not None:
        told += " Dashed: the budget."
        layers.append(
            {
                "data": {"values": [{"budget": result["budget"]}]},
                "mark": {"type": "rule", "strokeDash": [5, 4], "color": INK},
                "encoding": {"y": {**y, "field": "budget"}},
            }
        )
        words = f"budget: {result['budget']:,}"
        layers.append(_words(x, y, "total", [(0, result["budget"], words)]))
    return chart("Projected total", told, {"width": WIDTH, "height": 220, "layer": layers})


def _words(
    x: Spec, y: Spec, field: str, places: list[tuple[float, float, str]], *, below: bool = False
) -> Spec:
    """Words that begin at a place of a line, just above it or, where it rises, below."""
    values = [{"labels": at, field: height, "words": text} for at, height, text in places]
    return {
        "data": {"values": values},
        "mark": {"type": "text", "align": "left", "baseline": "top" if below else "bottom", "dx": 6,
                 "dy": 6 if below else -3, "fontSize": 12, "color": INK},
        "encoding": {"x": x, "y": {**y, "field": field}, "text": {"field": "words"}},
    }  # fmt: skip


def _end(most: float, result: Mapping[str, Any], share: float = 1.0) -> dict[str, float]:
    """Where the line of training alone leaves the picture, or a share of the way there."""
    edge = min(most * 1.1, max(look["labels"] for look in result["looks"]) * 1.08)
    return {"labels": share * edge, "total": share * edge}
