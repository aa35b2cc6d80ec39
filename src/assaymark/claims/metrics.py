"""Metrics as exact ratios of confusion counts, and the names people give them.

A ratio metric is M = (a·c)/(b·c) over the counts c = (tp, fp, fn, tn). Weights are Fractions:
what decides a claim is never rounded.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

Weights = tuple[Fraction, Fraction, Fraction, Fraction]

RATIOS: dict[str, tuple[tuple[int, int, int, int], tuple[int, int, int, int]]] = {
    "accuracy": ((1, 0, 0, 1), (1, 1, 1, 1)),
    "precision": ((1, 0, 0, 0), (1, 1, 0, 0)),
    "recall": ((1, 0, 0, 0), (1, 0, 1, 0)),
    "specificity": ((0, 0, 0, 1), (0, 1, 0, 1)),
    "npv": ((0, 0, 0, 1), (0, 0, 1, 1)),
    "jaccard": ((1, 0, 0, 0), (1, 1, 1, 0)),
    "prevalence": ((1, 0, 1, 0), (1, 1, 1, 1)),
    "elusion": ((0, 0, 1, 0), (0, 0, 1, 1)),
}
SMALL_IS_GOOD = ("elusion",)
NEITHER_IS_GOOD = ("prevalence",)
LONG_NAMES = {"npv": "negative predictive value", "jaccard": "Jaccard index"}
AVERAGES = {
    "macro f1": "f1",
    "macro recall": "recall",
    "macro precision": "precision",
    "balanced accuracy": "recall",
}
"""Averages over the classes, and the metric of each class that they average."""
ALIASES = {
    "sensitivity": "recall",
    "tpr": "recall",
    "ppv": "precision",
    "positive predictive value": "precision",
    "tnr": "specificity",
    "negative predictive value": "npv",
    "richness": "prevalence",
    "iou": "jaccard",
    "jaccard index": "jaccard",
    "micro f1": "accuracy",
    "weighted recall": "accuracy",
    "average recall": "macro recall",
}
ESTIMATE_ONLY = ("mcc", "kappa", "auc", "weighted f1")
F_BETA = re.compile(r"f ?(\d+(?:\.\d+)?|\.\d+)")
LARGEST_BETA = 100


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """A metric whose numerator and denominator are weighted counts (tp, fp, fn, tn)."""

    name: str
    numerator: Weights
    denominator: Weights


def spelled(words: str) -> str:
    """A metric's words in lower case, with single spaces and without "score".

    >>> spelled("F1_Score"), spelled("Balanced-Accuracy")
    ('f1', 'balanced accuracy')
    """
    return re.sub(r"[\s_-]+", " ", words.strip().lower()).removesuffix(" score")


def metric_name(words: str) -> str | None:
    """The one name of a metric that can be claimed, or None.

    >>> metric_name("Sensitivity"), metric_name("f-0.50"), metric_name("kappa")
    ('recall', 'f0.5', None)
    """
    key = spelled(words)
    key = ALIASES.get(key, key)
    if key in RATIOS or key in AVERAGES:
        return key
    beta = F_BETA.fullmatch(key)
    if beta and 0 < Fraction(beta.group(1)) <= LARGEST_BETA:
        return f"f{decimal(Fraction(beta.group(1)))}"
    return None


def ratio(name: str) -> Ratio:
    """The exact ratio of that canonical name, F-beta included.

    >>> ratio("f2").denominator
    (Fraction(5, 1), Fraction(1, 1), Fraction(4, 1), Fraction(0, 1))
    """
    if name in RATIOS:
        above, below = RATIOS[name]
        return Ratio(name=name, numerator=_exact(above), denominator=_exact(below))
    square = Fraction(name[1:]) ** 2
    zero, one = Fraction(0), Fraction(1)
    return Ratio(
        name=name,
        numerator=(1 + square, zero, zero, zero),
        denominator=(1 + square, one, square, zero),
    )


def _exact(weights: tuple[int, int, int, int]) -> Weights:
    tp, fp, fn, tn = map(Fraction, weights)
    return (tp, fp, fn, tn)


def decimal(value: Fraction) -> str:
    """The exact decimal text of a fraction that has one.

    >>> decimal(Fraction(1, 8)), decimal(Fraction(-3, 100)), decimal(Fraction(2))
    ('0.125', '-0.03', '2')
    """
    odd = value.denominator
    twos = fives = 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    while odd % 5 == 0:
        odd, fives = odd // 5, fives + 1
    if odd != 1:
        raise ValueError(f"{value} has no finite decimal form")
    places = max(twos, fives)
    digits = str(abs((value * 10**places).numerator)).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if value < 0 else text
