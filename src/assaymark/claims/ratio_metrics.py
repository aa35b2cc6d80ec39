"""What can be claimed: every metric is a ratio of weighted confusion cells.

One idea: M = (a·c)/(b·c) over the cells c = (tp, fp, fn, tn), so "M >= target" says that the
mean over items of z = a − target·b is at least zero. z is the item's *gain* for the claim.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from assaymark.claims import metrics as names
from assaymark.claims.checks import choice
from assaymark.claims.claim import Claim, Counts
from assaymark.claims.metrics import LONG_NAMES, RATIOS
from assaymark.errors import InputError

Cells = tuple[float, float, float, float]

TITLES = {name: LONG_NAMES.get(name, name) for name in RATIOS}
NUMERATORS: dict[str, Cells] = {name: above for name, (above, _) in RATIOS.items()}
DENOMINATORS: dict[str, Cells] = {name: below for name, (_, below) in RATIOS.items()}
ALIASES = {word: name for word, name in names.ALIASES.items() if name in RATIOS and " " not in word}
NOT_RATIOS = ("macro-f1", "balanced-accuracy", "mcc", "kappa", "auc")


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A ratio of weighted confusion cells, in the order tp, fp, fn, tn."""

    name: str
    title: str
    numerator: Cells
    denominator: Cells

    def value(self, cells: Sequence[float]) -> float | None:
        """The metric of these counts or shares; None where its denominator is zero."""
        below = math.fsum(b * c for b, c in zip(self.denominator, cells, strict=True))
        if below == 0:
            return None
        return math.fsum(a * c for a, c in zip(self.numerator, cells, strict=True)) / below


@dataclass(frozen=True, kw_only=True)
class BinomialTest:
    """A claim as "successes are more than `null_share` of the informative items".

    Under simple random sampling, successes given the number of informative items are binomial.
    An upper claim is the same statement with successes and failures exchanged.
    """

    success: tuple[bool, bool, bool, bool]
    failure: tuple[bool, bool, bool, bool]
    null_share: float

    def tally(self, counts: Counts) -> tuple[int, int]:
        """Successes and informative items among these counts."""
        wins = sum(c for c, here in zip(counts.cells, self.success, strict=True) if here)
        losses = sum(c for c, here in zip(counts.cells, self.failure, strict=True) if here)
        return wins, wins + losses


@dataclass(frozen=True, kw_only=True)
class PoolForm:
    """A claim over a pool with known predictions: it holds iff Σ weight·label >= constant.

    The weight is that of the item's predicted class.
    """

    weight_positive: float
    weight_negative: float
    constant: float

    def weight(self, *, predicted: bool) -> float:
        """What a positive label among the items predicted so adds."""
        return self.weight_positive if predicted else self.weight_negative


def metric(name: str) -> Metric:
    """The metric of that name; `f0.5`, `f1`, `f2` and any other F-beta included.

    >>> metric("f1").value((80, 20, 20, 880))
    0.8
    """
    key = re.sub(r"[\s_]+", "-", name.strip().lower()).removesuffix("-score")
    key = ALIASES.get(key, key)
    if key in NOT_RATIOS:
        raise InputError(
            f"'{name}' cannot be claimed: it is not a ratio of counts, so no exact statement about "
            f"it exists. Metrics that can: f1 (or any f-beta), {', '.join(NUMERATORS)}."
        )
    match = re.fullmatch(r"f-?(\d+(?:\.\d+)?|\.\d+)", key)
    if match:
        return _f_beta(float(match.group(1)), name)
    choice("metric", key, ("f1", "f2", "f0.5", *NUMERATORS))
    return Metric(
        name=key, title=TITLES[key], numerator=NUMERATORS[key], denominator=DENOMINATORS[key]
    )


def _f_beta(beta: float, name: str) -> Metric:
    if not 0 < beta <= 100:
        raise InputError(f"F-beta needs a beta above 0 and at most 100, got {name!r}.")
    if beta == 1:
        return Metric(name="f1", title="F1", numerator=(2, 0, 0, 0), denominator=(2, 1, 1, 0))
    square = beta * beta
    return Metric(
        name=f"f{beta:g}",
        title=f"F{beta:g}",
        numerator=(1 + square, 0, 0, 0),
        denominator=(1 + square, 1, square, 0),
    )


