"""Laws of stratified estimation: the paper's propositions and orderings, strata, allocations."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assaymark.errors import InputError
from assaymark.estimation.stats.confidence_axis import bin_items
from assaymark.estimation.stats.neyman_allocation import (
    ALLOCATIONS,
    Progress,
    Tuning,
    allocate,
    schedule,
)
from assaymark.estimation.stats.reading_intervals import korn_graubard, wilson
from assaymark.estimation.stats.stratified_estimator import (
    estimated_variance,
    random_variance,
    stratified_mean,
    stratified_point,
)
from assaymark.estimation.stats.stratifiers import STRATIFIERS, stratify
from assaymark.lab.experiments.stratified.runs import Truth, sample, score
from stratified_variances import (
    estimated_random_variance,
    optimal_variance,
    stratified_variance,
)


def test_propositions_one_and_two_by_enumeration():
    """Every sample of 4 of 9 items with replacement: mean and variance are the propositions'."""
    labels = np.array([1, 1, 1, 1, 1, 1, 0, 0, 1])
    samples = np.array(list(product(range(9), repeat=4)))
    found = labels[samples].mean(axis=1)
    truth = labels.mean()
    assert found.mean() == pytest.approx(truth)
    # with replacement the variance is A(1-A)/n; the paper writes N/(N-1) times that
    assert found.var() * 9 / 8 == pytest.approx(random_variance(truth, items=9, labels=4))
    own = [estimated_random_variance(int(labels[s].sum()), 4) for s in samples]
    assert np.mean(own) == pytest.approx(found.var())


def test_propositions_three_and_four_by_enumeration():
    """Every pair of samples without replacement: unbiased, and both variances exact."""
    strata = (np.array([1, 1, 0, 1, 1]), np.array([0, 1, 0, 0]))
    sizes, labels = np.array([5, 4]), np.array([3, 2])
    ways = [list(combinations(range(len(own)), n)) for own, n in zip(strata, labels, strict=True)]
    correct = np.array(
        [[strata[0][list(a)].sum(), strata[1][list(b)].sum()] for a in ways[0] for b in ways[1]]
    )
    labelled = np.tile(labels, (len(correct), 1))
    point = stratified_point(sizes, labelled, correct)
    truth = np.array([own.mean() for own in strata])
    assert point.mean() == pytest.approx((sizes * truth).sum() / 9)
    wanted = stratified_variance(truth, sizes=sizes, labels=labels, replace=False)
    assert point.var() == pytest.approx(wanted)
    assert estimated_variance(sizes, labelled, correct, replace=False).mean() == pytest.approx(
        wanted
    )


shares = st.floats(0.02, 0.98)


@given(st.lists(st.tuples(st.integers(2_000, 90_000), shares), min_size=2, max_size=8))
def test_random_is_never_better_than_proportional_nor_that_than_optimal(strata):
    """Section 3.4, case 1: strata so large that 1/N is negligible (a relative 1e-3 is allowed)."""
    sizes = np.array([size for size, _ in strata])
    truth = np.array([share for _, share in strata])
    n = 100
    weight = sizes / sizes.sum()
    overall = float((weight * truth).sum())
    simple = random_variance(overall, items=int(sizes.sum()), labels=n)
    fair = stratified_variance(truth, sizes=sizes, labels=weight * n)
    best = optimal_variance(truth, sizes=sizes, labels=n)
    assert simple * (1 + 1e-3) >= fair
    assert fair * (1 + 1e-9) >= best
    # equations 12 and 13
    assert simple - fair == pytest.approx(
        (weight * (truth - overall) ** 2).sum() / n, abs=simple * 2e-3
    )
    spread = np.sqrt(truth * (1 - truth))
    gap = (weight * (spread - (weight * spread).sum()) ** 2).sum() / n
    assert fair - best == pytest.approx(gap, abs=simple * 2e-3)


def test_equal_allocation_may_lose_and_small_strata_too():
    """Section 3.4: equal allocation has no such law, and with tiny strata nor has proportional."""
    sizes, truth = np.array([99_000, 1_000]), np.array([0.7, 0.99])
    simple = random_variance(0.7029, items=100_000, labels=100)
    assert stratified_variance(truth, sizes=sizes, labels=np.array([50, 50])) > simple
    tiny, same = np.array([3, 3, 3]), np.array([2 / 3] * 3)
    fair = stratified_variance(same, sizes=tiny, labels=np.array([1.0, 1.0, 1.0]))
    assert fair > random_variance(2 / 3, items=9, labels=3)


