"""The information geometry of a stratified test: which null is nearest, and where to look.

One idea: a bet against "the claim is false" is a likelihood ratio against the false world that is
hardest to tell from what we believe. Here everything is written for labels that *help* the claim:
stratum k has rate p_k of helpful labels and pull g_k > 0, and the claim is false iff g·t <= need.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assaymark.stats.special import entr, expit, logit

Floats = NDArray[np.float64]

# Newton steps, safeguarded by bisection, end when the pull is met to this share of the total pull.
TOLERANCE = 1e-13
STEPS = 80


@dataclass(frozen=True, kw_only=True)
class Projection:
    """The nearest rates with g·t = need, and the Lagrange multiplier, which is also the stake."""

    rates: Floats
    multiplier: Floats


@dataclass(frozen=True, kw_only=True)
class Saddle:
    """The false world that is hardest to refute, and the sampling that refutes it fastest.

    `speed` is V*: the expected log-wealth per label, the same from every stratum.
    """

    speed: float
    rates: Floats
    sampling: Floats


def lower_to(rates: Floats, *, pull: Floats, sampling: Floats, need: Floats) -> Projection:
    """The rates t with pull·t = need that minimise Σ sampling·KL(rates‖t).

    Every argument is broadcast over leading axes; the last axis of the first three is the strata.

    *Assumes* 0 < need <= pull·rates; strata without items have pull 0 (and any sampling).
    *Source* stationarity of the Lagrangian: with a = λ g/Q, a t² − (a+1) t + p = 0.

    >>> p = np.array([0.5])
    >>> found = lower_to(p, pull=np.ones(1), sampling=np.ones(1), need=np.array(0.25))
    >>> round(float(found.rates[0]), 6), round(float(found.multiplier), 6)
    (0.25, 1.333333)
    """
    ratio = np.divide(pull, sampling, out=np.zeros(np.shape(pull + sampling)), where=sampling > 0)
    # For a > 0, t <= 2p/(1+a), so pull·t <= (2/λ) Σ Q p: a bracket without a search.
    high = 2.0 * np.add.reduce(sampling * rates, axis=-1) / need
    low = np.zeros_like(high)
    stake, before = low, np.full_like(high, np.inf)
    scale = TOLERANCE * np.add.reduce(pull, axis=-1)
    for _ in range(STEPS):
        lean = stake[..., None] * ratio
        root = np.sqrt(np.maximum((lean + 1.0) ** 2 - 4.0 * lean * rates, 1e-300))
        projected = 2.0 * rates / (lean + 1.0 + root)
        met = np.add.reduce(pull * projected, axis=-1)
        excess = met - need
        done = np.abs(excess) <= scale
        if done.all():
            break
        low = np.where(excess > 0, stake, low)
        high = np.where(excess > 0, high, stake)
        slope = np.add.reduce(pull * ratio * projected * (1.0 - projected) / root, axis=-1)
        # Newton on 1/met, which is nearly straight in the stake: p/t = 1 + a(1−t).
        step = stake + excess * met / np.maximum(need * slope, 1e-300)
        # A step that did not halve the excess is followed by a bisection: Newton alone can cycle.
        good = (step > low) & (step < high) & (np.abs(excess) <= 0.5 * before)
        step = np.where(good, step, 0.5 * (low + high))
        stake, before = np.where(done, stake, step), np.abs(excess)
    return Projection(rates=projected, multiplier=stake)


def project(rates: Floats, *, pull: Floats, sampling: Floats, level: Floats) -> Floats:
    """The rates nearest to these with pull·t = level, whether that is up or down.

    *Assumes* 0 < level < Σ pull. Going up is going down with the labels' names exchanged.
    """
    upward = (np.sum(pull * rates, axis=-1) < level)[..., None]
    turned = np.where(upward, 1.0 - rates, rates)
    total = np.sum(pull, axis=-1)
    need = np.where(upward[..., 0], total - level, level)
    projected = lower_to(turned, pull=pull, sampling=sampling, need=need).rates
    return np.where(upward, 1.0 - projected, projected)


def divergence(rates: Floats, other: Floats) -> Floats:
    """KL(rates‖other) between coins, in nats, elementwise."""
    odds = logit(other)
    gap: Floats = -entr(rates) - entr(1.0 - rates) - rates * odds + np.logaddexp(0.0, odds)
    return gap


def rates_below(rates: Floats, *, distance: float, start: Floats | None = None) -> Floats:
    """The log-odds of the t < rates with KL(rates‖t) = distance, elementwise.

    Newton's method in log-odds, where the divergence is convex: after at most one step it comes
    from outside and never overshoots. `start` are log-odds below those of the rates.
    """
    entropy = entr(rates) + entr(1.0 - rates)
    odds = start
    if odds is None:
        odds = logit(rates) - np.sqrt(2.0 * distance / (rates * (1.0 - rates)))
    for _ in range(STEPS):
        gap = np.logaddexp(0.0, odds) - rates * odds - entropy - distance
        step = gap / (rates - expit(odds))
        odds = odds + step
        if np.logical_and.reduce(np.abs(step) <= 1e-10 * (1.0 + np.abs(odds)), axis=None):
            break
    return odds


def saddle(rates: Floats, *, pull: Floats, need: float) -> Saddle:
    """The fastest test of "pull·t <= need" when these rates are true: V*, its null, its sampling.

    At the saddle of max over sampling, min over false worlds, of Σ Q KL(p‖t), every stratum with
    items is at the same distance V*; Q ∝ g t(1−t)/(p−t) makes that world the projection.

    *Assumes* 0 < need < pull·rates and 0 < rates < 1.

    >>> one = saddle(np.array([0.5]), pull=np.ones(1), need=0.25)
    >>> round(one.speed, 6) == round(math.log(4 / 3) / 2, 6)
    True
    """
    live = pull > 0
    p, g = rates[live], pull[live]
    lean = float(np.sum(g * np.sqrt(p * (1.0 - p))))
    low, high = 0.0, math.inf
    root = (float(np.sum(g * p)) - need) / lean / math.sqrt(2.0)  # root = √V, where t is smooth
    odds: Floats | None = None
    t, before = p, math.inf
    for _ in range(STEPS):
        odds = rates_below(p, distance=root * root, start=odds)
        t = expit(odds)
        excess = float(np.add.reduce(g * t)) - need
        low, high = (root, high) if excess > 0 else (low, root)
        slope = 2.0 * root * float(np.add.reduce(g * t * (1.0 - t) / (p - t)))
        step = excess / max(slope, 1e-300)
        proposal = root + step
        if abs(step) <= 1e-9 * root:
            break
        inside = low < proposal < high and abs(excess) <= 0.5 * before
        before = abs(excess)
        root = proposal if inside else (0.5 * (low + high) if high < math.inf else 2.0 * root)
    sampling = np.zeros_like(rates)
    sampling[live] = g * t * (1.0 - t) / (p - t)
    null = rates.copy()
    null[live] = t
    return Saddle(speed=root * root, rates=null, sampling=sampling / sampling.sum())


def ideal_labels(speed: float, *, confidence: float) -> float:
    """The fewest labels any test of power one can use on average: ln(1/α)/V*.

    *Source* Wald's identity and data processing, for draws with replacement.
    """
    return -math.log1p(-confidence) / speed
