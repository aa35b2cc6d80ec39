"""What the labels of an estimate say: every metric, its interval for reading, its guarantee."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assaymark.certification.modes.words import PROTOCOL, UNCHANGED
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import Metric, metric, pool_form
from assaymark.claims.results import counted
from assaymark.errors import PlanError
from assaymark.estimation.design_words import _law, describe
from assaymark.estimation.estimate import (
    EstimateDesign,
    Estimates,
    EstimateStratum,
    MetricEstimate,
)
from assaymark.estimation.stats.confidence_axis import Floats, Ints
from assaymark.estimation.stats.guaranteed_interval import guarantee, margin_unit, relevant
from assaymark.estimation.stats.rank_strata import efficiency, expected
from assaymark.estimation.stats.reading_intervals import (
    StrataCounts,
    korn_graubard,
    profile_interval,
    wilson,
)
from assaymark.estimation.stats.regression_estimator import (
    regression_positives,
    score_moments,
)
from assaymark.estimation.stats.side_intervals import FEW_POSITIVES, METHOD, side_interval
from assaymark.estimation.stats.stratified_estimator import stratified_mean
from assaymark.estimation.tally import Tally, apart, steered, stratum_rows, warnings_of
from assaymark.hints import command, option
from assaymark.stats.score_guided.supermartingale import Draws, Stratum

REPORTED = ("accuracy", "precision", "recall", "f1", "prevalence", "elusion")
POSITIVES_ONLY = ("recall",)
OF_POSITIVES = ("recall", "f1", "precision")  # metrics that a handful of positive labels decides
READING = (
    "The interval (low, high) is for reading: its coverage was measured on many pools, not proved. "
    "The guaranteed figures are proved, hold whenever one looks, and are usually wider."
)
FIXED_REASON = "the labels per stratum were fixed, and the guarantee needs strata drawn at random"
Tell = Callable[[str, float | None], None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Answers:
    """Labels that count, in draw order: stratum, predicted class, label (-1: cannot tell).

    `sampling` are the chances of each draw where they changed on the way, `learnt` the rates that
    they were computed from last, and `changed` how many labels behind them are others now. `scores`
    are those of the items where the design counts them.
    """

    strata: Ints
    predicted: Ints
    labels: Ints
    waiting: int
    sampling: Floats | None = None
    learnt: Floats | None = None
    changed: int = 0
    scores: Floats | None = None

    def __len__(self) -> int:
        return len(self.strata)


def betting_strata(strata: Sequence[EstimateStratum]) -> tuple[Stratum, ...]:
    """The strata as the betting test takes them; each must be of one predicted class."""
    mixed = next((part.name for part in strata if part.prediction is None), None)
    if mixed is not None:
        raise PlanError(
            f"The stratum '{mixed}' mixes the predicted classes, and a guarantee needs strata of one "
            f"class each. Ask for more strata, or leave {option('strata')} out."
        )
    scored = all(part.mean_score is not None for part in strata)
    return tuple(
        Stratum(
            predicted=bool(part.prediction),
            size=part.items,
            mean_score=min(1.0, max(0.0, part.mean_score or 0.0)) if scored else None,
        )
        for part in strata
    )


def tally(design: EstimateDesign, answers: Answers) -> Tally:
    """The answers counted per stratum."""
    count = len(design.strata)
    known = answers.labels >= 0

    def per(mask: np.ndarray) -> Ints:
        return np.bincount(answers.strata[mask], minlength=count).astype(np.int64)

    counts = Tally(
        sizes=np.array([s.items for s in design.strata], dtype=np.int64),
        labelled=per(known),
        positives=per(answers.labels == 1),
        correct=per(known & (answers.labels == answers.predicted)),
        skipped=per(~known),
    )
    return replace(counts, expected=_by_regression(design, counts, answers))


def _by_regression(design: EstimateDesign, counts: Tally, answers: Answers) -> Floats | None:
    """The positives of each stratum by regression on the scores; None where these were not drawn."""
    if not design.regression or answers.scores is None:
        return None
    strata, known = betting_strata(design.strata), answers.labels >= 0
    weights = expected(design.metric, strata, rates=_rates(design, counts))
    if weights is None:
        return None
    return regression_positives(
        counts.sizes,
        counts.labelled,
        counts.positives,
        scores=np.array([s.mean_score for s in strata], dtype=np.float64),
        moments=score_moments(
            answers.strata[known],
            answers.scores[known],
            answers.labels[known],
            count=len(strata),
        ),
        pull=weights.pull,
    )


def estimate(design: EstimateDesign, answers: Answers, *, tell: Tell) -> Estimates:
    """Every metric from these labels. Refused where there is no label at all."""
    counts = tally(design, answers)
    if counts.labelled.sum() == 0 and not answers.waiting:
        raise PlanError(
            f"Nothing was drawn for this estimate yet. Draw a batch: {command('draw')}."
        )
    if counts.labelled.sum() == 0:
        raise PlanError(
            f"No label counts yet ({counted(answers.waiting, 'drawn item')} without one). "
            f"Label the batch first: {command('label', 'FILE')}."
        )
    names = tuple(dict.fromkeys((design.metric, *REPORTED)))
    metrics = []
    for number, name in enumerate(names):
        tell(metric(name).title, number / len(names))
        metrics.append(_one(design, name, counts, answers))
    return Estimates(
        metrics=tuple(metrics),
        labels=int(counts.labelled.sum()),
        skipped=int(counts.skipped.sum()),
        waiting=answers.waiting,
        confidence=design.confidence,
        design=describe(design),
        strata=stratum_rows(design, counts),
        warnings=(*warnings_of(design, counts), *steered(answers.changed), *apart(metrics)),
        assumptions=(PROTOCOL, UNCHANGED, _law(design), READING),
    )


def _one(design: EstimateDesign, name: str, counts: Tally, answers: Answers) -> MetricEstimate:
    if name == "accuracy" and _whole(design, name):
        reading = _widened(design, _accuracy(design, counts), counts)
    else:
        reading = _ratio(design, metric(name), counts)
    return _guaranteed(design, reading, answers)


def _whole(design: EstimateDesign, name: str) -> bool:
    """Whether the strata cover every item that the metric is about."""
    sides = {part.prediction for stratum in design.strata for part in stratum.parts}
    return _sides(name) <= sides


def _sides(name: str) -> set[bool]:
    form = pool_form(
        Claim(metric=name, side="lower", target=0.5), predicted_positive=1, predicted_negative=1
    )
    weights = {True: form.weight_positive, False: form.weight_negative}
    return {side for side, weight in weights.items() if weight != 0}


def _accuracy(design: EstimateDesign, counts: Tally) -> MetricEstimate:
    promised = None
    if all(s.doubt is not None for s in design.strata):
        promised = np.array([1 - (s.doubt or 0.0) for s in design.strata])
    elif all(s.mean_score is not None and s.prediction is not None for s in design.strata):
        promised = np.array(
            [s.mean_score if s.prediction else 1 - (s.mean_score or 0.0) for s in design.strata]
        )
    both, least = counts.labelled + counts.skipped, counts.correct
    prior: Floats | float = 0.5 if promised is None else promised
    mean = stratified_mean(counts.sizes, counts.labelled, counts.correct, prior=prior)
    low = korn_graubard(
        counts.sizes, both, least, promised=promised, confidence=design.confidence
    ).low
    high = korn_graubard(
        counts.sizes, both, least + counts.skipped, promised=promised, confidence=design.confidence
    ).high
    careful = wilson(counts.sizes, counts.labelled, counts.correct, confidence=design.confidence)
    return MetricEstimate(
        metric="accuracy",
        title="accuracy",
        point=mean.point,
        low=min(low, mean.point),
        high=max(high, mean.point),
        method="Korn-Graubard",
        confidence=design.confidence,
        cautious=(careful.low, careful.high),
    )


def _widened(design: EstimateDesign, estimate: MetricEstimate, counts: Tally) -> MetricEstimate:
    """Accuracy on strata that were made for another metric: the wider of two methods."""
    if design.metric == "accuracy" or any(s.prediction is None for s in design.strata):
        return estimate
    other = _ratio(design, metric("accuracy"), counts)
    if None in (estimate.low, estimate.high, other.low, other.high):
        return estimate
    low, high = (
        min(estimate.low or 0.0, other.low or 0.0),
        max(estimate.high or 1.0, other.high or 1.0),
    )
    return replace(estimate, low=low, high=high, method=METHOD)


def _ratio(design: EstimateDesign, ratio: Metric, counts: Tally) -> MetricEstimate:
    blank = MetricEstimate(
        metric=ratio.name,
        title=ratio.title,
        point=None,
        low=None,
        high=None,
        method="profile likelihood",
        confidence=design.confidence,
    )
    if not _whole(design, ratio.name):
        return replace(blank, reason="the sample has no items of one of the predicted classes")
    if any(s.prediction is None for s in design.strata):
        why = f"strata of {design.stratifier} mix the predicted classes; plan an estimate of it"
        return replace(blank, reason=why)
    if ratio.name in POSITIVES_ONLY and counts.positives.sum() == 0:
        return replace(blank, reason="no positive was found among the labels")
    point = ratio.value(_cells(design, counts))
    if point is None:
        return replace(blank, reason="its denominator is zero")
    side = ratio.name != design.metric
    if side and counts.positives.sum() < FEW_POSITIVES and ratio.name in OF_POSITIVES:
        why = (
            f"only {counted(int(counts.positives.sum()), 'positive label')}; an interval of a metric "
            f"that the sample was not drawn for needs {FEW_POSITIVES}"
        )
        return replace(blank, point=point, reason=why)
    ends = [
        (side_interval if side else profile_interval)(
            ratio,
            StrataCounts(
                predicted=_side(design),
                sizes=counts.sizes,
                labelled=counts.labelled + counts.skipped,
                positives=_with_skips(design, ratio.name, counts, hurting=hurting),
            ),
            confidence=design.confidence,
            point=min(max(point, 0.0), 1.0),
        )
        for hurting in (True, False)
    ]
    low, high = min(ends[0].low, point), max(ends[1].high, point)
    return replace(blank, point=point, low=low, high=high, method=METHOD if side else blank.method)


def _side(design: EstimateDesign) -> np.ndarray:
    return np.array([bool(s.prediction) for s in design.strata])


def _cells(design: EstimateDesign, counts: Tally) -> tuple[float, float, float, float]:
    """The pool's confusion cells if each stratum is like its labels; without labels, its score."""
    rates = _rates(design, counts)
    if counts.expected is not None:
        rates = np.where(counts.labelled > 0, counts.expected / counts.sizes, rates)
    strata = StrataCounts(
        predicted=_side(design),
        sizes=counts.sizes,
        labelled=counts.labelled,
        positives=counts.positives,
    )
    return strata.cells(rates)


