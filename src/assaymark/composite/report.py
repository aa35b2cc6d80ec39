"""A claim of several rows as people read it: what is established, and every part in one picture."""

from collections.abc import Mapping
from typing import Any

from assaymark.claims.results import percent
from assaymark.composite.wording import ASSUMPTIONS, part_name
from assaymark.drawing.marks import Dots, Plot, Words, figure
from assaymark.drawing.scales import Axis
from assaymark.reports.section import Chart, Section, Table

WORDS = {"reached": "proof reached", "open": "open", "failed": "failed"}


def claim_section(result: Mapping[str, Any]) -> Section:
    """The statement of the latest look, and what stands behind it."""
    tables, charts = [], []
    if result["kind"] == "comparison":
        tables.append(_comparison(result))
    if parts := result.get("parts"):
        tables.append(_parts(parts))
        if any(part.get("bound") is not None for part in parts):
            charts.append(_bounds(parts))
    if rungs := result.get("rungs"):
        tables.append(_rungs(rungs))
    return Section(
        title=f"Claim: {result['claim']}",
        sentence=result["statement"],
        paragraphs=(
            f"{result['labels']:,} labels of {result['draws']:,} draws; {percent(result['confidence'])} "
            "confidence covers every claim made on the same subjects in this project together.",
        ),
        tables=tuple(tables),
        charts=tuple(charts),
        assumptions=ASSUMPTIONS,
    )


def _comparison(result: Mapping[str, Any]) -> Table:
    return Table(
        caption="The gap is the figure of b less that of a",
        header=("what", "value"),
        rows=(
            ("decision", result["decision"]),
            ("gap", f"{result['gap_low']:g} to {result['gap_high']:g}"),
            ("predictions differ", f"{result['disagree']:,} of {result['items']:,} items"),
        ),
    )


def _parts(parts: list[Mapping[str, Any]]) -> Table:
    return Table(
        caption="Parts; a part alone is not certified, and each bound holds on its own",
        header=("part", "state", "bound", "labels", "items"),
        rows=tuple(
            (
                part_name(part),
                WORDS[part["state"]],
                "–" if part.get("bound") is None else f"{part['bound']:g}",
                f"{part['labels']:,}",
                f"{part['items']:,}",
            )
            for part in parts
        ),
    )


def _bounds(parts: list[Mapping[str, Any]]) -> Chart:
    """A dot for the bound of every part: filled where its proof is reached."""
    known = [part for part in parts if part.get("bound") is not None]
    rows = [(p["bound"], float(place), p["state"]) for place, p in enumerate(known)]
    states = [
        Words(x=x, y=y, text=WORDS[state], dx=9, dy=4, role="soft")
        if x < 0.8
        else Words(x=x, y=y, text=WORDS[state], dx=-9, dy=4, role="soft", anchor="end")
        for x, y, state in rows
    ]
    plot = Plot(
        x=Axis(title="bound", grid=True),
        y=Axis(names=tuple(part_name(part) for part in known)),
        marks=(
            Dots(points=tuple((x, y) for x, y, state in rows if state == "reached")),
            Dots(points=tuple((x, y) for x, y, state in rows if state != "reached"), hollow=True),
            *states,
        ),
        height=28 * len(rows) + 50,
    )
    return Chart(
        title="What is proved of every part",
        caption="The bound of every part, each with the claim's confidence on its own. Filled: its "
        "proof is reached.",
        figure=figure(plot),
    )


def _rungs(rungs: list[Mapping[str, Any]]) -> Table:
    return Table(
        caption="Cut-offs in their sealed order; one counts only with all before it",
        header=("cut-off", "items above", "state"),
        rows=tuple((f"{r['cutoff']:g}", f"{r['items']:,}", r["state"]) for r in rungs),
    )
