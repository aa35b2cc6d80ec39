"""The section of a report that tells an estimate: points, two kinds of interval, and the sample."""

from collections.abc import Mapping
from typing import Any

from assaymark.claims.direction import usual_side
from assaymark.claims.results import counted, rounded, shown
from assaymark.drawing.interval_rows import IntervalRow, interval_figure
from assaymark.reports.section import Chart, Section, Table

READING = (
    "The interval for reading covered the truth in about 95 of 100 samples of most collections that "
    "it was measured on, and in 90 of the worst; that is not proved."
)
DIFFERENCE = (
    f"{READING} The guaranteed figures are proved, whenever one looks and whatever the "
    "scores are worth, and are usually wider. Between them stand the errors still possible among the items "
    "that nobody read."
)


def estimate_section(result: Mapping[str, Any]) -> Section:
    """The estimates in the ledger as one section."""
    metrics = list(result["metrics"])
    first = metrics[0]
    return Section(
        title="Estimates",
        sentence=_sentence(first, int(result["labels"])),
        paragraphs=(*_difference(metrics), *result.get("warnings", ())),
        tables=tuple(
            table for table in (_metrics(metrics), _strata(result), _classes(result)) if table.rows
        ),
        charts=_charts(metrics),
        assumptions=tuple(result.get("assumptions", ())),
    )


def _difference(metrics: list[Mapping[str, Any]]) -> tuple[str, ...]:
    """What sets the two intervals apart, or why there is only one."""
    if any(one.get("guaranteed_interval") for one in metrics):
        return (DIFFERENCE,)
    why = next((one["guaranteed_reason"] for one in metrics if one.get("guaranteed_reason")), None)
    return (READING, *(() if why is None else (f"Nothing is guaranteed: {why}.",)))


def _sentence(one: Mapping[str, Any], labels: int) -> str:
    if one["point"] is None:
        return f"{one['title']} is undefined: {one['reason']} ({counted(labels, 'label')})."
    return (
        f"{one['title']} is {shown(one['point'])}, between {rounded(one['low'])} and "
        f"{rounded(one['high'], up=True)}, from {counted(labels, 'label')}."
    )


def _ends(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "–"
    return f"{rounded(low)} to {rounded(high, up=True)}"


def _guaranteed(metric: str, low: float | None, high: float | None) -> str:
    """The one-sided figure; the upper one where small is good, or where the lower says nothing."""
    if low is None and high is None:
        return "–"
    small = usual_side(metric) == "upper" or rounded(low or 0.0) == "0"
    if high is not None and small:
        return f"at most {rounded(high, up=True)}"
    return f"at least {rounded(low or 0.0)}"


def _metrics(metrics: list[Mapping[str, Any]]) -> Table:
    rows = []
    for one in metrics:
        both = one.get("guaranteed_interval") or (None, None)
        least = one.get("guaranteed_low")
        rows.append(
            (
                str(one["title"]),
                shown(one["point"]),
                _ends(one["low"], one["high"]),
                _guaranteed(str(one["metric"]), least, one.get("guaranteed_high")),
                _ends(both[0], both[1]),
            )
        )
    header = ("metric", "estimate", "for reading", "guaranteed", "guaranteed, both sides")
    used = [place for place in range(len(header)) if any(row[place] != "–" for row in rows)]
    return Table(
        caption="Every metric from the same labels.",
        header=tuple(header[place] for place in used),
        rows=tuple(tuple(row[place] for place in used) for row in rows),
    )


def _group(name: str) -> str:
    """The group in the words of the page: "predicted not relevant 3"."""
    return name.replace("predicted negative", "predicted not relevant").replace(
        "predicted positive", "predicted relevant"
    )


def _strata(result: Mapping[str, Any]) -> Table:
    return Table(
        caption=(
            "Where the labels went, and how many more errors are possible (95 % at every look, each "
            "group of items by itself)."
        ),
        header=("group of items", "items", "labels", "relevant", "errors possible"),
        rows=tuple(
            (
                _group(str(row["name"])),
                f"{row['items']:,}",
                f"{row['labelled']:,}",
                f"{row['positives']:,}",
                "–" if row["hidden"] is None else f"up to {row['hidden']:,}",
            )
            for row in result.get("strata", ())
        ),
    )


def _classes(result: Mapping[str, Any]) -> Table:
    return Table(
        caption="By class. Macro figures are estimates only: they cannot be claimed.",
        header=("class", "precision", "recall", "F1", "labels"),
        rows=tuple(
            (
                str(row["name"]),
                shown(row["precision"]),
                shown(row["recall"]),
                shown(row["f1"]),
                f"{row['labels']:,}",
            )
            for row in result.get("classes", ())
        ),
    )


def _charts(metrics: list[Mapping[str, Any]]) -> tuple[Chart, ...]:
    rows = []
    for one in metrics:
        if one["point"] is None:
            continue
        wide = one.get("guaranteed_interval") or (None, None)
        rows.append(
            IntervalRow(
                name=one["title"],
                low=one["low"],
                high=one["high"],
                wide_low=wide[0],
                wide_high=wide[1],
                point=one["point"],
            )
        )
    if not rows:
        return ()
    return (
        Chart(
            title="Estimates",
            caption="Dot: estimate. Bar: interval for reading. Thin line: guaranteed on both sides.",
            figure=interval_figure(rows, title="value"),
        ),
    )
