"""Cuts by rank on histogram edges: exact counts, whole bins, only strata that matter."""

from itertools import pairwise

import numpy as np
import pytest

from assaymark.claims.claim import Claim
from assaymark.errors import InputError
from assaymark.stats.score_guided.strata import (
    NEGATIVE_CUTS,
    ClassHistogram,
    cut_class,
    cut_strata,
    unscored_strata,
)


def histogram(counts, scores=None) -> ClassHistogram:
    counts = [int(n) for n in counts]
    middle = scores if scores is not None else (np.arange(len(counts)) + 0.5) / len(counts)
    sums = tuple(float(n * m) for n, m in zip(counts, middle, strict=True))
    return ClassHistogram(counts=tuple(counts), score_sums=sums)


def claim(metric: str, side: str = "lower") -> Claim:
    return Claim(metric=metric, side=side, target=0.5)


FINE = histogram([10] * 1000)


def test_a_fine_histogram_gives_three_and_six_strata_at_the_stated_ranks():
    cut = cut_strata(claim("f1"), positive=FINE, negative=FINE)
    sizes = [c.stratum.size for c in cut]
    assert sizes[:3] == [3330, 3340, 3330]
    above = 10_000 - np.cumsum(sizes[3:])[:-1]
    np.testing.assert_allclose(above, np.array(NEGATIVE_CUTS) * 10_000, atol=5)
    assert [c.stratum.predicted for c in cut] == [True] * 3 + [False] * 6


def test_strata_cover_every_item_once():
    rng = np.random.default_rng(42)
    for _ in range(50):
        counts = rng.poisson(rng.choice([0.1, 1, 50], size=40))
        cut = cut_class(histogram(counts), predicted=False, shares_above=NEGATIVE_CUTS)
        assert sum(c.stratum.size for c in cut) == counts.sum()
        assert all(c.stratum.size > 0 for c in cut)
        assert all(a.stop == b.first for a, b in pairwise(cut))


def test_a_spike_is_never_split():
    """Ninety-nine of a hundred items tie: two strata at most, whatever the cuts ask for."""
    cut = cut_class(histogram([0, 990, 0, 10]), predicted=False, shares_above=NEGATIVE_CUTS)
    assert [c.stratum.size for c in cut] == [990, 10]
    one = cut_class(histogram([1000]), predicted=False, shares_above=NEGATIVE_CUTS)
    assert [c.stratum.size for c in one] == [1000]


def test_mean_scores_are_the_items_mean():
    cut = cut_class(
        ClassHistogram(counts=(1, 3), score_sums=(0.1, 2.7)), predicted=True, shares_above=(0.75,)
    )
    assert [round(c.stratum.mean_score, 12) for c in cut] == [0.1, 0.9]


@pytest.mark.parametrize(
    ("metric", "side", "classes"),
    [
        ("precision", "lower", {True}),
        ("elusion", "upper", {False}),
        ("npv", "lower", {False}),
        ("recall", "lower", {True, False}),
        ("accuracy", "lower", {True, False}),
    ],
)
def test_only_classes_that_matter_are_cut(metric, side, classes):
    cut = cut_strata(claim(metric, side), positive=FINE, negative=FINE)
    assert {c.stratum.predicted for c in cut} == classes
    bare = unscored_strata(claim(metric, side), predicted_positive=5, predicted_negative=7)
    assert {s.predicted for s in bare} == classes


def test_without_scores_there_is_one_stratum_per_class():
    bare = unscored_strata(claim("f1"), predicted_positive=5, predicted_negative=7)
    assert [(s.predicted, s.size, s.mean_score) for s in bare] == [
        (True, 5, None),
        (False, 7, None),
    ]


def test_empty_classes_are_dropped():
    assert len(cut_strata(claim("f1"), positive=histogram([0, 0]), negative=FINE)) == 6
    assert len(unscored_strata(claim("f1"), predicted_positive=0, predicted_negative=7)) == 1


def test_a_histogram_with_a_missing_sum_is_refused():
    with pytest.raises(InputError, match="one score sum per bin, got 2 counts and 1 sums"):
        ClassHistogram(counts=(1, 2), score_sums=(0.5,))
    with pytest.raises(InputError, match="at least 0, got -1"):
        ClassHistogram(counts=(1, -1), score_sums=(0.5, 0.5))
