"""Verdicts of plans that judge once: at a set number of draws, or when everything is labelled."""

from dataclasses import replace

from assaymark.certification.modes.prefix import Prefix, labelled_prefix, tally
from assaymark.certification.modes.words import (
    CENSUS,
    FIXED,
    capped,
    census_sentence,
    nothing_to_count,
    reaches,
    sentence,
)
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import Decision, Estimate, Interval, Verdict, counted
from assaymark.errors import PlanError
from assaymark.ledger.events import Attempt, State
from assaymark.records.plan import Plan
from assaymark.stats.binomial_bounds import METHODS, bound
from assaymark.stats.methods import exact_method


def exact_bound(plan: Plan, prefix: Prefix) -> Estimate:
    """The exact bound at the level of the plan, on the side of its claim."""
    return bound(
        plan.claim.metric,
        prefix.counts,
        design="simple",
        confidence=plan.tested_at,
        side=plan.claim.side,
        method=exact_method(plan.method).bound,
    )


def judge_fixed(state: State, attempt: Attempt) -> Verdict:
    """The verdict at the planned number of draws; refused before, because peeking voids it."""
    plan = attempt.plan
    prefix = labelled_prefix(state, attempt)
    if plan.size is None or prefix.draws < plan.size:
        raise PlanError(_too_early(state, attempt))
    if prefix.draws > plan.size or not METHODS[exact_method(plan.method).bound].guaranteed:
        raise PlanError(
            f"Plan {plan.number} cannot be judged: what is recorded of it is not what was sealed."
        )
    interval = exact_bound(plan, prefix)
    passed = reaches(plan.claim, interval.interval)
    estimate = replace(
        interval,
        labels=prefix.labels,
        draws=prefix.draws,
        assumptions=FIXED,
        interval=_stated(plan, interval.interval, passed=passed),
    )
    decision: Decision = "pass" if passed else "fail"
    return Verdict(
        decision=decision,
        claim=plan.claim,
        estimate=estimate,
        labels_expected=plan.size,
        waiting=prefix.waiting,
        skipped=prefix.skipped,
        census=False,
        reason=sentence(plan.claim, estimate, decision),
    )


def _stated(plan: Plan, interval: Interval, *, passed: bool) -> Interval:
    """What the plan may state: a later one nothing beyond its claim, a claim-only plan nothing else."""
    lower = plan.claim.side == "lower"
    reached = capped(plan, interval.low if lower else interval.high)
    if plan.stake.claim_only:
        reached = plan.claim.target if passed else 0.0 if lower else 1.0
    low, high = (reached, interval.high) if lower else (interval.low, reached)
    return replace(interval, confidence=plan.confidence, low=low, high=high)


def _too_early(state: State, attempt: Attempt) -> str:
    plan, size = attempt.plan, attempt.plan.size or 0
    unlabelled = [item for item in attempt.order if not state.labelled(item)]
    disputed = sum(state.disputed(item) for item in unlabelled)
    parts = []
    if len(attempt.draws) < size:
        parts.append(f"{counted(size - len(attempt.draws), 'draw')} still to be made")
    if len(unlabelled) > disputed:
        parts.append(f"{counted(len(unlabelled) - disputed, 'drawn item')} without a label")
    if disputed:
        parts.append(f"{counted(disputed, 'item')} waiting for a decision between reviewers")
    return (
        f"Plan {plan.number} is judged once, at {size:,} draws; with an earlier look its "
        f"confidence would no longer hold. Missing: {', '.join(parts)}."
    )


def judge_census(state: State, plan: Plan) -> Verdict | None:
    """The verdict with certainty, once every item of the claim's domain is labelled."""
    if len(state.answers) + len(state.decided) < plan.items:
        return None
    wanted = {"predicted positive": True, "predicted negative": False}.get(plan.domain)
    known = [
        item
        for item, prediction in state.predictions.items()
        if (wanted is None or prediction is wanted) and state.labelled(item)
    ]
    if len(known) < plan.items:
        return None
    counts = tally(state, plan.claim, known)
    ratio = metric(plan.claim.metric)
    point = ratio.value(counts.cells)
    estimate = Estimate(
        metric=ratio.name,
        title=ratio.title,
        point=point,
        reason=None if point is not None else nothing_to_count(ratio.name),
        interval=Interval(
            low=0.0 if point is None else point,
            high=1.0 if point is None else point,
            confidence=plan.confidence,
            side="both",
            method="census",
            guaranteed=True,
        ),
        labels=len(known),
        draws=len(known),
        design="census",
        counts=counts,
        assumptions=CENSUS,
    )
    passed = point is not None and reaches(plan.claim, estimate.interval)
    decision: Decision = "pass" if passed else "fail"
    return Verdict(
        decision=decision,
        claim=plan.claim,
        estimate=estimate,
        labels_expected=len(known),
        waiting=0,
        skipped=sum(state.label(item) is None for item in known),
        census=True,
        reason=census_sentence(plan.claim, estimate, decision),
    )
