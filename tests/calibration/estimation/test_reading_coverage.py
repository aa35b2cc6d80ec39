"""The interval for reading covers in worlds that were made to break it, with fixed and renewed chances.

Runs are seeded. A cell fails where an interval that covers 95 % exactly would miss as often, or more
often, with a chance below 1 in 100,000: over all cells the test fails by chance in under 1 of 200.
"""

import numpy as np
import pytest
from scipy.stats import binom

from assaymark.claims.ratio_metrics import metric
from assaymark.estimation.stats.reading_intervals import StrataCounts, profile_cost
from assaymark.lab.experiments.estimate_errors.estimators import (
    Question,
    Samples,
    fixed_samples,
    renewed_samples,
)
from assaymark.lab.experiments.guarantee.experiment import SKETCHES
from assaymark.lab.tasks import rng_of
from assaymark.lab.worlds import Sketch, make_world

COST = 1.959964**2 / 2
WORLDS = {
    **SKETCHES,
    "buried misses": Sketch(items=20_000, prevalence=0.05, f1=0.7, trap="buried misses"),
    "under-confident": Sketch(items=20_000, prevalence=0.05, f1=0.7, calibration="under-confident"),
    "prevalence 0.002": Sketch(items=40_000, prevalence=0.002, f1=0.7),
    "tiny strata": Sketch(items=400, prevalence=0.1, f1=0.7),
}
SIZES = (50, 200, 800)
WAYS = ("fixed", "renewed")


def drawn(way: str, ask: Question, rng: np.random.Generator) -> Samples:
    return fixed_samples(ask, rng) if way == "fixed" else renewed_samples(ask, rng)[0]


def misses(name: str, way: str, key: str, labels: int, runs: int, imagined: float = 0.5):
    """Samples with an interval, and how many of these lie above and below the truth."""
    world = make_world(WORLDS[key], rng_of(42, "cover", key))
    ask = Question(world=world, metric=name, labels=labels, runs=runs)
    pool = drawn(way, ask, rng_of(42, key, name, way, str(labels)))
    shown = pool.found.sum(axis=1) > 0 if name == "recall" else np.full(runs, True)
    counts = StrataCounts(
        predicted=pool.side,
        sizes=pool.size,
        labelled=pool.taken[shown],
        positives=pool.found[shown],
    )
    truth = np.full(int(shown.sum()), world.value(name))
    above, below = (
        profile_cost(metric(name), counts, truth, lower=lower, imagined=imagined) > COST
        for lower in (True, False)
    )
    return len(truth), int(above.sum()), int(below.sum())


def unlikely(shown: int, wrong: int) -> float:
    return float(binom.sf(wrong - 1, shown, 0.05))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", WORLDS)
def test_every_metric_and_size_is_covered(key: str, way: str) -> None:
    for name in ("f1", "recall", "precision"):
        for labels in SIZES:
            shown, above, below = misses(name, way, key, labels, 300)
            assert unlikely(shown, above + below) > 1e-5, (name, labels, shown, above, below)


WORST = (
    ("f1", "renewed", "hidden misses", 800),
    ("f1", "fixed", "hidden misses", 800),
    ("f1", "renewed", "buried misses", 400),
    ("recall", "fixed", "buried misses", 400),
    ("recall", "renewed", "upside down", 100),
    ("recall", "renewed", "scores say nothing", 800),
    ("f1", "renewed", "scores say nothing", 400),
    ("precision", "renewed", "upside down", 50),
)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "way", "key", "labels"), WORST)
def test_the_worst_cells_hold_in_four_thousand_samples(name, way, key, labels) -> None:
    """At a chance of 1 in 1,000 for each cell."""
    shown, above, below = misses(name, way, key, labels, 4000)
    assert unlikely(shown, above + below) > 1e-3, (shown, above, below)


def test_without_the_imagined_label_misses_hide() -> None:
    """What the half label is for: the same samples, far below 95 %."""
    shown, above, below = misses("f1", "renewed", "buried misses", 400, 2000, imagined=0.0)
    assert unlikely(shown, above + below) < 1e-6
    shown, above, below = misses("f1", "renewed", "buried misses", 400, 2000)
    assert unlikely(shown, above + below) > 1e-3
