"""The sentences of a verdict, what it assumes, and why a plan ended without a certificate."""

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import Decision, Estimate, Interval, counted, percent, shown, useful
from assaymark.ledger.events import Attempt
from assaymark.records.certificate import CLOSED
from assaymark.records.plan import Plan
from assaymark.stats.betting.rulings import GOAL

PROTOCOL = "The claim is about the label that this labelling protocol gives to an item."
UNCHANGED = (
    "The classifier, its threshold and the collection did not change after the plan was sealed."
)
FIXED = (
    PROTOCOL,
    UNCHANGED,
    "Items were drawn at random by the sealed seed and judged only at the planned number of draws.",
)
BUDGET = (
    PROTOCOL,
    UNCHANGED,
    "Items were drawn at random by the sealed seed and judged at the looks sealed in the plan.",
)
ANYTIME = (
    PROTOCOL,
    UNCHANGED,
    "Items were drawn at random by the sealed seed; the statement holds at every look.",
)
WEIGHTED = (
    PROTOCOL,
    UNCHANGED,
    "Each item was drawn by the sealed seed with the chances stored before its batch was handed out; "
    "scores decide how many labels it takes, never whether the statement holds.",
    "Nobody who knew labels in advance chose where batches end, held labels back or gave false ones to "
    "correct later: with the seed known, that can steer the chances of this method (betting/1), which "
    "are recomputed with every batch.",
)
NOT_BY_DRAWS = "An item's label, or that nobody could tell, does not depend on the draws."
SEALED = (
    PROTOCOL,
    UNCHANGED,
    "Each item was drawn by the sealed seed, with chances renewed at draw numbers sealed in the plan from "
    "exactly the labels up to a sealed draw: every draw follows from plan, seed and labels. Nothing is "
    "left to steer, even for somebody who knows the labels and the seed.",
    NOT_BY_DRAWS,
)
CENSUS = (PROTOCOL, "Every item that the claim is about was labelled, so nothing is estimated.")


def sealed_with_changes(changed: int) -> tuple[str, ...]:
    """What a score-guided verdict assumes when labels were changed after chances had used them."""
    return (
        PROTOCOL,
        UNCHANGED,
        "Each item was drawn by the sealed seed, with chances renewed at draw numbers sealed in the plan "
        "from exactly the labels up to a sealed draw.",
        f"{counted(changed, 'label')} changed after chances had been computed from them, and not in order "
        "to steer the draws: with the seed known, false labels that are corrected later could.",
        NOT_BY_DRAWS,
    )


def reaches(claim: Claim, interval: Interval) -> bool:
    """Whether the interval proves the claim."""
    if claim.side == "lower":
        return interval.low >= claim.target
    return interval.high <= claim.target


def capped(plan: Plan, value: float) -> float:
    """The bound as it is stated: some plans prove their target and nothing beyond it."""
    if not plan.capped:
        return value
    return (min if plan.claim.side == "lower" else max)(value, plan.claim.target)


def sentence(claim: Claim, estimate: Estimate, decision: Decision) -> str:
    """What is established, in one sentence."""
    word = "at least" if claim.side == "lower" else "at most"
    wanted = f"{word} {claim.target:g}"
    if estimate.point is None and decision == "fail":
        return f"{estimate.title} cannot be computed: {estimate.reason}."
    if decision == "pass":
        return f"{estimate}; the claim was {wanted}."
    if decision == "continue":
        proven = (
            f"{estimate} is proven so far"
            if useful(claim, estimate.interval)
            else (f"nothing useful is proven so far ({counted(estimate.labels, 'label')})")
        )
        return f"{proven}; the claim is {wanted}."
    return (
        f"{estimate}, which does not reach the claim of {wanted}. "
        f"The sample itself shows {shown(estimate.point)}."
    )


def refuted(claim: Claim, estimate: Estimate, confidence: float) -> str:
    """That the labels show the claim to be false, in one sentence."""
    return (
        f"{refuted_because(claim, estimate.title, confidence, estimate.labels)}; the estimate is "
        f"{shown(estimate.point)}."
    )


def looks_false(what: str, parts: str) -> str:
    """That an open claim looks false by its labels, and by which estimates, in one sentence."""
    return (
        f"Judging by the labels so far {what} looks false (if it were true, it would ever look so in at "
        f"most {percent(1 / GOAL)} of cases): {parts}."
    )


def refuted_because(claim: Claim, title: str, confidence: float, labels: int) -> str:
    """That the claim is false and at which confidence that is shown."""
    beyond = "below" if claim.side == "lower" else "above"
    return (
        f"refuted, {title} is {beyond} {claim.target:g} with {percent(confidence)} confidence "
        f"({counted(labels, 'label')})"
    )


def budget_spent(claim: Claim, estimate: Estimate) -> str:
    """That a plan reached its ceiling without proof, in one sentence."""
    word = "at least" if claim.side == "lower" else "at most"
    return (
        f"{estimate}, and the budget is spent: {word} {claim.target:g} was not proven. The estimate is "
        f"{shown(estimate.point)}."
    )


def out_of_reach(claim: Claim, estimate: Estimate) -> str:
    """That too many items could not be decided, in one sentence."""
    word = "at least" if claim.side == "lower" else "at most"
    return (
        f"{estimate}; {word} {claim.target:g} can no longer be proven, because items that nobody could "
        "decide count against it, and it is not refuted either. Decide some of them, or claim less."
    )


def nothing_to_count(name: str) -> str:
    """Why a metric has no value although every item is labelled: the items that it counts.

    >>> nothing_to_count("recall")
    'no item of the collection is relevant'
    """
    cells = tuple(weight != 0 for weight in metric(name).denominator)
    items: dict[tuple[bool, ...], str] = {
        (True, False, True, False): "relevant",
        (True, True, False, False): "flagged by the classifier",
        (False, False, True, True): "rejected by the classifier",
        (False, True, False, True): "irrelevant",
    }
    either = "relevant or flagged by the classifier"
    return f"no item of the collection is {items.get(cells, either)}"


def census_sentence(claim: Claim, estimate: Estimate, decision: Decision) -> str:
    """What is known when everything is labelled."""
    if estimate.point is None:
        return f"{estimate.title} cannot be computed: {estimate.reason}."
    word = "at least" if claim.side == "lower" else "at most"
    end = "; the claim was" if decision == "pass" else ", which does not meet the claim of"
    return (
        f"{estimate.title} is {shown(estimate.point)} (all {estimate.labels:,} items were labelled)"
        f"{end} {word} {claim.target:g}."
    )


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
