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
    if all(number.point is None for number in card):
        return None
    shown = spoken_of(plan, tuple(TITLES))  # also those that no label has moved yet
    claimed = plan.claim.metric in (*shown, "npv")  # npv is one less elusion
    return joint_words(plan, census=census, metrics=len(shown), claimed=claimed)


def _number(plan: Plan, name: str, prefix: Prefix, ranges: Ranges) -> CardNumber:
    if name not in spoken_of(plan, tuple(TITLES)):
        return _unknown(plan, name, f"only items {plan.domain} were drawn")
    if not prefix.drawn:
        return _unknown(plan, name, "no label counts yet")
    blind = all(draw.prediction is None for draw in prefix.drawn)
    if blind and name != "prevalence":
        return _unknown(plan, name, "the collection has no predictions")
    interval = ranges.of(name)
    return CardNumber(
        name=name,
        title=TITLES[name],
        definition=DEFINITIONS[name],
        point=interval.point,
        low=interval.low,
        high=interval.high,
        confidence=plan.confidence,
        method=interval.method,
        reason=None if interval.point is not None else ranges.why_no_point(name),
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
