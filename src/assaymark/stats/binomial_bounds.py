"""Bounds for a sample whose size was fixed in advance, in one registry.

All take a simple random sample. Given m informative items, successes are Binomial(m, share),
so exact bounds exist even for F1 (through the Jaccard index, which F1 is increasing in).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assaymark.claims.checks import choice, open_share
from assaymark.claims.claim import Claim, Counts, Side
from assaymark.claims.ratio_metrics import BinomialTest, Metric, binomial_test, metric
from assaymark.claims.results import Estimate, Interval
from assaymark.errors import InputError
from assaymark.stats.beta_posterior import from_pilot, quantile
from assaymark.stats.special import bdtrc, betaincinv, ndtri

Floats = NDArray[np.float64]
ShareBound = Callable[[ArrayLike, ArrayLike, float], Floats]
Ends = tuple[float, float]

DESIGNS = ("simple", "stratified", "weighted", "prioritised")
Offered = Literal["exact", "midp", "jeffreys", "normal", "beta"]
"""The methods that Python offers by name; the printed one is for replications."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to bound a metric: both ends, each exceeded with chance `tail`."""

    name: str
    title: str
    guaranteed: bool
    binomial_only: bool
    ends: Callable[[Metric, Counts, float], Ends]
    designs: tuple[str, ...] = ("simple",)


def exact_low(successes: ArrayLike, trials: ArrayLike, tail: float) -> Floats:
    """Clopper–Pearson lower bound of a binomial share; 0 without successes.

    >>> float(exact_low(0, 0, 0.05))
    0.0
    """
    k, m = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    bound: Floats = betaincinv(np.maximum(k, 1), m - np.maximum(k, 1) + 1, tail)
    return np.where(k > 0, bound, 0.0)


def midp_low(successes: ArrayLike, trials: ArrayLike, tail: float) -> Floats:
    """Lower bound that counts half of the observed outcome's chance. Not guaranteed."""
    k, m = np.broadcast_arrays(np.asarray(successes), np.asarray(trials))
    low, high = np.zeros(k.shape), np.ones(k.shape)
    for _ in range(60):
        p = (low + high) / 2
        # P(X > k) + ½ P(X = k) is the mean of two upper tails
        chance = (bdtrc(k, m, p) + np.where(k > 0, bdtrc(np.maximum(k, 1) - 1, m, p), 1.0)) / 2
        below = chance < tail
        low, high = np.where(below, p, low), np.where(below, high, p)
    return np.where(k > 0, low, 0.0)


def jeffreys_low(successes: ArrayLike, trials: ArrayLike, tail: float) -> Floats:
    """Lower quantile of the Jeffreys posterior of a binomial share. Not guaranteed."""
    k, m = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    bound: Floats = betaincinv(k + 0.5, m - k + 0.5, tail)
    return np.where(k > 0, bound, 0.0)


def pass_counts(null_share: float, trials: int, tail: float) -> NDArray[np.int64]:
    """Least successes whose exact lower bound reaches the null share, for 0…trials items.

    m + 1 where even m successes do not suffice. Nondecreasing, in steps of 0 or 1.
    """
    m = np.arange(trials + 1)
    low, high = np.zeros(trials + 1, dtype=np.int64), m + 1
    # the normal curve with its correction for skewness mostly knows the answer: it is asked
    # first, then its neighbour, and only what is left is searched by halves
    z = float(ndtri(1 - tail))
    spread = np.sqrt(m * null_share * (1 - null_share))
    skewed = 0.5 + (1 - 2 * null_share) * (z**2 - 1) / 6
    near = np.ceil(m * null_share + z * spread + skewed).astype(np.int64)
    left, asked, neighbour = m, np.clip(near, low, high - 1), True
    while len(left):
        good = _reaches(asked, left, null_share, tail)
        high[left[good]], low[left[~good]] = asked[good], asked[~good] + 1
        left = left[low[left] < high[left]]
        a, b = low[left], high[left]
        asked = np.where(b <= near[left], b - 1, a) if neighbour else (a + b) // 2
        neighbour = False
    return low


def _reaches(
    counts: NDArray[np.int64], m: NDArray[np.int64], null_share: float, tail: float
) -> NDArray[np.bool_]:
    """Whether the exact bound at this many successes of m reaches the share."""
    # it does iff P(X >= k | share) <= tail
    chance = np.where(counts > 0, bdtrc(np.maximum(counts, 1) - 1, m, null_share), 1.0)
    good: NDArray[np.bool_] = chance <= tail
    return good


def _binomial(ratio: Metric) -> BinomialTest:
    test = binomial_test(Claim(metric=ratio.name, side="lower", target=0.5))
    if test is None:
        allowed = ", ".join(m.name for m in METHODS.values() if not m.binomial_only)
        raise InputError(
            f"No binomial bound holds for {ratio.title}: its items have three different gains, so "
            f"the exact, midp and jeffreys bounds do not apply. Approximations that do: {allowed}."
        )
    return test


def _share_ends(bound: ShareBound) -> Callable[[Metric, Counts, float], Ends]:
    def ends(ratio: Metric, counts: Counts, tail: float) -> Ends:
        wins, trials = _binomial(ratio).tally(counts)
        low = float(bound(wins, trials, tail))
        high = 1 - float(bound(trials - wins, trials, tail))
        if ratio.name == "f1":
            return 2 * low / (1 + low), 2 * high / (1 + high)
        return low, high

    return ends


