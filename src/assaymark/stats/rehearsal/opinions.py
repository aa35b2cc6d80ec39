"""Opinions of many runs at once: `stats.betting.opinions` with an axis for runs."""

import numpy as np

from assaymark.stats.betting.opinions import LOWEST, STRENGTHS
from assaymark.stats.rehearsal.beliefs import ManyBeliefs
from assaymark.stats.score_guided.beliefs import Experts
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.wealth import Flags


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
