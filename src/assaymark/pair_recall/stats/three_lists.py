"""Three classifiers: their pairs may depend on each other, only a three-way tie is assumed away.

*Source*: the log-linear model without three-way interaction (Fienberg 1972), and Chao's lower bound
(1987) in the form for lists of different recall.
"""

import math
from collections.abc import Mapping

import numpy as np

from assaymark.claims.checks import open_share
from assaymark.errors import InputError
from assaymark.pair_recall.overlap import (
    CellSample,
    DeltaBand,
    Dependence,
    OverlapEstimate,
    RecallRange,
)
from assaymark.pair_recall.stats.capture_recapture import (
    FEW,
    around,
    banded,
    log_variance,
    positives_range,
    smoothed_total,
    total,
)
from assaymark.stats.special import expit, logit, ndtri

TRIPLE_CELLS = ("111", "110", "101", "011", "100", "010", "001")
ABOVE = ("111", "100", "010", "001")
BELOW = ("110", "101", "011")


def missed_by_three(totals: Mapping[str, float]) -> float:
    """N000 = n111·n100·n010·n001 / (n110·n101·n011).

    >>> missed_by_three({"111": 8, "110": 4, "101": 4, "011": 4, "100": 2, "010": 2, "001": 2})
    1.0
    """
    return math.prod(totals[c] for c in ABOVE) / math.prod(totals[c] for c in BELOW)


def chao_bound(totals: Mapping[str, float]) -> float:
    """At least this many positives are missed by all three, if items differ in how visible they are.

    (n100·n010 + n100·n001 + n010·n001) / (n110 + n101 + n011); exact where all three are
    independent, and a lower bound where some positives are harder to see for everybody.
    """
    a, b, c = (totals[cell] for cell in ("100", "010", "001"))
    pairs = sum(totals[cell] for cell in BELOW)
    if pairs <= 0:
        raise InputError(
            "No positive is found by exactly two classifiers: Chao's bound is undefined."
        )
    return (a * b + a * c + b * c) / pairs


def recall_from_triple(
    cells: Mapping[str, CellSample],
    *,
    confidence: float = 0.95,
    band: DeltaBand | None = None,
) -> OverlapEstimate:
    """Three recalls and the number of positives from labels in the seven cells of three classifiers.

    *Assumes* random labels within each cell and no three-way interaction among positives; pairs may
    depend on each other. The band is where the recall lies if the number of positives is off by a
    factor inside it.
    """
    open_share("confidence", confidence)
    band = band or DeltaBand()
    samples = _checked(cells)
    z = float(ndtri((1 + confidence) / 2))
    raw = {name: total(cell) for name, cell in samples.items()}
    smooth = {name: smoothed_total(cell) for name, cell in samples.items()}
    missed = missed_by_three(raw)
    variances = np.array([log_variance(samples[name]) for name in TRIPLE_CELLS])
    recalls = tuple(
        _recall(which, raw, smooth, variances, z=z, confidence=confidence, band=band)
        for which in range(3)
    )
    union = sum(raw.values())
    chao = union + chao_bound(raw)
    positives = positives_range(
        union + missed,
        *_positives_ends(union + missed, smooth, variances, z),
        known=sum(cell.positives for cell in samples.values()),
        band=band,
    )
    return OverlapEstimate(
        method="triple",
        recalls=recalls,
        positives=positives,
        missed=missed,
        labels=sum(cell.labels for cell in samples.values()),
        band=band,
        confidence=confidence,
        delta1=_pair_dependence(raw, union + missed),
        chao=chao if chao <= union + missed else None,
        warnings=(*_thin(samples), *_above(chao, union + missed)),
    )


def _positives_ends(
    point: float,
    smooth: Mapping[str, float],
    variances: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    z: float,
) -> tuple[float, float]:
    """Delta-method limits of the number of positives on its logarithm, found and missed together."""
    missed = missed_by_three(smooth)
    whole = sum(smooth.values()) + missed
    slopes = np.array(
        [(smooth[c] + (missed if c in ABOVE else -missed)) / whole for c in TRIPLE_CELLS]
    )
    spread = z * math.sqrt(float((slopes**2 * variances).sum()))
    low, high = around(math.log(point), math.log(whole), spread)
    return math.exp(low), math.exp(high)


