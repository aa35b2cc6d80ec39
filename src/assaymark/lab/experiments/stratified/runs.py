"""Thousands of simulated samples at once: strata, allocations, and what they estimate.

Within a stratum only the number of correct labels matters, and without replacement that number is
hypergeometric. So a run is a row of counts, and all runs of a cell go through together.
"""

from dataclasses import dataclass

import numpy as np

from assaymark.estimation.stats.confidence_axis import BinnedItems, Floats, Ints
from assaymark.estimation.stats.neyman_allocation import Progress, Tuning, allocate, schedule
from assaymark.estimation.stats.stratified_estimator import (
    estimated_variance,
    random_variance,
    stratified_point,
)
from assaymark.estimation.stats.stratifiers import Stratification
from assaymark.lab.experiments.stratified.pools import EstimationPool


@dataclass(frozen=True, kw_only=True, eq=False)
class Truth:
    """A stratification of a pool with what is true in it."""

    sizes: Ints
    correct: Ints
    doubt: Floats
    shares: Floats

    @property
    def accuracy(self) -> float:
        """The share of correct predictions."""
        return float(self.correct.sum() / self.sizes.sum())


def truth_of(pool: EstimationPool, binned: BinnedItems, cut: Stratification) -> Truth:
    """The strata of a cut, with the correct predictions in each."""
    strata = cut.bins[binned.bins]
    right = np.bincount(strata, weights=pool.correct, minlength=cut.strata)
    return Truth(
        sizes=cut.sizes, correct=right.astype(np.int64), doubt=cut.doubt, shares=cut.shares
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Samples:
    """Counts of all runs: labels and correct ones per stratum."""

    truth: Truth
    labelled: Ints
    correct: Ints


def sample(
    truth: Truth,
    labels: int,
    allocation: str,
    *,
    runs: int,
    rng: np.random.Generator,
    tuning: Tuning | None = None,
    replace: bool = False,
) -> Samples:
    """Simulate this many stratified samples of this size."""
    tuning = tuning or Tuning()
    strata = len(truth.sizes)
    labelled = np.zeros((runs, strata), dtype=np.int64)
    correct = np.zeros((runs, strata), dtype=np.int64)
    for batch in schedule(allocation, labels, strata, tuning):
        progress = Progress(
            sizes=truth.sizes,
            labelled=labelled,
            correct=correct,
            replace=replace,
            shares=truth.shares,
        )
        more = allocate(allocation, batch, progress, tuning)
        correct = correct + _draw(truth, labelled, correct, more, rng, replace=replace)
        labelled = labelled + more
    return Samples(truth=truth, labelled=labelled, correct=correct)


def _draw(
    truth: Truth,
    labelled: Ints,
    correct: Ints,
    more: Ints,
    rng: np.random.Generator,
    *,
    replace: bool,
) -> Ints:
    if replace:
        share = np.broadcast_to(truth.correct / truth.sizes, more.shape)
        return np.asarray(rng.binomial(more, share), dtype=np.int64)
    good = truth.correct - correct
    bad = truth.sizes - labelled - good
    return np.asarray(rng.hypergeometric(good, bad, more), dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class Scored:
    """How well a way of sampling does: by its true error, and as the paper measures it.

    `true_vr` is the mean squared error over the variance of a simple random sample of the same
    size; `paper_vr` is the mean ratio of the variances that both estimate of themselves.
    """

    true_vr: float
    paper_vr: float
    bias: float
    mean_error: float


def score(samples: Samples, rng: np.random.Generator) -> Scored:
    """Both yardsticks, side by side."""
    truth = samples.truth
    labels, items = int(samples.labelled[0].sum()), int(truth.sizes.sum())
    point = stratified_point(truth.sizes, samples.labelled, samples.correct)
    error = point - truth.accuracy
    simple = random_variance(truth.accuracy, items=items, labels=labels, replace=False)
    variance = estimated_variance(truth.sizes, samples.labelled, samples.correct)
    all_right = int(truth.correct.sum())
    hits = rng.hypergeometric(all_right, items - all_right, labels, size=len(point)) / labels
    rival = hits * (1 - hits) / (labels - 1)
    return Scored(
        true_vr=float((error**2).mean() / simple),
        paper_vr=float(variance.mean() / rival.mean()),
        bias=float(error.mean()),
        mean_error=float(np.abs(error).mean()),
    )


def floor_vr(pool: EstimationPool, binned: BinnedItems) -> float:
    """The ratio that perfect strata and a perfect allocation would reach, from the known truth.

    Fine strata in each predicted class, each at its true accuracy and with its optimal labels.
    """
    axis, bins = binned.axis, binned.bins
    order = np.lexsort((axis.z, axis.group))
    size = np.bincount(bins, minlength=len(order)).astype(np.float64)[order]
    right = np.bincount(bins, weights=pool.correct, minlength=len(order))[order]
    # neighbouring bins are pooled to hold at least 50 items: single bins would flatter the floor
    chunk = (np.cumsum(size) / max(50.0, len(bins) / 60)).astype(np.int64)
    chunk = chunk + len(chunk) * axis.group[order]
    size = np.bincount(chunk, weights=size).astype(np.float64)
    right = np.bincount(chunk, weights=right)
    kept = size > 0
    share = right[kept] / size[kept]
    weight = size[kept] / size.sum()
    best = float((weight * np.sqrt(share * (1 - share))).sum() ** 2)
    return best / (pool.accuracy * (1 - pool.accuracy))
