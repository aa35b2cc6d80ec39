"""The axis of confidence from the pool's summary, and strata of it as ranges the pool can read."""

import numpy as np

from assaymark.certification.planning.strata import UNIT, scores_are_shares
from assaymark.estimation.estimate import Part
from assaymark.estimation.stats.confidence_axis import Axis, Floats, Ints, make_axis
from assaymark.estimation.stats.stratifiers import Stratification
from assaymark.records.pool import Histogram, PoolSummary

STEPS = 16384  # of the grid on which the summary's bins are cut


def pool_axis(summary: PoolSummary, *, cut_off: float | None) -> Axis:
    """How sure the classifier is, from the two histograms; `cut_off` is where margins begin."""
    share = scores_are_shares(summary)
    parts = [
        _class_bins(histogram, summary, predicted=side, share=share, centre=cut_off or 0.0)
        for side, histogram in ((False, summary.negative), (True, summary.positive))
        if histogram is not None and histogram.counts
    ]
    z, counts, low, high, group, source = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    return make_axis(
        z=np.clip(z, 0.0, 1.0) if share else z,
        counts=counts.astype(np.int64),
        low=low,
        high=high,
        group=group.astype(np.int64),
        source=source.astype(np.int64),
        share=share,
    )


def _class_bins(
    histogram: Histogram, summary: PoolSummary, *, predicted: bool, share: bool, centre: float
) -> tuple[Floats, Ints, Floats, Floats, Ints, Ints]:
    counts = np.array(histogram.counts, dtype=np.int64)
    mean = mean_scores(histogram, summary)
    edges = grid_scores(histogram.edges, summary)
    first, last = edges[:-1], edges[1:]
    if share:
        z, ends = (mean, (first, last)) if predicted else (1 - mean, (1 - last, 1 - first))
    else:
        z = np.abs(mean - centre)
        far = (np.abs(first - centre), np.abs(last - centre))
        ends = (np.minimum(*far), np.maximum(*far))
    group = np.full(len(counts), int(predicted))
    return z, counts, ends[0], ends[1], group, np.arange(len(counts))


def mean_scores(histogram: Histogram, summary: PoolSummary) -> Floats:
    """The mean score of each bin."""
    low, high = summary.score_low or 0.0, summary.score_high or 0.0
    counts = np.maximum(np.array(histogram.counts, dtype=np.float64), 1.0)
    sums = np.array(histogram.sums, dtype=np.float64) / UNIT
    return np.asarray(low + (high - low) * sums / counts, dtype=np.float64)


def grid_scores(edges: tuple[int, ...], summary: PoolSummary) -> Floats:
    """The scores at which these positions of the pool's grid begin."""
    low, high = summary.score_low or 0.0, summary.score_high or 0.0
    x = np.array(edges, dtype=np.float64) / STEPS
    u = np.where(x < 0.5, 2 * x * x, 1 - 2 * (1 - x) ** 2)
    return np.asarray(low + (high - low) * u, dtype=np.float64)


def stratum_parts(
    axis: Axis, cut: Stratification, summary: PoolSummary
) -> list[tuple[tuple[Part, ...], float | None]]:
    """Each stratum as ranges of grid positions per predicted class, and its mean score.

    The mean score is None where scores are no probabilities.
    """
    share = scores_are_shares(summary)
    histograms = {0: summary.negative, 1: summary.positive}
    strata = []
    for k in range(cut.strata):
        parts: list[Part] = []
        total, items = 0.0, 0
        for side, histogram in histograms.items():
            mine = np.sort(axis.source[(cut.bins == k) & (axis.group == side)])
            if histogram is None or len(mine) == 0:
                continue
            counts = np.array(histogram.counts)
            total += float((counts * mean_scores(histogram, summary))[mine].sum())
            items += int(counts[mine].sum())
            for run in np.split(mine, np.flatnonzero(np.diff(mine) > 1) + 1):
                parts.append(
                    Part(
                        items=int(counts[run].sum()),
                        prediction=bool(side),
                        grid_from=histogram.edges[int(run[0])],
                        grid_to=histogram.edges[int(run[-1]) + 1],
                    )
                )
        strata.append((tuple(parts), total / items if share else None))
    return strata
