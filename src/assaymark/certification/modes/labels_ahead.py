"""How many more labels a plan that may be looked at will probably take: a range, or nothing.

Simple samples: the law of the test's walk from where it stands (`stats.sequential.walk_ahead`), counted in
labels of the pool. Score-guided plans without a ceiling: the law of a walk whose evidence grows on as it
did (`stats.score_guided.wealth_ahead`). The range is the middle two thirds. Nothing is said where the
estimate does not meet the claim, and never more than there are items left, or draws of a sealed number.
"""

import math
from dataclasses import replace

from assaymark.claims.results import Verdict
from assaymark.records.plan import Plan
from assaymark.stats.sequential.walk_ahead import DrawsAhead

FEWEST = 10  # items that are worth a batch of their own
LOW, HIGH = 0.2, 3.0
"""Between which shares of what is expected a plan will probably end, before its first label."""


def with_labels_ahead(verdict: Verdict, plan: Plan) -> Verdict:
    """The verdict with a range for the labels still to buy, where one is known."""
    if verdict.decision != "continue" or (plan.kind.promise and verdict.labels_ahead is None):
        return verdict
    left = plan.items - verdict.estimate.labels
    unmet = verdict.estimate.point is None or verdict.is_behind
    if left <= 0 or unmet or verdict.labels_ahead is None:
        return replace(verdict, labels_expected=None, labels_ahead=None, labels_left=max(left, 0))
    ahead = printed(verdict.labels_ahead, left)
    return replace(verdict, labels_ahead=ahead, labels_left=left)


def printed(ends: tuple[int, int], left: int) -> tuple[int, int]:
    """The ends of a range as they are shown: rounded, and never more than what is left.

    >>> printed((148, 2514), 2000)
    (150, 2000)
    """
    low, high = (min(_rounded(end), left) for end in ends)
    return low, high


def less_than_a_batch(ahead: tuple[int, int], batch: int) -> int | None:
    """How many items to draw where fewer than the usual batch will probably decide; None elsewhere.

    >>> less_than_a_batch((5, 72), 127), less_than_a_batch((1, 4), 127), less_than_a_batch((60, 640), 127)
    (72, 10, None)
    """
    enough = max(ahead[1], FEWEST)
    return enough if enough < batch else None


def in_labels(ahead: DrawsAhead, *, items: int, labels: int) -> DrawsAhead:
    """Draws with replacement still to come, as labels.

    An item that was drawn before costs none: of k items not labelled yet out of N, d draws meet
    k(1 − (1 − 1/N)ᵈ).

    >>> in_labels(DrawsAhead(low=1, middle=500, high=9_000), items=1_000, labels=100)
    DrawsAhead(low=1, middle=354, high=900)
    """
    left = items - labels

    def new(draws: int) -> int:
        escaped = math.exp(draws * math.log1p(-1.0 / items)) if items > 1 else 0.0
        return min(left, max(1, round(left * (1.0 - escaped))))

    return DrawsAhead(low=new(ahead.low), middle=new(ahead.middle), high=new(ahead.high))


def range_around(expected: int, left: int) -> tuple[int, int]:
    """Between which numbers of labels it will probably end, of those that are left.

    >>> range_around(50, 100)
    (10, 100)
    """
    high = min(_rounded(HIGH * expected), left)
    return min(_rounded(LOW * expected), high), high


def _rounded(value: float) -> int:
    """To one significant digit and a half: 20, 150, 2,500.

    >>> _rounded(17.3), _rounded(148), _rounded(2514)
    (17, 150, 2500)
    """
    step = int(10 ** max(len(str(int(value))) - 2, 0))
    return max(1, round(value / step) * step)