def standard_error(ratio: Metric, counts: Counts) -> float | None:
    """Delta-method standard error with independent predicted classes of known share.

    Source: Bagdouri et al. 2013, appendix A, equation 4, for any ratio of cells; for F1 it is
    the printed one. None where the metric is undefined.
    """
    point = ratio.value(counts.cells)
    if point is None:
        return None
    below = sum(b * c for b, c in zip(ratio.denominator, counts.cells, strict=True))
    slope = [a - point * b for a, b in zip(ratio.numerator, ratio.denominator, strict=True)]
    tp, fp, fn, tn = counts.cells
    spread = 0.0
    for good, bad, difference in ((tp, fp, slope[0] - slope[1]), (fn, tn, slope[2] - slope[3])):
        if good + bad:
            spread += difference**2 * good * bad / (good + bad)
    return float(np.sqrt(spread)) / below


def _normal_ends(*, literal: bool) -> Callable[[Metric, Counts, float], Ends]:
    def ends(ratio: Metric, counts: Counts, tail: float) -> Ends:
        point, error = ratio.value(counts.cells), standard_error(ratio, counts)
        if point is None or error is None:
            return 0.0, 1.0
        if error == 0 or (literal and counts.total < 2):
            raise InputError(
                "The normal approximation has no width here (the sample shows no variation), so it "
                "would claim certainty. Use the exact bound."
            )
        # Eq. 5 as printed divides the variance by n−1 although it already is that of the estimate
        wide = error / np.sqrt(counts.total - 1) if literal else error
        reach = -float(ndtri(tail)) * wide
        return max(0.0, point - reach), min(1.0, point + reach)

    return ends


def _beta_ends(ratio: Metric, counts: Counts, tail: float) -> Ends:
    point = ratio.value(counts.cells)
    if point is None:
        return 0.0, 1.0
    belief = from_pilot(counts)
    low = 0.0 if point == 0 else quantile(ratio, belief, tail)
    high = 1.0 if point == 1 else quantile(ratio, belief, 1 - tail)
    return low, high


METHODS = {
    method.name: method
    for method in (
        Method(
            name="exact",
            title="exact binomial bound (Clopper–Pearson)",
            guaranteed=True,
            binomial_only=True,
            ends=_share_ends(exact_low),
        ),
        Method(
            name="midp",
            title="mid-p binomial bound",
            guaranteed=False,
            binomial_only=True,
            ends=_share_ends(midp_low),
        ),
        Method(
            name="jeffreys",
            title="Jeffreys posterior bound",
            guaranteed=False,
            binomial_only=True,
            ends=_share_ends(jeffreys_low),
        ),
        Method(
            name="normal",
            title="normal approximation (delta method)",
            guaranteed=False,
            binomial_only=False,
            ends=_normal_ends(literal=False),
        ),
        Method(
            name="normal-literal",
            title="normal approximation as printed, for replication only",
            guaranteed=False,
            binomial_only=False,
            ends=_normal_ends(literal=True),
        ),
        Method(
            name="beta",
            title="posterior of two Jeffreys betas",
            guaranteed=False,
            binomial_only=False,
            ends=_beta_ends,
        ),
    )
}


def bound(
    name: str,
    counts: Counts,
    *,
    design: str,
    confidence: float = 0.95,
    side: Side = "lower",
    method: str = "exact",
) -> Estimate:
    """The metric's point estimate and bound from a sample of fixed size.

    Assumes a simple random sample, a classifier fixed before it was drawn, and a size that did
    not depend on the labels. Any other design is refused: the binomial law fails there.

    >>> round(bound("f1", Counts(tp=80, fp=20, fn=20, tn=880), design="simple").interval.low, 4)
    0.7415
    """
    ratio = metric(name)
    chosen = _checked(design, confidence, side, method)
    tail = (1 - confidence) / (2 if side == "both" else 1)
    low, high = chosen.ends(ratio, counts, tail)
    point = ratio.value(counts.cells)
    return Estimate(
        metric=ratio.name,
        title=ratio.title,
        point=point,
        reason=None if point is not None else "no informative item in the sample: no evidence",
        interval=Interval(
            low=0.0 if side == "upper" else low,
            high=1.0 if side == "lower" else high,
            confidence=confidence,
            side=side,
            method=method,
            guaranteed=chosen.guaranteed,
        ),
        labels=counts.total,
        draws=counts.total,
        design=design,
        counts=counts,
        assumptions=_assumptions(chosen),
    )


def _checked(design: str, confidence: float, side: str, method: str) -> Method:
    choice("design", design, DESIGNS)
    open_share("confidence", confidence)
    choice("side", side, ("lower", "upper", "both"))
    chosen = METHODS[choice("method", method, METHODS)]
    if design not in chosen.designs:
        raise InputError(
            f"The {method} bound holds only for a simple random sample, and this one is {design}: "
            "on such samples its coverage falls far below what it promises. Draw a simple random "
            "sample, or use a method made for this design."
        )
    return chosen


def _assumptions(method: Method) -> tuple[str, ...]:
    common = (
        "The items are a simple random sample of the collection.",
        "The classifier and its threshold were fixed before the sample was drawn.",
        "The sample size was fixed before any label was seen.",
    )
    if method.guaranteed:
        return common
    return (
        *common,
        f"The {method.name} bound is an approximation: its confidence is not guaranteed.",
    )
