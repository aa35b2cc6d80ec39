"""Skipping a first region that could never pass leaves the risk of the walk below delta.

Two nested regions, the whole and a part of it, of n independent items: the part is tested if it holds
enough labels, and skipped otherwise. The chance that the walk certifies a region whose accuracy is at
most the target is summed over every outcome, where the surer region is the worse one: the only
case in which the counts could mislead, because otherwise the labels are worse than promised in every
region whatever the counts.
"""

import numpy as np
import pytest
from scipy import stats

from assaymark.triaging.stats.cutoffs import few_errors, fewest_labels

TARGET, DELTA, ITEMS = 0.8, 0.2, 24
RATE = 1 - TARGET
FEWEST = fewest_labels(TARGET, DELTA)


def _most_errors(items):
    """The most errors with which a region of so many labels passes; -1 where none does."""
    passed = [few_errors(errors, items, RATE) <= DELTA for errors in range(items + 1)]
    return sum(passed) - 1


def _false_certificate(share, part, excess):
    """The chance to certify, where the part errs with RATE + excess and the whole with RATE."""
    inner, ring = RATE + excess, RATE - excess * part / (1 - part)
    total = 0.0
    for items in range(FEWEST, ITEMS + 1):
        for inside in range(items + 1):
            chance = stats.binom.pmf(items, ITEMS, share) * stats.binom.pmf(inside, items, part)
            if inside >= FEWEST:  # tested first, and nothing is certified if it fails
                passed = stats.binom.cdf(_MOST[inside], inside, inner)
            else:
                errors = np.convolve(
                    stats.binom.pmf(np.arange(inside + 1), inside, inner),
                    stats.binom.pmf(np.arange(items - inside + 1), items - inside, ring),
                )
                passed = errors[: _MOST[items] + 1].sum()
            total += chance * passed
    return total


_MOST = [_most_errors(items) for items in range(ITEMS + 1)]


@pytest.mark.parametrize("share", [0.6, 1.0])
@pytest.mark.parametrize(("part", "excess"), [(0.3, 0.0), (0.3, 0.3), (0.6, 0.1), (0.9, 0.02)])
def test_the_risk_stays_below_delta(share, part, excess):
    assert 0.1 * DELTA < _false_certificate(share, part, excess) <= DELTA
