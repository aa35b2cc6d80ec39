"""Recall from overlapping classifiers, told: the Venn picture, interval and band, what it cost."""

from collections.abc import Mapping
from typing import Any

from assaymark.claims.results import percent, rounded, shown
from assaymark.reports.section import Chart, Section, Table

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
CONFIG = {
    "aria": False,
    "font": "sans-serif",
    "axis": {"labelFontSize": 12, "titleFontSize": 12, "labelLimit": 260},
    "view": {"stroke": None},
}
# where the circles stand and where each cell's text goes, by the number of classifiers
CIRCLES = {2: ((35, 50), (65, 50)), 3: ((40, 60), (60, 60), (50, 40))}
PLACES = {
    2: {"11": (50, 50), "10": (23, 50), "01": (77, 50), "00": (50, 4)},
    3: {
        "111": (50, 53),
        "110": (50, 73),
        "101": (35, 46),
        "011": (65, 46),
        "100": (28, 67),
        "010": (72, 67),
        "001": (50, 27),
        "000": (50, 6),
    },
}
NAMES = {2: ((12, 93), (88, 93)), 3: ((22, 92), (78, 92), (84, 24))}


def recall_section(result: Mapping[str, Any]) -> Section:
    """The section for a result of `assaymark recall`, as the ledger keeps it."""
    letters = [letter for letter in "abc" if letter in result]
    first = result["a"]
    sentence = (
        f"{first['column']} finds between {rounded(first['band_low'])} and "
        f"{rounded(first['band_high'], up=True)} of the positive items, about "
        f"{shown(first['recall'])}, if the classifiers are not more dependent than stated."
    )
    return Section(
        title="Recall from overlapping classifiers",
        sentence=sentence,
        paragraphs=(*_paragraphs(result), *(f"Warning: {text}" for text in result["warnings"])),
        tables=(_recalls(result, letters), _cells(result, letters), _costs(result)),
        charts=(venn_chart(result), range_chart(result), cost_chart(result)),
        assumptions=tuple(result["assumptions"]),
    )


def _paragraphs(result: Mapping[str, Any]) -> tuple[str, ...]:
    spread = result["positives_range"]
    low, high = result["delta_band"]
    return (
        f"The collection of {result['items']:,} items holds about {result['positives']:,.0f} positive "
        f"ones ({spread['band_low']:,.0f} to {spread['band_high']:,.0f} with dependence).",
        f"Three figures belong together: the estimate, the interval for sampling error alone at "
        f"{percent(result['confidence'])} confidence, and the band for a dependence from {low:g} to "
        f"{high:g}. Only the band is about the recall itself.",
        result["advice"]["sentence"],
    )


def _recalls(result: Mapping[str, Any], letters: list[str]) -> Table:
    found = [(result[letter]["column"], result[letter]) for letter in letters]
    if result["new"]:
        found.append(("further classifier", result["new"]))
    return Table(
        caption="Recall of each classifier",
        header=("classifier", "recall", "sampling alone", "with dependence"),
        rows=tuple(
            (
                name,
                shown(own["recall"]),
                f"{rounded(own['low'])} to {rounded(own['high'], up=True)}",
                f"{rounded(own['band_low'])} to {rounded(own['band_high'], up=True)}",
            )
            for name, own in found
        ),
    )


def _cells(result: Mapping[str, Any], letters: list[str]) -> Table:
    columns = [result[letter]["column"] for letter in letters]
    return Table(
        caption="What was labelled",
        header=(*columns, "items", "labels", "positive"),
        rows=tuple(
            (
                *("yes" if bit == "1" else "no" for bit in cell["cell"]),
                f"{cell['items']:,}",
                f"{cell['labels']:,}",
                f"{cell['positives']:,}",
            )
            for cell in result["cells"]
        ),
    )


def _costs(result: Mapping[str, Any]) -> Table:
    cost = result["cost"]
    return Table(
        caption=f"Labels for ± {cost['half_width']:g} at a prevalence of {cost['prevalence']:.2g}",
        header=("way", "labels"),
        rows=(
            ("random items of the whole collection", f"{cost['unbiased']:,}"),
            ("the pair, if it is independent", f"{cost['pair']:,}"),
            (
                f"saving in error terms if δ1 is {cost['delta']:g}",
                f"{cost['honest_saving']:,.1f} ×",
            ),
        ),
    )


