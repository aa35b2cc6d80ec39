"""Recall of classifiers that overlap: what the labels of their cells say, with everything beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assaymark.claims.pictures import (
    Bar,
    Picture,
    frame,
    html_answer,
    html_table,
    interval_picture,
)
from assaymark.claims.record import plain
from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.pair_recall.overlap import (
    Advice,
    CellSample,
    Cost,
    DeltaBand,
    OverlapEstimate,
    RecallRange,
)
from assaymark.pair_recall.stats.allocation import advise, cost
from assaymark.pair_recall.stats.capture_recapture import (
    check_pair,
    recall_from_pair,
    recall_of_another,
    share,
)
from assaymark.pair_recall.stats.outside_union import with_outside
from assaymark.pair_recall.stats.pair_dependence import band_record, pair_kind
from assaymark.pair_recall.stats.possible_counts import refuse_impossible, within_counts
from assaymark.pair_recall.stats.three_lists import recall_from_triple, refuse_empty

LETTERS = "abc"
UNASSUMED = "The ranges come from the labels of all cells and assume nothing about dependence."


@dataclass(frozen=True, kw_only=True)
class RecallRequest:
    """What is asked: which 0/1 columns, how sure, how dependent they may be, how narrow.

    Without a `band`, the one that was measured on pairs of that kind, or the usual one.
    """

    flags: tuple[str, ...]
    confidence: float = 0.95
    band: DeltaBand | None = None
    within: float = 0.05
    target: str = "both"
    pair: str | None = None
    another: CellSample | None = None

    def __post_init__(self) -> None:
        if len(set(self.flags)) < len(self.flags):
            raise InputError(
                f"The classifiers must be different columns, got {', '.join(self.flags)}. A column "
                "paired with itself tells nothing."
            )
        if len(self.flags) not in (2, 3):
            raise InputError(f"Name two or three classifiers, got {len(self.flags)}.")
        if self.pair is not None:
            pair_kind(self.pair)  # an unknown kind would silently drop its warnings

    @property
    def assumed(self) -> DeltaBand:
        """The band of dependence that the answer allows for."""
        if self.band is not None:
            return self.band
        return pair_kind(self.pair).band if self.pair else DeltaBand()


@dataclass(frozen=True, kw_only=True)
class RecallAnswer:
    """The recalls with their cells, what to label next, and what unbiased sampling would cost."""

    request: RecallRequest
    cells: dict[str, CellSample]
    estimate: OverlapEstimate
    advice: Advice
    cost: Cost
    another: RecallRange | None
    warnings: tuple[str, ...]
    assumptions: tuple[str, ...]

    def __str__(self) -> str:
        return str(self.estimate)

    @property
    def labels(self) -> int:
        """How many labels the answer uses."""
        return self.estimate.labels

    def to_frame(self) -> Any:
        """One row per classifier: a pandas or polars data frame, or a list of dicts without either."""
        return frame(self._rows())

    def plot(self) -> Picture:
        """The recall of each classifier, with the range that dependence allows."""
        bars = [
            Bar(title=name, low=one.band_low, high=one.band_high, point=one.recall)
            for name, one in zip(self.request.flags, self.estimate.recalls, strict=True)
        ]
        return interval_picture(bars, caption=str(self))

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"classifier": name, **plain(one)}
            for name, one in zip(self.request.flags, self.estimate.recalls, strict=True)
        ]

    def _repr_html_(self) -> str:
        rows = [("labels", f"{self.labels:,}"), *(("beware", text) for text in self.warnings)]
        return html_answer(str(self), rows, self.plot()) + html_table(self._rows())


def answer_recall(
    request: RecallRequest, cells: Mapping[str, CellSample], *, warnings: tuple[str, ...] = ()
) -> RecallAnswer:
    """Everything that follows from the labels; `warnings` are those of whoever counted them."""
    universe = sum(cell.items for cell in cells.values())
    outside = "0" * len(request.flags)
    inside = {name: cell for name, cell in cells.items() if name != outside}
    if len(request.flags) == 3:
        estimate = recall_from_triple(inside, confidence=request.confidence, band=request.assumed)
    else:
        estimate = recall_from_pair(
            inside, confidence=request.confidence, band=request.assumed, universe=universe
        )
    if cells[outside].labels:
        estimate = with_outside(estimate, cells)
    else:
        refuse_impossible(estimate, cells)
    estimate = within_counts(estimate, cells)
    advice = advise(inside, estimate, wanted=request.within, target=request.target)
    another = recall_of_another(request.another, estimate) if request.another else None
    return RecallAnswer(
        request=request,
        cells=dict(cells),
        estimate=estimate,
        advice=advice,
        cost=_cost(request, cells, estimate, universe),
        another=another,
        warnings=(*warnings, *_known(request), *estimate.warnings, *band_warnings(estimate)),
        assumptions=_assumptions(request, estimate),
    )


def check_cells(flags: int, sizes: Mapping[str, int]) -> None:
    """Refuse what no labels could help: nothing in common, identical, one inside the other."""
    if flags == 3:
        refuse_empty(sizes)
    else:
        tried = {name: CellSample(items=n, labels=n, positives=n) for name, n in sizes.items()}
        check_pair(tried)


def _known(request: RecallRequest) -> tuple[str, ...]:
    warning = pair_kind(request.pair).warning if request.pair else None
    return (warning,) if warning else ()


def band_warnings(estimate: OverlapEstimate) -> tuple[str, ...]:
    """What to say where three lists measured a dependence that the band does not hold."""
    if estimate.delta1 and estimate.method == "triple":
        delta = estimate.delta1.point
        if not estimate.band.low <= delta <= estimate.band.high:
            return (
                f"The third classifier puts δ1 of the first two at {delta:.2f}, outside the band "
                f"{estimate.band.low:g} to {estimate.band.high:g}: do not use them as a pair alone.",
            )
    return ()


def _cost(
    request: RecallRequest,
    cells: Mapping[str, CellSample],
    estimate: OverlapEstimate,
    universe: int,
) -> Cost:
    """The cost comparison for the first classifier, at the prevalence that was estimated."""
    names = [name for name in cells if "1" in name]
    joint = _merged([cells[name] for name in names if name[0] == "1" and "1" in name[1:]])
    rest = _merged([cells[name] for name in names if name[0] == "0"])
    return cost(
        prevalence=min(max(estimate.positives.point / universe, 1e-9), 1 - 1e-9),
        recall=min(max(estimate.recalls[0].recall, 0.01), 0.99),
        precisions=(joint, rest),
        half_width=request.within,
        confidence=request.confidence,
    )


def _merged(cells: list[CellSample]) -> float:
    """The positive share of several cells together, kept away from 0 and 1."""
    items = sum(cell.items for cell in cells)
    positives = sum(cell.items * share(cell) for cell in cells if cell.labels)
    return min(max(positives / items if items else 0.5, 1e-4), 1 - 1e-4)


def _assumptions(request: RecallRequest, estimate: OverlapEstimate) -> tuple[str, ...]:
    said = ["The labelled items of each cell are a random sample of it."]
    if estimate.refuted:
        pass
    elif estimate.method == "triple":
        said.append("There is no tie among positives that takes all three classifiers at once.")
    else:
        said.append(
            "The point and the sampling interval take the two classifiers to find positives "
            "independently of each other (δ1 = 1)."
        )
    said.append(_about_band(estimate))
    if estimate.method != "combined":
        said.append(
            "Positives that none of the classifiers can see are not counted. Only labels from "
            "outside can find them."
        )
    if estimate.refuted:
        return (*said, UNASSUMED)
    # last, where the command line finds it
    return (*said, band_record(pair_kind(request.pair) if request.pair else None, estimate.band))


def _about_band(estimate: OverlapEstimate) -> str:
    """What the range with dependence allows for, and whether any label can check it."""
    if estimate.refuted:
        return "The labels from outside exclude the assumed dependence, so no range uses it."
    low, high = estimate.band.low, estimate.band.high
    if estimate.method == "combined":
        return (
            f"The band allows a dependence δ1 from {low:.3g} to {high:.3g}, checked against the "
            "labels from outside."
        )
    return (
        f"The band allows a dependence δ1 from {low:g} to {high:g}; nothing in the labels of these "
        "cells can check that."
    )


def answer_json(answer: RecallAnswer) -> dict[str, Any]:
    """The answer as one JSON object; recorded in the ledger as it stands."""
    request, estimate = answer.request, answer.estimate
    body: dict[str, Any] = {}
    for place, (column, recall) in enumerate(zip(request.flags, estimate.recalls, strict=True)):
        flagged = sum(cell.items for name, cell in answer.cells.items() if name[place] == "1")
        body[LETTERS[place]] = {"column": column, "flagged": flagged, **plain(recall)}
    body |= {
        "positives": estimate.positives.point,
        "positives_range": plain(estimate.positives),
        "missed": estimate.missed,
        "delta_band": [estimate.band.low, estimate.band.high],
        "labels": estimate.labels,
        "warnings": list(answer.warnings),
        "method": estimate.method,
        "confidence": estimate.confidence,
        "items": sum(cell.items for cell in answer.cells.values()),
        "cells": [{"cell": name, **plain(cell)} for name, cell in answer.cells.items()],
        "feasible": plain(estimate.feasible),
        "delta1": plain(estimate.delta1),
        "delta2": plain(estimate.delta2),
        "chao": estimate.chao,
        "new": plain(answer.another),
        "advice": plain(answer.advice),
        "cost": plain(answer.cost),
        "assumptions": list(answer.assumptions),
    }
    return body


def sampled(sizes: Mapping[str, int], labels: Mapping[str, list[int]]) -> dict[str, CellSample]:
    """The cells with the labels of their items."""
    return {
        name: CellSample(
            items=items, labels=len(labels.get(name, [])), positives=sum(labels.get(name, []))
        )
        for name, items in sizes.items()
    }


def unclear(number: int) -> tuple[str, ...]:
    """The warning that nobody could tell some items."""
    if not number:
        return ()
    return (
        f"Left out because nobody could tell: {counted(number, 'item')}. The estimate takes them to be "
        "like the others of their cell.",
    )
