"""The histogram of scores that a triage is drawn with."""

import math

import numpy as np

from assaymark.triaging.stats.score_histogram import histogram
from assaymark.triaging.triage import Cutoffs


def test_cut_offs_that_are_neighbouring_numbers_leave_no_bin_without_width() -> None:
    low = 0.5
    cutoffs = Cutoffs(low=low, high=math.nextafter(low, 1.0))
    bins = histogram(np.linspace(0.0, 1.0, 101), cutoffs)
    assert sum(one.items for one in bins) == 101
    assert all(one.low < one.high and math.isfinite(one.height) for one in bins)
    assert {one.route for one in bins} == {"reject", "accept"}