def parse_claim(text: str) -> Claim:
    """The claim as people write it; a slip is pointed at as everywhere.

    >>> str(parse_claim("elusion <= 0.2%"))
    'elusion <= 0.002'
    """
    from assaymark.claims.language.grammar import is_simple, parse  # only where one is wrong

    try:
        return _one_claim(text)
    except InputError:
        if is_simple(parse(text)):
            raise
        raise InputError(
            f"{text!r} is a claim of several parts, about classes, or about two classifiers, and one "
            'metric against a number is wanted here, such as "f1 >= 0.75". From Python it is begun '
            "with assaymark.certify_parts, or with assaymark.compare."
        ) from None


def _one_claim(text: str) -> Claim:
    number = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(%?)"
    sign = r"(>\s*=|=\s*>|≥|>|<\s*=|=\s*<|≤|<|at least|at most)"
    match = re.fullmatch(rf"\s*(.+?)\s*(?:is\s+)?{sign}\s*{number}\s*", text, re.IGNORECASE)
    if not match:
        raise InputError(
            f"The claim {text!r} cannot be read. Write a metric, >= or <=, and a number: "
            '"f1 >= 0.75", "elusion <= 0.2%".'
        )
    name, relation, digits, percent = match.groups()
    target = float(digits) / 100 if percent else float(digits)
    side = "lower" if re.search(r">|≥|least", relation, re.IGNORECASE) else "upper"
    return Claim(metric=metric(name).name, side=side, target=target)  # type: ignore[arg-type]


def gain(claim: Claim) -> Cells:
    """The gain z per cell: the claim holds iff the mean gain over all items is at least zero."""
    ratio = metric(claim.metric)
    sign = 1.0 if claim.side == "lower" else -1.0
    tp, fp, fn, tn = (
        sign * (a - claim.target * b)
        for a, b in zip(ratio.numerator, ratio.denominator, strict=True)
    )
    return (tp, fp, fn, tn)


def right_decisions_help(claim: Claim) -> bool:
    """Whether items that are decided rightly can never break the claim.

    They cannot iff the gain of a true positive and of a true negative is not below zero: then a
    claim that holds for some items holds for them and any number of right decisions together.

    >>> right_decisions_help(parse_claim("f1 >= 0.75"))
    True
    >>> right_decisions_help(parse_claim("prevalence >= 0.1"))
    False
    """
    tp, _fp, _fn, tn = gain(claim)
    return tp >= 0 and tn >= 0


def pool_form(claim: Claim, *, predicted_positive: int, predicted_negative: int) -> PoolForm:
    """The claim when the predictions of the whole pool are known and only labels are not."""
    tp, fp, fn, tn = gain(claim)
    return PoolForm(
        weight_positive=tp - fp,
        weight_negative=fn - tn,
        constant=-(predicted_positive * fp + predicted_negative * tn),
    )


def binomial_test(claim: Claim) -> BinomialTest | None:
    """The claim as a binomial test under simple random sampling; None where there is none.

    Source: given m informative items, successes are Binomial(m, share). F1 is increasing in
    the Jaccard index J = tp/(tp+fp+fn), F1 = 2J/(1+J), so F1 >= t iff J >= t/(2−t).
    F-beta with beta other than 1 has three gain values and no such form.
    """
    ratio = metric(claim.metric)
    is_f1 = ratio.name == "f1"
    if ratio.name not in RATIOS and not is_f1:
        return None
    success = tuple(a > 0 for a in ratio.numerator)
    failure = tuple(
        b > 0 and a == 0 for a, b in zip(ratio.numerator, ratio.denominator, strict=True)
    )
    share = claim.target / (2 - claim.target) if is_f1 else claim.target
    if claim.side == "upper":
        success, failure, share = failure, success, 1 - share
    return BinomialTest(success=success, failure=failure, null_share=share)  # type: ignore[arg-type]


def domain(claim: Claim) -> str:
    """Which items a simple sample is drawn from: `predicted positive`, `predicted negative`, `all`.

    Items outside the domain say nothing about the claim, whatever their label.
    """
    tp, fp, fn, tn = metric(claim.metric).denominator
    if fn == tn == 0:
        return "predicted positive"
    return "predicted negative" if tp == fp == 0 else "all"


def worst_label(claim: Claim, *, predicted: bool) -> int:
    """The label that hurts the claim more: what an item counts as when nobody can tell."""
    tp, fp, fn, tn = gain(claim)
    if predicted:
        return 1 if tp < fp else 0
    return 1 if fn < tn else 0
