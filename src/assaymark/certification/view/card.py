"""The four-number card: richness, recall, precision and elusion, each as an honest range.

Each range holds at the plan's confidence on its own. A sample judged once gives exact binomial
ranges; one that may be looked at on the way gives ranges that hold at every look at once. An item
that nobody could tell widens a range: each end counts it in the way that hurts that end.
"""

from collections.abc import Callable

from assaymark.certification.modes import mode_of
from assaymark.certification.modes.mode import Range
from assaymark.certification.modes.prefix import Prefix
from assaymark.certification.modes.ranges import counted_range
from assaymark.certification.view.dossier import CardNumber
from assaymark.claims.results import Verdict
from assaymark.ledger.events import Attempt, State
from assaymark.records.plan import Plan

TITLES = {
    "prevalence": "Richness",
    "recall": "Recall",
    "precision": "Precision",
    "elusion": "Elusion",
}
DEFINITIONS = {
    "prevalence": "The share of the whole collection that is relevant.",
    "recall": "The share of the relevant items that the classifier found.",
    "precision": "The share of the items that the classifier picked that are relevant.",
    "elusion": "The share of the items that the classifier left out that are relevant all the same.",
}
SPOKEN_OF = {"predicted positive": ("precision",), "predicted negative": ("elusion",)}


def card_of(
    state: State, attempt: Attempt, prefix: Prefix, verdict: Verdict | None, *, reason: str | None
) -> tuple[CardNumber, ...]:
    """The four numbers, each None with a reason where this sample cannot say."""
    plan = attempt.plan
    if verdict is None:
        return tuple(_unknown(plan, name, reason or "there is no verdict") for name in TITLES)
    find = _finder(state, attempt, prefix, verdict)
    return tuple(_number(plan, name, prefix, find) for name in TITLES)


def _finder(
    state: State, attempt: Attempt, prefix: Prefix, verdict: Verdict
) -> Callable[[str], Range]:
    """How a range is found under this plan."""
    plan = attempt.plan
    if verdict.census:
        known = [
            (bool(p), state.label(i)) for i, p in state.predictions.items() if state.labelled(i)
        ]
        return lambda name: counted_range(name, known)
    return lambda name: mode_of(plan).metric_range(attempt, prefix, name)


def _number(plan: Plan, name: str, prefix: Prefix, find: Callable[[str], Range]) -> CardNumber:
    spoken = SPOKEN_OF.get(plan.domain, tuple(TITLES))
    if name not in spoken:
        return _unknown(plan, name, f"items were drawn only from those {plan.domain}")
    if not prefix.drawn:
        return _unknown(plan, name, "there are no labels yet")
    blind = all(draw.prediction is None for draw in prefix.drawn)
    if blind and name != "prevalence":
        return _unknown(plan, name, "the collection has no predictions")
    found = find(name)
    return CardNumber(
        name=name,
        title=TITLES[name],
        definition=DEFINITIONS[name],
        point=found.point,
        low=found.low,
        high=found.high,
        confidence=plan.confidence,
        method=found.method,
        reason=None if found.point is not None else "no label speaks of it yet",
    )


def _unknown(plan: Plan, name: str, reason: str) -> CardNumber:
    return CardNumber(
        name=name,
        title=TITLES[name],
        definition=DEFINITIONS[name],
        point=None,
        low=None,
        high=None,
        confidence=plan.confidence,
        reason=reason,
    )
