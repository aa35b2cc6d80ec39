"""All metrics from the labels of a claim: the same draws answer more than they were asked.

The ranges are those of the dashboard and the report, so that no two places tell different ones.
"""

from assaymark.certification.metric_ranges import Ranges, joint_words, spoken_of
from assaymark.certification.modes import judge, labelled_prefix
from assaymark.certification.modes.words import PROTOCOL, UNCHANGED
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import Verdict, useful
from assaymark.errors import PlanError
from assaymark.estimation.estimate import Estimates, MetricEstimate
from assaymark.hints import command
from assaymark.ledger.events import Attempt, State

METRICS = ("accuracy", "precision", "recall", "f1", "prevalence", "elusion")


def estimate_attempt(state: State, attempt: Attempt) -> Estimates:
    """Every metric from the labels of a plan: exact where all are labelled, else its range."""
    plan, prefix = attempt.plan, labelled_prefix(state, attempt)
    if plan.kind.judged_once and prefix.draws < (plan.size or 0):
        raise PlanError(
            f"The plan is judged once, at {plan.size:,} draws, and {prefix.draws:,} are labelled. "
            "An estimate now would be a look before time. Label the rest first."
        )
    verdict = judge(state, attempt)
    if prefix.draws == 0 and not verdict.census:
        raise PlanError(f"No label counts yet. Label the batch first: {command('label', 'FILE')}.")
    ranges = Ranges(state=state, attempt=attempt, prefix=prefix, verdict=verdict)
    names = dict.fromkeys((plan.claim.metric, *spoken_of(plan, METRICS)))
    metrics = tuple(_metric(name, ranges) for name in names)
    note = joint_words(plan, census=verdict.census, metrics=len(metrics), claimed=True)
    return Estimates(
        metrics=metrics,
        labels=verdict.estimate.labels,
        skipped=verdict.skipped,
        waiting=len(attempt.order) - prefix.labels,
        confidence=plan.confidence,
        design=_design(verdict),
        warnings=(note,),
        assumptions=(PROTOCOL, UNCHANGED, *verdict.estimate.assumptions[2:]),
        every_look=not plan.kind.judged_once,
    )


def _design(verdict: Verdict) -> str:
    estimate = verdict.estimate
    if verdict.census:
        return "every item"
    return f"{estimate.interval.method}, {estimate.design}"


def _metric(name: str, ranges: Ranges) -> MetricEstimate:
    """One metric; the range of the claimed one holds at another level than its bound, as is noted."""
    verdict, interval = ranges.verdict, ranges.of(name)
    claimed = name == verdict.claim.metric
    lower = verdict.claim.side == "lower"
    known = interval.point is not None
    promised = claimed and (known or not verdict.census)
    proven = verdict.estimate.interval
    return MetricEstimate(
        metric=name,
        title=metric(name).title,
        point=interval.point,
        low=interval.low if known else None,
        high=interval.high if known else None,
        method=interval.method,
        confidence=ranges.attempt.plan.confidence,
        guaranteed_low=proven.low if promised and lower else None,
        guaranteed_high=proven.high if promised and not lower else None,
        guaranteed_reason="nothing useful is proven so far"
        if claimed and not verdict.census and not useful(verdict.claim, proven)
        else None,
        guaranteed_interval=None if claimed or not known else (interval.low, interval.high),
        reason=None if known else ranges.why_no_point(name),
    )
