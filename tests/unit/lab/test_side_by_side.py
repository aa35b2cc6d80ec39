"""Runs side by side are the runs that the method makes one by one."""

import numpy as np
import pytest

from assaymark.claims.ratio_metrics import parse_claim
from assaymark.errors import InputError
from assaymark.lab.side_by_side.runs import certify_many, certify_rows
from assaymark.stats.betting.binary import binary_test
from assaymark.stats.betting.chances import chances
from assaymark.stats.betting.renewal import SEVERAL, segments
from assaymark.stats.score_guided.supermartingale import Stratum, first_draws

POOL = (
    (True, 60, 0.95, 0.9),
    (True, 60, 0.7, 0.8),
    (False, 30, 0.3, 0.2),
    (False, 600, 0.01, 0.02),
)
CASES = {
    "anytime": ("f1 >= 0.74", {}),
    "to the last item": ("f1 >= 0.8", {}),
    "false": ("f1 >= 0.9", {}),
    "ceiling": ("f1 >= 0.74", {"ceiling": 220}),
    "precision": ("precision >= 0.75", {}),
    "a target too long for 64 bits": ("f1 >= 0.7412345678901234", {}),
    "recall": ("recall >= 0.6", {"ceiling": 300}),
}


def case(name, *, scored=True):
    """The test of a claim about the pool, and the labels of its strata."""
    text, more = CASES[name]
    strata = [Stratum(predicted=p, size=n, mean_score=m if scored else None) for p, n, _, m in POOL]
    found = binary_test(parse_claim(text), strata, level=0.05, bounds=False, **more)
    labels = [(np.arange(n) < round(rate * n)).astype(np.int8) for _, n, rate, _ in POOL]
    return found.test, [labels[k] for k in found.kept]


@pytest.mark.parametrize("scored", [True, False], ids=["scores", "no scores"])
@pytest.mark.parametrize("name", CASES)
def test_runs_side_by_side_are_those_made_one_by_one(name, scored):
    """The same draws, the same wealth to ten digits, the same end."""
    test, labels = case(name, scored=scored)
    many = certify_many(test, labels, [np.random.default_rng(seed) for seed in range(4)])
    for seed, run in enumerate(many):
        alone = certify_rows(test, labels, np.random.default_rng(seed))
        assert np.array_equal(alone.draws.strata, run.draws.strata)
        assert np.array_equal(alone.draws.labels, run.draws.labels)
        np.testing.assert_allclose(run.draws.sampling, alone.draws.sampling, rtol=1e-7)
        np.testing.assert_allclose(run.log, alone.log, rtol=1e-7, atol=1e-9)
        assert run.ruling == alone.ruling


def test_with_a_lead_chances_use_the_sealed_labels_and_no_others():
    """Every segment's chances follow from the labels of the draws that the plan names."""
    test, labels = case("anytime")
    rngs = [np.random.default_rng(seed) for seed in range(3)]
    for run in certify_many(test, labels, rngs, lead=SEVERAL, most=250):
        for segment in segments(most=len(run.draws), lead=SEVERAL):
            wanted = chances(test, first_draws(run.draws, segment.known))
            np.testing.assert_allclose(run.draws.sampling[segment.first - 1], wanted, rtol=1e-6)


def test_claims_of_several_rows_are_refused():
    """Runs side by side know one row and its mirror."""
    strata = [Stratum(predicted=p, size=n, mean_score=m) for p, n, _, m in POOL]
    ladder = binary_test(parse_claim("f1 >= 0.7"), strata, level=0.05).test
    with pytest.raises(InputError, match="need one row"):
        certify_many(ladder, [np.zeros(1, dtype=np.int8)] * 4, [np.random.default_rng(0)])
