"""The best pair of cut-offs on labelled items, found exactly in one sort.

One idea: with the target P/Q, "accuracy ≥ P/Q" says Q·right − P·automated ≥ 0, and that sum splits
into a part of the lower cut-off alone and a part of the upper one alone. A pair is a prefix of
the sorted items (rejected) and a suffix (accepted); running maxima of the two parts turn the
search over pairs into one binary search per prefix.

Source: the sweep of Kraaij, Raaijmakers and Elzinga (2009), section 4; the search is ours.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assaymark.stats.labelled_scores import Floats, Labelled
from assaymark.triaging.stats.cutoffs import as_ratio, checked_target, tally
from assaymark.triaging.triage import Cutoffs, Triage, YieldPoint

Counts = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Sweep:
    """Labelled items sorted by score. `cuts` are the places where a cut does not split a tie."""

    scores: Floats
    cuts: Counts
    negatives_below: Counts
    positives_above: Counts

    @property
    def size(self) -> int:
        """How many items."""
        return len(self.scores)


def sweep(data: Labelled) -> Sweep:
    """Sort once; every target reads the same counts."""
    order = np.argsort(data.scores, kind="stable")
    scores, labels = data.scores[order], data.labels[order]
    inner = np.flatnonzero(scores[1:] != scores[:-1]) + 1
    cuts = np.concatenate([[0], inner, [len(scores)]]).astype(np.int64)
    positives = np.concatenate([[0], np.cumsum(labels)]).astype(np.int64)
    return Sweep(
        scores=scores,
        cuts=cuts,
        negatives_below=cuts - positives[cuts],
        positives_above=positives[-1] - positives[cuts],
    )


def best_cutoffs(data: Sweep, target: float) -> Cutoffs:
    """The pair that automates most at an accuracy of at least the target; of equals, the most right.

    The accuracy is that on these very items, so on new ones it is missed more often than not.
    """
    checked_target(target)
    ratio = as_ratio(target)
    p, q = ratio.numerator, ratio.denominator
    lower = q * data.negatives_below - p * data.cuts
    upper = q * data.positives_above - p * (data.size - data.cuts)
    whole = lower + upper
    if whole.max() >= 0:
        cut = int(np.argmax(whole))
        return _cutoffs(data, cut, cut)
    reject, accept = _best_pair(data.cuts, lower, upper)
    return _cutoffs(data, reject, accept)


def _best_pair(cuts: Counts, lower: Counts, upper: Counts) -> tuple[int, int]:
    """Places of the best prefix and suffix where no single cut reaches the target.

    At targets of a half and more a prefix and suffix that overlap and pass together would let
    some single cut pass, so here they never overlap.
    """
    best_lower = np.maximum.accumulate(lower[::-1])[::-1]
    best_upper = np.maximum.accumulate(upper)
    partner = np.searchsorted(best_upper, -best_lower, side="left")
    possible = np.flatnonzero(partner < len(cuts))
    gain = cuts[possible] - cuts[partner[possible]]
    first = possible[gain == gain.max()]
    # a running maximum that is not reached at the place itself would be beaten by where it is
    slack = lower[first] + upper[partner[first]]
    reject = int(first[np.argmax(slack)])
    return reject, int(partner[reject])


def _cutoffs(data: Sweep, reject: int, accept: int) -> Cutoffs:
    below, above = int(data.cuts[reject]), int(data.cuts[accept])
    return Cutoffs(
        low=float(data.scores[below - 1]) if below else None,
        high=float(data.scores[above]) if above < data.size else None,
    )


def by_hindsight(data: Labelled, *, target: float, delta: float) -> Triage:
    """The best cut-offs on the labels themselves, which promise nothing."""
    cutoffs = best_cutoffs(sweep(data), target)
    return Triage(
        rule="empirical",
        target=target,
        delta=delta,
        cutoffs=cutoffs,
        certified=False,
        tally=tally(data, cutoffs),
        labels=data.size,
        needed=None,
        reason="the cut-offs were chosen and judged with the same labels",
    )


def yield_curve(data: Sweep, targets: Iterable[float]) -> tuple[YieldPoint, ...]:
    """The most that could be automated at each target, on these items, by hindsight."""
    points = []
    for target in targets:
        cutoffs = best_cutoffs(data, target)
        reject = (
            int(np.searchsorted(data.scores, cutoffs.low, side="right"))
            if (cutoffs.low is not None)
            else 0
        )
        accept = (
            int(np.searchsorted(data.scores, cutoffs.high, side="left"))
            if (cutoffs.high is not None)
            else data.size
        )
        automated = reject + data.size - accept
        right = (
            data.negatives_below[np.searchsorted(data.cuts, reject)]
            + data.positives_above[np.searchsorted(data.cuts, accept)]
        )
        points.append(
            YieldPoint(
                target=float(target),
                automated_share=automated / data.size,
                accuracy=float(right) / automated if automated else None,
                cutoffs=cutoffs,
            )
        )
    return tuple(points)
