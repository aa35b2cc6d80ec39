"""Ranges of metrics that a plan was not made for, where many items were labelled before its seal."""

import numpy as np

from assaymark.claims.ratio_metrics import metric
from assaymark.stats.score_guided.interval import weighted_range
from assaymark.stats.score_guided.supermartingale import Draws, Stratum

KNOWN = (400, 40, 20, 600)
SIZES, RATES = (300, 1700), (0.8, 0.05)
NAMES = ("prevalence", "recall", "elusion", "f1")
RUNS = 20


def test_ranges_hold_and_are_narrow_where_their_easiest_targets_are_certain():
    """At 80 % more than 10 misses of 20 have chance 0.0006; every range stopped at its first target."""
    rng = np.random.default_rng(42)
    missed, width = dict.fromkeys(NAMES, 0), dict.fromkeys(NAMES, 0.0)
    strata = [
        Stratum(predicted=k == 0, size=size, mean_score=rate)
        for k, (size, rate) in enumerate(zip(SIZES, RATES, strict=True))
    ]
    for _ in range(RUNS):
        labels = [(rng.random(n) < r).astype(np.int64) for n, r in zip(SIZES, RATES, strict=True)]
        which = np.array([0, 1] * 100)
        draws = Draws(
            strata=which,
            labels=np.array([labels[k][i // 2] for i, k in enumerate(which)]),
            sampling=np.full((len(which), 2), 0.5),
        )
        tp, fn = (int(mine.sum()) for mine in labels)
        cells = np.add(KNOWN, (tp, SIZES[0] - tp, fn, SIZES[1] - fn))
        for name in NAMES:
            truth = metric(name).value([float(cell) for cell in cells])
            found = weighted_range(name, strata, draws, known=KNOWN, confidence=0.8)
            missed[name] += not found.low <= truth <= found.high
            width[name] += (found.high - found.low) / RUNS
    assert max(missed.values()) <= 10, missed
    assert max(width.values()) < 0.25, width
