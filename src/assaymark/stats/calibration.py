"""Scores to probabilities by increasing curves, fitted on labels that are not used for proof.

A bad fit costs yield and never the promise: the curve only says in which order regions are tried.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assaymark.claims.checks import choice
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.stats.labelled_scores import Labelled
from assaymark.stats.special import expit

Floats = NDArray[np.float64]
STEPS = 100
EDGE = 1e-12
TIE_BREAK = 0.01


@dataclass(frozen=True, kw_only=True, eq=False)
class Calibrator:
    """An increasing curve: `at` gives the probability that an item with this score is relevant."""

    name: str
    curve: Callable[[Floats], Floats]

    def at(self, scores: ArrayLike) -> Floats:
        """The probabilities of these scores."""
        return self.curve(np.asarray(scores, dtype=np.float64))


@dataclass(frozen=True, kw_only=True)
class Logistic:
    """The logistic curve expit(slope·(score − centre)/scale + shift)."""

    slope: float
    shift: float
    centre: float
    scale: float

    def __call__(self, scores: Floats) -> Floats:
        """The probabilities of these scores."""
        return np.asarray(expit(self.slope * (scores - self.centre) / self.scale + self.shift))

    @property
    def line(self) -> tuple[float, float]:
        """Slope and intercept of the log-odds as a line over the score."""
        slope = self.slope / self.scale
        return slope, self.shift - slope * self.centre


@dataclass(frozen=True, kw_only=True)
class _Flat:
    """The same probability for every score."""

    level: float

    def __call__(self, scores: Floats) -> Floats:
        return np.full(len(scores), self.level)


@dataclass(frozen=True, kw_only=True)
class _Beta:
    """expit(a·log s − b·log(1 − s) + c), with a and b not negative."""

    a: float
    b: float
    c: float

    def __call__(self, scores: Floats) -> Floats:
        s = np.clip(scores, EDGE, 1 - EDGE)
        return np.asarray(expit(self.a * np.log(s) - self.b * np.log1p(-s) + self.c))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Steps:
    """A rising staircase that a straight logistic curve tilts, so that no two scores tie."""

    scores: Floats
    levels: Floats
    tilt: Callable[[Floats], Floats]

    def __call__(self, scores: Floats) -> Floats:
        flat = np.interp(scores, self.scores, self.levels)
        return np.asarray((1 - TIE_BREAK) * flat + TIE_BREAK * self.tilt(scores))


def platt(data: Labelled) -> Calibrator:
    """Platt's logistic curve, with his smoothed labels, by Newton's method.

    Source: Platt (2000); the stable steps follow Lin, Lin and Weng (2007).
    """
    centre, scale = float(data.scores.mean()), float(data.scores.std())
    x = np.column_stack([(data.scores - centre) / scale, np.ones(data.size)])
    slope, shift = _fit(x, _smoothed(data))
    if slope <= 0:
        raise InputError(
            "Higher scores do not go with relevant items in the labels used for calibration "
            f"(slope {slope:.3g}). If low scores mean relevant, give the negative of the score."
        )
    curve = Logistic(slope=slope, shift=shift, centre=centre, scale=scale)
    return Calibrator(name="platt", curve=curve)


def beta(data: Labelled) -> Calibrator:
    """Kull's beta curve for scores between 0 and 1; falls back to one side where the other bends.

    Source: Kull, Silva Filho and Flach (2017).
    """
    if data.scores.min() < 0 or data.scores.max() > 1:
        raise InputError(
            f"Beta calibration needs scores between 0 and 1, got {data.scores.min():g} to "
            f"{data.scores.max():g}. Use platt or isotonic."
        )
    s = np.clip(data.scores, EDGE, 1 - EDGE)
    columns = {"a": np.log(s), "b": -np.log1p(-s)}
    kept = list(columns)
    while kept:
        x = np.column_stack([*(columns[name] for name in kept), np.ones(data.size)])
        *slopes, shift = _fit(x, _smoothed(data))
        worst = min(range(len(slopes)), key=lambda i: slopes[i])
        if slopes[worst] > 0:
            coefficients = dict(zip(kept, slopes, strict=True))
            curve = _Beta(a=coefficients.get("a", 0.0), b=coefficients.get("b", 0.0), c=shift)
            return Calibrator(name="beta", curve=curve)
        kept.pop(worst)
    raise InputError(
        "Higher scores do not go with relevant items in the labels used for calibration. "
        "If low scores mean relevant, give one minus the score."
    )


def isotonic(data: Labelled) -> Calibrator:
    """The best rising staircase, tilted a little by Platt's curve so that plateaus do not tie."""
    tilt = platt(data)
    scores, inverse, counts = np.unique(data.scores, return_inverse=True, return_counts=True)
    sums = np.bincount(inverse, weights=data.labels.astype(np.float64))
    levels = _pool_adjacent(sums / counts, counts.astype(np.float64))
    return Calibrator(name="isotonic", curve=_Steps(scores=scores, levels=levels, tilt=tilt.curve))


