"""Coverage of fixed-sample bounds by enumeration: finite sums, no randomness, no tolerance."""

import itertools

import numpy as np
import pytest

from assaymark.claims.claim import Counts
from assaymark.claims.ratio_metrics import metric
from assaymark.stats.acceptance_region import Positives
from assaymark.stats.binomial_bounds import (
    METHODS,
    exact_low,
    jeffreys_low,
    midp_low,
    pass_counts,
    standard_error,
)


def share_coverage(low, share: float, trials: int) -> float:
    """P(lower bound <= share) for Binomial(trials, share) successes."""
    successes = np.arange(trials + 1)
    covered = low(successes, trials, 0.05) <= share
    start, pmf = Positives(rate=share).pmf(trials)
    return float(pmf[covered[start : start + len(pmf)]].sum() / pmf.sum())


GRID = [0.01, 0.05, 0.1, 0.25, 1 / 3, 0.5, 0.6, 0.75, 0.9, 0.97, 0.995]


@pytest.mark.parametrize("share", GRID)
def test_the_exact_bound_never_covers_less_than_it_promises(share: float, measured) -> None:
    """Given any number of informative items up to 300; so also for random numbers of them."""
    covered = min(share_coverage(exact_low, share, m) for m in range(301))
    measured("bound-from-counts", "exact: samples of up to 300 items", 1 - covered, nominal=0.05)
    assert covered >= 0.95 - 1e-12


@pytest.mark.parametrize("low", [midp_low, jeffreys_low])
def test_approximate_bounds_do_cover_less_somewhere(low) -> None:
    """Why they are marked as not guaranteed."""
    worst = min(share_coverage(low, share, m) for share in GRID for m in range(5, 301, 15))
    assert 0.85 < worst < 0.95


def f1_coverage(prevalence: float, f1: float, n: int, *, literal: bool) -> float:
    """Coverage of the normal bound for F1 when precision = recall = f1, over all samples of n."""
    found = prevalence * f1
    missed = prevalence - found
    share = found / f1
    total = 0.0
    start1, splits = Positives(rate=share).pmf(n)
    ratio = metric("f1")
    z = 1.6448536269514722
    for n1, weight in enumerate(splits, start=start1):
        if weight < 1e-9:
            continue
        start_t, heads = Positives(rate=f1).pmf(n1)
        start_f, tails = Positives(rate=missed / (1 - share)).pmf(n - n1)
        for (t, a), (f, b) in itertools.product(
            [(start_t + i, a) for i, a in enumerate(heads) if a > 1e-7],
            [(start_f + i, b) for i, b in enumerate(tails) if b > 1e-7],
        ):
            counts = Counts(tp=t, fp=n1 - t, fn=f, tn=n - n1 - f)
            point, error = ratio.value(counts.cells), standard_error(ratio, counts)
            low = 0.0
            if point is not None and error is not None:
                low = point - z * (error / np.sqrt(n - 1) if literal else error)
            total += weight * a * b * (low <= f1)
    return total


@pytest.mark.parametrize(
    ("prevalence", "f1", "n"), [(0.1, 0.8, 100), (0.3, 0.6, 100), (0.1, 0.5, 200)]
)
def test_equation_5_as_printed_covers_about_half(prevalence: float, f1: float, n: int) -> None:
    """Dividing a variance by n−1 twice leaves an interval of almost no width."""
    assert 0.47 <= f1_coverage(prevalence, f1, n, literal=True) <= 0.60


def test_the_corrected_normal_bound_still_covers_too_little() -> None:
    assert 0.85 < f1_coverage(0.1, 0.8, 100, literal=False) < 0.95


@pytest.mark.parametrize("null_share", [0.02, 0.3, 0.538, 0.9, 0.998])
def test_pass_counts_are_those_of_the_exact_bound(null_share: float) -> None:
    """The least passing count used for planning is the one that the verdict applies."""
    least = pass_counts(null_share, 400, 0.05)
    assert set(np.diff(least)) <= {0, 1}
    for m in range(1, 401):
        passing = np.flatnonzero(exact_low(np.arange(m + 1), m, 0.05) >= null_share)
        assert least[m] == (passing[0] if len(passing) else m + 1)


def test_the_guarantee_flag_matches_the_tests_above() -> None:
    assert [name for name, method in METHODS.items() if method.guaranteed] == ["exact"]
