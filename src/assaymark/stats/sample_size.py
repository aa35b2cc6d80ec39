"""How many labels a fixed test of a claim needs, computed exactly.

Power(s) = Σ_{n1} Bin(n1; s, share) Σ_t P(t | n1) · P(the rest keeps the claim above its bound),
t positives among n1 retrieved. Given (n1, t) passing is a threshold on the positives f among
the rest, because the least passing count grows by 0 or 1 per informative item.
Replaces the simulation of Bagdouri et al. 2013 (algorithms 1 and 2) by sums with no randomness.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.checks import count, open_share
from assaymark.claims.claim import Claim
from assaymark.claims.defaults import POWER
from assaymark.claims.ratio_metrics import (
    BinomialTest,
    binomial_test,
    domain,
    gain,
    metric,
)
from assaymark.claims.results import PowerCurve, Size, chance
from assaymark.errors import InputError
from assaymark.stats.acceptance_region import Positives, pass_chances, passing_region
from assaymark.stats.beta_posterior import Belief, cells, chance_below
from assaymark.stats.special import gammaln

Floats = NDArray[np.float64]

STEADY = 50  # power is a saw-tooth in the size: this many next sizes must pass as well
LARGE = (
    20_000  # above this, sizes are found to within 0.2 % and the saw-tooth is too fine to matter
)
LARGEST = 200_000
NEAR = 15  # the last step looks at 60 sizes at once, so it may begin so far below the answer


@dataclass(frozen=True, kw_only=True)
class Planner:
    """A claim, a belief about the classifier, and a confidence: everything a size depends on."""

    claim: Claim
    belief: Belief
    confidence: float

    @property
    def test(self) -> BinomialTest:
        """The claim's binomial test; refused where the claim has none."""
        test = binomial_test(self.claim)
        if test is None:
            raise InputError(
                f"No exact fixed-sample test exists for {metric(self.claim.metric).title}: its "
                "items have three different gains. Claim f1, precision or recall instead, or use "
                "a design that handles any ratio."
            )
        return test

    @cached_property
    def share(self) -> float:
        """The retrieved share of the items that a simple sample is drawn from."""
        where = domain(self.claim)
        return {"predicted positive": 1.0, "predicted negative": 0.0}.get(where, self.belief.share)

    @cached_property
    def laws(self) -> tuple[Positives, Positives]:
        """The laws of the positives among retrieved items and among the rest."""
        known = self.belief.known or (None, None)
        return (
            Positives(shape=self.belief.retrieved, rate=known[0]),
            Positives(shape=self.belief.rest, rate=known[1]),
        )

    def reachable(self) -> float:
        """The power that an ever larger test approaches: P(the claim is true)."""
        below = chance_below(metric(self.claim.metric), self.belief, self.claim.target)
        return 1 - below if self.claim.side == "lower" else below

    def informative(self, size: int) -> float:
        """How many of `size` drawn items are expected to be informative."""
        weight = [s or f for s, f in zip(self.test.success, self.test.failure, strict=True)]
        shares = cells(replace(self.belief, share=self.share))
        return size * sum(share for share, here in zip(shares, weight, strict=True) if here)

    def powers(self, sizes: range, *, nodes: int | None = None) -> Floats:
        """The chance to pass at each size; with `nodes`, approximated on that many values of n1."""
        passing = passing_region(self.test, 1 - self.confidence, max(sizes))
        return pass_chances(passing, self.laws, self.share, sizes, nodes)


def labels_needed(planner: Planner, *, power: float = POWER) -> Size:
    """The least number of labels whose test passes with this power, and at the next 50 sizes too.

    >>> from assaymark.claims.ratio_metrics import parse_claim
    >>> from assaymark.stats.beta_posterior import from_expectation
    >>> belief = from_expectation(precision=0.8, recall=0.8, prevalence=0.1)
    >>> planner = Planner(claim=parse_claim("f1 >= 0.7"), belief=belief, confidence=0.95)
    >>> labels_needed(planner).labels
    1238
    """
    open_share("power", power)
    open_share("confidence", planner.confidence)
    reachable = planner.reachable()
    if reachable <= power:
        return Size(labels=None, informative=None, power=None, reason=_out_of_reach(planner, power))
    start = _bracket(planner, power)
    if start is None:
        reason = f"more than {LARGEST:,} labels would be needed: what is expected is too close to the target"
        return Size(labels=None, informative=None, power=None, reason=reason)
    labels, reached = _steady(planner, power, start) if start < LARGE else _rounded(planner, start)
    return Size(labels=labels, informative=planner.informative(labels), power=reached)


