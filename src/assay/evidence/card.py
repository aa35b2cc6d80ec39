"""The four-number card: richness, recall, precision and elusion, each as an honest range.

Each range holds at the plan's confidence on its own. A sample judged once gives exact binomial
ranges; one that may be looked at on the way gives ranges that hold at every look at once.
"""

from assay.events import Attempt
from assay.evidence.prefix import Prefix
from assay.types.dossier import CardNumber
from assay.types.results import Verdict

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


def card_of(
    attempt: Attempt, prefix: Prefix, verdict: Verdict | None, *, reason: str | None
) -> tuple[CardNumber, ...]:
    """The four numbers, each None with a reason where this sample cannot say."""
    return tuple(
        _unknown(name, attempt.plan.confidence, reason or "not computed yet") for name in TITLES
    )


def _unknown(name: str, confidence: float, reason: str) -> CardNumber:
    return CardNumber(
        name=name,
        title=TITLES[name],
        definition=DEFINITIONS[name],
        point=None,
        low=None,
        high=None,
        confidence=confidence,
        reason=reason,
    )
