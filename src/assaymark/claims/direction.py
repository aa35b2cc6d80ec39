"""Which way a claim usually points, and the question to whoever wrote it the other way round."""

from assaymark.claims.claim import Claim, Side
from assaymark.claims.metrics import NEITHER_IS_GOOD, SMALL_IS_GOOD
from assaymark.claims.ratio_metrics import metric
from assaymark.errors import InputError
from assaymark.hints import switch

SIGNS = {"lower": ">=", "upper": "<="}


def usual_side(name: str) -> Side | None:
    """The side on which good values of the metric lie; None where neither is better.

    >>> usual_side("recall"), usual_side("elusion"), usual_side("prevalence")
    ('lower', 'upper', None)
    """
    if name in NEITHER_IS_GOOD:
        return None
    return "upper" if name in SMALL_IS_GOOD else "lower"


def wrong_way(claim: Claim) -> str | None:
    """The question to ask back where the claim says that the classifier is bad; None elsewhere.

    >>> wrong_way(Claim(metric="recall", side="lower", target=0.9)) is None
    True
    """
    side = usual_side(claim.metric)
    if side is None or side == claim.side:
        return None
    turned = f"{claim.metric} {SIGNS[side]} {claim.target:g}"
    title = metric(claim.metric).title
    good = "high" if side == "lower" else "low"
    return (
        f'"{claim}" would prove that the classifier is bad: good classifiers have a {good} {title}. '
        f'Did you mean "{turned}"?'
    )


def refuse_wrong_way(claim: Claim, *, anyway: bool) -> None:
    """Refuse a claim that points the wrong way, unless it is meant as it is written."""
    question = None if anyway else wrong_way(claim)
    if question is not None:
        raise InputError(f"{question} If it is meant as it is written, add {switch('anyway')}.")
