"""What is expected of the classifier, as numbers it can use."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assaymark.certification.planning.strata import UNIT
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.records.plan import Expectation, Stratum
from assaymark.records.pool import PoolSummary
from assaymark.stats.beta_posterior import Belief, from_expectation, from_pilot

Floats = NDArray[np.float64]


def belief_of(expectation: Expectation) -> Belief:
    """What the expectation says about the classifier."""
    if expectation.pilot is not None:
        return from_pilot(expectation.pilot)
    if expectation.precision is None or expectation.recall is None or not expectation.prevalence:
        raise InputError(
            f"Planning needs a pilot sample ({option('pilot', 'TP,FP,FN,TN')}) or what you expect "
            f"({option('expect', 'VALUE')} {option('prevalence', 'SHARE')})."
        )
    return from_expectation(
        precision=expectation.precision,
        recall=expectation.recall,
        prevalence=expectation.prevalence,
    )


def belief_in_pool(expectation: Expectation, summary: PoolSummary) -> Belief:
    """The same, with the share of predicted positives that the pool really has.

    Expected precision and recall then say how many positives are missed; no prevalence is needed.
    """
    if summary.predicted_positive + summary.predicted_negative == 0:
        return belief_of(expectation)
    share = summary.predicted_positive / summary.items
    if expectation.pilot is not None:
        return replace(from_pilot(expectation.pilot), share=share)
    if expectation.precision is None or expectation.recall is None:
        return belief_of(expectation)
    missed = share * expectation.precision * (1 - expectation.recall) / expectation.recall
    rest = missed / (1 - share) if share < 1 else 0.0
    if rest > 1:
        raise InputError(
            f"Precision {expectation.precision:g} and recall {expectation.recall:g} cannot hold in "
            f"this pool, where {share:.1%} of the items are predicted positive: more items would be "
            "missed than there are. Expect a higher recall."
        )
    return Belief(share=share, retrieved=(1, 1), rest=(1, 1), known=(expectation.precision, rest))


def from_scores(summary: PoolSummary) -> Expectation | None:
    """What the scores themselves say, read as probabilities; None where they cannot be."""
    positive, negative = summary.positive, summary.negative
    low, high = summary.score_low, summary.score_high
    if positive is None or negative is None or low is None or high is None:
        return None
    if low < 0 or high > 1 or not summary.predicted_positive:
        return None
    positives = low * summary.predicted_positive + (high - low) * sum(positive.sums) / UNIT
    missed = low * summary.predicted_negative + (high - low) * sum(negative.sums) / UNIT
    if not 0 < positives < summary.predicted_positive or missed <= 0:
        return None
    return Expectation(
        precision=positives / summary.predicted_positive, recall=positives / (positives + missed)
    )


BENDS = (0.0, 0.5)
"""How much faster than a line the share of positives falls below the threshold, in log-odds: each as likely.

How well a classifier's scores are calibrated is seen only in labels, so a plan is forecast both for
scores that lie on a line and for scores that say too much far below the threshold. Measured on text
classifiers of seven collections; what it is worth on each, chosen without it, is in the evidence.
"""


def stratum_rates(
    strata: tuple[Stratum, ...], belief: Belief | None, *, bend: float = 0.0
) -> Floats:
    """The positive rate expected in each stratum.

    Mean scores give the shape; the belief, where there is one, gives the level of each predicted
    class. Scores are moved along one line in log-odds, as calibration would move them: its slope and
    its height follow from the two levels, so under-confident scores are spread and over-confident
    ones drawn together. Where no slope fits both, each class is moved by itself on the nearest.
    With a `bend` the line falls the faster the further a score lies below the threshold. Without a
    belief the scores are taken as probabilities.
    """
    scores = [0.5 if s.mean_score is None else s.mean_score for s in strata]
    rates: Floats = np.clip(np.array(scores), 1e-5, 1 - 1e-4)
    if belief is None:
        return rates
    odds, sizes = np.log(rates / (1 - rates)), np.array([s.items for s in strata])
    odds = _bent(odds, np.array([bool(s.prediction) for s in strata]), bend)
    classes = []
    for predicted, level in zip((True, False), belief.rates, strict=True):
        inside = np.array([bool(s.prediction) is predicted for s in strata])
        if inside.any():
            classes.append(
                _Class(inside=inside, odds=odds[inside], sizes=sizes[inside], level=level)
            )
    slope = _common_slope(*classes) if len(classes) == 2 and np.ptp(odds) > 0 else 1.0
    for one in classes:
        rates[one.inside] = _rates(slope * one.odds + one.height(slope))
    return rates


def _bent(odds: Floats, flagged: NDArray[np.bool_], bend: float) -> Floats:
    """Log-odds with the square of their distance below the threshold taken off, that number of times."""
    if flagged.all() or not flagged.any():
        return odds
    below = np.minimum(odds - (odds[flagged].min() + odds[~flagged].max()) / 2, 0.0)
    bent: Floats = odds - bend * below**2
    return bent


FLATTEST, STEEPEST = 1 / 3, 3.0  # slopes that a calibration line is allowed
HALVINGS = 60


@dataclass(frozen=True, kw_only=True, eq=False)
class _Class:
    """The strata of one predicted class, their log-odds, and the share of positives expected."""

    inside: NDArray[np.bool_]
    odds: Floats
    sizes: NDArray[np.int64]
    level: float

    def height(self, slope: float) -> float:
        """What is added to the log-odds times this slope for the mean to be the level."""
        level, items = min(max(self.level, 1e-6), 1 - 1e-6), self.sizes.sum()
        low, high = -40.0, 40.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            mean = float((self.sizes * _rates(slope * self.odds + middle)).sum() / items)
            low, high = (middle, high) if mean < level else (low, middle)
        return low


def _common_slope(positive: _Class, negative: _Class) -> float:
    """The slope at which both classes need the same height; the nearest allowed one otherwise.

    The steeper the line, the further apart it puts the classes by itself.
    """
    low, high = FLATTEST, STEEPEST
    for _ in range(HALVINGS // 2):
        middle = math.sqrt(low * high)
        apart = positive.height(middle) > negative.height(middle)
        low, high = (middle, high) if apart else (low, middle)
    return low


def _rates(odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-odds)))
