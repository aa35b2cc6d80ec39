"""A claim of several rows as people read it: what is established, and every part in one picture."""

from collections.abc import Mapping
from typing import Any

from assaymark.claims.results import percent
from assaymark.composite.wording import ASSUMPTIONS, part_name
from assaymark.reports.section import Chart, Section, Table

LOOK: dict[str, Any] = {
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "background": "white",
    "width": 420,
    "config": {"aria": False, "font": "sans-serif"},
}
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
    values = [
        {"part": part_name(p), "bound": p["bound"], "state": WORDS[p["state"]]}
        for p in parts
        if p.get("bound") is not None
    ]
    spec = {
        **LOOK,
        "data": {"values": values},
        "mark": {"type": "point", "filled": True, "size": 60},
        "encoding": {
            "x": {"field": "bound", "type": "quantitative", "scale": {"domain": [0, 1]}},
            "y": {"field": "part", "type": "nominal", "sort": None, "title": None},
            "shape": {"field": "state", "type": "nominal"},
        },
    }
    return Chart(
        title="What is proved of every part",
        caption="The bound of every part, each with the claim's confidence on its own.",
        spec=spec,
    )


def _rungs(rungs: list[Mapping[str, Any]]) -> Table:
    return Table(
        caption="Cut-offs in their sealed order; one counts only with all before it",
        header=("cut-off", "items above", "state"),
        rows=tuple((f"{r['cutoff']:g}", f"{r['items']:,}", r["state"]) for r in rungs),
    )
