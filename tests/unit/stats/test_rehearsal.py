"""Rehearsals of score-guided plans take as many labels as the plans themselves."""

import numpy as np
import pytest

from assaymark.claims.claim import Claim
from assaymark.lab.side_by_side.runs import certify_many
from assaymark.stats.betting.binary import binary_test
from assaymark.stats.betting.hedge import ceiling
from assaymark.stats.rehearsal.walks import rehearse, whole_positives
from assaymark.stats.score_guided.forecast import limit_of
from assaymark.stats.score_guided.supermartingale import Stratum, weighted_test

# size, prediction, mean score, true rate: a rare topic whose scores are not quite probabilities
PARTS = (
    (300, True, 0.4, 0.5),
    (300, True, 0.8, 0.9),
    (800, False, 0.15, 0.1),
    (9000, False, 0.01, 0.002),
)
CLAIM = Claim(metric="f1", side="lower", target=0.68)
STRATA = [Stratum(predicted=side, size=n, mean_score=s) for n, side, s, _ in PARTS]
RATES = np.array([rate for *_, rate in PARTS])


def sealed(end: int | None, claim: Claim = CLAIM):
    return binary_test(claim, STRATA, level=0.05, bounds=False, refutes=0.0, ceiling=end)


def rehearsed(end: int | None = None, claim: Claim = CLAIM, walks: int = 400):
    return rehearse(sealed(end, claim), RATES, walks=walks, rng=np.random.default_rng(1))


def real(end: int | None, runs: int = 200):
    sizes = np.array([part[0] for part in PARTS])
    ones = whole_positives(sizes, RATES)
    labels = [
        np.repeat([1, 0], [k, n - k]).astype(np.int8) for k, n in zip(ones, sizes, strict=True)
    ]
    ends = certify_many(sealed(end).test, labels, np.random.default_rng(2).spawn(runs))
    return np.array([one.labels for one in ends]), np.array(
        [one.ruling.decision == "pass" for one in ends]
    )


def alike(first, second) -> bool:
    """Whether two means differ by less than five standard errors: chance alone fails in 1 of 10⁶."""
    error = np.hypot(first.std() / len(first) ** 0.5, second.std() / len(second) ** 0.5)
    return bool(abs(first.mean() - second.mean()) <= 5 * error)


@pytest.mark.parametrize("end", [None, 700])
def test_a_rehearsal_takes_what_the_plan_takes(end):
    """Labels on average, in the middle and with bad luck, and how many pass in time."""
    found, (labels, passed) = rehearsed(end), real(end)
    assert alike(found.labels, labels)
    for share in (0.5, 0.93):
        rest = (labels <= found.within(share)).mean()
        assert abs(rest - share) < 5 * (share * (1 - share) * (1 / 200 + 1 / 400)) ** 0.5
    assert alike(found.passed.astype(float), passed.astype(float))


def test_without_a_ceiling_every_walk_passes_and_none_takes_more_than_the_pool():
    hard = Claim(metric="f1", side="lower", target=0.7485)
    found = rehearsed(claim=hard, walks=20)
    assert found.passed.all()
    assert 5000 < found.mean <= sum(part[0] for part in PARTS)


def test_the_same_question_has_the_same_answer_and_a_harder_claim_costs_more():
    assert np.array_equal(rehearsed(walks=30).labels, rehearsed(walks=30).labels)
    easy = Claim(metric="f1", side="lower", target=0.6)
    assert rehearsed(claim=easy, walks=100).mean < rehearsed(walks=100).mean


def test_no_walk_goes_beyond_its_ceiling():
    limit = limit_of(weighted_test(CLAIM, STRATA), RATES)
    end = ceiling(limit.ideal, level=0.05)
    found = rehearsed(end)
    assert found.labels.max() <= end
    assert 0.88 < found.passed.mean() < 0.99


def test_positives_are_whole_and_sum_to_what_is_expected():
    sizes, rates = np.array([1000, 7, 40_000, 3]), np.array([0.0004, 0.5, 0.00003, 1.0])
    found = whole_positives(sizes, rates)
    assert found.sum() == round(float((sizes * rates).sum()))
    assert np.all((found >= 0) & (found <= sizes))
    assert found[3] == 3