def refuse_empty(sizes: Mapping[str, int]) -> None:
    """Refuse three classifiers of which a cell has no item: no label can help them."""
    empty = [name for name in TRIPLE_CELLS if not sizes.get(name, 0)]
    if empty:
        raise InputError(
            f"No item is flagged as in the cell '{empty[0]}' (1 for each of the three that flags it), "
            "and the estimate multiplies or divides by the positives of all seven cells. Use two of "
            "the classifiers as a pair."
        )


def _checked(cells: Mapping[str, CellSample]) -> dict[str, CellSample]:
    samples = {name: cells.get(name, CellSample(items=0)) for name in TRIPLE_CELLS}
    refuse_empty({name: cell.items for name, cell in samples.items()})
    for name in TRIPLE_CELLS:
        cell = samples[name]
        if name in BELOW and cell.positives == 0:
            raise InputError(
                f"The cell '{name}' (found by exactly two of three) has no positive label, and the "
                "estimate divides by it. Label more of it, or use two of the classifiers as a pair."
            )
        if not cell.labels:
            raise InputError(
                f"No item of the cell '{name}' has a label. Label some of each of the seven cells."
            )
    if samples["111"].positives == 0:
        raise InputError(
            "No positive label among the items that all three flag: the three say too little "
            "together. Label more of the cell '111'."
        )
    return samples


def _recall(
    which: int,
    raw: Mapping[str, float],
    smooth: Mapping[str, float],
    variances: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    *,
    z: float,
    confidence: float,
    band: DeltaBand,
) -> RecallRange:
    """The recall with a delta-method interval on its log-odds."""
    recall = sum(raw[c] for c in TRIPLE_CELLS if c[which] == "1") / (
        sum(raw.values()) + missed_by_three(raw)
    )
    slopes = log_odds_slopes(which, smooth)
    inside = sum(smooth[c] for c in TRIPLE_CELLS if c[which] == "1")
    rest = sum(smooth[c] for c in TRIPLE_CELLS if c[which] == "0") + missed_by_three(smooth)
    centre = float(logit(inside / (inside + rest)))
    spread = z * math.sqrt(float((slopes**2 * variances).sum()))
    odds = float(logit(recall)) if recall < 1 else centre
    low, high = (float(expit(end)) for end in around(odds, centre, spread))
    return banded(recall, min(low, recall), max(high, recall), confidence=confidence, band=band)


def log_odds_slopes(
    which: int, totals: Mapping[str, float]
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """How the recall's log-odds move with the logarithm of each of the seven cells."""
    missed = missed_by_three(totals)
    inside = sum(totals[c] for c in TRIPLE_CELLS if c[which] == "1")
    rest = sum(totals[c] for c in TRIPLE_CELLS if c[which] == "0") + missed
    slopes = []
    for name in TRIPLE_CELLS:
        hidden = missed if name in ABOVE else -missed
        slope = totals[name] / inside if name[which] == "1" else -totals[name] / rest
        slopes.append(slope - hidden / rest)
    return np.array(slopes)


def _pair_dependence(totals: Mapping[str, float], positives: float) -> Dependence:
    """δ1 of the first two classifiers, by the number of positives that all three give."""
    first = sum(totals[c] for c in TRIPLE_CELLS if c[0] == "1")
    second = sum(totals[c] for c in TRIPLE_CELLS if c[1] == "1")
    joint = totals["111"] + totals["110"]
    return Dependence(
        point=joint * positives / (first * second),
        source="first and second, from the third classifier",
    )


def _above(chao: float, estimate: float) -> tuple[str, ...]:
    """What it means that Chao's lower bound exceeds the estimate: the model does not fit."""
    if chao <= estimate:
        return ()
    return (
        f"Chao's lower bound on the positives ({chao:,.0f}) lies above the estimate "
        f"({estimate:,.0f}): some positives are easier to find than others for all three at once, so "
        "the estimate is probably too low. Label items that none of them flags.",
    )


def _thin(samples: Mapping[str, CellSample]) -> list[str]:
    thin = [name for name, cell in samples.items() if cell.positives < FEW]
    if not thin:
        return []
    return [
        f"Fewer than {FEW} positive labels in {', '.join(thin)}: the estimate from three classifiers "
        "multiplies and divides by these cells and may be far off. Label more of them."
    ]
