"""What an expected value of the claimed metric says about the classifier.

One number leaves the confusion matrix open, so one more thing is assumed: precision and recall are
alike or, where no such classifier has the value, predicted positives and predicted negatives are
wrong equally often or, last, predictions say nothing. Plans of a simple sample depend on that only
through the metric itself; the score-guided ones a little more.
"""

from collections.abc import Callable

from assaymark.claims.checks import open_share
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import Cells, metric
from assaymark.claims.results import shown
from assaymark.errors import InputError
from assaymark.records.plan import Expectation

Rates = tuple[float, float]
"""Precision and recall."""
LEAST = 1e-9


def expect_value(
    claim: Claim,
    value: float,
    *,
    share: float,
    precision: float | None = None,
    recall: float | None = None,
    of_relevant: bool = False,
) -> Expectation:
    """The expectation under which the claimed metric has this value.

    `share` is that of the predicted positives or, where no pool is known, of the relevant items.

    >>> found = expect_value(Claim(metric="accuracy", side="lower", target=0.8), 0.82, share=0.3)
    >>> round(found.precision, 4), round(found.recall, 4)
    (0.7, 0.7)
    """
    open_share("expect", value)
    matrix = _of_relevant if of_relevant else _of_predicted
    for family in _families(share, precision, recall):
        rates = _solved(claim, value, lambda rates: matrix(rates, share), family)
        if rates is not None:
            return Expectation(precision=rates[0], recall=rates[1])
    beside = [
        f"{name} {stated:g}"
        for name, stated in (("precision", precision), ("recall", recall))
        if stated is not None
    ]
    raise InputError(
        f"Where {share:.1%} of the items are {'relevant' if of_relevant else 'predicted positive'}, no "
        f"classifier has {claim.metric} {value:g}"
        f"{' at ' + ' and '.join(beside) if beside else ''}. Give expected precision and recall "
        "instead, or a pilot sample."
    )


def implied_value(
    claim: Claim, expectation: Expectation, *, share: float, of_relevant: bool = False
) -> float | None:
    """The claimed metric's value under the expectation; None where it is undefined."""
    if expectation.pilot is not None:
        return metric(claim.metric).value(expectation.pilot.cells)
    if expectation.precision is None or expectation.recall is None:
        return None
    matrix = _of_relevant if of_relevant else _of_predicted
    cells = matrix((expectation.precision, expectation.recall), share)
    return None if min(cells) < -LEAST else metric(claim.metric).value(cells)


def implied_words(
    claim: Claim, expectation: Expectation, *, share: float, of_relevant: bool = False
) -> str:
    """The same in words: "accuracy 0.82 (precision 0.7, recall 0.7)"."""
    value = shown(implied_value(claim, expectation, share=share, of_relevant=of_relevant))
    title = metric(claim.metric).title
    if expectation.pilot is not None:
        return f"{title} {value} (the pilot's)"
    return (
        f"{title} {value} (precision {shown(expectation.precision)}, "
        f"recall {shown(expectation.recall)})"
    )


def _of_relevant(rates: Rates, share: float) -> Cells:
    """The confusion matrix in shares of all items, where this share is relevant."""
    precision, recall = rates
    positives = share * recall
    wrong = positives * (1 - precision) / precision
    return (positives, wrong, share - positives, 1 - share - wrong)


def _of_predicted(rates: Rates, share: float) -> Cells:
    """The confusion matrix in shares of all items, where this share is predicted positive."""
    precision, recall = rates
    positives = share * precision
    missed = positives * (1 - recall) / recall
    return (positives, share - positives, missed, 1 - share - missed)


def _families(
    share: float, precision: float | None, recall: float | None
) -> tuple[Callable[[float], Rates], ...]:
    """Classifiers from bad (0) to perfect (1), one family per assumption."""
    if precision is not None and recall is not None:
        return (lambda _: (precision, recall),)
    if precision is not None:
        return (lambda v: (precision, v),)
    if recall is not None:
        return (lambda v: (v, recall),)

    def equal_errors(v: float) -> Rates:
        return v, share * v / (share * v + (1 - share) * (1 - v))

    return (lambda v: (v, v)), equal_errors, (lambda v: (v, share))


def _solved(
    claim: Claim,
    value: float,
    matrix: Callable[[Rates], Cells],
    family: Callable[[float], Rates],
) -> Rates | None:
    """The member of the family with this value, by bisection; None where there is none."""
    ratio = metric(claim.metric)

    def distance(v: float) -> float | None:
        cells = matrix(family(v))
        reached = None if min(cells) < -LEAST else ratio.value(cells)
        return None if reached is None else reached - value

    if abs(distance(value) or 0.0) < 1e-12 and distance(value) is not None:
        return family(value)  # the usual case, to the last digit
    low, high = _feasible(distance), 1.0
    ends = distance(low), distance(high)
    if ends[0] is None or ends[1] is None or ends[0] * ends[1] > 0:
        return None
    for _ in range(200):
        middle = (low + high) / 2
        there = distance(middle)
        if there is not None and there * ends[1] > 0:
            high = middle
        else:
            low = middle
    return family(high) if abs(distance(high) or 0.0) < 1e-6 else None


def _feasible(distance: Callable[[float], float | None]) -> float:
    """The worst member that is a classifier at all: no cell of its matrix is below zero."""
    low, high = LEAST, 1.0
    if distance(low) is not None:
        return low
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if distance(middle) is not None else (middle, high)
    return high
