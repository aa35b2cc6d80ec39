"""Where to cut the score axis: neighbouring scores share a stratum, never split by a tie.

One idea: cuts by rank need no calibration, and they fall only on edges of the pool's histogram,
so every count is exact. Most labels are decided near the threshold and among the few highest
scores below it, so that is where the predicted negatives are cut finely.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import pool_form
from assaymark.errors import InputError
from assaymark.stats.score_guided.supermartingale import Stratum

# Shares of the class above each cut, from the lowest scores to the highest.
POSITIVE_CUTS = (2 / 3, 1 / 3)
NEGATIVE_CUTS = (0.5, 0.188, 0.0707, 0.0266, 0.01)


@dataclass(frozen=True, kw_only=True)
class ClassHistogram:
    """One predicted class: items per bin and their sum of scores, from the lowest bin up."""

    counts: tuple[int, ...]
    score_sums: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.counts) != len(self.score_sums):
            raise InputError(
                f"A histogram has one score sum per bin, got {len(self.counts)} counts and "
                f"{len(self.score_sums)} sums."
            )
        if any(n < 0 for n in self.counts):
            raise InputError(f"Counts must be at least 0, got {min(self.counts)}.")


@dataclass(frozen=True, kw_only=True)
class CutStratum:
    """A stratum and the bins it covers: `first` up to and without `stop`, of its class."""

    stratum: Stratum
    first: int
    stop: int


def cut_class(
    histogram: ClassHistogram, *, predicted: bool, shares_above: Sequence[float]
) -> tuple[CutStratum, ...]:
    """Contiguous ranges of bins whose edges are nearest to leaving these shares above them.

    A bin that spans several cuts is kept whole; ranges without items are merged away.

    >>> bins = ClassHistogram(counts=(10, 10, 10), score_sums=(1.0, 5.0, 9.0))
    >>> [c.stratum.size for c in cut_class(bins, predicted=True, shares_above=(0.6, 0.3))]
    [10, 10, 10]
    """
    counts = np.array(histogram.counts, dtype=np.int64)
    sums = np.array(histogram.score_sums, dtype=np.float64)
    if counts.sum() == 0:
        return ()
    edges = _edges(counts, shares_above)
    return tuple(
        CutStratum(
            stratum=Stratum(
                predicted=predicted,
                size=int(counts[first:stop].sum()),
                mean_score=_mean(float(sums[first:stop].sum()), int(counts[first:stop].sum())),
            ),
            first=first,
            stop=stop,
        )
        for first, stop in pairwise(edges)
    )


def cut_strata(
    claim: Claim,
    *,
    positive: ClassHistogram,
    negative: ClassHistogram,
    positive_cuts: Sequence[float] = POSITIVE_CUTS,
    negative_cuts: Sequence[float] = NEGATIVE_CUTS,
) -> tuple[CutStratum, ...]:
    """The strata of this claim: three of the predicted positives, six of the predicted negatives.

    A class that says nothing about the claim is left out: the predicted negatives for precision,
    the predicted positives for elusion and negative predictive value.
    """
    form = pool_form(claim, predicted_positive=1, predicted_negative=1)
    strata: tuple[CutStratum, ...] = ()
    if form.weight_positive != 0:
        strata += cut_class(positive, predicted=True, shares_above=positive_cuts)
    if form.weight_negative != 0:
        strata += cut_class(negative, predicted=False, shares_above=negative_cuts)
    return strata


def unscored_strata(
    claim: Claim, *, predicted_positive: int, predicted_negative: int
) -> tuple[Stratum, ...]:
    """The strata when there are predictions and no scores: the predicted classes that matter."""
    form = pool_form(claim, predicted_positive=1, predicted_negative=1)
    sides = (
        (True, predicted_positive, form.weight_positive),
        (False, predicted_negative, form.weight_negative),
    )
    return tuple(
        Stratum(predicted=side, size=size) for side, size, weight in sides if size and weight != 0
    )


def _edges(counts: NDArray[np.int64], shares_above: Sequence[float]) -> list[int]:
    """Bin edges: the bottom, one per cut where it separates items, the top."""
    total = int(counts.sum())
    above = total - np.concatenate([[0], np.cumsum(counts)])
    edges = [0]
    for share in shares_above:
        edge = int(np.argmin(np.abs(above - share * total)))
        if above[edges[-1]] > above[edge] > 0:
            edges.append(edge)
    return [*edges, len(counts)]


def _mean(total: float, size: int) -> float:
    """The mean score, kept within [0, 1] against the rounding of long sums."""
    return min(1.0, max(0.0, total / size))
