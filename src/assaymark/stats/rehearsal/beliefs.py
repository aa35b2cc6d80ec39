"""Beliefs and opinions of many runs at once, with an axis for runs.

Those of `stats.score_guided.beliefs`, the four experts, and of `stats.betting.opinions`.
"""

import copy

import numpy as np

from assaymark.stats.betting.opinions import LOWEST, STRENGTHS
from assaymark.stats.score_guided.beliefs import SLOPE_FLOOR, Experts
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.wealth import Flags, Ints
from assaymark.stats.special import expit, logit

STEPS, HALVINGS = 30, 20


class ManyBeliefs:
    """Rates of positives per run and stratum."""

    def __init__(self, scores: Floats | None, *, runs: int, strata: int, experts: Experts) -> None:
        self._worth = experts
        self.labels = np.zeros((runs, strata))
        self.positives = np.zeros((runs, strata))
        self._scores = None if scores is None else np.clip(scores, experts.lowest, experts.highest)
        self._odds = None if self._scores is None else logit(self._scores)
        self._line = np.tile([0.0, 1.0], (runs, 1))
        self._experts = self._predict(np.arange(runs))
        self._track = np.zeros((runs, self._experts.shape[1]))

    def copy(self) -> "ManyBeliefs":
        """Beliefs of their own that learn on from here."""
        twin = copy.copy(self)
        twin.keep(np.ones(len(self.labels), dtype=np.bool_))
        return twin

    def keep(self, runs: Flags) -> None:
        """Forget the other runs."""
        for name in ("labels", "positives", "_line", "_experts", "_track"):
            setattr(self, name, getattr(self, name)[runs])

    def learn(self, runs: Ints, labels: Floats, positives: Floats) -> None:
        """Take in a block of these runs: first score the experts, then teach them."""
        known = self._experts[runs]
        counts, hits = labels[:, None, :], positives[:, None, :]
        self._track[runs] += (np.log(known) * hits + np.log1p(-known) * (counts - hits)).sum(axis=2)
        self.labels[runs] += labels
        self.positives[runs] += positives
        self._experts[runs] = self._predict(runs)

    def rates(self, runs: Ints) -> Floats:
        """The believed rate of positives per stratum: the experts' average by track record."""
        track = self._track[runs]
        weight = np.exp(track - track.max(axis=1, keepdims=True))
        total = (weight[:, :, None] * self._experts[runs]).sum(axis=1)
        mean: Floats = total / weight.sum(axis=1, keepdims=True)
        return mean

    def calibrated(self, runs: Ints) -> Floats:
        """The rates that the calibration line gives the scores."""
        line = self._line[runs]
        rates: Floats = expit(line[:, :1] + line[:, 1:] * self._odds)
        return rates

    def _predict(self, runs: Ints) -> Floats:
        worth = self._worth
        half = np.full(self.labels[runs].shape, 0.5)
        rows = [self._shrunk(runs, half, worth.flat)]
        if self._scores is not None and self._odds is not None:
            self._line[runs] = fit_lines(
                self._odds, self.labels[runs], self.positives[runs], self._line[runs]
            )
            raw = np.broadcast_to(self._scores, half.shape)
            trust = np.minimum(worth.doubt / np.minimum(raw, 1.0 - raw), worth.most)
            rows.append(self._shrunk(runs, self.calibrated(runs), worth.line))
            rows.append(self._shrunk(runs, raw, worth.scores))
            rows.append(self._shrunk(runs, raw, trust))
        return np.stack(rows, axis=1)

    def _shrunk(self, runs: Ints, centre: Floats, strength: float | Floats) -> Floats:
        rate = (strength * centre + self.positives[runs]) / (strength + self.labels[runs])
        return np.clip(rate, self._worth.lowest, self._worth.highest)


def fit_lines(odds: Floats, labels: Floats, positives: Floats, start: Floats) -> Floats:
    """The most probable line of every run: `fit_calibration` with an axis for runs."""
    line = start.copy()
    height = _posterior(line, odds, labels, positives)
    going = np.arange(len(line))
    for _ in range(STEPS):
        step = _newton(line[going], odds, labels[going], positives[going])
        moves = np.abs(step).sum(axis=1) >= 1e-7
        going, step = going[moves], step[moves]
        if len(going) == 0:
            break
        better = _climb(line, height, going, step, odds, labels, positives)
        going = going[better]
    return line


