"""Where to cut the scores of a classifier that is meant to satisfy a claim."""

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import Metric, metric
from assaymark.errors import InputError

Floats = NDArray[np.float64]

# Metrics that a cut can make as good as one likes at the cost of the other one.
ONE_SIDED = ("recall", "precision")
BALANCED = ("accuracy", "jaccard")
ROOM = 0.3  # how far above the target a one-sided metric is aimed, of what is left to 1


def can_train_for(claim: Claim) -> bool:
    """Whether a cut can be chosen for the claim's metric.

    >>> can_train_for(Claim(metric="prevalence", side="lower", target=0.1))
    False
    """
    name = claim.metric
    balanced = name in BALANCED or (name.startswith("f") and name[1:2].isdigit())
    return claim.side == "lower" and (balanced or name in ONE_SIDED)


def refuse_untrainable(claim: Claim) -> None:
    """Refused where no cut of the scores is best for the claim."""
    if not can_train_for(claim):
        raise InputError(
            f'A classifier cannot be tuned for "{claim}". Train for f1 or another f-beta, jaccard, '
            'accuracy, recall or precision, with a lower limit: "f1 >= 0.75".'
        )


def best_cut(shares: Floats, claim: Claim) -> float:
    """The score from which items are flagged so that the claim's metric is expected to be best.

    `shares` are calibrated scores: the chance of each item to be relevant. F-beta, Jaccard and
    accuracy are made as high as possible. Recall and precision are aimed somewhat above the
    target, with as few items flagged as recall allows, or as many as precision allows. Items with
    equal scores stand or fall together. Few labels fix a curve from scores to chances far better
    than they fix the best cut on themselves.

    >>> best_cut(np.array([0.1, 0.2, 0.7, 0.9]), Claim(metric="f1", side="lower", target=0.5))
    0.7
    """
    refuse_untrainable(claim)
    ranked = np.sort(shares)[::-1]
    hits = np.cumsum(ranked)
    last = np.append(np.diff(ranked) != 0, True)
    positives = float(hits[-1])
    ranked, hits, flagged = ranked[last], hits[last], np.flatnonzero(last) + 1
    value = _values(metric(claim.metric), hits, flagged, positives, len(shares))
    aim = claim.target + ROOM * (1 - claim.target)
    if claim.metric == "recall":
        return float(ranked[np.argmax(value >= min(aim, value.max()))])
    if claim.metric == "precision":
        good = np.flatnonzero(value >= aim)
        return float(ranked[good[-1] if good.size else np.argmax(value)])
    return float(ranked[np.argmax(value)])


def _values(
    ratio: Metric, hits: Floats, flagged: NDArray[np.int64], positives: float, items: int
) -> Floats:
    """The metric expected at each cut."""
    cells = (hits, flagged - hits, positives - hits, items - flagged - positives + hits)
    above = sum(a * c for a, c in zip(ratio.numerator, cells, strict=True))
    below = sum(b * c for b, c in zip(ratio.denominator, cells, strict=True))
    return np.asarray(above / np.maximum(below, 1e-12), dtype=np.float64)
