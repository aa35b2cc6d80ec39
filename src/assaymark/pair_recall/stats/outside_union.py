"""Labels from outside the union: the only way to see what no classifier can see.

A random sample of the items that nobody flagged (an elusion sample) needs no independence, but it
is nearly blind when positives are rare. So it is combined with the overlap: it narrows the band
where it can, says how dependent the classifiers are, and refutes a band that is wrong.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scipy.special import betaincinv, ndtri

from assaymark.errors import InputError
from assaymark.pair_recall.overlap import (
    CellSample,
    Dependence,
    OverlapEstimate,
    Positives,
    RecallRange,
)
from assaymark.pair_recall.stats.capture_recapture import (
    log_variance,
    recall_from_pair,
    smoothed_total,
    total,
)
from assaymark.pair_recall.stats.three_lists import recall_from_triple


@dataclass(frozen=True, kw_only=True)
class Total:
    """A number of positives with limits that need not lie evenly around it."""

    point: float
    low: float
    high: float


def exact_total(cell: CellSample, tail: float) -> Total:
    """The cell's positives with Clopper and Pearson's limits, narrowed as more of it is labelled.

    They are exact in a large cell. Where much of a small one is labelled they are nearly so: the
    worst of all numbers of positives was covered to 0.938 at a nominal 0.95 (100 items, 90 labels).

    >>> exact_total(CellSample(items=1000, labels=100, positives=0), 0.025).low
    0.0
    """
    k, m, n = cell.positives, cell.labels, cell.items
    if n == 0:
        return Total(point=0.0, low=0.0, high=0.0)
    if m == 0:
        return Total(point=0.0, low=0.0, high=float(n))
    rate, narrow = k / m, math.sqrt(1 - m / n)
    low = float(betaincinv(k, m - k + 1, tail)) if k else 0.0
    high = float(betaincinv(k + 1, m - k, 1 - tail)) if k < m else 1.0
    return Total(
        point=n * rate,
        low=max(float(k), n * (rate - narrow * (rate - low))),
        high=min(float(n - m + k), n * (rate + narrow * (high - rate))),
    )


def added(parts: Sequence[Total]) -> Total:
    """The sum of independent totals; distances to the limits add by their squares (MOVER)."""
    point = sum(part.point for part in parts)
    down = math.sqrt(sum((part.point - part.low) ** 2 for part in parts))
    up = math.sqrt(sum((part.high - part.point) ** 2 for part in parts))
    return Total(point=point, low=max(0.0, point - down), high=point + up)


def _odds(above: Total, below: Total) -> Total:
    """above / below with limits by MOVER (Donner & Zou 2012); `below` is positive."""
    a, b = above.point, below.point
    la, ua = above.low, above.high
    lb, ub = below.low, below.high
    divide_low, divide_high = ub * (2 * b - ub), lb * (2 * b - lb)
    low = _root(a * b, la * (2 * a - la), divide_low, -1) if divide_low > 0 else 0.0
    high = _root(a * b, ua * (2 * a - ua), divide_high, 1) if divide_high > 0 else math.inf
    return Total(point=a / b, low=max(0.0, low), high=high)


def _root(product: float, numerator: float, divisor: float, sign: int) -> float:
    return (product + sign * math.sqrt(max(0.0, product**2 - numerator * divisor))) / divisor


def direct_recall(
    cells: Mapping[str, CellSample], which: int, *, confidence: float = 0.95
) -> RecallRange:
    """Recall of the classifier at place `which` from labels in every cell, outside included.

    *Assumes* only that the labelled items are a random sample of their cell. Exact limits per cell
    are joined by MOVER; the band equals the interval, because nothing about dependence is assumed.
    """
    tail = (1 - confidence) / 2
    inside = added([exact_total(c, tail) for name, c in cells.items() if name[which] == "1"])
    rest = added([exact_total(c, tail) for name, c in cells.items() if name[which] == "0"])
    if inside.point <= 0:
        raise InputError("No positive label among what the classifier flags: recall is undefined.")
    missed = _odds(rest, inside)
    low = 1 / (1 + missed.high) if math.isfinite(missed.high) else 0.0
    return RecallRange(
        recall=1 / (1 + missed.point),
        low=low,
        high=1 / (1 + missed.low),
        band_low=low,
        band_high=1 / (1 + missed.low),
        confidence=confidence,
    )


def with_outside(estimate: OverlapEstimate, cells: Mapping[str, CellSample]) -> OverlapEstimate:
    """The overlap's estimate combined with the labels of the cell that nobody flagged.

    The two numbers of positives are weighted by their precision, the overlap's including a
    dependence that its band holds to 95 %. The band is where both say the recall may be, each at
    half the risk; where they contradict each other, the labels from outside win and it is said.
    """
    name = "0" * len(next(iter(cells)))
    outside = cells.get(name, CellSample(items=0))
    if outside.labels == 0 and outside.items > 0:
        raise InputError(
            "No item outside the classifiers' findings has a label, so there is no elusion sample "
            "to combine."
        )
    found = sum(total(cell) for key, cell in cells.items() if key != name)
    weight = _weight(estimate, cells, outside)
    point = weight * estimate.positives.point + (1 - weight) * (found + total(outside))
    stronger = 1 - (1 - estimate.confidence) / 2
    wider = _again(estimate, cells, stronger)
    recalls, contradicted = [], False
    for which, own in enumerate(estimate.recalls):
        direct = direct_recall(cells, which, confidence=stronger)
        joined, clash = _joined(own, wider.recalls[which], direct)
        contradicted |= clash
        inside = sum(total(c) for key, c in cells.items() if key[which] == "1")
        recall = min(max(inside / point, joined.band_low), joined.band_high)
        ends = {"low": min(own.low, recall), "high": max(own.high, recall)}
        recalls.append(replace(joined, recall=recall, **ends))
    warnings = estimate.warnings + ((_CLASH,) if contradicted else ())
    delta = _dependence(estimate, cells, name)
    if delta and delta.low is not None and delta.high is not None:
        warnings += _said(delta, estimate)
    return replace(
        estimate,
        method="combined",
        recalls=tuple(recalls),
        positives=_positives(wider, cells, point, estimate, contradicted=contradicted),
        missed=max(0.0, point - found),
        labels=estimate.labels + outside.labels,
        delta1=delta,
        warnings=warnings,
    )


_CLASH = (
    "The labels from outside contradict the dependence band: the classifiers are more dependent than "
    "it allows. The interval from the labels alone is given instead."
)


def _joined(own: RecallRange, wider: RecallRange, direct: RecallRange) -> tuple[RecallRange, bool]:
    """Where both, each at half the risk, agree; the direct one if they do not."""
    band_low = max(wider.band_low, direct.low)
    band_high = min(wider.band_high, direct.high)
    if band_low > band_high:
        return replace(own, band_low=direct.low, band_high=direct.high), True
    return replace(own, band_low=band_low, band_high=band_high), False


def _again(
    estimate: OverlapEstimate, cells: Mapping[str, CellSample], confidence: float
) -> OverlapEstimate:
    """The overlap's estimate from the same labels at another confidence."""
    again = recall_from_triple if len(estimate.recalls) == 3 else recall_from_pair
    return again(cells, confidence=confidence, band=estimate.band)


