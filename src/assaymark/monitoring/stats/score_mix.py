"""A certified bound, re-weighted to another mix of scores: an alarm that needs no label.

One idea: if items of a stratum are labelled today as they were, only the sizes of the strata have
changed. The estimate moves to today's sizes, and its distance from the bound grows or shrinks with
its standard error. At the certified sizes it is the certified bound itself. Items in a stratum
without labels, or beyond the certified scores, count against the claim.

No proof: that strata are labelled as they were is assumed, and only labels can show otherwise.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric, worst_label


@dataclass(frozen=True, kw_only=True)
class LabelledStratum:
    """A stratum: what was predicted, its labels, and how many of them were relevant."""

    predicted: bool
    labels: int
    relevant: int


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The metric at given stratum sizes, and its standard error (delta method)."""

    point: float
    error: float


def read_mix(
    claim: Claim, strata: Sequence[LabelledStratum], sizes: Sequence[int], unknown: tuple[int, int]
) -> Reading | None:
    """The metric if every stratum had this size; None where it is undefined.

    `unknown` are further items of which nothing is known, predicted positive and negative.
    """
    ratio = metric(claim.metric)
    rates = [_rate(claim, stratum) for stratum in strata]
    cells = [0.0, 0.0, 0.0, 0.0]
    for stratum, size, rate in zip(strata, sizes, rates, strict=True):
        _add(cells, size, rate, predicted=stratum.predicted)
    for predicted, size in zip((True, False), unknown, strict=True):
        _add(cells, size, worst_label(claim, predicted=predicted), predicted=predicted)
    point = ratio.value(cells)
    if point is None:
        return None
    below = math.fsum(b * c for b, c in zip(ratio.denominator, cells, strict=True))
    residual = [a - point * b for a, b in zip(ratio.numerator, ratio.denominator, strict=True)]
    total = 0.0
    for stratum, size in zip(strata, sizes, strict=True):
        if stratum.labels:
            one, none = (
                (residual[0], residual[1]) if stratum.predicted else (residual[2], residual[3])
            )
            share = (stratum.relevant + 1) / (stratum.labels + 2)  # never quite certain
            total += (size * (one - none)) ** 2 * share * (1 - share) / stratum.labels
    return Reading(point=point, error=math.sqrt(total) / below)


def _rate(claim: Claim, stratum: LabelledStratum) -> float:
    if stratum.labels:
        return stratum.relevant / stratum.labels
    return worst_label(claim, predicted=stratum.predicted)


def _add(cells: list[float], size: int, rate: float, *, predicted: bool) -> None:
    first = 0 if predicted else 2
    cells[first] += size * rate
    cells[first + 1] += size * (1 - rate)


def moved_bound(claim: Claim, bound: float, before: Reading, now: Reading) -> float:
    """The certified bound at today's mix.

    >>> claim = Claim(metric="accuracy", side="lower", target=0.8)
    >>> before = Reading(point=0.9, error=0.02)
    >>> moved_bound(claim, 0.85, before, before)
    0.85
    >>> round(moved_bound(claim, 0.85, before, Reading(point=0.88, error=0.04)), 4)
    0.78
    """
    sign = 1 if claim.side == "lower" else -1
    slack = max(sign * (before.point - bound), 0.0)
    growth = now.error / before.error - 1 if before.error else 0.0
    moved = bound + (now.point - before.point) - sign * slack * growth
    return min(max(moved, 0.0), 1.0)


def still_clears(claim: Claim, bound: float) -> bool:
    """Whether a bound meets the claim."""
    return bound >= claim.target if claim.side == "lower" else bound <= claim.target


def moved_share(before: Sequence[int], now: Sequence[int]) -> float:
    """The share of items that changed their stratum (total variation distance).

    >>> moved_share([50, 50], [200, 600])
    0.25
    """
    first, second = sum(before), sum(now)
    return sum(abs(a / first - b / second) for a, b in zip(before, now, strict=True)) / 2