def _rates(design: EstimateDesign, counts: Tally) -> Floats:
    """The share of positives among the labels of each stratum; without labels, its score."""
    prior = np.array([0.5 if s.mean_score is None else s.mean_score for s in design.strata])
    shares = counts.positives / np.maximum(counts.labelled, 1)
    return np.asarray(np.where(counts.labelled > 0, shares, prior), dtype=np.float64)


def _with_skips(design: EstimateDesign, name: str, counts: Tally, *, hurting: bool) -> Ints:
    """Positives with every skipped item counted for, or against, the metric."""
    form = pool_form(
        Claim(metric=name, side="lower", target=0.5), predicted_positive=1, predicted_negative=1
    )
    weight = np.where(_side(design), form.weight_positive, form.weight_negative)
    as_positive = (weight < 0) if hurting else (weight > 0)
    return counts.positives + np.where(as_positive, counts.skipped, 0)


def _guaranteed(
    design: EstimateDesign, reading: MetricEstimate, answers: Answers
) -> MetricEstimate:
    name = reading.metric
    if design.sampling == "fixed":
        return replace(reading, guaranteed_reason=FIXED_REASON)
    if not _whole(design, name):
        return replace(reading, guaranteed_reason=reading.reason)
    chances = np.array(design.chances)
    strata = betting_strata(design.strata)
    unit = design.unit
    if unit is None or name != design.metric:
        unit = margin_unit(
            name, strata, chances, labels=design.labels, confidence=design.confidence
        )
    kept, mine = relevant(name, strata, draws_of(design, answers))
    ends = guarantee(name, kept, mine, unit=unit, confidence=design.confidence)
    two = None if ends.low is None or ends.high is None else (ends.low, ends.high)
    return replace(
        reading,
        guaranteed_low=ends.at_least,
        guaranteed_high=ends.at_most,
        guaranteed_interval=two,
        guaranteed_reason=ends.reason,
        efficiency=_efficiency(design, name, strata, answers),
    )


def _efficiency(
    design: EstimateDesign, name: str, strata: Sequence[Stratum], answers: Answers
) -> float | None:
    """What the labels are worth for a metric, by the scores or by what was learnt on the way."""
    if design.allocation == "claim":
        return None
    if name == design.metric:
        return 1.0
    chances = np.array(design.chances)
    if answers.learnt is not None and answers.sampling is not None:
        chances = answers.sampling.mean(axis=0)
    return efficiency(name, strata, chances, rates=answers.learnt)


def draws_of(design: EstimateDesign, answers: Answers) -> Draws:
    """The answers as the betting test takes them, with the chances of each draw."""
    sampling = answers.sampling
    if sampling is None:
        sampling = np.tile(np.array(design.chances), (len(answers), 1))
    return Draws(strata=answers.strata, labels=answers.labels, sampling=sampling)