def test_equal_is_optimal_where_weight_times_deviation_is_constant():
    sizes = np.array([9_000, 18_000])
    first = 0.5
    second = (1 + np.sqrt(1 - first**2 * 4 * (1 - first) ** 2 / 1)) / 2  # S halved: S² = 1/16
    truth = np.array([first, (1 + np.sqrt(1 - 4 / 16)) / 2])
    assert second == pytest.approx(truth[1], abs=0.1)
    even = stratified_variance(truth, sizes=sizes, labels=np.array([50, 50]))
    assert even == pytest.approx(optimal_variance(truth, sizes=sizes, labels=100), rel=1e-3)


@given(st.integers(0, 10**6), st.sampled_from(sorted(STRATIFIERS)), st.integers(1, 12))
def test_strata_hold_every_item_once_and_never_split_a_tie(seed, name, wanted):
    rng = np.random.default_rng(seed)
    z = rng.choice([0.5, 0.6, 0.7, 1.0, *rng.random(30)], size=500)
    group = rng.integers(0, 3, size=500)
    binned = bin_items(z, group)
    if wanted > len(binned.axis.z):
        return
    cut = stratify(binned.axis, name, wanted)
    own = cut.bins[binned.bins]
    assert cut.sizes.sum() == 500
    assert np.array_equal(np.bincount(own), cut.sizes)
    assert (cut.sizes > 0).all()
    assert cut.strata <= wanted
    for value, side in {(a, b) for a, b in zip(z.tolist(), group.tolist(), strict=True)}:
        assert len(set(own[(z == value) & (group == side)])) == 1
    assert cut.shares.sum() == pytest.approx(1)


def test_every_stratifier_gives_other_strata():
    rng = np.random.default_rng(42)
    binned = bin_items(rng.beta(6, 1, size=20_000), rng.integers(0, 2, size=20_000))
    sizes = {name: tuple(stratify(binned.axis, name, 6).sizes.tolist()) for name in STRATIFIERS}
    assert len(set(sizes.values())) == len(STRATIFIERS)


def test_more_strata_than_distinct_scores_is_refused():
    binned = bin_items(np.array([0.5, 0.5, 1.0]), np.zeros(3, dtype=np.int64))
    with pytest.raises(InputError, match="3 strata were asked for, and the scores have only 2"):
        stratify(binned.axis, "equal-size", 3)


