"""One risk for all plans about a claim: every re-planning policy, enumerated.

A world of labels drawn with replacement, each positive with chance TRUTH. Somebody who knows the
rules but not the future looks after every label, closes plans when they like, and seals new ones
about any target of a grid. The recursion maximises over all of it, so the number it returns is the
greatest chance of any false statement: a claim or a bound above the truth.
"""

import math
from dataclasses import dataclass, replace
from functools import cache

import pytest
from scipy.stats import binom

from assaymark.stats.risk_account import (
    ClosedPlan,
    ClosedRow,
    at_closing,
    carried,
    claim_only_factor,
    joint_confidence,
    plan_level,
)

RISK = 0.2
TRUTH = 0.5
GRID = (0.4, 0.5, 0.6)  # 0.4 is true; 0.5 is the least target that may not be stated (the limit)
FALSE = tuple(t for t in GRID if t >= TRUTH)


@dataclass(frozen=True)
class World:
    """A way to carry wealth on, right or wrong."""

    mode: str = "anytime"
    plans: int = 3
    draws: int = 4
    share: float = 1.0
    carry: str = "last"  # or "max", "nothing"
    whole: bool = False  # an easier target's wealth carried whole
    chain: bool = True
    bounds: bool = True  # other targets than the claim's are stated too


def factor(target: float, success: bool) -> float:
    """A bold bet on one label, fair where the chance of success is the target."""
    stake = 0.9 / max(target, 1 - target)
    return 1 + stake * ((1 - target) if success else -target)


def rows_of(world: World, claim: float) -> tuple[float, ...]:
    return GRID if world.bounds else (claim,)


def money(world: World, closed: tuple[ClosedPlan, ...], target: float) -> float:
    if world.carry == "nothing":
        return 1.0
    if world.whole:
        return math.prod(max(f for _, f in plan.factors()) for plan in closed)
    return carried(closed, target=target, side="lower")


@cache
def worst(world: World, closed: tuple[ClosedPlan, ...], left: int) -> float:
    """The greatest chance of a false statement with this many plans still to be sealed."""
    if left == 0:
        return 0.0
    play = fixed if world.mode == "fixed" else anytime
    return max(play(world, closed, left, claim) for claim in GRID)


def anytime(world: World, closed: tuple[ClosedPlan, ...], left: int, claim: float) -> float:
    rows = rows_of(world, claim)
    start = {r: money(world, closed, r) for r in rows}
    return _walk(world, closed, left, rows, start, {r: [1.0] for r in rows}, {})


def _walk(world, closed, left, rows, start, wealth, passed) -> float:
    """From here on: close now, or draw once more."""
    easier_open = False
    passed = dict(passed)
    for r in rows:
        enough = start[r] * (1 - world.share + world.share * wealth[r][-1]) >= 1 / RISK
        if r not in passed and enough and not (world.chain and easier_open):
            passed[r] = len(wealth[r]) - 1
            if r in FALSE:
                return 1.0
        easier_open |= r not in passed
    step = len(wealth[rows[0]]) - 1
    best = worst(world, (*closed, _closed(world, rows, wealth, passed)), left - 1)
    if step < world.draws:
        chances = ((True, TRUTH), (False, 1 - TRUTH))
        on = sum(
            p
            * _walk(
                world,
                closed,
                left,
                rows,
                start,
                {r: [*wealth[r], wealth[r][-1] * factor(r, success)] for r in rows},
                passed,
            )
            for success, p in chances
        )
        best = max(best, on)
    return best


def _closed(world, rows, wealth, passed) -> ClosedPlan:
    found = []
    for r in rows:
        path = wealth[r][1:]
        last = at_closing(path, labelled=len(path), drawn=len(path), passed_at=passed.get(r))
        value = max(wealth[r]) if world.carry == "max" else last
        found.append(ClosedRow(target=r, wealth=round(value, 12)))
    return ClosedPlan(side="lower", share=world.share, rows=tuple(found))


