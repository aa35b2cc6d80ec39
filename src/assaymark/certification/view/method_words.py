"""What was done, in plain words, and what the result does not say."""

from assaymark.claims.results import counted, percent
from assaymark.records.plan import Plan
from assaymark.records.pool import RegisteredPool

DOMAINS = {
    "all": "all items of the collection",
    "predicted positive": "the items that the classifier picked",
    "predicted negative": "the items that the classifier left out",
}
DRAWN = {
    "simple": "Every item of {domain} had the same chance at every draw.",
    "census": "The plan takes every one of {domain}.",
    "weighted": "The items were sorted into {strata} by predicted class and score, and each batch "
    "was drawn with chances that were written down before it was handed out: more where a label "
    "tells more. The chances enter the calculation, so they cannot tilt the result.",
}
JUDGED = {
    "fixed": "The claim is judged once, when the planned number of draws is labelled.",
    "budget": "The claim is judged after every informative item up to a number fixed in advance; the "
    "small risk of error is spent over these looks, so looking costs nothing more.",
    "anytime": "The claim may be looked at at any time: the statement holds at every look at once, "
    "so stopping when it looks good is allowed.",
}


def method_of(plan: Plan, *, trained: bool = False) -> tuple[str, ...]:
    """How the sample was drawn and judged, in sentences.

    `trained` says that the classifier learnt from labels of the same project before.
    """
    sealed = (
        "Before the first of these labels was bought, and after training had ended, the way of "
        "testing the claim and a random seed were sealed in the ledger."
        if trained
        else "Before the first label was bought, the claim, the way of testing it and a random seed "
        "were sealed in the ledger."
    )
    drawn = DRAWN[plan.design].format(
        domain=DOMAINS.get(plan.domain, plan.domain), strata=counted(len(plan.strata), "group")
    )
    return (
        sealed,
        "An item's place in the draw is a fingerprint of the seed and its id, so nobody could choose "
        "which items were labelled, and anybody can repeat the draw.",
        drawn,
        JUDGED[plan.mode],
        "What is handed out to label holds the text of an item, never its score or prediction. An "
        "item that nobody could decide counts in the way that hurts the claim.",
    )


def limits_of(plan: Plan, pool: RegisteredPool, *, trained: bool = False) -> tuple[str, ...]:
    """What the result does not say, in sentences."""
    risk = percent(round(1 - plan.confidence, 10))
    items = counted(pool.summary.items, "item")
    return (
        f"It was proved on the {items} that the frozen classifier scored, not on those it learnt from, "
        "on items that arrive later or on another collection."
        if trained
        else f"It speaks of this collection of {items} as it was registered, not of items that arrive "
        "later or of another collection.",
        "It speaks of the labels that these annotators gave by their instructions. If the labels are "
        "wrong, so is the result.",
        f"With {percent(plan.confidence)} confidence, a claim that is not true passes in at most "
        f"{risk} of cases. That is a property of the method, not the chance that this claim is true.",
        "It does not say that the classifier is equally good in every part of the collection.",
    )
