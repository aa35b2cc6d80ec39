"""Recall of two classifiers from how their findings overlap: capture and recapture.

If classifiers a and b find positives independently of each other, the share of b's positives that
a finds is a's recall. So a few labels over three cells (both, only a, only b) tell both recalls
and the number of positives, however rare they are.

*Source*: Bommannavar, Kolcz, Rajaraman, "Recall estimation for rare topic retrieval from large
corpuses", KDD 2014: n̂ and r_new. The stratified form of its Eq. 1 and the interval are ours.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

from assaymark.claims.checks import open_share
from assaymark.errors import InputError
from assaymark.pair_recall.overlap import (
    CellSample,
    DeltaBand,
    Dependence,
    Feasible,
    OverlapEstimate,
    Positives,
    RecallRange,
)
from assaymark.pair_recall.stats.printed_equations import EMPTY, recall_upper_bound
from assaymark.stats.special import expit, ndtri

PAIR_CELLS = ("11", "10", "01")
FEW = 5  # positives of a cell below which its share is little more than a guess

Cells = Mapping[str, CellSample]


def share(cell: CellSample) -> float:
    """The positive share as intervals use it: (k+½)/(m+1), exact where the cell is labelled whole.

    The half counts shrink with what is left to label, so that a census has no error.
    """
    left = 1 - cell.labels / cell.items if cell.items else 0.0
    return (cell.positives + left / 2) / (cell.labels + left) if cell.items else 0.0


def log_variance(cell: CellSample) -> float:
    """Variance of the logarithm of the cell's positives; drawing is without replacement."""
    rate = share(cell)
    if rate <= 0 or cell.labels == 0:
        return 0.0 if cell.labels else math.inf
    return (1 - rate) / (rate * cell.labels) * (1 - cell.labels / cell.items)


def total(cell: CellSample) -> float:
    """The cell's positives, estimated without smoothing."""
    return cell.items * cell.positives / cell.labels if cell.labels else 0.0


def smoothed_total(cell: CellSample) -> float:
    """The cell's positives as intervals use them."""
    return cell.items * share(cell)


def recall_from_pair(
    cells: Cells,
    *,
    confidence: float = 0.95,
    band: DeltaBand | None = None,
    universe: int | None = None,
) -> OverlapEstimate:
    """Both recalls and the number of positives from labels in the cells "11", "10" and "01".

    *Assumes* that labelled items are a random sample of their cell, and that the two classifiers
    find positives independently (δ1 = 1) or, for the band, with a δ1 inside it. The recalls are
    T11/(T11+T01) and T11/(T11+T10): the same as Eq. 1, and never above 1.

    >>> cells = {"11": CellSample(items=1000, labels=100, positives=90),
    ...          "10": CellSample(items=500, labels=100, positives=40),
    ...          "01": CellSample(items=900, labels=200, positives=80)}
    >>> found = recall_from_pair(cells)
    >>> round(found.recalls[0].recall, 3), round(found.positives.point)
    (0.714, 1540)
    """
    open_share("confidence", confidence)
    band = band or DeltaBand()
    both, first, second = check_pair(cells)
    z = float(ndtri((1 + confidence) / 2))
    recalls = (
        _pair_recall(both, second, z=z, confidence=confidence, band=band),
        _pair_recall(both, first, z=z, confidence=confidence, band=band),
    )
    if universe is not None:
        recalls = _with_upper(recalls, cells, universe)
    positives = _pair_positives(both, first, second, z=z, band=band)
    a, b = recalls[0].recall, recalls[1].recall
    union = total(both) + total(first) + total(second)
    return OverlapEstimate(
        method="pair",
        recalls=recalls,
        positives=positives,
        missed=max(0.0, positives.point - union),
        labels=sum(cells[name].labels for name in PAIR_CELLS),
        band=band,
        confidence=confidence,
        feasible=Feasible(low=a + b - a * b, high=_most(union, positives, cells, universe)),
        delta2=_off_topic(cells, positives.point, universe),
        warnings=tuple(_few(cells, PAIR_CELLS)),
    )