def roughly_needed(planner: Planner, *, power: float = POWER, most: int) -> int | None:
    """A size that reaches the power, to within 1 %; None where `most` labels do not.

    Far quicker than `labels_needed`: for decisions that are made again and again, not for plans.
    """
    if most < 1 or planner.reachable() <= power or _at_nodes(planner, most) < power:
        return None
    low, high = 0, most
    while high - low > max(1, low // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if _at_nodes(planner, middle) >= power else (middle, high)
    return high


def _out_of_reach(planner: Planner, power: float) -> str:
    return (
        f"the chance that the claim is true is {chance(planner.reachable())}, not above the "
        f"{chance(power)} chance to pass that is asked for"
    )


def _bracket(planner: Planner, power: float) -> int | None:
    """A size a little below the answer, from few nodes; None where the answer is out of range."""
    high = 16
    while _at_nodes(planner, high) < power:
        high *= 2
        if high > LARGEST:
            return None
    low = high // 2
    while high - low > max(NEAR, low // (500 if low >= LARGE else 100)):
        middle = (low + high) // 2
        low, high = (low, middle) if _at_nodes(planner, middle) >= power else (middle, high)
    if high >= LARGE:
        return high
    while low > 1 and _rough(planner, low) >= power - 0.002:
        low -= max(1, low // 200)
    low = max(low, 1)
    return next((size for size in _teeth(planner, low) if _rough(planner, size) >= power), low)


def _teeth(planner: Planner, size: int) -> list[int]:
    """Sizes shortly before this one at which one more failure becomes allowed.

    Where failures are rare the saw-tooth is wider than 50 sizes, and one of its earlier peaks
    may already satisfy the rule that bisection steps over.
    """
    width = int(1 / (1 - planner.test.null_share))
    if width < STEADY or planner.informative(1) < 1 - 1e-9:
        return []
    allowed = passing_region(planner.test, 1 - planner.confidence, size).allowed
    steps = np.flatnonzero(np.diff(allowed[: size + 1]) > 0) + 1
    return [int(step) for step in steps if step >= size - 4 * width]


def _rough(planner: Planner, size: int) -> float:
    # The mean of three sizes smooths the saw-tooth that a single size can sit on.
    near = range(size, size + 3)
    return float(np.mean(planner.powers(near, nodes=61)))


def _at_nodes(planner: Planner, size: int) -> float:
    return float(planner.powers(range(size, size + 1), nodes=25)[0])


def _rounded(planner: Planner, size: int) -> tuple[int, float]:
    return size, _at_nodes(planner, size)


def _steady(planner: Planner, power: float, start: int) -> tuple[int, float]:
    """The first size from `start` on that passes together with the next 50, and its power."""
    run: list[float] = []
    size = start
    while True:
        for value in planner.powers(range(size, size + STEADY + 10)):
            run = [*run, float(value)] if value >= power else []
            size += 1
            if len(run) == STEADY + 1:
                return size - STEADY - 1, run[0]


def power_at(planner: Planner, size: int) -> float:
    """The chance that a test of this size passes."""
    if count("size", size) == 0:
        return 0.0
    return float(planner.powers(range(size, size + 1))[0])


def power_curve(planner: Planner, sizes: tuple[int, ...]) -> PowerCurve:
    """The chance to pass at each of these sizes, for plots."""
    return PowerCurve(sizes=sizes, power=tuple(power_at(planner, size) for size in sizes))


def elusion_floor(
    planner: Planner, *, power: float = POWER, pool: int | None = None
) -> float | None:
    """Labels of predicted negatives that no scheme passes with fewer of, on average; None if none.

    Enough misses to break the claim could hide among the predicted negatives. A scheme that
    passes with chance p when they do not, and with chance at most α when they do, has
    α ≥ p·P(none of them was seen), so it needs ln(p/α) / −ln(1 − hidden share) labels there. In a
    pool of known size the chance is that of drawing without replacement, and fewer do. 0 where
    not even all of them could break the claim.
    """
    tp, fp, fn, tn = gain(planner.claim)
    hurt = tn - fn
    if hurt <= 0 or domain(planner.claim) == "predicted positive":
        return None
    belief = replace(planner.belief, share=planner.share)
    gap = sum(z * c for z, c in zip((tp, fp, fn, tn), cells(belief), strict=True))
    rest = 1 - planner.share
    if gap <= 0 or rest == 0:
        return None
    hidden = gap / (hurt * rest)
    needed = float(np.log((1 - planner.confidence) / power))
    if hidden >= 1 or needed >= 0:
        return 0.0
    if pool is None:
        return needed / float(np.log1p(-hidden))
    return _unseen_floor(round(pool * rest), hidden, needed)


def _unseen_floor(negatives: int, hidden: float, needed: float) -> float:
    """The least n whose log chance to miss all hidden items, without replacement, is `needed`."""
    misses = hidden * negatives
    low, high = 0.0, negatives - misses
    for _ in range(60):
        n = (low + high) / 2
        chance = (
            gammaln(negatives - misses + 1)
            - gammaln(negatives - misses - n + 1)
            - gammaln(negatives + 1)
            + gammaln(negatives - n + 1)
        )
        low, high = (n, high) if chance > needed else (low, n)
    return high
