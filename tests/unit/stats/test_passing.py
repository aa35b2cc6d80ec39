"""The chance to pass a fixed test: the fast sums agree with the plain ones."""

import numpy as np
import pytest
from scipy.special import bdtrc

from assaymark.claims.claim import Counts
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.stats import acceptance_region as passing
from assaymark.stats.acceptance_region import Positives
from assaymark.stats.beta_posterior import from_pilot
from assaymark.stats.binomial_bounds import pass_counts
from assaymark.stats.sample_size import Planner


@pytest.mark.parametrize("law", [Positives(shape=(7.5, 3.5)), Positives(shape=(0.5, 20.5)), Positives(rate=0.3), Positives(rate=1.0)])  # fmt: skip
def test_many_sizes_at_once_have_the_chances_of_each(law: Positives) -> None:
    sizes = np.array([0, 1, 5, 6, 40, 300])
    left, block = law.block(sizes)
    assert block.sum(axis=1) == pytest.approx(np.ones(len(sizes)), abs=1e-9)
    for n, row in zip(sizes, block, strict=True):
        start, own = law.pmf(int(n))
        assert row[start - left : start - left + len(own)] == pytest.approx(own, rel=1e-9)


@pytest.mark.parametrize("claim", ["f1 >= 0.6", "recall >= 0.6", "precision >= 0.6", "jaccard >= 0.5"])  # fmt: skip
@pytest.mark.parametrize("pilot", ["30,10,12,300", "3,0,0,20", "1,1,9,1"])
@pytest.mark.parametrize("nodes", [None, 25])
def test_the_short_cut_changes_no_chance(
    claim: str, pilot: str, nodes: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where positives among the rest can only do harm, sums are folded; the result is the same."""
    planner = Planner(
        claim=parse_claim(claim), belief=from_pilot(Counts.parse(pilot)), confidence=0.95
    )
    sizes = range(1, 400, 7)
    folded = planner.powers(sizes, nodes=nodes)
    monkeypatch.setattr(passing, "_folded_chances", passing._banded_chances)
    assert planner.powers(sizes, nodes=nodes) == pytest.approx(folded, abs=1e-12)


@pytest.mark.parametrize("tail", [1e-9, 0.01, 0.2, 0.5, 0.95])
@pytest.mark.parametrize("share", [1e-6, 0.02, 0.4, 0.97])
def test_least_passing_counts_by_trying_all(share: float, tail: float) -> None:
    """The first k with P(X >= k) <= tail, and m + 1 where there is none."""
    trials = 60
    for m, found in enumerate(pass_counts(share, trials, tail)):
        chances = [1.0, *(float(bdtrc(k - 1, m, share)) for k in range(1, m + 1)), 0.0]
        assert found == next(k for k, chance in enumerate(chances) if chance <= tail)
