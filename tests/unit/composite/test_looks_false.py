"""When an open claim of several parts is said to look false, and when it is not."""

import numpy as np
import pytest

from assaymark.stats.betting.path import replay
from assaymark.stats.betting.rows import Row, Rows
from assaymark.stats.betting.rules import AllOf, Gap, Named, One
from assaymark.stats.betting.rulings import GOAL, doubted_rows, log_doubt
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.supermartingale import Draws

LABELS = 45


def path_of(rule, share=0.5, claimed=(0.9, 0.9)):
    """Two strata of 500 items, a row in each that claims so much, where every other label helps."""
    rows = tuple(
        Row(value={k: 1}, help={k: (0, 1)}, required=int(500 * target))
        for k, target in enumerate(claimed)
    )
    test = RowTest(
        rows=Rows(rows=rows, strata=2, outcomes=2), sizes=(500, 500), level=1e-9, rule=rule
    )
    count = 2 * LABELS
    strata = np.arange(count) % 2
    labels = (np.arange(count) // 2 * share % 1 >= share).astype(np.int64)
    return replay(test, Draws(strata=strata, labels=labels, sampling=np.full((count, 2), 0.5)))


def test_parts_that_must_all_hold_are_doubted_by_the_mean_of_their_wealths() -> None:
    path = path_of(AllOf(refute="mean"))
    mean = np.log(np.exp(path.log_doubt).mean(axis=0))
    enough = np.arange(1, path.draws + 1) >= 30
    assert np.allclose(log_doubt(path)[enough], mean[enough])
    assert np.isneginf(log_doubt(path)[~enough]).all(), "a few labels raise no doubt"
    assert mean[-1] > np.log(GOAL)
    assert doubted_rows(path) == {0, 1}


def test_a_part_that_holds_is_not_doubted_with_the_other() -> None:
    path = path_of(AllOf(refute="mean"), claimed=(0.9, 0.1))
    assert log_doubt(path)[-1] > np.log(GOAL)
    assert doubted_rows(path) == {0}


def test_named_parts_share_the_risk() -> None:
    """Any of them could look false by chance, so each needs as many times the wealth."""
    path = path_of(Named(), claimed=(0.9, 0.1))
    assert log_doubt(path)[-1] == pytest.approx(path.log_doubt[0, -1] - np.log(2))
    assert doubted_rows(path) == {0}


def test_rows_that_only_suffice_are_doubted_by_the_least_of_them() -> None:
    """One of them may fail although the claim holds: then nothing is known."""
    path = path_of(AllOf(refute="every"), claimed=(0.9, 0.1))
    assert log_doubt(path)[-1] == path.log_doubt[:, -1].min()
    assert doubted_rows(path) == set()


def test_what_no_bet_refutes_is_never_doubted() -> None:
    for rule in (AllOf(refute="never"), Gap(cells=((0, 1),))):
        assert doubted_rows(path_of(rule)) == set()


def test_a_single_row_is_doubted_by_its_mirror() -> None:
    path = path_of(One())
    assert log_doubt(path)[-1] == path.log_doubt[0, -1]
    assert doubted_rows(path) == {0}


def test_nothing_is_doubted_before_the_first_label() -> None:
    path = path_of(AllOf(refute="mean"))
    assert doubted_rows(path.until(0)) == set()
