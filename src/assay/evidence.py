"""What the labels so far say about a plan's claim: replayed state in, verdict out.

Evidence is the labelled prefix in draw order. Labels beyond the first unlabelled draw wait:
hard items come late, and counting whatever happens to be there would be biased. An item that
nobody could tell counts in the way that hurts the claim.
"""

from dataclasses import dataclass

from assay.errors import PlanError
from assay.events import Attempt, State
from assay.stats.fixed import bound
from assay.stats.metrics import metric, worst_label
from assay.types.claim import Claim, Counts
from assay.types.plan import Plan
from assay.types.results import Estimate, Interval, Verdict

PROTOCOL = "The claim is about the label that this labelling protocol gives to an item."
FIXED = (
    PROTOCOL,
    "The classifier, its threshold and the collection did not change after the plan was sealed.",
    "Items were drawn at random by the sealed seed and judged only at the planned number of draws.",
)
CENSUS = (PROTOCOL, "Every item that the claim is about was labelled, so nothing is estimated.")


@dataclass(frozen=True, kw_only=True)
class Prefix:
    """The draws that count, and what they show."""

    draws: int
    labels: int
    skipped: int
    waiting: int
    counts: Counts


def labelled_prefix(state: State, attempt: Attempt) -> Prefix:
    """The draws up to the first one without a settled label."""
    end = next(
        (i for i, draw in enumerate(attempt.draws) if not state.labelled(draw.id)),
        len(attempt.draws),
    )
    used = [draw.id for draw in attempt.draws[:end]]
    inside = set(used)
    beyond = {draw.id for draw in attempt.draws[end:]} - inside
    return Prefix(
        draws=end,
        labels=len(inside),
        skipped=sum(state.label(item) is None for item in inside),
        waiting=sum(state.labelled(item) for item in beyond),
        counts=tally(state, attempt.plan.claim, used),
    )


def tally(state: State, claim: Claim, items: list[str]) -> Counts:
    """The confusion counts of these items; an item that nobody could tell hurts the claim."""
    cells = {(True, 1): 0, (True, 0): 0, (False, 1): 0, (False, 0): 0}
    for item in items:
        predicted = bool(state.predictions[item])
        label = state.label(item)
        cells[predicted, worst_label(claim, predicted=predicted) if label is None else label] += 1
    return Counts(tp=cells[True, 1], fp=cells[True, 0], fn=cells[False, 1], tn=cells[False, 0])


def judge(state: State, attempt: Attempt) -> Verdict:
    """The verdict on the attempt's claim. Refused where looking would void the promise."""
    everything = _census(state, attempt.plan)
    if everything is not None:
        return everything
    prefix = labelled_prefix(state, attempt)
    if prefix.draws < attempt.plan.size:
        raise PlanError(_too_early(state, attempt))
    return _fixed(attempt.plan, prefix)


def missing_labels(state: State, attempt: Attempt) -> tuple[int, int]:
    """Items that a fixed plan still waits for: drawn but unlabelled, and disputed among them."""
    unlabelled = [item for item in attempt.order if not state.labelled(item)]
    return len(unlabelled), sum(state.disputed(item) for item in unlabelled)


def _too_early(state: State, attempt: Attempt) -> str:
    plan = attempt.plan
    unlabelled, disputed = missing_labels(state, attempt)
    parts = []
    if len(attempt.draws) < plan.size:
        parts.append(f"{plan.size - len(attempt.draws):,} draws are still to be made (assay draw)")
    if unlabelled - disputed:
        parts.append(f"{unlabelled - disputed:,} drawn items have no label yet")
    if disputed:
        parts.append(f"{disputed:,} items wait for a decision between annotators")
    return (
        f"This plan is judged once, at {plan.size:,} draws, and an earlier look would void its "
        f"promise: {', '.join(parts)}."
    )


def _fixed(plan: Plan, prefix: Prefix) -> Verdict:
    estimate = bound(
        plan.claim.metric,
        prefix.counts,
        design="simple",
        confidence=plan.confidence,
        side=plan.claim.side,
        method=plan.bound,
    )
    shown = _estimate_of(estimate, prefix, FIXED)
    passed = _reaches(plan.claim, shown.interval)
    return Verdict(
        decision="pass" if passed else "fail",
        claim=plan.claim,
        estimate=shown,
        labels_expected=plan.size,
        waiting=prefix.waiting,
        skipped=prefix.skipped,
        census=False,
        reason=_sentence(plan.claim, shown, passed=passed),
    )


def _estimate_of(estimate: Estimate, prefix: Prefix, assumptions: tuple[str, ...]) -> Estimate:
    return Estimate(
        metric=estimate.metric,
        title=estimate.title,
        point=estimate.point,
        reason=estimate.reason,
        interval=estimate.interval,
        labels=prefix.labels,
        draws=prefix.draws,
        design=estimate.design,
        counts=estimate.counts,
        assumptions=assumptions,
    )


def _reaches(claim: Claim, interval: Interval) -> bool:
    if claim.side == "lower":
        return interval.low >= claim.target
    return interval.high <= claim.target


def _sentence(claim: Claim, estimate: Estimate, *, passed: bool) -> str:
    word = "at least" if claim.side == "lower" else "at most"
    wanted = f"{word} {claim.target:g}"
    if estimate.point is None:
        return f"{estimate.title} cannot be computed: {estimate.reason}."
    if passed:
        return f"{estimate}; the claim was {wanted}."
    hint = f" The sample itself shows {estimate.point:.4g}." if estimate.point is not None else ""
    return f"{estimate}, which does not reach the claim of {wanted}.{hint}"


def _census(state: State, plan: Plan) -> Verdict | None:
    """The verdict with certainty, once every item of the claim's domain is labelled."""
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
    exact = Interval(
        low=0.0 if point is None else point,
        high=1.0 if point is None else point,
        confidence=plan.confidence,
        side="both",
        method="census",
        guaranteed=True,
    )
    estimate = Estimate(
        metric=ratio.name,
        title=ratio.title,
        point=point,
        reason=None if point is not None else "no item of the collection is informative",
        interval=exact,
        labels=len(known),
        draws=len(known),
        design="census",
        counts=counts,
        assumptions=CENSUS,
    )
    passed = point is not None and _reaches(plan.claim, exact)
    return Verdict(
        decision="pass" if passed else "fail",
        claim=plan.claim,
        estimate=estimate,
        labels_expected=len(known),
        waiting=0,
        skipped=sum(state.label(item) is None for item in known),
        census=True,
        reason=_sentence(plan.claim, estimate, passed=passed),
    )
