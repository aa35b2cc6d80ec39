"""Rows that live on few of the draws: the shortcuts for them change no number."""

from fractions import Fraction

import numpy as np
import pytest

from assaymark.stats.betting import race as race_module
from assaymark.stats.betting.block import Steps, _before
from assaymark.stats.betting.path import replay, rows_passed
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.rows import Row, Rows
from assaymark.stats.betting.rules import AllOf
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.supermartingale import Draws

GROUPS, SIZE = 12, 40


def row_of(group, share):
    """The share of ones among the items of a group; its second stratum needs a one to be found."""
    places = (2 * group, 2 * group + 1)
    return Row(
        value=dict.fromkeys(places, 1),
        help=dict.fromkeys(places, (0, 1)),
        required=Fraction(share) * 2 * SIZE,
        guards=(frozenset({(places[1], 1)}),),
    )


def made_test(*, ceiling=None):
    rows = [row_of(g, share) for share in ("0.5", "0.7") for g in range(GROUPS)]
    return RowTest(
        rows=Rows(rows=tuple(rows), strata=2 * GROUPS, outcomes=2),
        sizes=(SIZE,) * 2 * GROUPS,
        level=0.05,
        ceiling=ceiling,
        rule=AllOf(refute="never"),
    )


def made_draws(seed, count):
    """Draws that stay in one group for a while, some of which nobody could judge."""
    rng = np.random.default_rng(seed)
    left, strata, sampling = np.full(2 * GROUPS, SIZE), [], []
    while len(strata) < count:
        group = rng.integers(GROUPS)
        chance = np.zeros(2 * GROUPS)
        chance[2 * group : 2 * group + 2] = 0.5
        for _ in range(rng.integers(5, 60)):
            live = np.flatnonzero((chance > 0) & (left > 0))
            if len(live):
                strata.append(rng.choice(live))
                left[strata[-1]] -= 1
                sampling.append(chance)
    labels = rng.choice([-1, 0, 1], p=[0.03, 0.17, 0.8], size=len(strata))
    return Draws(strata=np.array(strata), labels=labels, sampling=np.array(sampling))


def all_draws(book, rows, *, strata, outcomes, remaining):
    """Every row meets every draw of the block."""
    before = _before(strata, remaining)
    return Steps(strata=strata[None, :], outcomes=outcomes[None, :], before=before[None, :])


@pytest.mark.parametrize("ceiling", [None, 60])
def test_a_row_bets_as_if_it_met_every_draw(ceiling, monkeypatch):
    test, draws = made_test(ceiling=ceiling), made_draws(3, 600)
    short = Race(test).feed(draws)
    monkeypatch.setattr(race_module, "make_steps", all_draws)
    assert np.array_equal(Race(test).feed(draws), short)
    assert short.max() > test.log_needed


@pytest.mark.parametrize("seed", range(8))
def test_what_has_passed_by_the_end_is_what_the_whole_path_says(seed):
    test, draws = made_test(), made_draws(seed, 500)
    path = replay(test, draws)
    expected = [
        at is not None and not refuted
        for at, refuted in zip(path.passed_at, path.certainty.refuted[:, -1], strict=True)
    ]
    assert rows_passed(test, draws).tolist() == expected
    assert 0 < sum(expected) < len(expected)
