"""Bets of sentinels: has a certified metric fallen below its bar, over all items since, or lately?

A bar on accuracy, precision, recall or F1 is a line in the four counts: with d per item, Σ d ≤ 0
exactly when the bar is kept. A unit's items are drawn by strata inside each predicted class, and
its excess is the unbiased sum over strata of (items/draws)·Σ d, divided by what it can be at the
least. So the alarms of units hold for it, with the same proof. The null is about all items of a
window together; it is never the mean of weekly figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.checks import choice, open_share
from assaymark.errors import InputError
from assaymark.stats.sequential.unit_alarm import AlarmRule, wealth_path

Floats = NDArray[np.float64]
METRICS = ("accuracy", "f1", "precision", "recall")
STAKES = (0.02, 0.05, 0.15, 0.4, 0.9)


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A certified lower bar on a metric, and what an item of each kind adds beyond it."""

    metric: str
    target: float

    def __post_init__(self) -> None:
        choice("metric", self.metric, METRICS)
        open_share("target", self.target)

    @property
    def cells(self) -> tuple[float, float, float, float]:
        """What a true positive, false positive, false negative and true negative add."""
        t = self.target
        lines = {
            "accuracy": (-(1 - t), t, t, -(1 - t)),
            "f1": (-2 * (1 - t), t, t, 0.0),
            "precision": (-(1 - t), t, 0.0, 0.0),
            "recall": (-(1 - t), 0.0, t, 0.0),
        }
        return lines[self.metric]

    def least(self, positives: int, items: int) -> float:
        """How far below 0 a unit can sum at most, with this many predicted positives and items."""
        amount = items if self.metric == "accuracy" else positives
        return -self.cells[0] * amount


@dataclass(frozen=True, kw_only=True)
class StratumSeen:
    """A stratum of a unit: its size today, and how many of its draws were relevant, not, or unclear."""

    predicted: bool
    items: int
    relevant: int
    irrelevant: int
    unclear: int = 0

    @property
    def draws(self) -> int:
        """How many were drawn, all of them answered."""
        return self.relevant + self.irrelevant + self.unclear


def unit_excess(
    strata: Sequence[StratumSeen], bar: Bar, *, largest: float, doubt: bool = False
) -> float:
    """How far a unit lies beyond the bar, at least −1; `largest` is `bar.least` of the largest unit.

    Unclear items count in the classifier's favour, or with `doubt` against it.
    """
    tp, fp, fn, tn = bar.cells
    total = 0.0
    for stratum in strata:
        good, bad = (tp, fp) if stratum.predicted else (tn, fn)
        if not stratum.items or (good == bad == 0):
            continue
        if not stratum.draws:
            raise InputError("Every stratum that counts needs at least one draw.")
        right = stratum.relevant if stratum.predicted else stratum.irrelevant
        wrong = stratum.draws - right - (0 if doubt else stratum.unclear)
        total += stratum.items / stratum.draws * (wrong * bad + (stratum.draws - wrong) * good)
    excess = total / largest
    if excess < -1 - 1e-9:
        raise InputError("This unit is larger than the largest one that was sealed.")
    return max(excess, -1.0)


@dataclass(frozen=True, kw_only=True)
class Fall:
    """How long sentinels need to notice that a metric lies so far below its bar, in units.

    `claim` names the bar where several are watched.
    """

    fall: float
    level: float
    median: float | None
    nine_of_ten: float | None
    claim: str | None = None


@dataclass(frozen=True, kw_only=True)
class UnitPlan:
    """A typical unit: items and draws of the predicted positives, and of strata of the others."""

    positives: int
    others: tuple[int, ...]
    draws: tuple[int, ...]


def expected_falls(
    bar: Bar, unit: UnitPlan, rule: AlarmRule, *, largest: float, rng: np.random.Generator,
    falls: Sequence[float] = (0.05, 0.10, 0.15), before: int = 30, horizon: int = 120, runs: int = 100,
) -> tuple[Fall, ...]:  # fmt: skip
    """Units from a fall to the alarm, by simulation; None where it is not noticed in the horizon.

    `before` units lie .05 above the bar. Precision and recall move alike (accuracy: errors on both
    sides alike), and four fifths of the misses lie in the first stratum of predicted negatives.
    """
    delays = []
    items = np.full(before + horizon, unit.positives + sum(unit.others))
    for fall in falls:
        level = round(bar.target - fall, 12)
        if level <= 0:
            continue
        good = min(bar.target + 0.05, (1 + bar.target) / 2)
        levels = np.where(np.arange(before + horizon) < before, good, level)
        bets = np.stack(
            [simulated_excess(bar, unit, float(m), largest, runs, rng) for m in levels], axis=1
        )
        rang = wealth_path(bets, items, rule) >= rule.needed
        first = np.where(rang.any(axis=1), rang.argmax(axis=1) + 1.0, np.inf) - before
        middle, late = np.quantile(first, [0.5, 0.9], method="higher")
        delays.append(Fall(fall=fall, level=level, median=_known(middle), nine_of_ten=_known(late)))
    return tuple(delays)


def _known(value: float) -> float | None:
    return float(max(value, 0)) if np.isfinite(value) else None


def simulated_excess(
    bar: Bar, unit: UnitPlan, level: float, largest: float, runs: int, rng: np.random.Generator,
    precision: float | None = None,
) -> Floats:  # fmt: skip
    """The excess of one unit at this level of the metric, in every run.

    `precision` is that of the unit where it does not move with the metric.
    """
    tp, fp, fn, tn = bar.cells
    sizes = (unit.positives, *unit.others)
    rates = _error_rates(bar, unit, level, level if precision is None else precision)
    total = np.zeros(runs)
    for number, (size, draws, rate) in enumerate(zip(sizes, unit.draws, rates, strict=True)):
        good, bad = (tp, fp) if number == 0 else (tn, fn)
        if not size or not draws:
            continue
        wrong = rng.binomial(draws, rate, runs)
        total += size / draws * (wrong * bad + (draws - wrong) * good)
    return np.maximum(total / largest, -1.0)


def _error_rates(bar: Bar, unit: UnitPlan, level: float, precision: float) -> list[float]:
    if bar.metric == "accuracy":
        return [1 - level] * (1 + len(unit.others))
    right = unit.positives * precision
    missed = right * (1 - level) / level if bar.metric != "precision" else 0.0
    shares = (0.8, 0.2) if len(unit.others) == 2 else (1.0,)
    rates = [
        min(1.0, missed * s / n) if n else 0.0 for s, n in zip(shares, unit.others, strict=True)
    ]
    return [1 - precision, *rates]
