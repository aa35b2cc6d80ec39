"""Why a plan ended without a certificate, in words: the note somebody left, or what a look showed."""

from assaymark.certification.modes.words import nothing_to_count, refuted_because
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import Interval, counted, shown
from assaymark.ledger.events import Attempt
from assaymark.records.certificate import CLOSED
from assaymark.records.plan import Plan


def closed_because(attempt: Attempt) -> str:
    """The note of whoever closed the plan; otherwise what its last look showed."""
    closed = attempt.closed
    if closed is None:
        return ""
    if closed.note or not attempt.looks:
        return closed.note or CLOSED[closed.reason]
    look = attempt.looks[-1].event
    plan, labels = attempt.plan, counted(look.labels, "label")
    wanted = f"{'at least' if plan.claim.side == 'lower' else 'at most'} {plan.claim.target:g}"
    title = metric(plan.claim.metric).title
    if closed.reason == "refuted":
        return refuted_because(plan.claim, title, plan.confidence, look.labels)
    if closed.reason == "census" and look.low < look.high:  # nothing to count, so no value
        return f"{title} cannot be computed: {nothing_to_count(plan.claim.metric)}"
    if closed.reason == "census":
        return (
            f"{title} is {shown(look.low)} (all {look.labels:,} items were labelled), which does not "
            f"meet the claim of {wanted}"
        )
    if closed.reason == "budget spent":
        return f"{title} {wanted}: the budget is spent without proof ({labels})"
    reached = _interval(plan, look.low, look.high)
    return f"{title} {reached} ({labels}), which does not reach the claim of {wanted}"


def _interval(plan: Plan, low: float, high: float) -> Interval:
    return Interval(
        low=low,
        high=high,
        confidence=plan.confidence,
        side=plan.claim.side,
        method=plan.bound,
        guaranteed=True,
    )
