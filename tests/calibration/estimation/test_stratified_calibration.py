"""What stratified intervals cover, and that the default strata never lose, on made pools."""

import math

import numpy as np
import pytest

from assaymark.estimation.stats.default_strata import strata_wanted
from assaymark.estimation.stats.neyman_allocation import Progress, allocate
from assaymark.estimation.stats.reading_intervals import effective_ends, imagined_rate
from assaymark.estimation.stats.stratified_estimator import random_variance
from assaymark.estimation.stats.stratifiers import stratify
from assaymark.lab.experiments.guarantee.experiment import (
    METRICS,
    SKETCHES,
    chance_of,
    race,
    reading_misses,
    sampled,
)
from assaymark.lab.experiments.stratified.pools import made_pools
from assaymark.lab.experiments.stratified.runs import sample, score, truth_of
from assaymark.lab.worlds import make_world
from stratified_variances import stratified_variance

POOLS = made_pools(np.random.default_rng(42))
RUNS = 2000


@pytest.fixture(scope="module")
def cut():
    found = {}
    for pool in POOLS:
        binned = pool.binned()
        for labels in (50, 100, 200, 800, 1600):
            wanted = min(strata_wanted(labels), len(binned.axis.z))
            found[pool.name, labels] = truth_of(pool, binned, stratify(binned.axis, "mixc", wanted))
    return found


@pytest.mark.parametrize("pool", POOLS, ids=lambda pool: pool.name)
def test_default_strata_are_never_worse_than_random_sampling(pool, cut):
    """By the exact variance at the labels really allocated: no simulation, no tolerance."""
    for labels in (50, 100, 200, 800, 1600):
        truth = cut[pool.name, labels]
        zeros = np.zeros(len(truth.sizes), dtype=np.int64)
        given = allocate(
            "mass",
            labels,
            Progress(sizes=truth.sizes, labelled=zeros, correct=zeros, shares=truth.shares),
        )
        assert (given >= 1).all()
        own = stratified_variance(
            truth.correct / truth.sizes, sizes=truth.sizes, labels=given, replace=False
        )
        simple = random_variance(
            truth.accuracy, items=int(truth.sizes.sum()), labels=labels, replace=False
        )
        assert own <= simple, (pool.name, labels, own / simple)


@pytest.mark.parametrize("labels", [50, 200, 1600])
def test_reading_intervals_cover(labels, cut, measured):
    """At least 93.5 % cover and at most 5 % over-claim in every pool.

    If an interval covers 95 % exactly, 2,000 runs fall below 93.5 % with chance 0.1 %; both
    methods are a little cautious, so the whole test fails by chance with well under 1 %.
    """
    rng = np.random.default_rng(42)
    for pool in POOLS:
        truth = cut[pool.name, labels]
        seen = sample(truth, labels, "mass", runs=RUNS, rng=rng)
        rate = imagined_rate(truth.sizes, seen.labelled, seen.correct, 1 - truth.doubt)
        for method, prior in (("korn-graubard", rate), ("wilson", np.array(0.5))):
            low, high = effective_ends(
                truth.sizes,
                seen.labelled,
                seen.correct,
                prior=prior,
                confidence=0.95,
                method=method,
            )
            inside = (low <= truth.accuracy) & (truth.accuracy <= high)
            if method == "korn-graubard":
                where, missed = f"made: {pool.name} (no guarantee)", int((~inside).sum())
                measured("estimate-for-reading", where, missed, nominal=0.05, runs=RUNS)
            assert inside.mean() >= 0.93, (pool.name, method)
            assert (low > truth.accuracy).mean() <= 0.05, (pool.name, method)


