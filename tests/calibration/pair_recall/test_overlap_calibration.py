"""How often the intervals cover, by seeded simulation, and what the designs err.

Coverage of the sampling interval is for δ1·recall; that of the band is for the recall itself. With
1,000 runs a coverage of 0.95 shows up below 0.925 with a chance of about 3e-4 per world.
"""

import numpy as np
import pytest

from assaymark.lab.experiments.pairs.worlds import (
    CoverageTask,
    DesignTask,
    run_coverage,
    run_designs,
    sketched,
)
from assaymark.lab.tasks import rng_of
from assaymark.pair_recall.overlap import CellSample
from assaymark.pair_recall.stats.capture_recapture import recall_from_pair, recall_of_another
from assaymark.pair_recall.stats.outside_union import direct_recall
from assaymark.pair_recall.stats.three_lists import TRIPLE_CELLS, recall_from_triple

DELTAS = (0.8, 0.9, 1.0, 1.1, 1.25)


def covered(delta: float, labels: int, runs: int, recalls=(0.7, 0.6)) -> dict[str, float]:
    task = CoverageTask(recalls=recalls, delta=delta, labels=labels, runs=runs, seed=42)
    return run_coverage(task)["coverage"]


@pytest.mark.parametrize("delta", DELTAS)
def test_the_interval_covers_the_recall_times_its_dependence(delta: float, measured) -> None:
    found = covered(delta, 500, 1000)["interval"]
    missed, where = round(1000 * (1 - found)), f"made: dependence {delta:g} (no guarantee)"
    measured("recall-sampling", where, missed, nominal=0.05, runs=1000)
    assert 0.925 <= found <= 0.975


@pytest.mark.parametrize("delta", [0.85, 1.0, 1.25])
def test_the_band_covers_the_recall_while_the_dependence_is_in_it(delta: float) -> None:
    found = covered(delta, 1000, 500)
    assert found["band"] >= 0.95
    assert found["combined"] >= 0.95


def test_outside_its_range_the_band_fails_and_the_interval_is_worthless() -> None:
    """Said on every page: the plain interval is not an interval for the recall."""
    assert covered(0.8, 2000, 300)["band"] < 0.1
    assert covered(1.05, 1000, 300)["plain"] < 0.1
    assert covered(1.1, 1000, 300)["plain"] == 0


def test_labels_outside_make_the_band_narrower_when_the_pair_is_dependent() -> None:
    found = covered(1.25, 1000, 300)
    assert found["combined_width"] < 0.8 * found["band_width"]


@pytest.mark.parametrize("recall", [0.5, 0.7, 0.95])
def test_the_stratified_form_errs_less_than_the_paper_s_design(recall: float) -> None:
    """At equal labels; halves are better already, and allocation adds to that."""
    found = run_designs(DesignTask(recall=recall, labels=1000, runs=600, seed=42))["design"]
    assert found["halves"] < 0.7 * found["paper"]
    assert found["allocated"] < found["halves"]


def test_the_direct_interval_needs_no_independence() -> None:
    """Even at δ1 = 1.6, with labels in every cell; 600 runs."""
    world = sketched(recalls=(0.5, 0.4), delta=1.6, positives=3000, items=60_000)
    rng = rng_of(42, "direct")
    labels = {"11": 200, "10": 200, "01": 200, "00": 1500}
    hits = 0
    for _ in range(600):
        found = direct_recall(world.sample(labels, rng), 0)
        hits += found.low <= 0.5 <= found.high
    assert hits >= 0.95 * 600


def test_positives_and_a_further_classifier_are_covered() -> None:
    """n̂ and r_new at δ1 = 1: intervals cover in about 95 % of 1,000 runs."""
    world = sketched(recalls=(0.7, 0.6), delta=1.0)
    rng = rng_of(42, "further")
    labels = {"11": 200, "10": 200, "01": 200}
    positives = further = 0
    for _ in range(1000):
        known = recall_from_pair(world.sample(labels, rng))
        positives += known.positives.low <= 3000 <= known.positives.high
        drawn = int(rng.hypergeometric(1500, 1000, 200))
        new = recall_of_another(CellSample(items=2500, labels=200, positives=drawn), known)
        further += new.low <= 0.5 <= new.high
    assert 925 <= positives <= 975
    assert 925 <= further <= 980


@pytest.mark.slow
@pytest.mark.parametrize("labels", [200, 500, 1000, 2000])
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("recalls", [(0.7, 0.6), (0.4, 0.75), (0.75, 0.4)])
def test_coverage_at_length(
    recalls: tuple[float, float], delta: float, labels: int, measured
) -> None:
    """10,000 runs: 0.93 to 0.97, a deviation that chance gives with less than 1e-15."""
    found = covered(delta, labels, 10_000, recalls)
    missed = round(10_000 * (1 - found["interval"]))
    where = f"made: recalls {recalls[0]:g} and {recalls[1]:g}, dependence {delta:g} (no guarantee)"
    measured("recall-sampling", where, missed, nominal=0.05, runs=10_000)
    assert 0.93 <= found["interval"] <= 0.97
    if delta >= 0.85:
        assert found["band"] >= 0.95
        assert found["combined"] >= 0.95


@pytest.mark.parametrize("labels", [60, 150])
def test_intervals_of_three_independent_classifiers_cover(labels: int) -> None:
    """Recalls 0.8, 0.7, 0.7 of 3,000 positives; the number of positives and each recall, nominal 0.95."""
    recalls, rng = (0.8, 0.7, 0.7), np.random.default_rng(42)
    hits = {
        name: round(3000 * np.prod([r if bit == "1" else 1 - r for bit, r in zip(name, recalls, strict=True)]))
        for name in TRIPLE_CELLS
    }  # fmt: skip
    items = {name: round(hits[name] / (0.95, 0.5, 0.8, 0.95)[name.count("1")]) for name in hits}
    items["111"] = round(hits["111"] / 0.95)
    counts = {
        name: rng.hypergeometric(
            hits[name], items[name] - hits[name], min(labels, items[name]), 500
        )
        for name in TRIPLE_CELLS
    }
    true = sum(hits.values()) + 3000 * 0.2 * 0.3 * 0.3
    covers = np.zeros(4)
    for run in range(500):
        found = recall_from_triple(
            {
                name: CellSample(
                    items=items[name],
                    labels=min(labels, items[name]),
                    positives=int(counts[name][run]),
                )
                for name in TRIPLE_CELLS
            }
        )
        covers[0] += found.positives.low <= true <= found.positives.high
        covers[1:] += [
            own.low <= r <= own.high for own, r in zip(found.recalls, recalls, strict=True)
        ]
    assert (covers / 500 >= 0.915).all()
