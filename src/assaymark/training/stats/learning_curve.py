"""How good a classifier is and will be, from the looks taken while it was trained.

One idea: a look is a noisy reading of z = logit(metric), and z(r) = A − B·(r/1000)^−c climbs and
levels off. Looks share their labels, so their errors are one random walk: a later look contains
the earlier one. For each c the rest is Gaussian and in closed form; c is weighed by how well it
explains the looks. This is belief, used for advice; no guarantee depends on it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import Metric, metric
from assaymark.records.training import TrainingLook
from assaymark.stats.special import expit, logit, ndtr

Floats = NDArray[np.float64]

POWERS = np.array([0.15, 0.3, 0.5, 0.75, 1.0])
# The prior, in log-odds: where the curve ends above the target, and how far it is below at 1,000.
# A narrower end pulled the belief about easy claims towards the target: see decision 21.
END, END_SPREAD = 0.4, 1.0
CLIMB, CLIMB_SPREAD = 0.4, 0.2
OPTIMISM = 0.03  # of cross-validation and calibrated scores together
SHARED, OWN = 0.75, 0.4  # of a simple sample's variance: what looks share, what each adds (of that)
TRAINED_ON = 0.9  # share of the labels that cross-validated classifiers are trained on
INDIVIDUAL = 0.05  # spread of single classifiers around the curve
SPACING = 1.1
LARGEST = 1e6  # labels at which a curve is taken to have ended


@dataclass(frozen=True, kw_only=True, eq=False)
class Belief:
    """A mixture of Gaussians for z = logit(metric)."""

    weights: Floats
    means: Floats
    spreads: Floats

    @property
    def mean(self) -> float:
        """The mean of z."""
        return float(self.weights @ self.means)

    @property
    def variance(self) -> float:
        """The variance of z."""
        second = self.weights @ (self.spreads**2 + self.means**2)
        return max(float(second) - self.mean**2, 1e-12)

    def chance_above(self, value: float) -> float:
        """The chance that the metric exceeds this value."""
        z = float(logit(value))
        return float(self.weights @ ndtr((self.means - z) / self.spreads))

    def quantile(self, chance: float) -> float:
        """The metric that is exceeded with chance 1 − `chance`."""
        low, high = (float(end) for end in (
            (self.means - 9 * self.spreads).min(), (self.means + 9 * self.spreads).max()
        ))  # fmt: skip
        for _ in range(60):
            middle = (low + high) / 2
            below = float(self.weights @ ndtr((middle - self.means) / self.spreads))
            low, high = (middle, high) if below < chance else (low, middle)
        return float(expit((low + high) / 2))


@dataclass(frozen=True, kw_only=True, eq=False)
class LearningCurve:
    """What the looks say about the curve: for every power, its weight and the law of (A, B)."""

    weights: Floats
    means: Floats
    covariances: Floats
    labels: int

    def at(self, labels: float) -> Belief:
        """The belief about a classifier trained on this many labels."""
        climb = -((max(labels, 1.0) / 1000) ** -POWERS)
        rows = np.stack([np.ones_like(climb), climb], axis=1)
        variance = np.einsum("ki,kij,kj->k", rows, self.covariances, rows)
        return Belief(
            weights=self.weights,
            means=np.einsum("ki,ki->k", rows, self.means),
            spreads=np.sqrt(np.maximum(variance, 0.0) + INDIVIDUAL**2),
        )

    @property
    def now(self) -> Belief:
        """The belief about the classifier of the last look."""
        return self.at(self.labels)

    @property
    def end(self) -> Belief:
        """The belief about a classifier with labels without number."""
        return self.at(LARGEST)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One look as a number: z and the variance that a simple sample would have."""

    z: float
    variance: float


def expected_cells(look: TrainingLook) -> Floats:
    """The confusion matrix of the collection as the calibrated scores see it."""
    totals = {True: 0.0, False: 0.0}
    items = {True: 0, False: 0}
    for band in look.bands:
        totals[band.predicted] += band.expected
        items[band.predicted] += band.items
    return np.array(
        [totals[True], items[True] - totals[True], totals[False], items[False] - totals[False]]
    )


def reading(look: TrainingLook, claim: Claim) -> Reading:
    """The mean of what cross-validation and the calibrated scores say, less their optimism."""
    ratio = metric(claim.metric)
    cells = expected_cells(look)
    cells = np.maximum(cells / cells.sum() * look.random, 1e-3)
    crossed = _log_odds(ratio, np.array(look.counts.cells, dtype=np.float64))
    z = (crossed + _log_odds(ratio, cells)) / 2 - OPTIMISM
    return Reading(z=z, variance=_variance(ratio, cells))


def _weights(ratio: Metric) -> tuple[Floats, Floats]:
    above = np.array(ratio.numerator, dtype=np.float64)
    return above, np.array(ratio.denominator, dtype=np.float64) - above


def _log_odds(ratio: Metric, cells: Floats) -> float:
    success, failure = _weights(ratio)
    top = success @ cells + success.max() / 2
    return math.log(top / (failure @ cells + 0.5))


def _variance(ratio: Metric, cells: Floats) -> float:
    success, failure = _weights(ratio)
    wins, losses = success @ cells, failure @ cells
    return float(success**2 @ cells / wins**2 + failure**2 @ cells / losses**2)


def spaced(looks: Sequence[TrainingLook]) -> list[TrainingLook]:
    """Looks at least a tenth apart in size, counted back from the last: others add next to nothing."""
    kept: list[TrainingLook] = []
    for look in reversed(looks):
        if not kept or look.labels * SPACING <= kept[-1].labels + 1e-9:
            kept.append(look)
    return kept[::-1]


def learning_curve(looks: Sequence[TrainingLook], claim: Claim) -> LearningCurve:
    """The posterior of the curve after these looks.

    *Source* Bayesian linear regression for each power; the powers weighed by marginal likelihood.
    """
    used = spaced(looks)
    readings = [reading(look, claim) for look in used]
    z = np.array([one.z for one in readings])
    # a later look cannot be noisier than the earlier one it contains
    shared = SHARED * np.minimum.accumulate([one.variance for one in readings])
    noise = shared[np.maximum.outer(np.arange(len(used)), np.arange(len(used)))]
    noise = noise + np.diag(OWN * shared)
    sizes = np.array([TRAINED_ON * look.labels / 1000 for look in used])
    prior_mean = np.array([float(logit(claim.target)) + END, CLIMB])
    prior = np.diag([END_SPREAD**2, CLIMB_SPREAD**2])
    logs, means, covariances = [], [], []
    for power in POWERS:
        rows = np.stack([np.ones_like(sizes), -(sizes**-power)], axis=1)
        total = rows @ prior @ rows.T + noise
        gap = z - rows @ prior_mean
        gain = np.linalg.solve(total, rows @ prior).T
        means.append(prior_mean + gain @ gap)
        covariances.append(prior - gain @ rows @ prior)
        _, size = np.linalg.slogdet(total)
        logs.append(-0.5 * (gap @ np.linalg.solve(total, gap) + size))
    weights = np.exp(np.array(logs) - max(logs))
    return LearningCurve(
        weights=weights / weights.sum(),
        means=np.array(means),
        covariances=np.array(covariances),
        labels=used[-1].labels,
    )
