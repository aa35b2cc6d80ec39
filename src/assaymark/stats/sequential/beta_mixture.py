"""Mode S, "anytime": evidence under simple random sampling that may be looked at at any time.

One idea: a bettor who bets on every informative item at the null share cannot expect to gain. So
wealth e >= 1/(1 − confidence), at any time at all, is a surprise of at most 1 − confidence. Our
bettor averages over shares above the null, weighted by one beta distribution.
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from assaymark.claims.checks import count, open_share
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.errors import InputError
from assaymark.stats.sequential.stopping_boundary import (
    Belief,
    Boundary,
    FloatArray,
    Stopping,
    frozen,
    null_share_of,
    stopping,
    successes_after,
)
from assaymark.stats.sequential.truncated_beta import log_tail_mass

STRENGTH = 100.0
JEFFREYS = Belief(successes=0.5, failures=0.5)
# What is given back is a refuted share at most 2⁻³⁶ below the greatest one.
BISECTIONS = 36


@dataclass(frozen=True, kw_only=True)
class MixtureRule:
    """Where the mixture of a claim is aimed and what it weighs.

    The aim lies `step` beyond the target, but at most one `part`-th of the way to the end.
    """

    strength: float = STRENGTH
    step: float = 0.05
    part: float = 3.0


USUAL = MixtureRule()


@dataclass(frozen=True, kw_only=True)
class MixtureTest:
    """The test that the share of successes is above `null_share`, valid at any stopping time.

    The prior is Beta centred on `alternative_share` with the weight of `strength` items,
    truncated to shares above the null. Without the truncation the bettor would also be paid for
    shares *below* the null, and F1 = 0.6 would be certified at 0.7.
    """

    null_share: float
    alternative_share: float
    confidence: float
    strength: float = STRENGTH

    def __post_init__(self) -> None:
        open_share("null_share", self.null_share)
        open_share("alternative_share", self.alternative_share)
        open_share("confidence", self.confidence)
        if not self.alternative_share > self.null_share:
            raise InputError(
                f"'alternative_share' must be above the null share {self.null_share:g}, got "
                f"{self.alternative_share!r}. It is the share at which passing should be quick."
            )
        if not (math.isfinite(self.strength) and self.strength > 0):
            raise InputError(f"'strength' must be a number above 0, got {self.strength!r}.")

    @property
    def prior(self) -> Belief:
        """The beta distribution before truncation; its first parameter is never below 1.

        Below 1 its hazard would not be increasing, and the confidence sequence could then
        contradict the test (see `lower_share`). This matters for shares under 0.01 only.
        """
        weight = max(self.strength, 1 / self.alternative_share)
        share = self.alternative_share
        return Belief(successes=weight * share, failures=weight * (1 - share))

    @property
    def log_threshold(self) -> float:
        """The log evidence from which the test passes: log 1/(1 − confidence)."""
        return -math.log1p(-self.confidence)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What a path of informative items, read in draw order, says about the test."""

    test: MixtureTest
    successes: int
    failures: int
    log_evidence: float
    best: float
    passed_at: int | None

    @property
    def items(self) -> int:
        """Informative items read."""
        return self.successes + self.failures

    @property
    def passed(self) -> bool:
        """Whether the evidence reached the threshold after any item so far."""
        return self.passed_at is not None

    @property
    def p_value(self) -> float:
        """The smallest error level at which the path has passed; it may be read at any time."""
        return math.exp(-max(0.0, self.best))

    def __str__(self) -> str:
        outcome = f"passed after {self.passed_at}" if self.passed else "has not passed"
        return (
            f"{outcome}: {self.successes} successes among {self.items} informative items, "
            f"anytime p = {self.p_value:.3g} (share > {self.test.null_share:.4g})"
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class EvidencePath:
    """Log evidence after 0, 1, 2, … informative items, and the most it has been until then."""

    test: MixtureTest
    log_evidence: FloatArray
    best: FloatArray


@dataclass(frozen=True, kw_only=True)
class AnytimeBound:
    """The bound on the metric that holds at every look at once.

    `passed` and "`value` meets the claim's target" are the same statement.
    """

    claim: Claim
    confidence: float
    share: float
    value: float
    passed: bool

    def __str__(self) -> str:
        sign = ">=" if self.claim.side == "lower" else "<="
        return f"{self.claim.metric} {sign} {self.value:.4f} with {self.confidence:.0%} confidence"


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """The chance to pass within a budget, given what was seen. Advice: it costs no confidence."""

    chance: float
    budget: int
    floor: float = 0.05

    @property
    def hopeless(self) -> bool:
        """Whether labelling on is more likely than not a waste: the chance is under the floor."""
        return self.chance < self.floor


def mixture_test(claim: Claim, *, confidence: float, rule: MixtureRule = USUAL) -> MixtureTest:
    """The test of a claim, aimed at a metric somewhat better than the target.

    The aim is target + min(0.05, (1 − target)/3, target), for an upper claim target − min(0.05,
    target/3, 1 − target), on the metric's own scale; then it becomes a share of successes as
    the target does. The last term matters for rare things only: proving a prevalence of 0.001
    should not wait for 0.051.

    >>> claim = Claim(metric="f1", side="lower", target=0.7)
    >>> round(mixture_test(claim, confidence=0.95).alternative_share, 3)
    0.6
    """
    if claim.side == "lower":
        aim = claim.target + min(rule.step, (1 - claim.target) / rule.part, claim.target)
    else:
        aim = claim.target - min(rule.step, claim.target / rule.part, 1 - claim.target)
    return MixtureTest(
        null_share=null_share_of(claim),
        alternative_share=null_share_of(replace(claim, target=aim)),
        confidence=confidence,
        strength=rule.strength,
    )


def log_evidence(test: MixtureTest, successes: ArrayLike, failures: ArrayLike) -> FloatArray:
    """Log e for these counts of informative items, element by element.

    e is the mean of (share/null)^successes · ((1−share)/(1−null))^failures over the prior.
    Assumes: independent informative items. Source: Robbins (1970), the mixture likelihood ratio;
    Ville (1939) for the threshold 1/(1 − confidence).

    >>> test = MixtureTest(null_share=0.5, alternative_share=0.6, confidence=0.95)
    >>> log_evidence(test, [0, 60], [0, 40]).round(3).tolist()
    [0.0, 1.686]
    """
    return _log_evidence(test, np.asarray(successes), np.asarray(failures), test.null_share)


def evidence_at(
    test: MixtureTest, successes: int, failures: int, null_shares: ArrayLike
) -> FloatArray:
    """Log e for these counts at each of these null shares, by the test's own prior."""
    return _log_evidence(test, successes, failures, np.asarray(null_shares, dtype=np.float64))


def _log_evidence(
    test: MixtureTest, successes: ArrayLike, failures: ArrayLike, null: ArrayLike
) -> FloatArray:
    s, f, x = np.broadcast_arrays(
        np.asarray(successes, dtype=np.float64),
        np.asarray(failures, dtype=np.float64),
        np.asarray(null, dtype=np.float64),
    )
    before = np.asarray(null, dtype=np.float64)
    nothing = np.zeros_like(before)
    return log_tail_mass(test.prior, s, f, x) - log_tail_mass(test.prior, nothing, nothing, before)


def evidence_path(test: MixtureTest, wins: ArrayLike) -> EvidencePath:
    """Log evidence after every informative item in draw order, and its running maximum.

    For given labels the maximum never falls. A corrected label makes another path, on which it
    may be lower.
    """
    successes = successes_after(wins)
    log_e = log_evidence(test, successes, np.arange(len(successes)) - successes)
    log_e[0] = 0.0
    best = np.maximum.accumulate(log_e)
    return EvidencePath(test=test, log_evidence=frozen(log_e), best=frozen(best))


def evidence(test: MixtureTest, wins: ArrayLike) -> Evidence:
    """What the whole path says: counts, evidence now, the best so far, and where it passed."""
    path = evidence_path(test, wins)
    crossed = np.flatnonzero(path.log_evidence >= test.log_threshold)
    successes = int(np.asarray(wins).sum())
    return Evidence(
        test=test,
        successes=successes,
        failures=len(path.best) - 1 - successes,
        log_evidence=float(path.log_evidence[-1]),
        best=float(path.best[-1]),
        passed_at=int(crossed[0]) if crossed.size else None,
    )


def lower_share_path(test: MixtureTest, wins: ArrayLike) -> FloatArray:
    """Lower bounds for the share of successes after 0, 1, 2, … items, which hold all at once.

    After each item: the greatest null share that the evidence refutes, by the plan's own prior
    truncated at that null; then the running maximum. The bound is at least `null_share` exactly
    where the test has passed.

    Why it is a confidence sequence: the prior's hazard is increasing (its first parameter is at
    least 1) and the log likelihood is concave, so if a null is refuted every smaller one is too.
    The bound exceeds the true share only if the true share itself was refuted. The certificate
    depends on that one statement, evidence >= 1/(1 − confidence) at the claim's null share; the
    bound is the same statement for all nulls at once.
    """
    successes = successes_after(wins)
    refuted = _refuted(test, successes, np.arange(len(successes)) - successes)
    return frozen(np.maximum.accumulate(refuted))


def lower_share(test: MixtureTest, wins: ArrayLike) -> float:
    """The last value of `lower_share_path`, without computing the others."""
    successes = successes_after(wins)
    failures = np.arange(len(successes)) - successes
    pivots = [int(np.argmax(log_evidence(test, successes, failures))), len(successes) - 1]
    best = float(_refuted(test, successes[pivots], failures[pivots]).max())
    if best == 0.0:
        return float(_refuted(test, successes, failures).max())
    # only prefixes that refute the pivots' bound as well can have a higher one
    better = np.flatnonzero(
        _log_evidence(test, successes, failures, best) >= test.log_threshold - 1e-9
    )
    return max(best, float(_refuted(test, successes[better], failures[better]).max(initial=0.0)))


def _refuted(test: MixtureTest, successes: ArrayLike, failures: ArrayLike) -> FloatArray:
    """The greatest refuted null share for each pair of counts; 0 where there is none."""
    s, f = np.asarray(successes), np.asarray(failures)
    passed = log_evidence(test, s, f) >= test.log_threshold
    low = np.where(passed, test.null_share, 0.0)
    high = np.where(passed, 1.0, test.null_share)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        refuted = _log_evidence(test, s, f, middle) >= test.log_threshold
        low, high = np.where(refuted, middle, low), np.where(refuted, high, middle)
    # without a success nothing is refuted; and the test itself has the last word at its own null
    below = np.minimum(low, np.nextafter(test.null_share, 0))
    return np.where(s == 0, 0.0, np.where(passed, low, below))


def metric_at(claim: Claim, share: float) -> float:
    """The metric at which successes are this share of the informative items.

    >>> round(metric_at(Claim(metric="f1", side="lower", target=0.7), 0.6), 4)
    0.75
    """
    value = share if claim.side == "lower" else 1 - share
    return 2 * value / (1 + value) if metric(claim.metric).name == "f1" else value


def anytime_bound(
    claim: Claim, wins: ArrayLike, *, confidence: float, rule: MixtureRule = USUAL
) -> AnytimeBound:
    """The bound on the claim's metric after these informative items, whenever one looks."""
    test = mixture_test(claim, confidence=confidence, rule=rule)
    share = lower_share(test, wins)
    passed = share >= test.null_share
    value, target = metric_at(claim, share), claim.target
    # the way to shares and back may move the last digit, which must not contradict the test
    if claim.side == "lower":
        value = max(value, target) if passed else min(value, math.nextafter(target, 0))
    else:
        value = min(value, target) if passed else max(value, math.nextafter(target, 1))
    return AnytimeBound(claim=claim, confidence=confidence, share=share, value=value, passed=passed)


@lru_cache(maxsize=16)
def mixture_boundary(test: MixtureTest, horizon: int) -> Boundary:
    """The least successes that pass after each number of informative items up to the horizon.

    The evidence grows with each success in place of a failure, so one count per size is enough.
    """
    items = np.arange(count("horizon", horizon) + 1)
    # at or below the null share the evidence is at most 1, so the search starts above it
    low = np.floor(items * test.null_share).astype(np.int64)
    high = items + 1
    while (high - low > 1).any():
        middle = np.minimum((low + high) // 2, items)
        passes = log_evidence(test, middle, items - middle) >= test.log_threshold
        low, high = (
            np.where(passes | (high - low <= 1), low, middle),
            np.where(passes & (high - low > 1), middle, high),
        )
    least = np.where(high > items, horizon + 1, high)
    return Boundary(least=frozen(least))


def items_to_pass(test: MixtureTest, *, share: float, horizon: int) -> Stopping:
    """When the test passes if successes truly have this share: mean, median, any quantile."""
    return stopping(mixture_boundary(test, horizon), open_share("share", share))


def false_acceptance(test: MixtureTest, *, horizon: int) -> float:
    """The exact chance to pass within the horizon when the share is the null share."""
    return items_to_pass(test, share=test.null_share, horizon=horizon).passes


def outlook(test: MixtureTest, *, successes: int, failures: int, budget: int) -> Outlook:
    """The chance to pass by the time `budget` informative items are seen, from these counts on.

    The share is believed to be Beta(successes + ½, failures + ½). Stopping because of this
    advice can only lose a pass, never gain one, so it costs no confidence.
    """
    ahead = stopping(
        mixture_boundary(test, budget), JEFFREYS, successes=successes, failures=failures
    )
    return Outlook(chance=ahead.passes, budget=budget)
