"""Which way a claim usually points, and the question to whoever wrote it the other way round."""

from dataclasses import replace
from typing import Literal

from assaymark.claims.claim import Claim
from assaymark.claims.language.tree import ClaimTree, Part, Threshold
from assaymark.claims.metrics import AVERAGES, NEITHER_IS_GOOD, SMALL_IS_GOOD
from assaymark.claims.ratio_metrics import metric
from assaymark.errors import InputError
from assaymark.hints import switch

SIGNS = {"lower": ">=", "upper": "<="}


def usual_side(name: str) -> Literal["lower", "upper"] | None:
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
    return _question(str(claim), claim.metric, f"{claim.metric} {SIGNS[side]} {claim.target:g}")


def wrong_way_parts(tree: ClaimTree) -> str | None:
    """The question to ask back where a part says that the classifier is bad; None elsewhere.

    A figure that is claimed on both sides is a range, and is meant so.
    """
    meant = [_usual(part) for part in tree.parts]
    figures = [part.figure for part, usual in zip(tree.parts, meant, strict=True) if part == usual]
    wrong = [
        part
        for part, usual in zip(tree.parts, meant, strict=True)
        if part != usual and part.figure not in figures
    ]
    if not wrong:
        return None
    return _question(str(wrong[0]), wrong[0].figure.metric, str(replace(tree, parts=tuple(meant))))


def _usual(part: Part) -> Part:
    """The part as it is usually claimed."""
    side = usual_side(part.figure.metric)
    return replace(part, side=side) if isinstance(part, Threshold) and side is not None else part


def _question(wrong: str, name: str, meant: str) -> str:
    title = name if name in AVERAGES else metric(name).title
    good = "high" if usual_side(name) == "lower" else "low"
    return (
        f'"{wrong}" would prove that the classifier is bad: good classifiers have a {good} {title}. '
        f'Did you mean "{meant}"?'
    )


def refuse_wrong_way(claim: Claim | ClaimTree, *, anyway: bool) -> None:
    """Refuse a claim that points the wrong way, unless it is meant as it is written."""
    ask = wrong_way_parts if isinstance(claim, ClaimTree) else wrong_way
    question = None if anyway else ask(claim)  # type: ignore[arg-type]
    if question is not None:
        raise InputError(f"{question} If it is meant as it is written, add {switch('anyway')}.")
