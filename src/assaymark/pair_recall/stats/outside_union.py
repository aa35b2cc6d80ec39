"""Labels from outside the union: the only way to see what no classifier can see.

A random sample of the items that nobody flagged (an elusion sample) needs no independence, but it
is nearly blind when positives are rare. So it is combined with the overlap: it narrows the band
where it can, says how dependent the classifiers are, and refutes a band that is wrong.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assaymark.errors import InputError
from assaymark.pair_recall.overlap import (
    CellSample,
    DeltaBand,
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
from assaymark.pair_recall.stats.possible_counts import too_many_missed
from assaymark.pair_recall.stats.three_lists import recall_from_triple
from assaymark.stats.special import betaincinv, expit, logit, ndtri


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
    half the risk; it is widened to hold the dependence that the labels from outside show. Where the
    two contradict each other, the labels from outside win. Both are said.
    """
    name = "0" * len(next(iter(cells)))
    outside = cells.get(name, CellSample(items=0))
    if outside.labels == 0 and outside.items > 0:
        raise InputError(
            "No item outside the classifiers' findings has a label, so there is no elusion sample "
            "to combine."
        )
    delta = _dependence(estimate, cells, name)
    assumed, estimate = estimate.band, replace(estimate, band=_holding(estimate.band, delta))
    combined = _combined(estimate, cells, outside)
    stronger = 1 - (1 - estimate.confidence) / 2
    wider = _again(estimate, cells, stronger)
    places = range(len(estimate.recalls))
    direct = [direct_recall(cells, which, confidence=stronger) for which in places]
    contradicted = (
        _refutes(delta, assumed)
        or too_many_missed(estimate, cells)
        or any(_clash(wider.recalls[which], direct[which]) for which in places)
    )
    if contradicted:
        recalls = tuple(
            direct_recall(cells, which, confidence=estimate.confidence) for which in places
        )
        combined = replace(combined, positives=combined.direct)
    else:
        recalls = tuple(
            _joined(wider.recalls[which], direct[which], combined, _inside(cells, which))
            for which in places
        )
    positives = _positives(wider, cells, combined, contradicted=contradicted)
    return replace(
        estimate,
        method="combined",
        recalls=tuple(replace(one, confidence=estimate.confidence) for one in recalls),
        positives=positives,
        missed=max(0.0, positives.point - combined.in_union),
        labels=estimate.labels + outside.labels,
        delta1=delta,
        chao=_chao(estimate, positives.point),
        refuted=contradicted,
        warnings=estimate.warnings + _remarks(delta, assumed, contradicted=contradicted),
    )


@dataclass(frozen=True, kw_only=True)
class _Combined:
    """The number of positives from both sources, its sampling error, and what was found."""

    positives: float
    error: float
    direct: float
    in_union: float
    z: float


def _combined(
    estimate: OverlapEstimate, cells: Mapping[str, CellSample], outside: CellSample
) -> _Combined:
    positives = sum(total(cell) for key, cell in cells.items() if "1" in key)
    direct = positives + total(outside)
    sampling = _sampling(estimate)
    variance = _direct_variance(cells)
    weight = _weight(estimate, sampling, variance)
    mean = weight * estimate.positives.point + (1 - weight) * direct
    return _Combined(
        positives=max(mean, _known(cells)),
        error=math.sqrt(weight**2 * sampling**2 + (1 - weight) ** 2 * variance),
        direct=direct,
        in_union=positives,
        z=float(ndtri((1 + estimate.confidence) / 2)),
    )


def _known(cells: Mapping[str, CellSample]) -> float:
    """How many positives are labelled: there are no fewer."""
    return float(sum(cell.positives for cell in cells.values()))


def _inside(cells: Mapping[str, CellSample], which: int) -> float:
    return sum(total(cell) for key, cell in cells.items() if key[which] == "1")


def _chao(estimate: OverlapEstimate, positives: float) -> float | None:
    """Chao's lower bound, unless the labels from outside put the positives below it."""
    if estimate.chao is None or estimate.chao > positives:
        return None
    return estimate.chao


def _holding(band: DeltaBand, delta: Dependence | None) -> DeltaBand:
    """The band, widened where the measured dependence lies outside it."""
    if delta is None:
        return band
    return DeltaBand(low=min(band.low, delta.point), high=max(band.high, delta.point))


def _refutes(delta: Dependence | None, band: DeltaBand) -> bool:
    """Whether the labels from outside exclude every dependence of the band."""
    if delta is None or delta.low is None or delta.high is None:
        return False
    return delta.low > band.high or delta.high < band.low


