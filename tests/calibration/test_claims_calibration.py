"""Claims of several rows exactly at what they claim, in pools of hundreds of items.

There every bet is just fair, which is the hardest case: wealth may show the claim, and may refute it,
with a chance of 5 % each at most, whether a tie lets the claim hold or not. The binomial test asks
whether the counts are compatible with that: with 14 cases, two counts each and a limit of 1e-4 a
correct build raises a false alarm with a probability below 0.003.
"""

import os
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import bdtrc

from assaymark.claims.label_sets import all_sets
from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import Figure
from assaymark.composite.judging import judge_path
from assaymark.composite.levels import CHAINED, level_of_comparison
from assaymark.composite.planning.comparing import comparison_statements
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import ClaimStratum, PoolColumns, SealedClaim, Statement
from assaymark.lab.row_runs import certify_rows
from assaymark.stats.betting.path import judged_path
from assaymark.stats.score_guided.supermartingale import Draws

ALARM, LEVEL = 1e-4, 0.05
RUNS = int(os.environ.get("ASSAYMARK_CALIBRATION_RUNS", "400"))


def stratum(predictions, items, *, groups=()):
    return ClaimStratum(predictions=tuple(predictions), items=items, groups=groups)


def compared(metric, cells, counts):
    """Cells of two classifiers with so many positives each."""
    items = {name: n for name, (n, _) in zip(cells, counts, strict=True)}
    differ = Fraction(items["10"] + items["01"], sum(items.values()))
    sealed = SealedClaim(
        kind="comparison",
        claim=f"{metric} of b > {metric} of a",
        confidence=1 - LEVEL,
        level=level_of_comparison(LEVEL, metric, None, None),
        columns=PoolColumns(id="id", predictions=("a", "b")),
        strata=tuple(stratum(name, n) for name, n in items.items()),
        statements=comparison_statements(Figure(metric=metric), None, differ, None),
        chained=metric in CHAINED,
        metric=metric,
    )
    return sealed, [[n - p, p] for n, p in counts]


def claimed(
    text, strata, counts, *, groups=(), classes=(), tags=(), names=("classifier",), rungs=()
):
    assert [sum(each) for each in counts] == [s.items for s in strata]
    sealed = SealedClaim(
        kind="cut-off" if rungs else "conjunction",
        claim=text,
        confidence=1 - LEVEL,
        level=LEVEL,
        columns=PoolColumns(
            id="id",
            predictions=() if rungs else names,
            groups=groups,
            classes=classes,
            tags=tags,
            scores=("s",) if rungs else (),
            rungs=rungs,
            view="labels" if classes else "two",
        ),
        strata=tuple(strata),
        statements=(Statement(tree=parse(text)),),
        names=names,
    )
    return sealed, counts