def fixed(world: World, closed: tuple[ClosedPlan, ...], left: int, claim: float) -> float:
    """A test of fixed size judged once: every target at its own level, with one exact bound."""
    rows, size, total = rows_of(world, claim), world.draws, 0.0
    levels = {
        r: min(plan_level(risk=RISK, wealth=money(world, closed, r), share=world.share), RISK)
        for r in rows
    }
    for successes in range(size + 1):
        reached, open_ = {}, False
        for r in rows:
            ok = binom.sf(successes - 1, size, r) <= levels[r] and not (world.chain and open_)
            reached[r] = ok
            open_ |= not ok
        if any(reached[r] for r in rows if r in FALSE):
            chance = 1.0
        else:
            found = tuple(
                ClosedRow(target=r, wealth=1 / levels[r] if reached[r] else 0.0) for r in rows
            )
            plan = ClosedPlan(side="lower", share=world.share, rows=found)
            chance = worst(world, (*closed, plan), left - 1)
        total += float(binom.pmf(successes, size, TRUTH)) * chance
    return total


@pytest.mark.parametrize("share", [1.0, 0.9])
@pytest.mark.parametrize("bounds", [True, False])
def test_no_policy_of_looking_closing_and_replanning_beats_the_risk(
    share, bounds, measured
) -> None:
    found = worst(World(share=share, bounds=bounds), (), 3)
    measured("claim-certified", "adversary: looks, closes and plans again", found, nominal=RISK)
    assert found <= RISK + 1e-12


@pytest.mark.parametrize("share", [1.0, 0.9])
@pytest.mark.parametrize("bounds", [True, False])
def test_tests_of_fixed_size_share_the_risk_too(share, bounds, measured) -> None:
    found = worst(World(mode="fixed", share=share, bounds=bounds, draws=6), (), 3)
    measured("claim-certified", "adversary: fixed tests one after the other", found, nominal=RISK)
    assert found <= RISK + 1e-12


@pytest.mark.parametrize(
    "wrong",
    [
        World(carry="nothing"),
        World(carry="max"),
        World(whole=True),
        World(mode="fixed", carry="nothing", draws=6),
    ],
)
def test_wrong_ways_to_carry_wealth_are_caught(wrong: World) -> None:
    assert worst(wrong, (), 3) > RISK * 1.05


def test_a_bound_and_then_a_claim_just_above_it_cost_one_risk() -> None:
    """Certify an easy claim, read its bound, plan just above: with fresh wealth nearly 2α."""
    fresh = World(mode="fixed", carry="nothing", plans=2, draws=8)
    assert worst(fresh, (), 2) > 1.5 * worst(replace(fresh, plans=1), (), 1)
    assert worst(replace(fresh, carry="last"), (), 2) <= RISK + 1e-12


def test_the_first_plan_is_what_the_textbook_prints() -> None:
    assert plan_level(risk=0.05, wealth=1.0) == 0.05
    assert carried([], target=0.8, side="lower") == 1.0


def test_nothing_left_is_level_zero_and_enough_is_level_one() -> None:
    assert plan_level(risk=0.05, wealth=0.0) == 0.0
    assert plan_level(risk=0.05, wealth=20.0) == 1.0


def test_pending_draws_count_as_the_worst_label() -> None:
    assert at_closing([2.0, 3.0], labelled=2, drawn=4) == pytest.approx(3.0 * 0.02**2)
    assert at_closing([2.0, 25.0, 1.0], labelled=3, drawn=5, passed_at=2) == 25.0


def test_upper_claims_reverse_the_order() -> None:
    rows = (ClosedRow(target=0.3, wealth=5.0), ClosedRow(target=0.2, wealth=2.0))
    plan = ClosedPlan(side="upper", rows=rows)
    assert carried([plan], target=0.3, side="upper") == 5.0
    assert carried([plan], target=0.2, side="upper") == 2.0
    assert carried([plan], target=0.1, side="upper") == 1.0
    assert carried([plan], target=0.2, side="lower") == 1.0


@pytest.mark.parametrize("passed", [True, False])
def test_a_claim_only_plan_is_fair_at_the_easier_target(passed: bool) -> None:
    chance = 0.01
    values = {
        p: claim_only_factor(passed=p, chance=chance, risk=0.05, wealth=1.0) for p in (True, False)
    }
    assert chance * values[True] + (1 - chance) * values[False] == pytest.approx(1.0)
    # passing at the harder target proves the easier one as well: the account is then full
    assert values[True] >= 1 / 0.05 - 1e-9


def test_two_accounts_add_their_risks() -> None:
    assert joint_confidence([0.05, 0.05]) == pytest.approx(0.90)
