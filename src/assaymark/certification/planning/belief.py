"""What the planner was told about the classifier, as numbers it can use."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assaymark.certification.planning.strata import UNIT
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.records.plan import Expectation
from assaymark.records.pool import PoolSummary
from assaymark.records.strata import Stratum
from assaymark.stats.beta_posterior import Belief, from_expectation, from_pilot


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


def stratum_rates(strata: tuple[Stratum, ...], belief: Belief | None) -> NDArray[np.float64]:
    """The positive rate expected in each stratum.

    Mean scores give the shape; the belief, where there is one, gives the level of each predicted
    class. Without a belief the scores are taken as probabilities.
    """
    scores = [0.5 if s.mean_score is None else s.mean_score for s in strata]
    rates: NDArray[np.float64] = np.clip(np.array(scores), 1e-5, 1 - 1e-4)
    if belief is None:
        return rates
    for predicted, level in zip((True, False), belief.rates, strict=True):
        mine = np.array([bool(s.prediction) is predicted for s in strata])
        if mine.any():
            sizes = np.array([s.items for s in strata])[mine]
            rates[mine] = _shifted(rates[mine], sizes, min(max(level, 1e-6), 1 - 1e-6))
    return rates


def _shifted(
    rates: NDArray[np.float64], sizes: NDArray[np.int64], level: float
) -> NDArray[np.float64]:
    """The rates moved together in log-odds until their mean is the level."""
    odds = np.log(rates / (1 - rates))
    low, high = -40.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        mean = float((sizes / (1 + np.exp(-(odds + middle)))).sum() / sizes.sum())
        low, high = (middle, high) if mean < level else (low, middle)
    return np.asarray(1 / (1 + np.exp(-(odds + low))))
