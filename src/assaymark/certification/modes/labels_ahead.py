"""How many more labels an open-ended plan will probably take: a range, or nothing.

One idea: the labels that are still needed, if the evidence grows on as it did, scatter around that
number by the factors below, measured on made pools (`bench/forecasts.py`). Nothing is said where
the estimate does not meet the claim, and never more than there are items left. Evidence that hardly
grew in the last few labels expects any number, so the range never begins above the labels so far.
"""

from dataclasses import replace

from assaymark.claims.results import Verdict
from assaymark.records.plan import Plan

LOW, HIGH = 0.2, 3.0
"""Where about two of three fell of what happened, as shares of what was expected."""


def with_labels_ahead(verdict: Verdict, plan: Plan) -> Verdict:
    """The verdict with a range for the labels still to buy, where one can be told."""
    if verdict.decision != "continue" or plan.kind.promise:
        return verdict
    expected, labels = verdict.labels_expected, verdict.estimate.labels
    left = plan.items - labels
    if expected is None or left <= 0 or not _meets(verdict):
        return replace(verdict, labels_expected=None)
    more = min(max(expected - labels, 1), left)  # evidence that hardly grows yet expects any number
    low, high = range_around(more, left)
    return replace(
        verdict,
        labels_expected=labels + more,
        labels_ahead=(min(low, max(labels, 1)), high),
    )


def range_around(expected: int, left: int) -> tuple[int, int]:
    """Between which numbers of labels it will probably end, of those that are left.

    >>> range_around(50, 100)
    (10, 100)
    """
    high = min(_rounded(HIGH * expected), left)
    return min(_rounded(LOW * expected), high), high


def _meets(verdict: Verdict) -> bool:
    point, claim = verdict.estimate.point, verdict.claim
    if point is None:
        return False
    return point >= claim.target if claim.side == "lower" else point <= claim.target


def _rounded(value: float) -> int:
    """To one significant digit and a half: 20, 150, 2,500.

    >>> _rounded(17.3), _rounded(148), _rounded(2514)
    (17, 150, 2500)
    """
    step = int(10 ** max(len(str(int(value))) - 2, 0))
    return max(1, round(value / step) * step)