def venn_chart(result: Mapping[str, Any]) -> Chart:
    """Circles of equal size with the items, labels and positives of each part written in."""
    letters = [letter for letter in "abc" if letter in result]
    count = len(letters)
    texts = [
        {
            "x": PLACES[count][cell["cell"]][0],
            "y": PLACES[count][cell["cell"]][1],
            "items": f"{cell['items']:,}",
            "labels": f"{cell['positives']:,} of {cell['labels']:,}"
            if cell["labels"]
            else "no labels",
        }
        for cell in result["cells"]
    ]
    names = [
        {"x": x, "y": y, "name": result[letter]["column"]}
        for letter, (x, y) in zip(letters, NAMES[count], strict=True)
    ]
    circles = [{"x": x, "y": y} for x, y in CIRCLES[count]]
    spec = {
        "$schema": SCHEMA,
        "background": "white",
        "padding": 8,
        "width": 520,
        "height": 400 if count == 3 else 300,
        "config": CONFIG,
        "layer": [
            _layer(
                circles,
                {
                    "type": "point",
                    "shape": "circle",
                    "size": 46000 if count == 3 else 50000,
                    "filled": True,
                    "color": "#888888",
                    "opacity": 0.18,
                    "stroke": "black",
                    "strokeOpacity": 1,
                },
            ),
            _layer(texts, {"type": "text", "fontSize": 12, "dy": -7}, "items"),
            _layer(texts, {"type": "text", "fontSize": 11, "dy": 8, "color": "#333333"}, "labels"),
            _layer(names, {"type": "text", "fontSize": 13, "fontWeight": "bold"}, "name"),
        ],
    }
    return Chart(
        title="Who flags what",
        caption="Circles are not to scale. In each part: its items, and below them how many of its "
        "labels are positive.",
        spec=spec,
    )


def _layer(values: list[Any], mark: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    axis = {"type": "quantitative", "axis": None, "scale": {"domain": [0, 100]}}
    encoding: dict[str, Any] = {"x": {"field": "x", **axis}, "y": {"field": "y", **axis}}
    if text:
        encoding["text"] = {"field": text, "type": "nominal"}
    return {"data": {"values": values}, "mark": mark, "encoding": encoding}


def range_chart(result: Mapping[str, Any]) -> Chart:
    """Band thin, interval thick, point on top, one row per classifier."""
    values = [
        {
            "name": result[letter]["column"],
            **{
                key: round(result[letter][key], 4)
                for key in ("recall", "low", "high", "band_low", "band_high")
            },
        }
        for letter in "abc"
        if letter in result
    ]
    y = {"field": "name", "type": "nominal", "sort": None, "title": None}
    scale = {"domain": [0, 1]}
    spec = {
        "$schema": SCHEMA,
        "background": "white",
        "padding": {"left": 30, "right": 16, "top": 6, "bottom": 6},
        "width": 420,
        "height": 44 * len(values),
        "config": CONFIG,
        "data": {"values": values},
        "layer": [
            _bar("band_low", "band_high", y, {"type": "rule", "strokeWidth": 1.5}, scale),
            _bar("low", "high", y, {"type": "rule", "strokeWidth": 7, "color": "#777777"}, scale),
            {
                "mark": {"type": "point", "filled": True, "color": "black", "size": 70},
                "encoding": {
                    "y": y,
                    "x": {
                        "field": "recall",
                        "type": "quantitative",
                        "scale": scale,
                        "title": "recall",
                    },
                },
            },
        ],
    }
    return Chart(
        title="Recall, sampling error and dependence",
        caption="Dot: estimate. Thick: sampling error alone. Thin: with dependence.",
        spec=spec,
    )


def _bar(
    low: str, high: str, y: dict[str, Any], mark: dict[str, Any], scale: dict[str, Any]
) -> dict[str, Any]:
    x = {"field": low, "type": "quantitative", "scale": scale, "title": "recall"}
    return {"mark": mark, "encoding": {"y": y, "x": x, "x2": {"field": high}}}


def cost_chart(result: Mapping[str, Any]) -> Chart:
    """Labels by unbiased sampling and by the pair, on a logarithmic scale."""
    cost = result["cost"]
    values = [
        {"way": "random items", "labels": cost["unbiased"], "text": f"{cost['unbiased']:,}"},
        {"way": "the pair, if independent", "labels": cost["pair"], "text": f"{cost['pair']:,}"},
    ]
    y = {"field": "way", "type": "nominal", "sort": None, "title": None}
    top = 10 ** (len(str(cost["unbiased"])) + 0.3)
    x = {
        "field": "labels",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [1, top], "nice": False},
        "axis": {"format": ",~r", "tickCount": 5},
        "title": f"labels for ± {cost['half_width']:g} (log scale)",
    }
    spec = {
        "$schema": SCHEMA,
        "background": "white",
        "padding": {"left": 30, "right": 24, "top": 6, "bottom": 6},
        "width": 420,
        "height": 80,
        "config": CONFIG,
        "data": {"values": values},
        "layer": [
            {"mark": {"type": "point", "filled": True, "color": "black", "size": 80},
             "encoding": {"x": x, "y": y}},
            {"mark": {"type": "text", "align": "left", "dx": 9, "fontSize": 12},
             "encoding": {"x": x, "y": y, "text": {"field": "text", "type": "nominal"}}},
        ],
    }  # fmt: skip
    return Chart(
        title="What the same would cost",
        caption=f"Sampling error alone. If δ1 is {cost['delta']:g}, the saving in error terms is "
        f"{cost['honest_saving']:,.1f} times.",
        spec=spec,
    )
