"""All metrics from the labels of a claim: the same draws answer more than they were asked."""

from dataclasses import replace

import numpy as np

from assaymark.certification.modes import mode_of
from assaymark.certification.modes.prefix import labelled_prefix
from assaymark.certification.modes.score_guided import weighted_draws
from assaymark.certification.modes.words import PROTOCOL, UNCHANGED
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import Interval
from assaymark.errors import PlanError
from assaymark.estimation.estimate import (
    EstimateDesign,
    Estimates,
    EstimateStratum,
    MetricEstimate,
    Part,
)
from assaymark.estimation.evidence import Answers, Tell, betting_strata, draws_of, estimate
from assaymark.estimation.stats.inverse_propensity import positives_found
from assaymark.hints import command
from assaymark.ledger.events import Attempt, State
from assaymark.records.plan import Plan
from assaymark.stats.binomial_bounds import bound

LABELS = 500  # what a plan without a forecast is taken to use
STOPPING = (
    "This plan may be looked at again and again and stops when it can: intervals made for one look "
    f"then cover less than they say. What is proved is the bound of the claim: {command('look')}."
)
SIMPLE = ("accuracy", "precision", "recall", "f1", "prevalence", "elusion")


def estimate_attempt(state: State, attempt: Attempt, *, tell: Tell) -> Estimates:
    """Every metric from the labels of a plan, by its design."""
    if attempt.plan.kind.guided:
        return _weighted(state, attempt, tell)
    return _simple(state, attempt)


def _weighted(state: State, attempt: Attempt, tell: Tell) -> Estimates:
    """Points by the martingale estimate; the claim's own guaranteed figure is that of the look."""
    plan, prefix = attempt.plan, labelled_prefix(state, attempt)
    if prefix.draws == 0:
        raise PlanError(f"No label counts yet. Label the batch first: {command('label', 'FILE')}.")
    draws = weighted_draws(attempt, prefix)
    design = _design(plan)
    answers = Answers(
        strata=draws.strata,
        predicted=np.array([int(bool(draw.prediction)) for draw in prefix.drawn]),
        labels=draws.labels,
        waiting=prefix.waiting,
        sampling=draws.sampling,
    )
    found = estimate(design, answers, tell=tell)
    missed, hits = positives_found(betting_strata(design.strata), draws_of(design, answers))
    sizes = {
        side: sum(s.items for s in plan.strata if s.prediction is side) for side in (True, False)
    }
    cells = (hits, sizes[True] - hits, missed, sizes[False] - missed)
    look = mode_of(plan).judge(state, attempt).estimate.interval
    metrics = []
    for one in found.metrics:
        moved = _moved(one, metric(one.metric).value(cells))
        if one.metric == plan.claim.metric:
            moved = _as_looked(moved, plan.claim.side, look)
        metrics.append(moved)
    return replace(found, metrics=tuple(metrics))


def _as_looked(one: MetricEstimate, side: str, look: Interval) -> MetricEstimate:
    """The claim's own metric with the bound of the look, which no two-sided end may contradict.

    The two come from different bets, so one could lie beyond the other; the interval then gives way.
    """
    low, high = one.guaranteed_interval or (None, None)
    if side == "lower":
        one = replace(one, guaranteed_low=look.low)
        high = None if high is None else max(high, look.low)
    else:
        one = replace(one, guaranteed_high=look.high)
        low = None if low is None else min(low, look.high)
    both = None if low is None or high is None else (low, high)
    return replace(one, guaranteed_interval=both)


def _moved(one: MetricEstimate, point: float | None) -> MetricEstimate:
    """The estimate with the martingale's point, kept inside its interval."""
    if one.point is None or one.low is None or one.high is None or point is None:
        return one
    return replace(one, point=min(max(point, one.low), one.high))


def _design(plan: Plan) -> EstimateDesign:
    strata = tuple(
        EstimateStratum(
            name=f"predicted {'positive' if s.prediction else 'negative'} {k + 1}",
            items=s.items,
            parts=(Part(items=s.items, prediction=bool(s.prediction)),),
            prediction=bool(s.prediction),
            mean_score=s.mean_score,
            doubt=None,
        )
        for k, s in enumerate(plan.strata)
    )
    return EstimateDesign(
        metric=plan.claim.metric,
        sampling="random",
        strata=strata,
        stratifier="rank",
        allocation="claim",
        confidence=plan.confidence,
        labels=plan.expected_labels or LABELS,
        within=None,
        chances=tuple([1 / len(strata)] * len(strata)),
    )


def _simple(state: State, attempt: Attempt) -> Estimates:
    """From a simple random sample: exact intervals for a size fixed in advance."""
    plan, prefix = attempt.plan, labelled_prefix(state, attempt)
    if plan.kind.judged_once and prefix.draws < (plan.size or 0):
        raise PlanError(
            f"The plan is judged once, at {plan.size:,} draws, and {prefix.draws:,} are labelled. "
            "An estimate now would be a look before time. Label the rest first."
        )
    if prefix.draws == 0 or plan.domain != "all":
        raise PlanError(
            "This plan drew only from one predicted class, or has no labels yet, so it cannot "
            f"estimate other metrics. Look at the claim: {command('look')}."
        )
    reason = "this plan's guaranteed figure is the bound of its claim"
    metrics = []
    for name in dict.fromkeys((plan.claim.metric, *SIMPLE)):
        seen = bound(name, prefix.counts, design="simple", confidence=plan.confidence, side="both")
        metrics.append(
            MetricEstimate(
                metric=seen.metric,
                title=seen.title,
                point=seen.point,
                low=seen.interval.low if seen.point is not None else None,
                high=seen.interval.high if seen.point is not None else None,
                method="exact, one look",
                confidence=plan.confidence,
                guaranteed_reason=reason,
                reason=seen.reason,
            )
        )
    return Estimates(
        metrics=tuple(metrics),
        labels=prefix.labels,
        skipped=prefix.skipped,
        waiting=prefix.waiting,
        confidence=plan.confidence,
        design="simple random sample",
        warnings=() if plan.kind.judged_once else (STOPPING,),
        assumptions=(PROTOCOL, UNCHANGED, "The interval is exact for one look at this sample."),
    )
