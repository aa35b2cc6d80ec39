"""How many positives a group of items can hold, from those labelled so far, whenever one looks.

One idea: spread a prior over every possible number of positives. For the true number, prior over
posterior is a bet that cannot be expected to gain, so it stays below 1/(1 − confidence) at all
times at once except with chance 1 − confidence. What it has not reached that level for may be true.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from assaymark.claims.checks import count, open_share
from assaymark.errors import InputError

# A prior that thinks rare positives likely: bounds are short where nothing is found.
PRIOR = (0.2, 1.0)


@dataclass(frozen=True, kw_only=True)
class PositiveRange:
    """At least `low` and at most `high` positives among `items`, at every look at once."""

    items: int
    labels: int
    positives: int
    low: int
    high: int
    confidence: float

    def __str__(self) -> str:
        return (
            f"between {self.low:,} and {self.high:,} positives among {self.items:,} items with "
            f"{self.confidence:.0%} confidence ({self.positives:,} in {self.labels:,} labels)"
        )


def positive_range(
    *, items: int, labels: int, positives: int, confidence: float = 0.95
) -> PositiveRange:
    """Every number of positives that these labels do not refute.

    Assumes: items labelled in random order without replacement; any rule may say when to stop.
    Source: Waudby-Smith & Ramdas (2020), "Confidence sequences for sampling without
    replacement", theorem 2.1, the ratio of prior to posterior with a beta-binomial prior.

    >>> positive_range(items=10_000, labels=240, positives=0).high
    170
    """
    open_share("confidence", confidence)
    for name, value in (("items", items), ("labels", labels), ("positives", positives)):
        count(name, value)
    if not positives <= labels <= items:
        raise InputError(
            f"Positives among labels among items must not grow, got {positives}, {labels}, {items}."
        )
    least, most = positives, items - (labels - positives)
    best = min(max(round(items * positives / labels) if labels else least, least), most)
    log_needed = -math.log1p(-confidence)

    def refuted(number: int) -> bool:
        return _log_ratio(items, labels, positives, number) >= log_needed

    return PositiveRange(
        items=items,
        labels=labels,
        positives=positives,
        low=_last(refuted, best, least - 1),
        high=_last(refuted, best, most + 1),
        confidence=confidence,
    )


def _last(refuted: Callable[[int], bool], inside: int, outside: int) -> int:
    """The farthest number from `inside` towards `outside` that is not refuted.

    The chance of the labels is log-concave in the number, so what is not refuted has no gaps.
    """
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        if refuted(middle):
            outside = middle
        else:
            inside = middle
    return inside


def _log_ratio(items: int, labels: int, positives: int, number: int) -> float:
    """Log of prior over posterior at this number: the chance of the labels under the prior over
    their chance given the number. Both are chances of the labels in the order they came.
    """
    a, b = PRIOR
    marginal = _log_beta(a + positives, b + labels - positives) - _log_beta(a, b)
    rest = items - labels
    log_likelihood = _log_choose(rest, number - positives) - _log_choose(items, number)
    return marginal - log_likelihood


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
