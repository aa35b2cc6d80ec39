"""What is believed about the outcomes in each stratum. It costs labels when wrong, nothing else.

One idea: two outcomes are judged by the four experts of method number 1; more outcomes by mean
class probabilities worth few or many labels and by no opinion, again weighted by track record. How
often nobody can tell is counted apart.
"""

import copy

import numpy as np

from assaymark.stats.score_guided.beliefs import Beliefs, Ints
from assaymark.stats.score_guided.kl_projection import Floats

LOWEST = 1e-5
STRENGTHS = (20.0, 100.0)
DOUBT_STRENGTH = 20.0


class Opinions:
    """Believed shares of every outcome per stratum. Arrays are replaced, never written to."""

    def __init__(self, prior: Floats | None, strata: int, outcomes: int) -> None:
        self._pair: Beliefs | None = None
        self._count = outcomes
        self._shares: Floats | None = None
        self.counts = np.zeros((strata, outcomes), dtype=np.int64)
        self._skipped = np.zeros(strata, dtype=np.int64)
        if outcomes == 2:
            self._pair = Beliefs(None if prior is None else prior[:, 1], strata)
            return
        even = np.full((strata, outcomes), 1.0 / outcomes)
        self._centres = [(even, 1.0)]
        if prior is not None:
            sure = np.clip(prior, LOWEST, 1.0)
            sure = sure / sure.sum(axis=1, keepdims=True)
            self._centres += [(sure, strength) for strength in STRENGTHS]
        self._track = np.zeros(len(self._centres))

    def after(self, fresh: Ints) -> "Opinions":
        """The opinions after a block too: counts per stratum and outcome, "cannot tell" last."""
        twin = copy.copy(self)
        twin._pair, twin._shares = copy.copy(self._pair), None
        twin._learn(fresh)
        return twin

    def _learn(self, fresh: Ints) -> None:
        known = fresh[:, : self._count]
        if self._pair is not None:
            self._pair.learn(known.sum(axis=1), known[:, 1])
        else:
            self._track = self._track + (np.log(self._experts()) * known).sum(axis=(1, 2))
        self.counts = self.counts + known
        self._skipped = self._skipped + fresh[:, self._count]

    def shares(self) -> Floats:
        """The believed share of every outcome per stratum, among items that can be judged."""
        if self._shares is None:
            self._shares = self._mean()
        return self._shares

    def _mean(self) -> Floats:
        if self._pair is not None:
            rates = self._pair.rates()
            return np.stack([1.0 - rates, rates], axis=1)
        weight = np.exp(self._track - self._track.max())
        mean: Floats = np.tensordot(weight / weight.sum(), self._experts(), axes=1)
        return mean

    def judged(self) -> Floats:
        """The believed share of items per stratum that can be judged."""
        totals = self.counts.sum(axis=1) + self._skipped
        if not self._skipped.any():
            return np.ones(len(totals))
        overall = self._skipped.sum() / max(1, int(totals.sum()))
        share: Floats = (DOUBT_STRENGTH * overall + self._skipped) / (DOUBT_STRENGTH + totals)
        return 1.0 - share

    def _experts(self) -> Floats:
        total = self.counts.sum(axis=1, keepdims=True)
        rows = [(s * c + self.counts) / (s + total) for c, s in self._centres]
        experts = np.clip(np.array(rows), LOWEST, 1.0)
        shares: Floats = experts / experts.sum(axis=2, keepdims=True)
        return shares
