"""Laws of triage: the search equals the literal sweep, regions are nested, options matter."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assaymark.errors import InputError
from assaymark.stats.calibration import CALIBRATORS, calibrate
from assaymark.stats.labelled_scores import Labelled, labelled
from assaymark.triaging.stats.cutoffs import decided, tally
from assaymark.triaging.stats.fixed_sequence import certify, regions
from assaymark.triaging.stats.optimal_cutoffs import best_cutoffs, sweep, yield_curve

TARGETS = (0.5, 0.6, 0.75, 0.8, 0.9, 0.95, 0.99, 0.999)


def literal(scores, labels, target):
    """The paper's sweep as it is written: every pair of thresholds, every item. (automated, right)"""
    wanted, best = Fraction(str(target)), (0, 0)
    values = sorted(set(scores))
    for low in [None, *values]:
        for high in [*values, None]:
            if low is not None and high is not None and low >= high:
                continue
            automated = right = 0
            for score, label in zip(scores, labels, strict=True):
                if high is not None and score >= high:
                    automated, right = automated + 1, right + label
                elif low is not None and score <= low:
                    automated, right = automated + 1, right + 1 - label
            if automated and Fraction(right, automated) >= wanted:
                best = max(best, (automated, right))
    return best


def agrees(scores, labels, target):
    data = Labelled(scores=np.array(scores, float), labels=np.array(labels, bool))
    seen = tally(data, best_cutoffs(sweep(data), target))
    return (seen.automated, seen.tp + seen.tn) == literal(scores, labels, target)


def test_three_thousand_random_instances_with_ties_agree_with_the_triple_loop():
    rng = np.random.default_rng(42)
    mismatches = 0
    for _ in range(3000):
        size = int(rng.integers(1, 18))
        scores = rng.integers(0, rng.integers(1, 12) + 1, size).tolist()
        labels = rng.integers(0, 2, size).tolist()
        mismatches += not agrees(scores, labels, float(rng.choice(TARGETS)))
    assert mismatches == 0


@settings(max_examples=200)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 1)), min_size=1, max_size=14),
    st.sampled_from(TARGETS),
)
def test_any_instance_agrees_with_the_triple_loop(items, target):
    scores, labels = zip(*items, strict=True)
    assert agrees(list(scores), list(labels), target)


def world(size, rng, distance=2.0):
    labels = rng.random(size) < 0.4
    return labelled(rng.normal(np.where(labels, distance / 2, -distance / 2), 1.0), labels)


def test_the_yield_curve_never_rises_and_is_the_optimum_at_each_target():
    data = world(400, np.random.default_rng(42))
    curve = yield_curve(sweep(data), TARGETS)
    shares = [point.automated_share for point in curve]
    assert shares == sorted(shares, reverse=True)
    for point in curve:
        seen = tally(data, point.cutoffs)
        assert seen.automated_share == point.automated_share
        assert seen.accuracy == point.accuracy
        assert seen.accuracy is None or seen.accuracy >= point.target


@pytest.mark.parametrize("name", sorted(CALIBRATORS))
def test_calibrators_rise_and_regions_are_nested_and_as_large_as_they_say(name):
    rng = np.random.default_rng(42)
    labels = rng.random(600) < 0.4
    scores = np.round(1 / (1 + np.exp(-rng.normal(np.where(labels, 1, -1), 1.0))), 2)
    curve = calibrate(name, labelled(scores, labels))
    q = curve.at(np.linspace(0.01, 0.99, 99))
    assert (np.diff(q) > 0).all()
    inside = np.zeros(len(scores), bool)
    for region in regions(curve, scores):
        accept, reject = decided(scores, region.cutoffs)
        assert (accept | reject)[inside].all()
        inside = accept | reject
        assert inside.mean() == region.share
    assert inside.all()


def test_platt_recovers_the_log_odds():
    """Two normals at distance 2 and 40 % have log odds 2·score + log(2/3); ±0.1 is 4 errors."""
    data = world(20_000, np.random.default_rng(42))
    q = calibrate("platt", data).at(np.array([0.0, 1.0]))
    odds = np.log(q / (1 - q))
    assert odds[0] == pytest.approx(np.log(2 / 3), abs=0.1)
    assert odds[1] - odds[0] == pytest.approx(2, abs=0.1)


def test_every_option_of_the_certificate_changes_it():
    rng = np.random.default_rng(42)
    path = regions(calibrate("platt", world(500, rng)), world(4000, rng).scores)
    data = world(500, rng)
    first = certify(data, path, target=0.9, delta=0.1)
    assert first.certified
    for other in ({"target": 0.95, "delta": 0.1}, {"target": 0.9, "delta": 0.01}):
        changed = certify(data, path, **other)
        assert changed.cutoffs != first.cutoffs
        assert changed.tally.automated < first.tally.automated


def test_a_calibrator_that_falls_is_refused():
    data = world(200, np.random.default_rng(42))
    with pytest.raises(InputError, match="Higher scores do not go with relevant items"):
        calibrate("platt", labelled(-data.scores, data.labels))
