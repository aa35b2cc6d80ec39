"""Sums over places on the first axis are those of numpy over a last axis, to the last bit."""

import numpy as np
import pytest

from assaymark.stats.betting.stakes import SHORT, total


@pytest.mark.parametrize("problems", [(), (1,), (3, 4), (SHORT + 1,), (4, SHORT)])
def test_a_sum_over_the_first_axis_has_the_bits_of_one_over_the_last(problems):
    rng = np.random.default_rng(42)
    for places in (*range(1, 40), 127, 128, 129, 300):
        size = (*problems, places)
        values = rng.random(size) * rng.choice([1e-9, 1.0, 1e9], size)
        over_the_last = np.add.reduce(values, axis=-1)
        over_the_first = total(np.ascontiguousarray(np.moveaxis(values, -1, 0)))
        turned_once = np.ascontiguousarray(values.T)
        assert np.array_equal(over_the_first, over_the_last)
        assert np.array_equal(total(turned_once), over_the_last.T)
