"""How many more labels a plan that may be looked at will probably take: a range, or nothing.

Simple samples: the law of the test's walk from where it stands (`stats.sequential.walk_ahead`), told in
labels of the pool; the middle of it. Score-guided plans without a ceiling: the labels that
are still needed, if the evidence grows on as it did, scatter around that number by the factors below,
measured on made pools (`bench/forecasts.py`). Evidence that hardly grew in the last few labels expects
any number, so that range never begins above the labels so far. Nothing is said where the estimate does
not meet the claim, and never more than there are items left, or draws of a sealed number.
"""

import math
from dataclasses import replace

from assaymark.claims.results import Verdict
from assaymark.records.plan import Plan
from assaymark.stats.sequential.walk_ahead import ItemsAhead

LOW, HIGH = 0.2, 3.0
"""Where about two of three fell of what happened, as shares of what was expected."""


def with_labels_ahead(verdict: Verdict, plan: Plan) -> Verdict:
    """The verdict with a range for the labels still to buy, where one is known."""
    if verdict.decision != "continue":
        return verdict
    labels = verdict.estimate.labels
    left = plan.items - labels
    if verdict.labels_ahead is not None:
        return _by_the_walk(verdict, left)
    if plan.kind.promise:
        return verdict
    expected = verdict.labels_expected
    if expected is None or left <= 0 or not _meets(verdict):
        return replace(verdict, labels_expected=None)
    more = min(max(expected - labels, 1), left)  # evidence that hardly grows yet expects any number
    low, high = range_around(more, left)
    return replace(
        verdict,
        labels_expected=labels + more,
        labels_ahead=(min(low, max(labels, 1)), high),
    )


def _by_the_walk(verdict: Verdict, left: int) -> Verdict:
    if left <= 0 or not _meets(verdict) or verdict.labels_ahead is None:
        return replace(verdict, labels_expected=None, labels_ahead=None)
    return replace(verdict, labels_ahead=printed(verdict.labels_ahead, left))


def printed(ends: tuple[int, int], left: int) -> tuple[int, int]:
    """The ends of a range as they are shown: rounded, and never more than what is left.

    >>> printed((148, 2514), 2000)
    (150, 2000)
    """
    low, high = (min(_rounded(end), left) for end in ends)
    return low, high


def labels_by_the_walk(
    ahead: ItemsAhead, *, rate: float, items: int, labels: int, most: int | None = None
) -> tuple[int, int, int]:
    """Labels of so many informative items still to come: low, middle, high; `rate` of draws are such.

    An item that was drawn before costs none: of k items not labelled yet out of N, d draws meet
    k(1 − (1 − 1/N)ᵈ). The last of the informative items may be the very next draw, so the low end
    waits for those before it only. No more than `most` draws are left.

    >>> three = ItemsAhead(low=1, middle=5, high=9, chance=0.9)
    >>> labels_by_the_walk(three, rate=0.1, items=100_000, labels=50)
    (1, 50, 90)
    """
    left = items - labels

    def new(waited: float) -> int:
        draws = waited if most is None else min(waited, most)
        escaped = math.exp(draws * math.log1p(-1.0 / items)) if items > 1 else 0.0
        return min(left, max(1, round(left * (1.0 - escaped))))

    return new((ahead.low - 1) / rate + 1), new(ahead.middle / rate), new(ahead.high / rate)


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
