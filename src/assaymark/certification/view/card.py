"""The four-number card: richness, recall, precision and elusion, each as an honest range.

A sample judged once gives exact binomial ranges; one that may be looked at on the way gives ranges
that hold at every look at once. An item that nobody could tell widens a range: each end counts it in
the way that hurts that end. `card_note` says at which level they hold, each alone and together.
"""

from assaymark.certification.metric_ranges import Ranges, joint_words, spoken_of
from assaymark.certification.modes.prefix import Prefix
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
    "precision": "The share of the items that the classifier flagged that are relevant.",
    "elusion": "The share of the items that the classifier rejected that are relevant, and so were missed.",
}


def card_of(
    state: State, attempt: Attempt, prefix: Prefix, verdict: Verdict | None, *, reason: str | None
) -> tuple[CardNumber, ...]:
    """The four numbers, each None with a reason where this sample cannot say."""
    plan = attempt.plan
    if verdict is None:
        return tuple(_unknown(plan, name, reason or "there is no verdict") for name in TITLES)
    ranges = Ranges(state=state, attempt=attempt, prefix=prefix, verdict=verdict)
    return tuple(_number(plan, name, prefix, ranges) for name in TITLES)


def card_note(plan: Plan, card: tuple[CardNumber, ...], *, census: bool) -> str | None:
    """At which level the ranges hold, each alone and all together; None where there are none."""
    known = [number.name for number in card if number.point is not None]
    if not known:
        return None
    claimed = plan.claim.metric in known
    return joint_words(plan.confidence, census=census, metrics=len(known), claimed=claimed)


def _number(plan: Plan, name: str, prefix: Prefix, ranges: Ranges) -> CardNumber:
    if name not in spoken_of(ranges.attempt, tuple(TITLES)):
        return _unknown(plan, name, f"only items {plan.domain} were drawn")
    if not prefix.drawn:
        return _unknown(plan, name, "there are no labels yet")
    blind = all(draw.prediction is None for draw in prefix.drawn)
    if blind and name != "prevalence":
        return _unknown(plan, name, "the collection has no predictions")
    found = ranges.of(name)
    return CardNumber(
        name=name,
        title=TITLES[name],
        definition=DEFINITIONS[name],
        point=found.point,
        low=found.low,
        high=found.high,
        confidence=plan.confidence,
        method=found.method,
        reason=None if found.point is not None else "no label says anything about it yet",
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