@given(
    st.sampled_from(sorted(ALLOCATIONS)),
    st.lists(st.integers(1, 200), min_size=1, max_size=6),
    st.integers(0, 300),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_an_allocation_spends_the_batch_and_never_more_than_is_there(
    name, sizes, batch, guard, seed
):
    rng = np.random.default_rng(seed)
    whole = np.array(sizes)
    labelled = rng.integers(0, whole + 1, size=(3, len(sizes)))
    progress = Progress(
        sizes=whole,
        labelled=labelled,
        correct=rng.integers(0, labelled + 1),
        shares=whole / whole.sum(),
    )
    more = allocate(name, batch, progress, Tuning(guard=guard))
    assert (more >= 0).all()
    assert (more <= progress.room).all()
    assert np.array_equal(more.sum(axis=1), np.minimum(batch, progress.room.sum(axis=1)))


def test_batches_of_an_extended_sample_add_up_to_the_whole():
    sizes = np.array([500, 300, 200])
    zeros = np.zeros(3, dtype=np.int64)
    taken = zeros
    for batch in (7, 20, 33):
        taken = taken + allocate(
            "proportional", batch, Progress(sizes=sizes, labelled=taken, correct=zeros)
        )
    assert taken.tolist() == [30, 18, 12]


def test_fewer_labels_than_strata_are_refused():
    with pytest.raises(InputError, match="3 labels cannot cover 5 strata"):
        schedule("equal", 3, 5, Tuning())


AS_PRINTED = Truth(
    sizes=np.array([8_000, 8_000, 4_000]),
    correct=np.array([7_760, 7_360, 2_800]),
    doubt=np.array([0.03, 0.08, 0.3]),
    shares=np.ones(3) / 3,
)


def test_the_printed_algorithm_is_worse_than_random_and_the_guard_is_not():
    """The paper's yardstick sees a saving where the true error is several times that of random."""
    rng = np.random.default_rng(42)
    bad = score(
        sample(AS_PRINTED, 800, "optimal-steps", runs=1000, rng=rng, tuning=Tuning(guard=False)),
        rng,
    )
    good = score(sample(AS_PRINTED, 800, "optimal-steps", runs=1000, rng=rng), rng)
    assert bad.true_vr > 2
    assert bad.paper_vr < 1
    assert bad.bias > 0.005
    assert good.true_vr < 1
    assert abs(good.bias) < 0.003


def test_with_replacement_is_as_proposition_three_says():
    """The sample variance of 4,000 runs is within five standard errors of the formula."""
    rng = np.random.default_rng(42)
    seen = sample(AS_PRINTED, 300, "equal", runs=4000, rng=rng, replace=True)
    point = stratified_point(AS_PRINTED.sizes, seen.labelled, seen.correct)
    truth = AS_PRINTED.correct / AS_PRINTED.sizes
    exact = stratified_variance(truth, sizes=AS_PRINTED.sizes, labels=np.full(3, 100.0))
    assert point.var() == pytest.approx(exact, rel=5 * np.sqrt(2 / 4000))


@pytest.mark.parametrize("n", [5, 50, 400])
def test_an_interval_never_has_width_zero_while_items_are_unlabelled(n):
    sizes, labelled = np.array([1000, 500]), np.array([n, n])
    for ends in (
        korn_graubard(sizes, labelled, labelled, promised=np.array([1.0, 1.0])),
        korn_graubard(sizes, labelled, labelled),
        wilson(sizes, labelled, labelled),
    ):
        assert ends.low < 1 == ends.high or ends.high == pytest.approx(1)
        assert ends.low < 0.9999


def test_one_stratum_labelled_to_the_end_is_known():
    ends = korn_graubard(np.array([40]), np.array([40]), np.array([30]))
    assert (ends.low, ends.high) == (0.75, 0.75)


def test_a_stratum_without_labels_widens():
    full = stratified_mean(np.array([100, 100]), np.array([10, 10]), np.array([9, 9]))
    thin = stratified_mean(np.array([100, 100]), np.array([20, 0]), np.array([18, 0]), prior=0.9)
    assert thin.variance > 5 * full.variance
    with pytest.raises(InputError, match="no label yet"):
        stratified_mean(np.array([10]), np.array([0]), np.array([0]))
    with pytest.raises(
        InputError, match="Stratum 1 cannot have 3 successes in 2 labels of 10 items"
    ):
        stratified_mean(np.array([10]), np.array([2]), np.array([3]))


@pytest.mark.parametrize("name", ["proportional", "equal", "mass"])
def test_no_stratum_is_left_out_and_batches_add_up(name):
    """Tiny strata get a label too, so that the estimate is unbiased; two batches are one sample."""
    sizes = np.array([9000, 700, 200, 60, 30, 10])
    zeros = np.zeros(6, dtype=np.int64)
    shares = sizes / sizes.sum()
    once = allocate(name, 60, Progress(sizes=sizes, labelled=zeros, correct=zeros, shares=shares))
    first = allocate(name, 20, Progress(sizes=sizes, labelled=zeros, correct=zeros, shares=shares))
    more = allocate(name, 40, Progress(sizes=sizes, labelled=first, correct=zeros, shares=shares))
    assert (first >= 1).all()
    assert first.sum() == 20
    assert (first + more).sum() == once.sum() == 60
    assert np.abs(first + more - once).max() <= 2
    few = allocate(name, 4, Progress(sizes=sizes, labelled=zeros, correct=zeros, shares=shares))
    assert few.sum() == 4
    # the labels per stratum never depend on the labels, so the mean over all samples is the truth
    right = sizes // 2
    assert (
        allocate(
            name,
            40,
            Progress(sizes=sizes, labelled=first, correct=np.minimum(first, right), shares=shares),
        ).tolist()
        == more.tolist()
    )
