"""Method number 2 on pools made to fool it: how often a claim passes that is exactly at its target.

Each pool has its metric at the target, so a pass by wealth is an error; its chance is at most 5 %.
The binomial test asks whether the count is compatible with 5 %: with 9 cases and a limit of 1e-4
each, a correct engine raises a false alarm with probability below 0.001, and only at 5 % exactly.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import bdtrc

from assaymark.claims.claim import Claim
from assaymark.lab.side_by_side.runs import certify_many, certify_rows
from assaymark.lab.worlds import Sketch, claim_below, cut_world, make_world
from assaymark.stats.betting.binary import binary_test, claim_row
from assaymark.stats.betting.hedge import ceiling
from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.betting.rows import Row, Rows
from assaymark.stats.betting.rules import AllOf
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.forecast import limit_of
from assaymark.stats.score_guided.supermartingale import Stratum, weighted_test

ALARM = 1e-4
PATHS = ["anytime", "ceiling", "lead"]
# Fewer, longer blocks and batches make many runs affordable; the law is the same.
QUICK = Recipe(first_block=50, block_share=4, rest_share=3, hedged_share=2)
LEVEL = 0.05

# Metric, then strata as predicted, items, positives, mean score.
TRAPS = {
    "honest": (
        "f1",
        (True, 60, 54, 0.9),
        (True, 60, 36, 0.6),
        (False, 200, 24, 0.12),
        (False, 800, 4, 0.005),
    ),
    "misses hidden": ("recall", (True, 100, 80, 0.8), (False, 100, 4, 0.2), (False, 600, 26, 1e-4)),
    "over-confident": (
        "f1",
        (True, 100, 50, 0.95),
        (False, 100, 20, 0.01),
        (False, 600, 30, 0.0025),
    ),
    "precision": ("precision", (True, 300, 240, 0.99), (True, 700, 490, 0.999)),
    "no scores": ("f1", (True, 150, 100, None), (False, 600, 60, None)),
}


def at_target(name: str, *, end: int | None, recipe: Recipe) -> tuple[RowTest, list[np.ndarray]]:
    """The test of the trap with its metric exactly at the target, and the labels of its strata."""
    metric, *cut = TRAPS[name]
    size, tp = (sum(row[i] for row in cut if row[0]) for i in (1, 2))
    fn = sum(row[2] for row in cut if not row[0])
    target = {"f1": Fraction(2 * tp, size + tp + fn), "recall": Fraction(tp, tp + fn)}.get(
        metric, Fraction(tp, size)
    )
    strata = [Stratum(predicted=p, size=n, mean_score=m) for p, n, _, m in cut]
    claim = Claim(metric=metric, side="lower", target=float(target))
    test = binary_test(claim, strata, level=LEVEL, bounds=False, ceiling=end, recipe=recipe).test
    row = claim_row(claim, strata, target=target)
    exact = replace(test, rows=Rows(rows=(row,), strata=len(strata), outcomes=2))
    return exact, [np.arange(n) < r for _, n, r, _ in cut]


def false_statements(test: RowTest, labels, *, runs: int, seed: int, most: int, lead: int = 0):
    """How often the wealth of the row, and of its mirror, reaches the level."""
    count = np.zeros(2, dtype=int)
    for chunk in np.array_split(np.random.default_rng(seed).spawn(runs), max(1, runs // 400)):
        made = certify_many(test, labels, list(chunk), most=most, lead=lead, stop_at_fail=False)
        count += sum(run.log.max(axis=1) >= test.log_needed for run in made)
    return count


def compatible(count: int, runs: int) -> bool:
    """Whether so many errors have a chance of at least the alarm level if each has 5 %."""
    return count == 0 or bdtrc(count - 1, runs, LEVEL) >= ALARM


@pytest.mark.parametrize(("end", "lead"), [(None, 0), (120, 0), (None, 50)], ids=PATHS)
@pytest.mark.parametrize("name", ["over-confident", "precision"])
def test_false_statements_stay_below_the_level(name, end, lead, measured):
    """A first look; two thousand runs of each are among the long calibrations."""
    test, labels = at_target(name, end=end, recipe=Recipe())
    passes, refutations = false_statements(test, labels, runs=400, seed=42, most=120, lead=lead)
    worst, path = int(max(passes, refutations)), "ceiling" if end else "lead" if lead else "anytime"
    measured("claim-at-every-look", f"adversary: {name}, {path}", worst, nominal=LEVEL, runs=400)
    assert compatible(passes, 400)
    assert compatible(refutations, 400)


@pytest.mark.slow
@pytest.mark.parametrize(("end", "lead"), [(None, 0), (400, 0), (None, 50)], ids=PATHS)
@pytest.mark.parametrize("name", TRAPS)
def test_false_statements_stay_below_the_level_with_the_shipped_recipe(name, end, lead, measured):
    """To 400 labels, or to a ceiling there, and with labels that lag behind."""
    test, labels = at_target(name, end=end, recipe=Recipe())
    passes, refutations = false_statements(test, labels, runs=2000, seed=43, most=400, lead=lead)
    worst, path = int(max(passes, refutations)), "ceiling" if end else "lead" if lead else "anytime"
    measured("claim-at-every-look", f"adversary: {name}, {path}", worst, nominal=LEVEL, runs=2000)
    assert compatible(passes, 2000)
    assert compatible(refutations, 2000)


def groups(positives: tuple[int, ...], *, recipe: Recipe) -> tuple[RowTest, list[np.ndarray]]:
    """ "At least 80 of the 100 items of every group": one row per group, drawn one by one."""
    rows = tuple(
        Row(value={g: 1}, help={g: (0, 1)}, required=80, name=str(g)) for g in range(len(positives))
    )
    test = RowTest(
        rows=Rows(rows=rows, strata=len(rows), outcomes=2),
        sizes=(100,) * len(rows),
        level=LEVEL,
        prior=((0.1, 0.9),) * len(rows),
        rule=AllOf(),
        recipe=recipe,
    )
    return test, [np.arange(100) < p for p in positives]


def test_every_group_is_seldom_certified_if_one_group_just_fails():
    """One group has 79 of 80: certified (wealth or certainty) at most in 5 % of runs."""
    test, labels = groups((79, 95, 95), recipe=QUICK)
    rng = np.random.default_rng(42)
    runs = [certify_rows(test, labels, rng, batch=50, stop_at_fail=False) for _ in range(100)]
    assert compatible(sum(run.ruling.passed_at is not None for run in runs), 100)


def narrow(margin: float):
    """A large pool in which the claim leaves so little to spare, and the ideal number of labels."""
    sketch = Sketch(items=200_000, prevalence=0.5, f1=0.83, quality=1.5)
    world = make_world(sketch, np.random.default_rng(1))
    claim = claim_below(world, margin)
    cut = cut_world(world, claim)
    ideal = limit_of(weighted_test(claim, cut.strata), cut.rates).ideal
    assert ideal is not None
    return claim, cut, ideal


def within(claim, cut, *, most: int, runs: int, seed: int, **more) -> int:
    test = binary_test(claim, cut.strata, level=LEVEL, bounds=False, **more).test
    rngs = np.random.default_rng(seed).spawn(runs)
    found = certify_many(test, cut.labels, rngs, most=most)
    return sum(run.ruling.decision == "pass" for run in found)


def test_a_small_margin_is_certified():
    """0.015 to spare in 200,000 items: within five times the ideal in all of six runs."""
    claim, cut, ideal = narrow(0.015)
    assert within(claim, cut, most=int(5 * ideal), runs=6, seed=42) == 6


@pytest.mark.slow
def test_a_small_margin_is_certified_in_nine_of_ten_runs():
    claim, cut, ideal = narrow(0.015)
    assert within(claim, cut, most=int(5 * ideal), runs=60, seed=43) >= 54


@pytest.mark.slow
def test_a_ceiling_is_enough_with_the_chance_it_was_planned_for():
    """Power 0.93 at the expected margin; 80 % of 100 runs would need bad luck of 2e-5."""
    claim, cut, ideal = narrow(0.05)
    end = ceiling(ideal, level=LEVEL)
    assert within(claim, cut, most=end, runs=100, seed=44, ceiling=end) >= 80