def _weight(
    estimate: OverlapEstimate,
    cells: Mapping[str, CellSample],
    outside: CellSample,
) -> float:
    """The overlap's share in the combined number of positives, by inverse variance."""
    z = float(ndtri((1 + estimate.confidence) / 2))
    n = estimate.positives
    sampling = (n.high - n.low) / (2 * z)
    dependence = n.point * math.log(estimate.band.high / estimate.band.low) / (2 * 1.96)
    overlap = sampling**2 + dependence**2
    direct = sum(
        smoothed_total(cell) ** 2 * log_variance(cell) for cell in cells.values() if cell.labels
    )
    if outside.items and not outside.labels:
        return 1.0
    return direct / (direct + overlap) if direct + overlap > 0 else 0.0


def _positives(
    wider: OverlapEstimate,
    cells: Mapping[str, CellSample],
    point: float,
    estimate: OverlapEstimate,
    *,
    contradicted: bool,
) -> Positives:
    """The sampling interval is the overlap's own; the band is where it agrees with the labels."""
    own = estimate.positives
    known = sum(cell.positives for cell in cells.values())
    direct = added([exact_total(cell, (1 - wider.confidence) / 2) for cell in cells.values()])
    if contradicted:
        low, high = direct.low, direct.high
    else:
        low = max(wider.positives.band_low, direct.low)
        high = min(wider.positives.band_high, direct.high)
    return Positives(
        point=point,
        low=max(float(known), min(own.low, point)),
        high=max(own.high, point),
        band_low=max(float(known), min(low, point)),
        band_high=max(high, point),
    )


def _dependence(
    estimate: OverlapEstimate, cells: Mapping[str, CellSample], name: str
) -> Dependence | None:
    """δ1 = n/n̂: what the labels of every cell say over what independence says."""
    if len(name) != 2:
        return None
    tail = (1 - estimate.confidence) / 2
    direct = added([exact_total(cell, tail) for cell in cells.values()])
    pair = estimate.positives
    down = math.hypot(
        math.log(direct.point / max(direct.low, 1e-9)), math.log(pair.high / pair.point)
    )
    up = math.hypot(math.log(direct.high / direct.point), math.log(pair.point / pair.low))
    point = direct.point / pair.point
    return Dependence(
        point=point,
        low=point * math.exp(-down),
        high=point * math.exp(up),
        source="from the labels outside",
    )


def _said(delta: Dependence, estimate: OverlapEstimate) -> tuple[str, ...]:
    if delta.low is None or delta.high is None:
        return ()
    if delta.low > 1:
        return (
            f"The classifiers are dependent: δ1 is {delta}. Independence overstates their recall; "
            "trust the band.",
        )
    if delta.high > estimate.band.high:
        return (
            f"The labels outside leave δ1 up to {delta.high:.2f}, beyond the band's "
            f"{estimate.band.high:g}: too few of them to rule such a dependence out.",
        )
    return ()
