"""The score histogram for people: even bars from the stored fine one, labelled items marked."""

from collections import Counter
from functools import lru_cache
from pathlib import Path

import numpy as np

from assaymark.certification.view.dossier import ScoreBin, ScorePicture
from assaymark.errors import AssaymarkError
from assaymark.ledger.events import State
from assaymark.pool.grid import score_of
from assaymark.pool.reserve import load_scores
from assaymark.project.folder import Project
from assaymark.records.plan import Stratum
from assaymark.records.pool import Histogram, PoolSummary, RegisteredPool

BARS = 40
TINY = 1e-9
UNIT = 1e9  # histogram sums are whole numbers of this part of the score range


def score_at(summary: PoolSummary, position: int) -> float | None:
    """The score at a position of the fine grid; None where there are no scores."""
    low, high = summary.score_low, summary.score_high
    if low is None or high is None:
        return None
    return score_of(position, low, high)


def score_ends(pool: RegisteredPool, stratum: Stratum) -> tuple[float | None, float | None]:
    """The lowest and highest score of a stratum; the cut-off is an end of its class."""
    if stratum.grid_from is None or stratum.grid_to is None:
        return None, None
    low, high = (score_at(pool.summary, edge) for edge in (stratum.grid_from, stratum.grid_to))
    cut = pool.columns.threshold
    if cut is None or low is None or high is None:
        return low, high
    return (max(low, cut), high) if stratum.prediction else (low, min(high, cut))


def score_picture(project: Project, pool: RegisteredPool, state: State) -> ScorePicture | None:
    """The scores of the collection by predicted class; None where there are none."""
    summary = pool.summary
    low, high = summary.score_low, summary.score_high
    if low is None or high is None or summary.positive is None or summary.negative is None:
        return None
    width = (high - low) / BARS or 1.0
    edges = tuple(low + width * i for i in range(BARS + 1))
    positive, negative = _both_bars(summary, summary.positive, summary.negative, edges)
    labelled = _labelled(project, state, low, width)
    return ScorePicture(
        bins=tuple(
            ScoreBin(
                low=edges[i],
                high=edges[i + 1],
                predicted_positive=positive[i],
                predicted_negative=negative[i],
                labelled=None if labelled is None else labelled[i],
            )
            for i in range(BARS)
        ),
        threshold=pool.columns.threshold,
        scored=True,
    )


Bars = tuple[int, ...]
_latest: tuple[PoolSummary, tuple[Bars, Bars]] | None = None


def _both_bars(
    summary: PoolSummary, positive: Histogram, negative: Histogram, edges: tuple[float, ...]
) -> tuple[Bars, Bars]:
    """Items per bar of each class; the latest are kept, since a dashboard asks again and again."""
    global _latest
    kept = _latest
    if kept is None or kept[0] is not summary:  # to compare two would take longer than a look
        kept = (summary, (_bars(summary, positive, edges), _bars(summary, negative, edges)))
        _latest = kept
    return kept[1]


def _bars(summary: PoolSummary, histogram: Histogram, edges: tuple[float, ...]) -> Bars:
    """Items per bar. A fine bin is spread evenly, as wide as its mean score says it is.

    A spike of equal scores has its mean at its lower edge and stays in one place.
    """
    below = np.zeros(len(edges))
    marks = np.array(edges)
    low, high = edges[0], edges[-1]
    starts = [score_at(summary, edge) or 0.0 for edge in histogram.edges]
    for number, (count, total) in enumerate(zip(histogram.counts, histogram.sums, strict=True)):
        if count:
            mean = low + (high - low) * total / (UNIT * count)
            start, stop = starts[number], min(starts[number + 1], 2 * mean - starts[number])
            if stop - start <= TINY * (high - low):
                below += count * (marks > mean)
            else:
                below += count * np.clip((marks - start) / (stop - start), 0.0, 1.0)
    below[-1] = sum(histogram.counts)
    return tuple(int(n) for n in np.diff(np.rint(below)))


def _labelled(project: Project, state: State, low: float, width: float) -> list[int] | None:
    """How many labelled items of plans each bar holds."""
    files = tuple(
        (project.folder / stored.file, stored.sha256)
        for attempt in state.attempts
        for stored in attempt.reserves
    )
    try:
        bar_of = _places(files, low, width)
    except AssaymarkError:
        return None  # the reserve is not at hand; the ledger alone does not know scores
    counts = Counter(
        bar_of.get(item) for item in state.settled_items() if item in state.predictions
    )
    return [counts[bar] for bar in range(BARS)]


@lru_cache(maxsize=4)
def _places(files: tuple[tuple[Path, str], ...], low: float, width: float) -> dict[str, int]:
    """The bar of each item in these files, which are named by their digests."""
    bar_of: dict[str, int] = {}
    for path, sha256 in files:
        items, scores = load_scores(path, sha256=sha256)
        bars = np.clip(np.trunc((scores - low) / width), 0, BARS - 1).astype(int)
        bar_of.update(zip(items, bars.tolist(), strict=True))
    return bar_of