def check_pair(cells: Cells) -> tuple[CellSample, CellSample, CellSample]:
    """The three cells, if a pair can be estimated from them at all; refused with the reason otherwise."""
    both, first, second = (cells.get(name, CellSample(items=0)) for name in PAIR_CELLS)
    if both.items == 0:
        raise InputError(EMPTY)
    if first.items == 0 and second.items == 0:
        raise InputError(
            "Both classifiers flag exactly the same items, so they are one classifier. A pair must "
            "look at different things."
        )
    for sample, name, other in ((first, "first", "second"), (second, "second", "first")):
        if sample.items == 0:
            raise InputError(
                f"Every item that the {name} classifier flags is flagged by the {other} one too, so "
                f"the {name} can say nothing about what the {other} misses. Choose classifiers of "
                "which neither lies inside the other."
            )
    for name, cell in zip(PAIR_CELLS, (both, first, second), strict=True):
        if cell.labels == 0:
            raise InputError(
                f"No item of the cell '{name}' ({CELL_WORDS[name]}) has a label. Label some of each "
                "cell."
            )
    if both.positives == 0:
        raise InputError(
            f"None of {both.labels:,} labels in the cell '11' (flagged by both) is positive, and the "
            "estimate divides by their number. Label more items of that cell."
        )
    return both, first, second


CELL_WORDS = {
    "11": "flagged by both",
    "10": "flagged by the first only",
    "01": "flagged by the second only",
    "00": "flagged by neither",
}


def _pair_recall(
    both: CellSample, rest: CellSample, *, z: float, confidence: float, band: DeltaBand
) -> RecallRange:
    """T11/(T11+Tx), with the interval lo ± z·√var on the log-odds."""
    caught, missed = total(both), total(rest)
    if smoothed_total(rest) == 0:  # the whole cell is labelled and holds no positive
        low = high = 1.0
    else:
        odds = math.log(smoothed_total(both)) - math.log(smoothed_total(rest))
        spread = z * math.sqrt(log_variance(both) + log_variance(rest))
        low, high = float(expit(odds - spread)), float(expit(odds + spread))
    recall = caught / (caught + missed)
    return banded(recall, min(low, recall), max(high, recall), confidence=confidence, band=band)


def banded(
    recall: float, low: float, high: float, *, confidence: float, band: DeltaBand
) -> RecallRange:
    """The point and its interval with the band that dependence adds: recall = estimate / δ1."""
    return RecallRange(
        recall=recall,
        low=low,
        high=high,
        band_low=low / band.high,
        band_high=min(1.0, high / band.low),
        confidence=confidence,
    )


def _pair_positives(
    both: CellSample, first: CellSample, second: CellSample, *, z: float, band: DeltaBand
) -> Positives:
    """n̂ = T1·T2/T12, with a delta-method interval on its logarithm."""
    a, b, c = (smoothed_total(cell) for cell in (both, first, second))
    slopes = (a / (a + b) + a / (a + c) - 1, b / (a + b), c / (a + c))
    variance = sum(
        slope**2 * log_variance(cell)
        for slope, cell in zip(slopes, (both, first, second), strict=True)
        if slope
    )
    raw = [total(cell) for cell in (both, first, second)]
    point = (raw[0] + raw[1]) * (raw[0] + raw[2]) / raw[0]
    known = sum(cell.positives for cell in (both, first, second))
    middle, spread = math.log((a + b) * (a + c) / a), z * math.sqrt(variance)
    low, high = around(math.log(point), middle, spread)
    return positives_range(point, math.exp(low), math.exp(high), known=known, band=band)


def around(point: float, middle: float, spread: float) -> tuple[float, float]:
    """The ends of middle ± spread; around the point as well where smoothing left it beyond them.

    >>> around(0.0, 0.5, 1.0), around(-2.0, 0.0, 1.0)
    ((-0.5, 1.5), (-3.0, 1.0))
    """
    if abs(point - middle) < spread:
        return middle - spread, middle + spread
    return min(point, middle) - spread, max(point, middle) + spread


