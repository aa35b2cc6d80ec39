"""What the labels and the size of the collection leave possible, whatever the dependence.

A cell holds at least the positives that were labelled, and at most these and every item without a
label. No estimate and no range may go beyond that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assaymark.errors import InputError
from assaymark.pair_recall.overlap import CellSample, OverlapEstimate, Positives, RecallRange

Cells = Mapping[str, CellSample]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The least and the largest value that no label excludes."""

    low: float
    high: float

    def kept(self, value: float) -> float:
        """The value, or the limit that it lies beyond."""
        return min(max(value, self.low), self.high)


def positives_left(cells: Sequence[CellSample]) -> Limits:
    """How many positives these cells may hold together."""
    return Limits(
        low=float(sum(cell.positives for cell in cells)),
        high=float(sum(cell.items - cell.labels + cell.positives for cell in cells)),
    )


def recall_left(cells: Cells, which: int) -> Limits:
    """Which recalls of the classifier at place `which` no label excludes.

    >>> cells = {"1": CellSample(items=10, labels=10, positives=6), "0": CellSample(items=6, labels=3)}
    >>> recall_left(cells, 0)
    Limits(low=0.6666666666666666, high=1.0)
    """
    hits = positives_left([cell for name, cell in cells.items() if name[which] == "1"])
    misses = positives_left([cell for name, cell in cells.items() if name[which] == "0"])
    return Limits(low=_ratio(hits.low, misses.high, 0.0), high=_ratio(hits.high, misses.low, 1.0))


def _ratio(hits: float, misses: float, otherwise: float) -> float:
    return hits / (hits + misses) if hits + misses else otherwise


def too_many_missed(estimate: OverlapEstimate, cells: Cells) -> bool:
    """Whether the overlap puts more positives outside than there are items that could be."""
    outside = cells["0" * len(estimate.recalls)]
    return estimate.missed > positives_left([outside]).high * (1 + 1e-9)


def refuse_impossible(estimate: OverlapEstimate, cells: Cells) -> None:
    """Refuse an overlap that contradicts the size of the collection, where nothing else is known."""
    if too_many_missed(estimate, cells):
        outside = cells["0" * len(estimate.recalls)].items
        raise InputError(
            f"If the classifiers found positives independently of each other, they would miss "
            f"{estimate.missed:,.0f} together, and only {outside:,} items are flagged by none. So they "
            "find the same items less often than chance would, and their overlap says nothing about "
            "recall. Label items that none of them flags, or choose other classifiers."
        )


def within_counts(estimate: OverlapEstimate, cells: Cells) -> OverlapEstimate:
    """The same estimate, with no end of a range beyond what the labels leave possible."""
    return replace(
        estimate,
        recalls=tuple(
            _recall_within(one, recall_left(cells, which))
            for which, one in enumerate(estimate.recalls)
        ),
        positives=_positives_within(estimate.positives, positives_left(list(cells.values()))),
    )


def _recall_within(recall: RecallRange, left: Limits) -> RecallRange:
    """Clipped at the counts; rounding may put the point a hair beyond them, never the ends inside it."""
    return replace(
        recall,
        low=min(recall.recall, left.kept(recall.low)),
        high=max(recall.recall, left.kept(recall.high)),
        band_low=min(recall.recall, left.kept(recall.band_low)),
        band_high=max(recall.recall, left.kept(recall.band_high)),
    )


def _positives_within(positives: Positives, left: Limits) -> Positives:
    return replace(
        positives,
        low=min(positives.point, left.kept(positives.low)),
        high=max(positives.point, left.kept(positives.high)),
        band_low=min(positives.point, left.kept(positives.band_low)),
        band_high=max(positives.point, left.kept(positives.band_high)),
    )
