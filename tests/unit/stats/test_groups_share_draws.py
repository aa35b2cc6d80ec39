"""Draws are shared among groups by the labels that are still to come; a finished group gets none."""

from fractions import Fraction

import numpy as np
import pytest

from assaymark.errors import InputError
from assaymark.stats.betting.chances import (
    _apart,
    _clear,
    _hardest,
    _spills,
    clearness,
    next_chances,
    row_to_aim_at,
    shared_chances,
)
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.rows import Row, Rows
from assaymark.stats.betting.rules import AllOf, Gap, Named
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.supermartingale import Draws

SIZE = 500
NONE = np.zeros(6, dtype=np.int64)


def row_of(group, share):
    """The share of ones among the two strata of a group."""
    places = (2 * group, 2 * group + 1)
    return Row(
        value=dict.fromkeys(places, 1),
        help=dict.fromkeys(places, (0, 1)),
        required=Fraction(share) * 2 * SIZE,
    )


def raced(rows, *, rule=None):
    return Race(
        RowTest(
            rows=Rows(rows=tuple(rows), strata=6, outcomes=2),
            sizes=(SIZE,) * 6,
            level=0.05,
            rule=rule or AllOf(),
        )
    )


def label(race, group, ones, zeros):
    """Labels of one group, half of them in each of its strata."""
    labels = np.array([0] * zeros + [1] * ones)
    chance = np.zeros(6)
    chance[2 * group : 2 * group + 2] = 0.5
    race.feed(
        Draws(
            strata=2 * group + np.arange(len(labels)) % 2,
            labels=labels,
            sampling=np.tile(chance, (len(labels), 1)),
        )
    )


def by_group(chances):
    assert chances.sum() == pytest.approx(1.0)
    return chances.reshape(3, 2).sum(axis=1)


def three(share="0.6"):
    return [row_of(group, share) for group in range(3)]


def test_a_short_segment_is_for_the_group_most_likely_to_fail():
    race = raced([row_of(0, "0.3"), row_of(1, "0.8"), row_of(2, "0.4")])
    assert by_group(shared_chances(race, NONE, 10)).tolist() == [0, 1, 0]


def test_a_long_segment_is_shared_among_all_that_want_labels():
    shares = by_group(shared_chances(raced(three()), NONE, 100))
    assert shares == pytest.approx([1 / 3] * 3, abs=0.05)


def test_a_group_with_enough_draws_waiting_gets_no_more_before_the_others_have_theirs():
    race = raced([row_of(0, "0.3"), row_of(1, "0.8"), row_of(2, "0.4")])
    waiting = NONE.copy()
    waiting[2:4] = 20
    shares = by_group(shared_chances(race, waiting, 10))
    assert shares[1] == 0
    assert shares[2] == 1


def test_a_group_that_is_proved_gets_nothing():
    race = raced(three())
    label(race, 1, 60, 0)
    assert race.stopped[1]
    assert by_group(shared_chances(race, NONE, 200))[1] == 0


def test_few_draws_wait_in_a_group_that_needs_few():
    race = raced(three("0.7"))
    label(race, 0, 26, 3)
    assert not race.stopped[0]
    shares = by_group(shared_chances(race, NONE, 80))
    assert 0 < shares[0] < min(shares[1:])


def test_every_stratum_of_a_group_that_is_drawn_from_has_a_chance():
    """A row whose domain is drawn only in part could not bet."""
    for length in (1, 10, 200):
        chances = shared_chances(raced(three()), NONE, length).reshape(3, 2)
        assert ((chances > 0).all(axis=1) | (chances == 0).all(axis=1)).all()


def test_rows_that_share_strata_are_one_group():
    """Recall and precision of the same group are drawn together."""
    twice = [*three("0.6"), *three("0.7")]
    shares = by_group(shared_chances(raced(twice), NONE, 120))
    assert shares == pytest.approx([1 / 3] * 3, abs=0.05)


@pytest.mark.parametrize("rule", [AllOf(), Named()])
def test_a_single_open_group_is_drawn_from_as_a_claim_of_its_own(rule):
    race = raced(three(), rule=rule)
    label(race, 0, 90, 0)
    label(race, 1, 90, 0)
    assert shared_chances(race, NONE, 50).tolist() == next_chances(race).tolist()


