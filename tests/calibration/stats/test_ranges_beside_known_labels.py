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


def test_a_metric_whose_items_are_all_known_is_its_value():
    """A census of the flagged items before the seal: precision was refused for want of strata."""
    strata = [Stratum(predicted=True, size=0), Stratum(predicted=False, size=50)]
    draws = Draws(
        strata=np.ones(40, dtype=np.int64),
        labels=np.zeros(40, dtype=np.int64),
        sampling=np.tile([0.0, 1.0], (40, 1)),
    )
    found = weighted_range("precision", strata, draws, known=(30, 10, 0, 0))
    assert (found.low, found.high) == (0.75, 0.75)
    undefined = weighted_range("precision", strata, draws, known=(0, 0, 0, 5))
    assert (undefined.low, undefined.high) == (0.0, 1.0)


def test_ends_that_have_crossed_give_way_to_each_other():
    """Both ends are shown in order: a range from 0.6 to 0.5 would hold no value at all."""
    strata = [Stratum(predicted=True, size=4000, mean_score=0.5)]
    labels = (np.arange(2000) < 1000).astype(
        np.int64
    )  # all relevant first, which chance never does
    draws = Draws(strata=np.zeros(2000, dtype=np.int64), labels=labels, sampling=np.ones((2000, 1)))
    found = weighted_range("precision", strata, draws, confidence=0.8)
    assert found.low < found.high
