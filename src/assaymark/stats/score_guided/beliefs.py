"""What we believe about each stratum's rate of positives: four experts and their track record.

One idea: beliefs steer where to look and how much to stake, never whether the proof holds. So a
bad expert costs labels and nothing else, and the experts that predicted the labels best lead.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assaymark.stats.special import expit, logit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LOWEST, HIGHEST = 1e-5, 1.0 - 1e-4
SLOPE_FLOOR = 0.05


@dataclass(frozen=True, kw_only=True)
class Experts:
    """How many imagined labels each expert's opinion is worth, and how far rates may go.

    `flat` for one half everywhere, `line` for calibrated scores, `scores` for scores as they are;
    the last expert trusts scores more the nearer they are to 0 or 1: `doubt` over the nearer
    distance, at `most` this many.
    """

    flat: float = 1.0
    line: float = 20.0
    scores: float = 100.0
    doubt: float = 0.5
    most: float = 1e4
    lowest: float = LOWEST
    highest: float = HIGHEST


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """A straight line in log-odds from mean score to rate."""

    intercept: float
    slope: float


def fit_calibration(
    odds: Floats, *, labels: Floats, positives: Floats, start: Calibration
) -> Calibration:
    """The most probable line given the labels; intercept ~ N(0, 3²), slope ~ N(1, 1²), >= 0.05.

    Damped Newton steps from `start` on a concave function: the same labels give the same line.
    """
    a, b = start.intercept, start.slope
    height = _posterior(a, b, odds, labels, positives)
    for _ in range(30):
        m = expit(a + b * odds)
        miss = positives - labels * m
        bend = labels * m * (1.0 - m)
        grad_a = float(np.add.reduce(miss)) - a / 9.0
        grad_b = float(np.add.reduce(miss * odds)) - (b - 1.0)
        h_aa = float(np.add.reduce(bend)) + 1.0 / 9.0
        h_ab = float(np.add.reduce(bend * odds))
        h_bb = float(np.add.reduce(bend * odds * odds)) + 1.0
        if b <= SLOPE_FLOOR and h_aa * grad_b <= h_ab * grad_a:
            step_a, step_b = grad_a / h_aa, 0.0
        else:
            area = h_aa * h_bb - h_ab * h_ab
            step_a = (h_bb * grad_a - h_ab * grad_b) / area
            step_b = (h_aa * grad_b - h_ab * grad_a) / area
        if abs(step_a) + abs(step_b) < 1e-7:
            break
        size = 1.0
        for _ in range(20):
            new_a, new_b = a + size * step_a, max(SLOPE_FLOOR, b + size * step_b)
            new_height = _posterior(new_a, new_b, odds, labels, positives)
            if new_height >= height:
                a, b, height = new_a, new_b, new_height
                break
            size *= 0.5
        else:
            break
    return Calibration(intercept=a, slope=b)


def _posterior(a: float, b: float, odds: Floats, labels: Floats, positives: Floats) -> float:
    line = a + b * odds
    fit = float(np.add.reduce(positives * line - labels * np.logaddexp(0.0, line)))
    return fit - a * a / 18.0 - (b - 1.0) ** 2 / 2.0


class Beliefs:
    """Rates of positives per stratum, learnt from labels block by block.

    *Assumes* nothing: validity never depends on it.
    """

    def __init__(self, scores: Floats | None, strata: int, experts: Experts | None = None) -> None:
        self._worth = worth = experts or Experts()
        self.labels = np.zeros(strata, dtype=np.int64)
        self.positives = np.zeros(strata, dtype=np.int64)
        self._scores = None if scores is None else np.clip(scores, worth.lowest, worth.highest)
        self._odds = None if self._scores is None else logit(self._scores)
        self._line = Calibration(intercept=0.0, slope=1.0)
        self._half, self._strengths = np.full(strata, 0.5), self._imagined()
        self._experts = self._predict()
        self._track = np.zeros(len(self._experts))

    def learn(self, labels: Ints, positives: Ints) -> None:
        """Take in a block of labels (counts per stratum): first score the experts, then teach them."""
        log_likelihood = np.log(self._experts) * positives + np.log1p(-self._experts) * (
            labels - positives
        )
        self._track = self._track + log_likelihood.sum(axis=1)
        self.labels = self.labels + labels
        self.positives = self.positives + positives
        self._experts = self._predict()

    def rates(self) -> Floats:
        """The believed rate of positives per stratum: the experts' average by track record."""
        weight = np.exp(self._track - self._track.max())
        mean: Floats = (weight[:, None] * self._experts).sum(axis=0) / weight.sum()
        return mean

    def _predict(self) -> Floats:
        centres = [self._half]
        if self._scores is not None and self._odds is not None:
            self._line = fit_calibration(
                self._odds,
                labels=self.labels.astype(np.float64),
                positives=self.positives.astype(np.float64),
                start=self._line,
            )
            line = expit(self._line.intercept + self._line.slope * self._odds)
            centres += [line, self._scores, self._scores]
        # labels averaged with that number of imagined labels at the centre
        rates = (self._strengths * np.array(centres) + self.positives) / (
            self._strengths + self.labels
        )
        clipped: Floats = np.minimum(np.maximum(rates, self._worth.lowest), self._worth.highest)
        return clipped

    def _imagined(self) -> Floats:
        """How many labels each expert's opinion is worth, per stratum."""
        worth, even = self._worth, np.ones(len(self.labels))
        rows = [worth.flat * even]
        if self._scores is not None:
            nearer = np.minimum(self._scores, 1.0 - self._scores)
            trust = np.minimum(worth.doubt / nearer, worth.most)
            rows += [worth.line * even, worth.scores * even, trust]
        return np.array(rows)