@pytest.mark.parametrize("labels", [50, 100])
def test_reading_intervals_cover_where_chance_leaves_strata_without_labels(labels, cut):
    """As a guarantee needs them: strata drawn at random, so that some get no label in most runs."""
    rng = np.random.default_rng(42)
    for pool in POOLS:
        truth = cut[pool.name, labels]
        labelled = np.minimum(rng.multinomial(labels, truth.shares, size=RUNS), truth.sizes)
        wrong = truth.sizes - truth.correct
        correct = rng.hypergeometric(
            np.broadcast_to(truth.correct, labelled.shape),
            np.broadcast_to(wrong, labelled.shape),
            labelled,
        )
        rate = imagined_rate(truth.sizes, labelled, correct, 1 - truth.doubt)
        for method, prior in (("korn-graubard", rate), ("wilson", np.array(0.5))):
            low, high = effective_ends(
                truth.sizes, labelled, correct, prior=prior, confidence=0.95, method=method
            )
            inside = (low <= truth.accuracy) & (truth.accuracy <= high)
            assert inside.mean() >= 0.93, (pool.name, method)
            assert (low > truth.accuracy).mean() <= 0.05, (pool.name, method)


def test_the_default_is_unbiased(cut):
    """Within four standard errors of zero in every pool (eight pools: fails by chance in 0.05 %)."""
    rng = np.random.default_rng(42)
    for pool in POOLS:
        seen = sample(cut[pool.name, 200], 200, "mass", runs=RUNS, rng=rng)
        found = score(seen, rng)
        spread = math.sqrt(found.true_vr * random_variance(pool.accuracy, items=20_000, labels=200))
        assert abs(found.bias) < 4 * spread / math.sqrt(RUNS)


def errors(world, name, *, runs, most, seed=42):
    """In how many runs either guaranteed figure of the metric was ever wrong, by side."""
    made = make_world(SKETCHES[world], np.random.default_rng(seed))
    found = race(made, name, runs=runs, most=most, rng=np.random.default_rng(seed))
    return (found.first[:, :, 0] <= most).sum(axis=0)


def test_the_guarantee_keeps_its_level_at_every_look(measured):
    """Misleading scores, ties, ranks, a pool that runs out: 96 sequences of looks at up to 200 labels.

    At exactly 5 % each, 13 or more of them err with chance 0.1 %; in truth far fewer do.
    """
    cells = (
        ("hidden misses", "recall"),
        ("upside down", "f1"),
        ("ties", "accuracy"),
        ("small pool", "precision"),
    )
    wrong = sum(errors(world, name, runs=12, most=200) for world, name in cells)
    world_name = "adversary: misses hidden, scores upside down, ties, a small pool"
    measured("estimate-guaranteed", world_name, int(wrong.sum()), nominal=0.05, runs=96)
    assert wrong.sum() < 13


@pytest.mark.slow
@pytest.mark.parametrize("name", METRICS)
def test_the_guarantee_keeps_its_level_in_every_made_world(name, measured):
    """Up to 800 labels: 60 runs in each of ten worlds, either side, by a binomial test.

    Each of 20 cells may err as often as 5 % gives with chance 0.0001, all 600 runs of a side
    together with chance 0.001: the test fails by chance in 0.4 %.
    """
    total = np.zeros(2, dtype=int)
    for world in SKETCHES:
        wrong = errors(world, name, runs=60, most=800)
        where = f"made: {world}, {name}, up to 800 labels"
        measured("estimate-guaranteed", where, int(wrong.max()), nominal=0.05, runs=60)
        assert min(chance_of(int(n), 60) for n in wrong) > 1e-4, (world, wrong)
        total += wrong
    assert min(chance_of(int(n), 60 * len(SKETCHES)) for n in total) > 1e-3, total


@pytest.mark.parametrize(
    ("world", "name"), [("honest", "f1"), ("rare", "recall"), ("over-confident", "precision")]
)
def test_profile_likelihood_covers_for_reading(world, name):
    """Not a promise: at least 88 % of 150 runs at 100 labels, and at 800 where 1,000 are all.

    At 93 % cover, fewer than 132 of 150 come with chance 1.2 %; it is measured higher in these cells.
    """
    made = make_world(SKETCHES[world], np.random.default_rng(42))
    found = race(made, name, runs=150, most=800, rng=np.random.default_rng(42), bet=False)
    own = sampled(made, name).cut
    for place in (1, 4):
        missed = reading_misses(made, name, own, found, place)
        kept = 150 - missed["undefined"]
        assert missed["reading_high"] + missed["reading_low"] <= 0.12 * kept, (place, missed)