BATCH = 25
CELLS = ("11", "10", "01", "00")
CASES = {
    "accuracy, a tie": compared("accuracy", CELLS, [(300, 200), (200, 90), (260, 120), (240, 20)]),
    "f1, a tie": compared("f1", CELLS, [(200, 150), (100, 50), (100, 50), (600, 30)]),
    "recall in every group, one at the target": claimed(
        "recall >= 0.8 in every g",
        [stratum(p, n, groups=(g,)) for g in "xyz" for p, n in (("1", 200), ("0", 300))],
        [[40, 160], [260, 40], [20, 180], [290, 10], [20, 180], [290, 10]],
        groups=("g",),
    ),
    "recall and precision, recall at the target": claimed(
        "recall >= 0.8 and precision >= 0.6",
        [stratum("1", 200), stratum("0", 300)],
        [[40, 160], [260, 40]],
    ),
    "recall of every class, one at the target": claimed(
        "recall of every class >= 0.75",
        [stratum((name,), 200) for name in "abc"],
        [[150, 10, 10, 30], [25, 170, 5, 0], [25, 10, 165, 0]],
        classes=("a", "b", "c"),
    ),
    "recall of every tag, one at the target": claimed(
        "recall of every class >= 0.9",
        [stratum((name,), 200) for name in all_sets(("x", "y"))],
        [[160, 5, 20, 15], [30, 140, 10, 20], [20, 10, 160, 10]],
        classes=all_sets(("x", "y")),
        tags=("x", "y"),
    ),
    "balanced accuracy at the target": claimed(
        "balanced accuracy >= 0.8",
        [stratum("1", 200), stratum("0", 275)],
        [[60, 140], [240, 35]],
    ),
    "precision, a tie": compared("precision", CELLS, [(200, 150), (100, 60), (100, 60), (600, 30)]),
    "macro f1 at the target": claimed(
        "macro f1 >= 0.8",
        [stratum((name,), 200) for name in "abc"],
        [[160, 20, 20, 0], [20, 160, 20, 0], [20, 20, 160, 0]],
        classes=("a", "b", "c"),
    ),
    "a gap between groups as large as allowed": claimed(
        "accuracy gap between g <= 0.1",
        [stratum("1", 300, groups=(g,)) for g in "xy"],
        [[60, 240], [90, 210]],
        groups=("g",),
    ),
    "within a margin, at its edge": claimed(
        "accuracy of b within 0.05 of a",
        [stratum(name, n) for name, n in zip(CELLS, (300, 200, 200, 300), strict=True)],
        [[100, 200], [125, 75], [100, 100], [280, 20]],
        names=("a", "b"),
    ),
    "f1 in words, a tie": claimed(
        "f1 of b >= f1 of a",
        [stratum(name, n) for name, n in zip(CELLS, (200, 100, 100, 600), strict=True)],
        [[50, 150], [50, 50], [50, 50], [570, 30]],
        names=("a", "b"),
    ),
    "cut-offs, the first at the target": claimed(
        "recall >= 0.8",
        [stratum("00", 400), stratum("10", 200), stratum("11", 200)],
        [[360, 40], [120, 80], [120, 80]],
        rungs=("0.3", "0.6"),
    ),
    "recall in every group, one without a positive": claimed(
        "recall >= 0.8 in every g",
        [stratum(p, n, groups=(g,)) for g in "xy" for p, n in (("1", 100), ("0", 150))],
        [[10, 90], [148, 2], [100, 0], [150, 0]],
        groups=("g",),
    ),
}


def wrong(sealed, run, test):
    """Whether wealth alone stated anything, and whether it refuted anything."""
    if sealed.kind == "comparison":
        looks = range(BATCH, len(run.draws) + 1, BATCH)
        return any(_stated(sealed, run, test, end) for end in looks), False
    ruling = run.ruling  # without the easier targets that a pass waits for: the harder case
    stated = ruling.passed_at is not None or ruling.chosen is not None
    return (stated and not ruling.certain, ruling.failed_at is not None and not ruling.certain)


def _stated(sealed, run, test, end):
    """Whether a look after so many draws calls one better; when all is known, no look does."""
    draws = Draws(
        strata=run.draws.strata[:end],
        labels=run.draws.labels[:end],
        sampling=run.draws.sampling[:end],
    )
    found = judge_path(sealed, judged_path(test, draws, run.log[:, :end]), draws)
    return found.decision in ("better", "worse") and not found.certain


def count_wrong(sealed, counts, runs):
    """How many runs state something by wealth, and how many refute something."""
    test = row_test(sealed)
    labels = [np.repeat(np.arange(len(each)), each) for each in counts]
    stated = refuted = 0
    for seed in range(runs):
        run = certify_rows(
            test, labels, np.random.default_rng(seed), most=500, batch=BATCH, stop_at_fail=False
        )
        errors = wrong(sealed, run, test)
        stated, refuted = stated + errors[0], refuted + errors[1]
    return stated, refuted


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_claim_at_its_target_is_stated_in_one_run_of_twenty_at_most(name, measured):
    sealed, counts = CASES[name]
    stated, refuted = count_wrong(sealed, counts, RUNS)
    measured("composite-claims", f"made: {name}", stated, nominal=LEVEL, runs=RUNS)
    measured("composite-claims", f"made: {name}, refuted", refuted, nominal=LEVEL, runs=RUNS)
    for count in (stated, refuted):
        assert count == 0 or bdtrc(count - 1, RUNS, LEVEL) >= ALARM


@pytest.mark.slow
def test_a_level_twice_as_large_is_caught():
    """Both directions at the whole risk: a tie is called better or worse too often."""
    sealed, counts = CASES["accuracy, a tie"]
    right, much = (
        count_wrong(replace(sealed, level=level), counts, RUNS)[0]
        for level in (LEVEL / 2, LEVEL * 4)
    )
    assert much > right
