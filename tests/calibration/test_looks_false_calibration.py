"""Claims that hold are seldom said to look false: every part exactly on its target, the hardest case.

There each bet against the claim is just fair. A run counts if the wealth against it reaches the goal
after any of its draws, so a look at any of them is covered. The binomial test asks whether the count is
compatible with 1/GOAL; a correct build fails one of the six cases with a chance below 6e-4.
"""

import math

import numpy as np
import pytest
from scipy.special import bdtrc

from assaymark.claims.language.grammar import parse
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import ClaimStratum, PoolColumns, SealedClaim, Statement
from assaymark.lab.side_by_side.runs import certify_rows
from assaymark.stats.betting.binary import binary_test
from assaymark.stats.betting.path import judged_path
from assaymark.stats.betting.rulings import GOAL, claim_doubted, log_doubt
from assaymark.stats.betting.standing import standing
from assaymark.stats.score_guided.supermartingale import Stratum

ALARM, LOW = 1e-4, 2.5
BATCH, MOST = 20, 600
NONE = ("",)


def claimed(text, *, groups=NONE, classes=(), family="every", items=200):
    """A claim on strata of so many items for every group and prediction."""
    names = classes or ("1", "0")
    strata = [
        ClaimStratum(predictions=(name,), items=items, groups=(group,) if group else ())
        for group in groups
        for name in names
    ]
    return SealedClaim(
        kind="conjunction",
        claim=text,
        confidence=0.95,
        level=0.05,
        columns=PoolColumns(
            id="id",
            predictions=("classifier",),
            groups=("g",) if groups != NONE else (),
            classes=classes,
            view="labels" if classes else "two",
        ),
        strata=tuple(strata),
        statements=(Statement(tree=parse(text)),),
        names=("classifier",),
        family=family,
    )


GROUPS = ("x", "y", "z")
IN_TWO = [[40, 160], [160, 40]]  # recall, precision and accuracy are 0.8
IN_THREE = [[160, 20, 20], [20, 160, 20], [20, 20, 160]]  # so is the recall of every class
CASES = {
    "every group": (claimed("recall >= 0.8 in every g", groups=GROUPS), IN_TWO * 3),
    "two metrics": (claimed("recall >= 0.8 and precision >= 0.8"), IN_TWO),
    "every class": (claimed("recall of every class >= 0.8", classes=("a", "b", "c")), IN_THREE),
    "named": (claimed("recall >= 0.8 in every g", groups=GROUPS, family="named"), IN_TWO * 3),
}
SINGLE = tuple(
    Stratum(predicted=predicted, size=200, mean_score=mean)
    for predicted, mean in ((True, 0.95), (True, 0.7), (False, 0.2), (False, 0.02))
)
ON_TARGET = [[20, 180], [60, 140], [140, 60], [180, 20]]  # recall and precision are 0.8


def warned(name, runs, goal=GOAL):
    """How many runs ever have this wealth against their claim."""
    sealed, counts = CASES[name]
    test = row_test(sealed)
    labels = [np.repeat(np.arange(len(each)), each) for each in counts]
    count = 0
    for seed in range(runs):
        run = certify_rows(test, labels, np.random.default_rng(seed), most=MOST, batch=BATCH)
        against = log_doubt(judged_path(test, run.draws, run.log))
        count += against.max() >= math.log(goal)
    return int(count)


@pytest.mark.parametrize("runs", [60, pytest.param(600, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CASES)
def test_a_claim_that_holds_looks_false_in_one_run_of_ten_at_most(name, runs, measured):
    count = warned(name, runs)
    measured("looks-false", f"made: {name}", count, nominal=1 / GOAL, runs=runs)
    assert count == 0 or bdtrc(count - 1, runs, 1 / GOAL) >= ALARM


def single_doubted(text, runs):
    """How many score-guided plans on one claim are ever said to look false, at any draw."""
    found = binary_test(parse_claim(text), SINGLE, level=0.05)
    labels = [np.repeat(np.arange(2), each) for each in ON_TARGET]
    count = 0
    for seed in range(runs):
        run = certify_rows(
            found.claim_test, labels, np.random.default_rng(seed), most=MOST, batch=BATCH
        )
        path = standing(found, run.draws).path
        count += any(
            claim_doubted(path.until(end), found.claim_row) for end in range(1, path.draws + 1)
        )
    return count


@pytest.mark.parametrize("runs", [40, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("text", ["recall >= 0.8", "f1 >= 0.8"])
def test_a_single_claim_that_holds_looks_false_in_one_run_of_ten_at_most(text, runs, measured):
    count = single_doubted(text, runs)
    measured("looks-false", f"made: {text}", count, nominal=1 / GOAL, runs=runs)
    assert count == 0 or bdtrc(count - 1, runs, 1 / GOAL) >= ALARM


@pytest.mark.slow
def test_a_goal_of_two_and_a_half_is_caught():
    """The count above can fail: at a quarter of the goal it is one that a tenth does not allow."""
    assert bdtrc(warned("two metrics", 400, LOW) - 1, 400, 1 / GOAL) < ALARM