def _clash(wider: RecallRange, direct: RecallRange) -> bool:
    return max(wider.band_low, direct.low) > min(wider.band_high, direct.high)


def _joined(
    wider: RecallRange, direct: RecallRange, combined: _Combined, inside: float
) -> RecallRange:
    """Where both sources, each at half the risk, agree; the sampling interval lies within it."""
    band_low = max(wider.band_low, direct.low)
    band_high = min(wider.band_high, direct.high)
    recall = min(1.0, inside / combined.positives)
    if not band_low < recall < band_high:
        recall = _middle(band_low, band_high)
    spread = combined.z * combined.error / max(combined.positives - inside, 1e-9)
    odds = float(logit(min(recall, 1 - 1e-12)))
    return RecallRange(
        recall=recall,
        low=min(recall, max(band_low, float(expit(odds - spread)))),
        high=max(recall, min(band_high, float(expit(odds + spread)))),
        band_low=band_low,
        band_high=band_high,
    )


def _middle(low: float, high: float) -> float:
    """The middle of a range of shares on the log-odds; an end of 0 or 1 is halved away."""
    ends = [float(logit(min(max(end, 1e-6), 1 - 1e-6))) for end in (low, high)]
    return low if low == high else float(expit(sum(ends) / 2))


def _again(
    estimate: OverlapEstimate, cells: Mapping[str, CellSample], confidence: float
) -> OverlapEstimate:
    """The overlap's estimate from the same labels at another confidence."""
    again = recall_from_triple if len(estimate.recalls) == 3 else recall_from_pair
    return again(cells, confidence=confidence, band=estimate.band)


def _sampling(estimate: OverlapEstimate) -> float:
    """The standard error of the overlap's number of positives from sampling alone."""
    z = float(ndtri((1 + estimate.confidence) / 2))
    return (estimate.positives.high - estimate.positives.low) / (2 * z)


def _direct_variance(cells: Mapping[str, CellSample]) -> float:
    return sum(
        smoothed_total(cell) ** 2 * log_variance(cell) for cell in cells.values() if cell.labels
    )


def _weight(estimate: OverlapEstimate, sampling: float, direct: float) -> float:
    """The overlap's share in the combined number of positives, by inverse variance."""
    n = estimate.positives
    dependence = n.point * math.log(estimate.band.high / estimate.band.low) / (2 * 1.96)
    overlap = sampling**2 + dependence**2
    return direct / (direct + overlap) if direct + overlap > 0 else 0.0


def _positives(
    wider: OverlapEstimate,
    cells: Mapping[str, CellSample],
    combined: _Combined,
    *,
    contradicted: bool,
) -> Positives:
    """The band is where overlap and labels agree; the sampling interval lies within it."""
    direct = added([exact_total(cell, (1 - wider.confidence) / 2) for cell in cells.values()])
    point = combined.positives
    low, high = direct.low, direct.high
    if not contradicted:
        low = max(wider.positives.band_low, direct.low)
        high = min(wider.positives.band_high, direct.high)
        if low < high and not low < point < high:
            point = math.sqrt(low * high)  # a point must lie where both sources allow it
    low, high = max(_known(cells), min(low, point)), max(high, point)
    spread = combined.z * combined.error
    return Positives(
        point=point,
        low=low if contradicted else max(low, point - spread),
        high=high if contradicted else min(high, point + spread),
        band_low=low,
        band_high=high,
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


def _remarks(
    delta: Dependence | None, assumed: DeltaBand, *, contradicted: bool
) -> tuple[str, ...]:
    band = f"{assumed.low:g} to {assumed.high:g}"
    if contradicted:
        measured = f" (they put δ1 at {delta})" if delta else ""
        return (
            f"The labels from outside contradict the assumed dependence of {band}{measured}. The "
            "ranges given come from the labels alone, without any assumption about dependence.",
        )
    if delta is None or delta.low is None or delta.high is None:
        return ()
    if _holding(assumed, delta) != assumed:
        return (
            f"The labels from outside put δ1 at {delta}, outside the assumed {band}: the range with "
            "dependence is widened to hold it.",
        )
    if delta.low > 1:
        return (
            f"The classifiers are dependent: δ1 is {delta}. The estimate from overlap alone would be "
            "too high; the figures given use the labels from outside.",
        )
    if delta.high > assumed.high:
        return (
            f"The labels outside leave δ1 up to {delta.high:.2f}, beyond the assumed {band}: too few "
            "of them to rule such a dependence out.",
        )
    return ()
