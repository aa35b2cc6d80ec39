"""The experiment `test-size`: does a test of the planned size pass as often as was asked for?

Source: Bagdouri, Webber, Lewis & Oard (2013), "Towards minimizing the annotation cost of certified
text classification", CIKM, Table 1. A contingency table is taken as an endless population; pilots
are drawn from it; each is turned into a size for a claim of .5 to .9 of the true F1; a test of that
size is judged. Three ways: the algorithm as printed, the same without the slip in equation 5, and
exact planning with the exact test.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from assaymark.lab.corpora import load_corpus
from assaymark.lab.experiments.test_size.figures import figures_of
from assaymark.lab.experiments.test_size.tables import TableSketch
from assaymark.lab.experiments.test_size.trials import (
    CONFIDENCE,
    POWER,
    SHARES,
    TITLES,
    WAYS,
    SizingTask,
    run_table,
)
from assaymark.lab.outcome import Outcome
from assaymark.lab.tasks import Order, TaskResult, run_all

RUNS, RUNS_FULL = 20, 100  # tables, and pilots of each; the second as in the paper
# Table 1: mean success in per cent, and what the paper calls its standard error
PAPER = {
    0.5: (0.9353, 0.0309),
    0.6: (0.9325, 0.0280),
    0.7: (0.9392, 0.0268),
    0.8: (0.9426, 0.0238),
    0.9: (0.9429, 0.0286),
}
GROUPS = (("under 200", 0, 200), ("200 to 800", 200, 800), ("over 800", 800, np.inf))


@dataclass(frozen=True, kw_only=True)
class Success:
    """How one way does for one target, over all tables of a kind.

    `success` leaves pilots without a size out; `success_all` counts them as failures. `error` is
    the standard error of that mean over tables; `spread` the standard deviation over tables of
    the share of drawn tests that pass, which is what the paper's figure must be. `of_exact` is
    the size against that of exact planning, a geometric mean over tables.
    """

    where: str
    way: str
    share: float
    tables: int
    pilots: int
    success: float | None
    error: float | None
    spread: float | None
    success_all: float
    error_all: float | None
    out_of_reach: float
    no_end: float
    median_size: float | None
    of_exact: float | None
    confidence: float | None
    worst_confidence: float | None
    no_width: float
    paper: float
    paper_spread: float

    def __str__(self) -> str:
        start = f"{self.where}, target {self.share:g} of F1, {TITLES[self.way]}: "
        if self.success is None or self.confidence is None or self.median_size is None:
            return start + "never a size"
        return start + (
            f"{self.success:.1%} pass (paper {self.paper:.1%}) with {self.median_size:,.0f} labels, "
            f"bound holds in {self.confidence:.1%}, no size for {self.out_of_reach + self.no_end:.1%}"
        )


def sizing(order: Order) -> Outcome:
    """Made tables, and tables of classifiers trained on every collection given."""
    runs = order.runs or (RUNS_FULL if order.full else RUNS)
    parts: list[list[TaskResult]] = []
    for file in order.data:  # first, so that a bad file is refused at once
        order.progress(f"reading {file.name}", None)
        load_corpus(file, order.seed)
    sources = (None, *order.data)
    for place, path in enumerate(sources):
        tasks = [
            SizingTask(table=TableSketch(number=i, seed=order.seed, path=path), pilots=runs)
            for i in range(runs)
        ]
        parts.append(run_all(run_table, tasks, _part(order, place, len(sources))))
    rows = [
        {"number": number, **row}
        for part in parts
        for number, result in enumerate(part)
        for row in result["rows"]
    ]
    columns = summaries(rows)
    return Outcome(
        name="test-size",
        tables={
            "success": [asdict(column) for column in columns],
            "pilots": by_pilot(rows),
            "tables": rows,
        },
        figures=figures_of(columns),
        sentences=tuple(str(column) for column in columns),
        settings={
            "tables": runs,
            "pilots": runs,
            "seed": order.seed,
            "confidence": CONFIDENCE,
            "power": POWER,
        },
    )


def _part(order: Order, place: int, parts: int) -> Order:
    """The order with a progress that fills only its part of the bar."""

    def progress(message: str, share: float | None) -> None:
        order.progress(message, None if share is None else (place + share) / parts)

    return replace(order, progress=progress)


def summaries(rows: Sequence[TaskResult]) -> list[Success]:
    """A row per kind of table, target and way."""
    exact = {
        (row["where"], row["number"], row["share"]): row["median_size"]
        for row in rows
        if row["way"] == "exact"
    }
    kinds = list(dict.fromkeys(row["where"] for row in rows))
    lines = []
    for where in kinds:
        for share in SHARES:
            for way in WAYS:
                members = [
                    row
                    for row in rows
                    if (row["where"], row["share"], row["way"]) == (where, share, way)
                ]
                lines.append(_summary(members, exact))
    return lines


def _summary(
    members: list[TaskResult], exact: dict[tuple[str, int, float], float | None]
) -> Success:
    first = members[0]
    sized = [row for row in members if row["sized"]]
    rates = [row["success"] for row in sized]
    overall = [(row["success"] or 0.0) * row["sized"] / row["pilots"] for row in members]
    ratios = [
        np.log(row["median_size"] / size)
        for row in sized
        if (size := exact[row["where"], row["number"], row["share"]])
    ]
    pilots = sum(row["pilots"] for row in members)
    paper, spread = PAPER[first["share"]]
    return Success(
        where=first["where"],
        way=first["way"],
        share=first["share"],
        tables=len(members),
        pilots=pilots,
        success=_mean(rates),
        error=_error(rates),
        spread=_deviation([row["drawn"] / row["sized"] for row in sized]),
        success_all=float(np.mean(overall)),
        error_all=_error(overall),
        out_of_reach=sum(row["out_of_reach"] for row in members) / pilots,
        no_end=sum(row["no_end"] for row in members) / pilots,
        median_size=float(np.median([row["median_size"] for row in sized])) if sized else None,
        of_exact=float(np.exp(np.mean(ratios))) if ratios else None,
        confidence=_mean([row["confidence"] for row in sized]),
        worst_confidence=min((row["confidence"] for row in sized), default=None),
        no_width=float(np.mean([row["no_width"] for row in members])),
        paper=paper,
        paper_spread=spread,
    )


def by_pilot(rows: Sequence[TaskResult]) -> list[dict[str, Any]]:
    """Success by how much a pilot can say: its expected informative items."""
    lines = []
    for where in dict.fromkeys(row["where"] for row in rows):
        for group, low, high in GROUPS:
            for way in WAYS:
                for share in SHARES:
                    members = [
                        row
                        for row in rows
                        if (row["where"], row["way"], row["share"]) == (where, way, share)
                        and low <= row["informative"] < high
                    ]
                    if members:
                        lines.append(_group(members, group))
    return lines


def _group(members: list[TaskResult], group: str) -> dict[str, Any]:
    rates = [row["success"] for row in members if row["sized"]]
    pilots = sum(row["pilots"] for row in members)
    unsized = sum(row["out_of_reach"] + row["no_end"] for row in members)
    return {
        "where": members[0]["where"],
        "informative": group,
        "way": members[0]["way"],
        "share": members[0]["share"],
        "tables": len(members),
        "success": _mean(rates),
        "error": _error(rates),
        "no_size": unsized / pilots,
    }


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if len(values) else None


def _deviation(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def _error(values: Sequence[float]) -> float | None:
    deviation = _deviation(values)
    return None if deviation is None else deviation / float(np.sqrt(len(values)))
