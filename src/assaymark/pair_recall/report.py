"""Report section on recall from overlapping classifiers: Venn picture, interval and band, cost."""

from collections.abc import Mapping
from typing import Any

from assaymark.claims.results import percent, rounded, shown
from assaymark.drawing.interval_rows import IntervalRow, interval_figure
from assaymark.drawing.marks import Circle, Dots, Mark, Plot, Words, figure
from assaymark.drawing.scales import Axis
from assaymark.reports.section import Chart, Section, Table

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
        f"The classifier '{first['column']}' finds between {rounded(first['band_low'])} and "
        f"{rounded(first['band_high'], up=True)} of the positive items, about "
        f"{shown(first['recall'])}, if the classifiers are not more dependent than stated."
    )
    return Section(
        title="Recall from overlapping classifiers",
        sentence=sentence,
        paragraphs=(*_paragraphs(result), *(f"Warning: {text}" for text in result["warnings"])),
        tables=(_recalls(result, letters), _cells(result, letters), _costs(result)),
        charts=(range_chart(result), venn_chart(result), cost_chart(result)),
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
    columns = [(result[letter]["column"], result[letter]) for letter in letters]
    if result["new"]:
        columns.append(("further classifier", result["new"]))
    return Table(
        caption="Recall of each classifier",
        header=("classifier", "recall", "sampling alone", "with dependence"),
        rows=tuple(
            (
                name,
                shown(recall["recall"]),
                f"{rounded(recall['low'])} to {rounded(recall['high'], up=True)}",
                f"{rounded(recall['band_low'])} to {rounded(recall['band_high'], up=True)}",
            )
            for name, recall in columns
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
    radius = 121 if count == 3 else 126
    names = [
        _centred(x, y, result[letter]["column"], bold=True)
        for letter, (x, y) in zip(letters, NAMES[count], strict=True)
    ]
    plot = Plot(
        x=Axis(high=100, ticks=()),
        y=Axis(high=100, ticks=()),
        marks=(
            *(Circle(x=x, y=y, radius=radius) for x, y in CIRCLES[count]),
            *(mark for cell in result["cells"] for mark in _cell_words(cell, PLACES[count])),
            *names,
        ),
        width=546,
        height=416 if count == 3 else 316,
    )
    return Chart(
        title="Who flags what",
        caption="Circles are not to scale. In each part: its items, and below them how many of its "
        "labels are positive.",
        figure=figure(plot),
    )


def _cell_words(cell: Mapping[str, Any], places: Mapping[str, tuple[int, int]]) -> list[Mark]:
    x, y = places[cell["cell"]]
    labels = f"{cell['positives']:,} of {cell['labels']:,}" if cell["labels"] else "no labels"
    return [_centred(x, y, f"{cell['items']:,}", dy=-4), _centred(x, y, labels, dy=11)]


def _centred(x: float, y: float, text: str, *, dy: float = 4, bold: bool = False) -> Words:
    return Words(x=x, y=y, text=text, dy=dy, bold=bold, anchor="middle")


def range_chart(result: Mapping[str, Any]) -> Chart:
    """Band thin, interval thick, point on top, one row per classifier."""
    rows = [
        IntervalRow(
            name=recall["column"],
            low=recall["low"],
            high=recall["high"],
            wide_low=recall["band_low"],
            wide_high=recall["band_high"],
            point=recall["recall"],
        )
        for recall in (result[letter] for letter in "abc" if letter in result)
    ]
    return Chart(
        title="Recall, sampling error and dependence",
        caption="Dot: estimate. Bar: sampling error alone. Thin line: with dependence.",
        figure=interval_figure(rows, title="recall"),
    )


def cost_chart(result: Mapping[str, Any]) -> Chart:
    """Labels by unbiased sampling and by the pair, on a logarithmic scale."""
    cost = result["cost"]
    ways = {"random items": cost["unbiased"], "the pair, if independent": cost["pair"]}
    dots = tuple((float(labels), float(row)) for row, labels in enumerate(ways.values()))
    plot = Plot(
        x=Axis(
            low=1,
            high=10.0 ** (len(str(cost["unbiased"])) + 0.3),
            title=f"labels for ± {cost['half_width']:g} (log scale)",
            scale="log",
            numbers="count",
            grid=True,
        ),
        y=Axis(names=tuple(ways)),
        marks=(
            Dots(points=dots),
            *(Words(x=x, y=y, text=f"{x:,.0f}", dx=9, dy=4) for x, y in dots),
        ),
        height=120,
    )
    return Chart(
        title="What the same would cost",
        caption=f"Sampling error alone. If δ1 is {cost['delta']:g}, the saving in error terms is "
        f"{cost['honest_saving']:,.1f} times.",
        figure=figure(plot),
    )
