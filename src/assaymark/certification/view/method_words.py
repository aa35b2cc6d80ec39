"""What was done, in plain words, and what the result does not say."""

from assaymark.certification.modes import mode_of
from assaymark.claims.results import counted, percent
from assaymark.records.plan import Plan
from assaymark.records.pool import RegisteredPool
from assaymark.records.seeds import SeedSource, source_in_words

REVIEWERS = (
    "It depends on these reviewers' decisions under their instructions. If the labels are wrong, so "
    "is the result."
)
SEALED = (
    "Before the first label was bought, the claim, the way of testing it and a random seed were "
    "sealed in the ledger."
)
HANDED_OUT = (
    "What is handed out to label holds the text of an item, never its score or prediction. "
    "Items that nobody could decide are counted against the claim."
)
DOMAINS = {
    "all": "all items of the collection",
    "predicted positive": "the items that the classifier flagged",
    "predicted negative": "the items that the classifier rejected",
}


def method_of(plan: Plan, *, trained: bool = False) -> tuple[str, ...]:
    """How the sample was drawn and judged, in sentences.

    `trained` says that the classifier learnt from labels of the same project before.
    """
    sealed = (
        "Before the first of these labels was bought, and after training had ended, the way of "
        "testing the claim and a random seed were sealed in the ledger."
        if trained
        else SEALED
    )
    mode = mode_of(plan)
    drawn = mode.drawn.format(
        domain=DOMAINS.get(plan.domain, plan.domain), strata=counted(len(plan.strata), "group")
    )
    return (
        sealed,
        place_words(plan.source),
        drawn[:1].upper() + drawn[1:],
        mode.judged,
        HANDED_OUT,
    )


def place_words(source: SeedSource) -> str:
    """What decides which items are drawn, and who drew it."""
    return (
        "An item's place in the draw is a checksum of the seed and its id, so nobody could choose "
        "which items were labelled once it was sealed, and anybody can repeat the draw. The seed: "
        f"{source_in_words(source)}."
    )


def limits_of(plan: Plan, pool: RegisteredPool, *, trained: bool = False) -> tuple[str, ...]:
    """What the result does not say, in sentences."""
    items = counted(pool.summary.items, "item")
    return (
        f"It was proved on the {items} that the frozen classifier scored, not on those it learnt from, "
        "on items that arrive later or on another collection."
        if trained
        else f"It is about this collection of {items} as it was registered, not about items that arrive "
        "later or another collection.",
        REVIEWERS,
        _risk(plan.confidence),
        "It does not say that the classifier is equally good in every part of the collection.",
    )


def limits_without_plan(pool: RegisteredPool, confidence: float | None) -> tuple[str, ...]:
    """What labels do not say where no plan of one figure judges them; `confidence` is a claim's."""
    return (
        f"It is about this collection of {counted(pool.summary.items, 'item')} as it was registered, "
        "not about items that arrive later or another collection.",
        REVIEWERS,
        *(() if confidence is None else (_risk(confidence),)),
    )


def _risk(confidence: float) -> str:
    risk = percent(round(1 - confidence, 10))
    return (
        f"With {percent(confidence)} confidence, a claim that is not true passes in at most "
        f"{risk} of cases. That is a property of the method, not the chance that this claim is true."
    )