def test_rows_with_a_stratum_in_common_are_one_group():
    """A row that joins two groups makes one of them, which stands where the row does."""

    def on(*places):
        return Row(
            value=dict.fromkeys(places, 1),
            help=dict.fromkeys(places, (0, 1)),
            required=Fraction(SIZE, 2),
        )

    race = raced([on(0), on(2), on(1), on(0, 1), on(4, 5), on(2, 3)])
    assert _apart(race, np.ones(6, dtype=bool)) == [[0, 2, 3], [4], [1, 5]]
    assert _apart(race, np.array([1, 1, 1, 0, 0, 0], dtype=bool)) == [[0], [1], [2]]
    assert _apart(race, np.zeros(6, dtype=bool)) == []


def test_the_row_looked_for_in_a_group_is_that_of_the_group_alone():
    """All groups are asked at once, and each answer is that of the group asked by itself."""

    def on(*places, share="0.6"):
        return Row(
            value=dict.fromkeys(places, 1),
            help=dict.fromkeys(places, (0, 1)),
            required=Fraction(share) * len(places) * SIZE,
        )

    rows = [on(0, 1), on(0), on(2, 3), on(2, 3, share="0.7"), on(4), on(4, 5), on(3)]
    race = raced(rows)
    label(race, 0, 70, 20)
    label(race, 1, 60, 10)
    label(race, 2, 30, 20)
    view, groups = race.outlook(), [[0, 1], [2, 3, 6], [2, 3], [4, 5], [5]]
    flags = [np.isin(np.arange(len(rows)), group) for group in groups]
    alone = [row_to_aim_at(race, view, flag) for flag in flags]
    assert _hardest(race, groups, _clear(view, np.arange(len(rows)))) == alone
    for flag, row in zip(flags, alone, strict=True):
        open_ones = np.flatnonzero(flag)
        clear = clearness(view, open_ones)
        inside = race.test.book.inside[open_ones]
        if (inside != inside[0]).any():
            assert row == open_ones[np.argmin(clear)]
        else:
            to_go = race.test.log_needed - race.log[open_ones]
            assert row == open_ones[np.argmax(to_go / clear**2)]
    assert len(set(alone)) >= 4


def test_chances_spill_only_into_rows_with_strata_beyond():
    """Of a row inside another one nothing is beyond; the other way round there is."""
    rows = [row_of(0, "0.6"), Row(value={0: 1}, help={0: (0, 1)}, required=Fraction(SIZE, 2))]
    race = raced([*rows, row_of(1, "0.6")])
    assert _spills(race, [(0, 1), (1, 0), (0, 2)]) == [False, True, False]
    race.remaining[1] = 0  # nothing is left beyond
    assert _spills(race, [(1, 0)]) == [False]


def test_a_gap_leaves_out_groups_that_prove_no_cell():
    """Each cell is proved by its better row; a group that has its fewest labels and no cell waits."""
    rows = [row_of(0, "0.6"), row_of(1, "0.2"), row_of(2, "0.6"), row_of(1, "0.9")]
    race = raced(rows, rule=Gap(cells=((0, 1), (2, 1), (0, 3), (2, 3))))
    label(race, 0, 27, 13)
    label(race, 1, 24, 16)
    label(race, 2, 26, 14)
    # group 1 is far above 0.2 and far below 0.9, so the others prove what it cannot
    chances = by_group(shared_chances(race, NONE, 60))
    assert chances[0] > 0
    assert chances[2] > 0
    lone = raced(rows, rule=Gap(cells=((0, 3), (2, 3))))
    label(lone, 0, 27, 13)
    label(lone, 1, 24, 16)
    label(lone, 2, 26, 14)
    assert by_group(shared_chances(lone, NONE, 60))[1] == 0


def test_every_group_of_a_gap_has_its_fewest_labels():
    """Both rows of a cell count only after 30 draws each, whichever of them proves it."""
    race = raced(three(), rule=Gap(cells=((0, 1), (0, 2), (1, 2))))
    label(race, 0, 40, 0)
    assert (by_group(shared_chances(race, NONE, 60)) > 0).sum() >= 2
    waiting = np.array([0, 0, 30, 0, 0, 0])
    assert by_group(shared_chances(race, waiting, 20))[2] > 0


def test_rows_that_share_draws_have_no_product():
    """Two wealths that move on the same draws: their product is no fair bet."""
    with pytest.raises(InputError, match="Rows that share draws have no product"):
        raced(three() + three("0.7"), rule=Gap(cells=((0, 3),)))
