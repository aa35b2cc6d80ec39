"""The ranges of the card hold for metrics that the plan was not made for, also under bad scores."""

import numpy as np
import pytest

from assaymark.claims.ratio_metrics import metric, parse_claim
from assaymark.stats.score_guided.interval import weighted_range
from assaymark.stats.score_guided.supermartingale import Draws, Stratum, sampling, weighted_test
from assaymark.stats.sequential.confidence_sequence import anytime_range

RUNS = 30
NAMES = ("prevalence", "recall", "precision", "elusion")


def world(rng, *, lying: bool):
    sizes = (60, 60, 500, 300, 80)
    rates = (0.95, 0.6, 0.004, 0.02, 0.2)
    told = tuple(reversed(rates)) if lying else rates
    strata = [
        Stratum(predicted=k < 2, size=n, mean_score=s)
        for k, (n, s) in enumerate(zip(sizes, told, strict=True))
    ]
    labels = [(rng.random(n) < r).astype(np.int64) for n, r in zip(sizes, rates, strict=True)]
    return strata, labels


def truth(name, strata, labels):
    cells = np.zeros(4)
    for stratum, values in zip(strata, labels, strict=True):
        start = 0 if stratum.predicted else 2
        cells[start : start + 2] += [values.sum(), len(values) - values.sum()]
    return metric(name).value(cells)


def drawn(rng, strata, labels, *, most: int) -> Draws:
    """Batches of thirty whose chances follow the labels so far, as a plan for F1 draws them."""
    test = weighted_test(parse_claim("f1 >= 0.7"), strata)
    places = [list(rng.permutation(len(values))) for values in labels]
    draws = Draws(
        strata=np.zeros(0, dtype=np.int64),
        labels=np.zeros(0, dtype=np.int64),
        sampling=np.zeros((0, len(strata))),
    )
    while len(draws) < most:
        chances = sampling(test, draws)
        which, found = [], []
        for _ in range(30):
            live = np.array([q if p else 0.0 for q, p in zip(chances, places, strict=True)])
            k = int(rng.choice(len(live), p=live / live.sum()))
            which.append(k)
            found.append(labels[k][places[k].pop()])
        draws = Draws(
            strata=np.concatenate([draws.strata, which]),
            labels=np.concatenate([draws.labels, found]),
            sampling=np.concatenate([draws.sampling, np.tile(chances, (30, 1))]),
        )
    return draws


@pytest.mark.parametrize("lying", [False, True])
def test_weighted_ranges_hold(lying, measured):
    """At 80 % each range misses in at most 20 % of runs; more than 13 misses of 30 has chance 0.0009."""
    rng = np.random.default_rng(42)
    missed = dict.fromkeys(NAMES, 0)
    told = 0
    for _ in range(RUNS):
        strata, labels = world(rng, lying=lying)
        draws = drawn(rng, strata, labels, most=120)
        for name in NAMES:
            found = weighted_range(name, strata, draws, confidence=0.8)
            missed[name] += not found.low <= truth(name, strata, labels) <= found.high
            told += found.low > 0.01
    world_name = "adversary: scores that lie" if lying else "made: honest scores, score-guided"
    measured("ranges-of-the-card", world_name, max(missed.values()), nominal=0.2, runs=RUNS)
    assert max(missed.values()) <= 13, missed
    assert told > RUNS  # and they are not vacuous


def test_anytime_ranges_hold_at_every_look(measured):
    """At 80 %, misses at any of 300 looks in at most 20 % of runs; over 60 of 200 has chance 0.0003."""
    rng = np.random.default_rng(42)
    missed = 0
    for _ in range(200):
        wins = rng.random(300) < 0.3
        found = anytime_range(wins, confidence=0.8)  # its ends are the best of all looks so far
        missed += not found.low <= 0.3 <= found.high
    measured("ranges-of-the-card", "made: simple sample, 300 looks", missed, nominal=0.2, runs=200)
    assert missed <= 60