def as_given(scores: ArrayLike) -> Calibrator:
    """The scores as they are, for scores that are meant as probabilities."""
    values = np.asarray(scores, dtype=np.float64)
    if values.min() < 0 or values.max() > 1:
        raise InputError(
            f"Scores from {values.min():g} to {values.max():g} are no probabilities. Calibrate them "
            f"with {option('calibrator', 'platt')}."
        )
    return Calibrator(name="none", curve=np.asarray)


def flat(data: Labelled) -> Calibrator:
    """The share of relevant items for every score: what is left where scores say nothing."""
    return Calibrator(name="flat", curve=_Flat(level=float(data.labels.mean())))


CALIBRATORS: dict[str, Callable[[Labelled], Calibrator]] = {
    "platt": platt,
    "beta": beta,
    "isotonic": isotonic,
}


def calibrate(name: str, data: Labelled) -> Calibrator:
    """The curve of that name, fitted on these labels."""
    return CALIBRATORS[choice("calibrator", name, CALIBRATORS)](data)


def _smoothed(data: Labelled) -> Floats:
    """Platt's targets: not quite 0 and 1, so that separable data give a finite slope."""
    positives = int(data.labels.sum())
    negatives = data.size - positives
    return np.where(data.labels, (positives + 1) / (positives + 2), 1 / (negatives + 2))


def _fit(x: Floats, wanted: Floats) -> list[float]:
    """Coefficients of the logistic curve nearest to these targets, by damped Newton steps."""
    weights = np.zeros(x.shape[1])
    loss = _loss(x, wanted, weights)
    for _ in range(STEPS):
        p = expit(x @ weights)
        slope = x.T @ (p - wanted)
        bend = (x * (p * (1 - p))[:, None]).T @ x + 1e-10 * np.eye(x.shape[1])
        move = np.linalg.solve(bend, slope)
        size = 1.0
        while size > 1e-6 and _loss(x, wanted, weights - size * move) > loss:
            size /= 2
        weights = weights - size * move
        before, loss = loss, _loss(x, wanted, weights)
        if before - loss < 1e-12 * (1 + abs(loss)):
            break
    return [float(weight) for weight in weights]


def _loss(x: Floats, wanted: Floats, weights: Floats) -> float:
    z = x @ weights
    return float((np.logaddexp(0, z) - wanted * z).sum())


def _pool_adjacent(levels: Floats, weights: Floats) -> Floats:
    """Least-squares rising values: neighbours that fall are pooled until none does."""
    means: list[float] = []
    sizes: list[float] = []
    spans: list[int] = []
    for level, weight in zip(levels.tolist(), weights.tolist(), strict=True):
        span = 1
        while means and means[-1] >= level:
            mean, size = means.pop(), sizes.pop()
            level = (mean * size + level * weight) / (size + weight)
            weight += size
            span += spans.pop()
        means.append(level)
        sizes.append(weight)
        spans.append(span)
    return np.repeat(np.array(means), spans)
