"""The help of rows in draws, counted by place: whichever way is shorter, in whole numbers."""

from fractions import Fraction

import numpy as np
import pytest

from assaymark.stats.betting.book import open_book, tally_of
from assaymark.stats.betting.rows import Row, Rows

SIZES = (7, 5, 9, 4)


def book_of(factor):
    rows = (
        Row(value={0: 2, 2: 3}, help={0: (0, 1), 2: (1, 0)}, required=factor),
        Row(value={0: 1, 1: 1, 2: 1, 3: 5}, help=dict.fromkeys(range(4), (1, 0)), required=3),
        Row(value={2: 1, 0: 2}, help={0: (1, 0), 2: (0, 1)}, required=1),
    )
    return open_book(Rows(rows=rows, strata=4, outcomes=2), SIZES)


@pytest.mark.parametrize(
    ("factor", "kind"), [(Fraction(1, 3), np.int64), (Fraction(1, 3**50), object)]
)
@pytest.mark.parametrize("draws", [3, 25])
def test_both_ways_give_the_sum_over_the_draws(factor, kind, draws):
    book = book_of(factor)
    rng = np.random.default_rng(42)
    strata = rng.permutation(np.repeat(np.arange(4), SIZES))[:draws]
    outcomes = rng.integers(0, 3, draws)  # 2 is "cannot tell": it helps neither row nor mirror
    assert book.gain.dtype == kind
    expected = [
        sum(int(book.gain[r, book.place[r, k], o]) for k, o in zip(strata, outcomes, strict=True))
        for r in range(6)
    ]
    assert book.help_in(strata, outcomes).tolist() == expected
    assert book.help_of(tally_of(strata, outcomes, (4, 3))).tolist() == expected
    assert not book.gain[:, -1].any()  # the place of strata outside the domain


def test_rows_with_the_same_domain_have_the_same_number():
    numbers = book_of(Fraction(1, 3)).domain_number.tolist()
    assert numbers[0] == numbers[2] == numbers[3] == numbers[5] != numbers[1] == numbers[4]