def positives_range(
    point: float, low: float, high: float, *, known: int, band: DeltaBand
) -> Positives:
    """A number of positives with its band; never fewer than are known by label."""
    return Positives(
        point=point,
        low=max(min(low, point), known),
        high=max(high, point),
        band_low=max(min(low, point) * band.low, known),
        band_high=max(high, point) * band.high,
    )


def _most(union: float, positives: Positives, cells: Cells, universe: int | None) -> float | None:
    """The largest dependence: every item outside would have to be positive."""
    if universe is None:
        return None
    outside = universe - sum(cells[name].items for name in PAIR_CELLS)
    return (union + outside) / positives.point


def _with_upper(
    recalls: tuple[RecallRange, RecallRange], cells: Cells, universe: int
) -> tuple[RecallRange, RecallRange]:
    both = cells["11"]
    sizes = [both.items + cells[name].items for name in ("10", "01")]
    totals = [total(both) + total(cells[name]) for name in ("10", "01")]
    precisions = [hits / size for hits, size in zip(totals, sizes, strict=True)]
    made = []
    for place, other in ((0, 1), (1, 0)):
        upper = recall_upper_bound(
            precision=precisions[place],
            flagged=sizes[place],
            other_precision=precisions[other],
            other=sizes[other],
            joint=both.items,
            universe=universe,
        )
        # where false positives avoid each other (δ2 < 1), Eq. 2 is too low and bounds nothing
        bounds = upper >= recalls[place].recall
        found_upper = min(1.0, upper) if bounds else None
        made.append(replace(recalls[place], upper=found_upper))
    return made[0], made[1]


def _off_topic(cells: Cells, positives: float, universe: int | None) -> Dependence | None:
    """δ2, the dependence among negatives; needs the size of the collection."""
    if universe is None or universe <= positives:
        return None
    false = [cells[name].items - total(cells[name]) for name in PAIR_CELLS]
    first, second = false[0] + false[1], false[0] + false[2]
    if first <= 0 or second <= 0:
        return None
    point = false[0] * (universe - positives) / (first * second)
    return Dependence(point=point, source="from the labels and the size of the collection")


def _few(cells: Cells, names: tuple[str, ...]) -> list[str]:
    return [
        f"The cell '{name}' ({CELL_WORDS.get(name, 'see the cells')}) has only "
        f"{cells[name].positives} positive labels: its share is little more than a guess."
        for name in names
        if cells[name].labels < cells[name].items and cells[name].positives < FEW
    ]


def recall_of_another(sample: CellSample, known: OverlapEstimate) -> RecallRange:
    """r_new: recall of any further classifier from a labelled sample of what it flags.

    Its positives over n̂. The errors of both are added on the logarithm; capped at 1.
    """
    if sample.labels == 0 or sample.positives == 0:
        raise InputError(
            "The further classifier needs at least one positive label among the items it flags, got "
            f"{sample.positives} in {sample.labels}."
        )
    z = float(ndtri((1 + known.confidence) / 2))
    positives = known.positives
    wide = (math.log(positives.high) - math.log(positives.low)) / (2 * z)
    spread = z * math.sqrt(wide**2 + log_variance(sample))
    recall = total(sample) / positives.point
    centre = smoothed_total(sample) / math.sqrt(positives.low * positives.high)
    low, high = (
        min(1.0, math.exp(end)) for end in around(math.log(recall), math.log(centre), spread)
    )
    if known.method != "combined":
        return banded(min(1.0, recall), low, high, confidence=known.confidence, band=known.band)
    # labels from outside have moved the band of the positives: it is no longer a factor of theirs
    half_width = z * math.sqrt(log_variance(sample))
    down = math.hypot(half_width, math.log(positives.band_high / positives.point))
    up = math.hypot(half_width, math.log(positives.point / positives.band_low))
    middle = smoothed_total(sample) / positives.point
    return RecallRange(
        recall=min(1.0, recall),
        low=low,
        high=high,
        band_low=min(low, middle * math.exp(-down)),
        band_high=min(1.0, max(high, middle * math.exp(up))),
        confidence=known.confidence,
    )
