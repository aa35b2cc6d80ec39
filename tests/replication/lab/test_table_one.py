"""Table 1 of Bagdouri et al. 2013: tests of the planned size pass about as often as was asked.

The paper's figures are means over 100 tables of the share of 100 tests that pass, and a "standard
error" of 2.4 to 3.1 points. A coin of 93 % tossed 100 times deviates by 2.6 points, so that is the
deviation over tables; the standard error of the mean is a tenth of it.
"""

import pytest

from assaymark.lab.experiments import run_experiment
from assaymark.lab.experiments.test_size import experiment as sizing
from assaymark.lab.experiments.test_size import trials as size_trials
from assaymark.lab.experiments.test_size.experiment import PAPER
from assaymark.lab.outcome import Outcome
from assaymark.lab.tasks import Order


@pytest.fixture(scope="module")
def small() -> Outcome:
    """Two of the five targets, those that need few labels."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (size_trials, sizing):
            patch.setattr(module, "SHARES", (0.5, 0.7))
        return run_experiment("test-size", Order(runs=8))


def check_table_1(found: Outcome) -> None:
    """The printed ways within 4 standard errors of the difference, the paper's being a tenth of
    what it prints; the exact one at the 93 % asked for, but for the rule of the next 50 sizes.
    At 0.9 of F1 pilots without a size are many, and the others are a selection.
    """
    for row in found.tables["success"]:
        mean, spread = PAPER[row["share"]]
        if row["way"] != "exact":
            tolerance = 4 * ((spread / 10) ** 2 + row["error"] ** 2) ** 0.5
            assert row["success"] == pytest.approx(mean, abs=tolerance), (row["share"], row["way"])
        elif row["share"] < 0.9:
            assert row["success"] == pytest.approx(0.93, abs=4 * row["error"] + 0.003)
        else:
            assert 0.85 < row["success"] < 0.95


def check_what_table_1_does_not_show(found: Outcome) -> None:
    """The printed interval asks for far fewer labels, and holds half the time; the exact one holds."""
    for row in found.tables["success"]:
        if row["way"] == "exact":
            assert row["worst_confidence"] >= 0.95
            assert row["of_exact"] == pytest.approx(1)
        if row["way"] == "printed":
            assert row["confidence"] < 0.7
            assert row["of_exact"] < 0.6
        if row["way"] == "mended":
            assert 0.8 < row["confidence"] < 0.95
            assert row["of_exact"] < 1


def test_table_1_in_kind(small: Outcome) -> None:
    check_table_1(small)


def test_what_table_1_does_not_show(small: Outcome) -> None:
    check_what_table_1_does_not_show(small)


@pytest.mark.slow
def test_table_1() -> None:
    found = run_experiment("test-size", Order(runs=30))
    check_table_1(found)
    check_what_table_1_does_not_show(found)
    for row in found.tables["success"]:
        if row["share"] < 0.9:
            assert row["out_of_reach"] + row["no_end"] < 0.05
