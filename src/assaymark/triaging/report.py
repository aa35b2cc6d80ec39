"""Triage and its audit as people read them: the promise, the yield plot, the scores with both cut-offs."""

from collections.abc import Mapping
from typing import Any

from assaymark.claims.results import percent, rounded, shown
from assaymark.drawing.marks import Bars, Dots, Line, Mark, Plot, Role, Rule, Words, figure
from assaymark.drawing.scales import Axis
from assaymark.reports.section import Chart, Section, Table

# fills that differ in black and white too
ROUTES: dict[str, tuple[Role, float]] = {
    "reject": ("accent", 0.35),
    "review": ("paper", 1.0),
    "accept": ("accent", 1.0),
}


def triage_section(result: Mapping[str, Any]) -> Section:
    """What is automated, what is promised about it, and the two pictures."""
    return Section(
        title="Triage: accept, review, reject",
        sentence=result["promise"],
        paragraphs=(_cutoffs(result), _errors_sentence(result), _origin(result)),
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
    rest = "" if share == "100%" else ", the rest reviewed"
    return f"Items are {parts[0]} and {parts[1]}: {share} of {where} is automated{rest}."


def _errors_sentence(result: Mapping[str, Any]) -> str:
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
    return Table(caption="On the labelled items", header=("figure", "value"), rows=rows)


def yield_chart(result: Mapping[str, Any]) -> Chart:
    """The most that could be automated at each target, by hindsight, and what is promised."""
    target = result["target"]
    marks: list[Mark] = [
        Line(points=tuple((p["target"], p["yield"]) for p in result["curve"]), role="soft"),
        Rule(x=target),
    ]
    if not (result["low"] is None and result["high"] is None):
        text = "promised" if result["certified"] else "chosen, no guarantee"
        marks.append(Dots(points=((target, result["yield"]),), radius=5))
        marks.append(
            Words(x=target, y=result["yield"], text=text, dx=-9, dy=16, anchor="end", bold=True)
        )
    plot = Plot(
        x=Axis(low=0.5, title="wanted accuracy", numbers="percent"),
        y=Axis(title="share automated (yield)", numbers="percent", grid=True),
        marks=tuple(marks),
    )
    return Chart(
        title="Yield plot",
        caption="The line is what the best cut-offs would have automated on the labels themselves, "
        "known only by hindsight; the dot is what is used.",
        figure=figure(plot),
    )


def score_chart(result: Mapping[str, Any]) -> Chart:
    """The scores as bars, parted by both cut-offs."""
    rows = [row for row in result["histogram"] if row["items"]]
    bars = [
        Bars(
            boxes=tuple(
                (r["from"], r["to"], 0.0, r["height"]) for r in rows if r["route"] == route
            ),
            role=role,
            opacity=opacity,
            outline="soft",
        )
        for route, (role, opacity) in ROUTES.items()
    ]
    cuts = [c for c in (result["low"], result["high"]) if c is not None]
    plot = Plot(
        x=Axis(
            low=min((row["from"] for row in rows), default=0.0),
            high=max((row["to"] for row in rows), default=1.0),
            title="score",
        ),
        y=Axis(
            high=max((row["height"] for row in rows), default=1.0),
            title="items per fortieth of the range",
            numbers="count",
            grid=True,
        ),
        marks=(*bars, *(Rule(x=cut, width=1.5, dashed=False) for cut in cuts)),
        height=260,
        key=tuple((role, opacity, route) for route, (role, opacity) in ROUTES.items()),
    )
    return Chart(
        title="Scores and both cut-offs",
        caption="Left of the lower line items are rejected, right of the upper one accepted; people "
        "see what lies between.",
        figure=figure(plot),
    )