def _newton(line: Floats, odds: Floats, labels: Floats, positives: Floats) -> Floats:
    a, b = line[:, 0], line[:, 1]
    m = expit(line[:, :1] + line[:, 1:] * odds)
    miss, bend = positives - labels * m, labels * m * (1.0 - m)
    grad_a, grad_b = miss.sum(axis=1) - a / 9.0, (miss * odds).sum(axis=1) - (b - 1.0)
    h_aa, h_ab = bend.sum(axis=1) + 1.0 / 9.0, (bend * odds).sum(axis=1)
    h_bb = (bend * odds * odds).sum(axis=1) + 1.0
    area = h_aa * h_bb - h_ab * h_ab
    flat = (b <= SLOPE_FLOOR) & (h_aa * grad_b <= h_ab * grad_a)
    step_a = np.where(flat, grad_a / h_aa, (h_bb * grad_a - h_ab * grad_b) / area)
    step_b = np.where(flat, 0.0, (h_aa * grad_b - h_ab * grad_a) / area)
    return np.stack([step_a, step_b], axis=1)


def _climb(
    line: Floats,
    height: Floats,
    going: Ints,
    step: Floats,
    odds: Floats,
    labels: Floats,
    positives: Floats,
) -> Flags:
    """Move each line along its step, halved until it is no worse; who found such a place."""
    better = np.zeros(len(going), dtype=np.bool_)
    size = 1.0
    for _ in range(HALVINGS):
        left = np.flatnonzero(~better)
        if len(left) == 0:
            break
        runs = going[left]
        moved = line[runs] + size * step[left]
        moved[:, 1] = np.maximum(SLOPE_FLOOR, moved[:, 1])
        reached = _posterior(moved, odds, labels[runs], positives[runs])
        good = reached >= height[runs]
        line[runs[good]], height[runs[good]] = moved[good], reached[good]
        better[left[good]] = True
        size *= 0.5
    return better


def _posterior(line: Floats, odds: Floats, labels: Floats, positives: Floats) -> Floats:
    a, b = line[:, 0], line[:, 1]
    at = line[:, :1] + line[:, 1:] * odds
    fit = (positives * at - labels * np.logaddexp(0.0, at)).sum(axis=1)
    log_posterior: Floats = fit - a * a / 18.0 - (b - 1.0) ** 2 / 2.0
    return log_posterior


class ManyOpinions:
    """Believed shares of every outcome per run and stratum; everybody can tell every label."""

    def __init__(self, prior: Floats | None, *, runs: int, strata: int, outcomes: int) -> None:
        self._pair: ManyBeliefs | None = None
        self.counts = np.zeros((runs, strata, outcomes))
        if outcomes == 2:
            scores = None if prior is None else prior[:, 1]
            self._pair = ManyBeliefs(scores, runs=runs, strata=strata, experts=Experts())
            return
        even = np.full((strata, outcomes), 1.0 / outcomes)
        self._centres = [(even, 1.0)]
        if prior is not None:
            sure = np.clip(prior, LOWEST, 1.0)
            sure = sure / sure.sum(axis=1, keepdims=True)
            self._centres += [(sure, strength) for strength in STRENGTHS]
        self._track = np.zeros((runs, len(self._centres)))

    def keep(self, runs: Flags) -> None:
        """Forget the other runs."""
        self.counts = self.counts[runs]
        if self._pair is not None:
            self._pair.keep(runs)
        else:
            self._track = self._track[runs]

    def learn(self, fresh: Floats) -> None:
        """Take in how often each stratum of each run gave each outcome."""
        if self._pair is not None:
            everyone = np.arange(len(fresh))
            self._pair.learn(everyone, fresh.sum(axis=2), fresh[:, :, 1])
        else:
            likelihood = np.log(self._experts()) * fresh[:, None]
            self._track = self._track + likelihood.sum(axis=(2, 3))
        self.counts = self.counts + fresh

    def shares(self) -> Floats:
        """The believed share of every outcome."""
        if self._pair is not None:
            rates = self._pair.rates(np.arange(len(self.counts)))
            return np.stack([1.0 - rates, rates], axis=2)
        weight = np.exp(self._track - self._track.max(axis=1, keepdims=True))
        weight = weight / weight.sum(axis=1, keepdims=True)
        mean: Floats = np.einsum("re,reko->rko", weight, self._experts())
        return mean

    def _experts(self) -> Floats:
        total = self.counts.sum(axis=2, keepdims=True)
        rows = [(s * c + self.counts) / (s + total) for c, s in self._centres]
        experts = np.clip(np.stack(rows, axis=1), LOWEST, 1.0)
        shares: Floats = experts / experts.sum(axis=3, keepdims=True)
        return shares
