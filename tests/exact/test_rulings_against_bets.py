"""Every rule for several rows against adversaries with fair bets, judged by `rule_on` itself.

A bet takes a wealth from 1 to a goal with the chance 1/goal, else to nothing; who chooses goals and
order gets the most out of a rule. Each of these rules has a wrong build that looks right: one mirror,
highest wealths of different times, parts taken for names, a ladder without its order.
"""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from assaymark.stats.betting.rules import AllOf, Gap, Mixture, Named, Ordered
from assaymark.stats.betting.rulings import GOAL, doubted_rows, rule_on

LEVEL = 0.2
LOST, SURE = -40.0, 40.0
CELL = Gap(cells=((0, 1),))


def path_of(rule, wealth, doubt=None, *, defined=True):
    """What rows with these log wealths prove; nothing is certain by counting."""
    wealth = np.array(wealth)
    doubt = np.full_like(wealth, LOST) if doubt is None else np.array(doubt)
    flags = np.ones((len(wealth), wealth.shape[1] + 1), dtype=bool)
    never = ~flags

    def risen(log):
        return np.insert(np.maximum.accumulate(log, axis=1) >= -math.log(LEVEL), 0, False, axis=1)

    test = SimpleNamespace(
        rule=rule,
        log_needed=-math.log(LEVEL),
        recipe=SimpleNamespace(fewest=0),
        sizes=(1,),
    )
    return SimpleNamespace(
        test=test,
        until=lambda end: path_of(rule, wealth[:, :end], doubt[:, :end], defined=defined),
        log_wealth=wealth,
        log_doubt=doubt,
        crossed=risen(wealth) & defined,
        doubted=risen(doubt),
        enough=flags,
        draws=wealth.shape[1],
        certainty=SimpleNamespace(
            holds=never, refuted=never, lost=never, defined=flags if defined else never
        ),
    )


def in_turn(*goals):
    """Every outcome of one bet per row, one row after the other: its chance and the log wealths."""
    for wins in itertools.product((True, False), repeat=len(goals)):
        chance = math.prod(1 / g if won else 1 - 1 / g for g, won in zip(goals, wins, strict=True))
        ends = [math.log(g) + 1e-12 if won else LOST for g, won in zip(goals, wins, strict=True)]
        yield chance, [[0.0] * row + [end] * (len(goals) - row) for row, end in enumerate(ends)]


def doubling(goal, missing):
    """The first row doubles until the goal; where it loses, the second plays for what is missing."""
    chance, wealth, way = 1.0, 1.0, [0.0]
    while wealth < goal:
        rest = missing(goal, wealth)
        for won, share in ((True, 1 / rest), (False, 1 - 1 / rest)):
            end = math.log(rest) + 1e-12 if won else LOST
            yield chance / 2 * share, [[*way, LOST, LOST], [0.0] * (len(way) + 1) + [end]]
        chance, wealth = chance / 2, 2 * wealth
        way = [*way, math.log(wealth) + 1e-12]
    yield chance, [way, [0.0] * len(way)]


def risk(bets, judged):
    return sum(chance * bool(judged(rows)) for chance, rows in bets)


def refuted(rule):
    return lambda rows: rule_on(path_of(rule, np.full_like(rows, LOST), rows)).decision == "fail"


def passed(rule):
    return lambda rows: rule_on(path_of(rule, rows)).decision == "pass"


def worst(judged, rows=2):
    """The highest risk over goals from 1/level to rows/level for every row."""
    goals = [(1 + part) / LEVEL for part in range(rows)]
    return max(risk(in_turn(*some), judged) for some in itertools.product(goals, repeat=rows))


@pytest.mark.parametrize("rows", [2, 3])
def test_true_parts_are_refuted_by_their_mean(rows):
    """One mirror at 1/level would do in 1.8 and 2.4 times the level."""
    assert 0.85 * LEVEL < worst(refuted(AllOf()), rows) <= LEVEL + 1e-9
    alone = risk(in_turn(*[1 / LEVEL] * rows), lambda bets: np.max(bets) >= -math.log(LEVEL))
    assert alone > 1.5 * LEVEL


def test_mirrors_are_averaged_at_the_same_time():
    """Highest wealths of different times sum to more than a fair bet can."""
    bets = list(doubling(2 / LEVEL, lambda goal, wealth: goal - wealth))
    assert risk(bets, refuted(AllOf())) <= LEVEL + 1e-9
    highest = risk(bets, lambda rows: np.exp(np.max(rows, axis=1)).sum() >= 2 / LEVEL)
    assert highest > LEVEL


@pytest.mark.parametrize("rows", [2, 3])
def test_a_culprit_is_named_at_the_number_of_parts(rows):
    def blamed(bets):
        return rule_on(path_of(AllOf(), np.full_like(bets, LOST), bets)).culprits

    assert 0.5 * LEVEL < worst(blamed, rows) <= LEVEL + 1e-9


def test_rows_that_only_suffice_are_refuted_by_all_mirrors():
    """One of the rows may fail though the claim holds: its mirror alone says nothing."""
    bets = [(chance, [[SURE], *rows]) for chance, rows in in_turn(1 / LEVEL)]
    assert risk(bets, refuted(AllOf(refute="every"))) == pytest.approx(LEVEL)
    assert risk(bets, refuted(AllOf(refute="never"))) == 0


def test_all_of_needs_the_false_row_too():
    bets = [(chance, [[SURE], *rows]) for chance, rows in in_turn(1 / LEVEL)]
    assert risk(bets, passed(AllOf())) == pytest.approx(LEVEL)
    mixture = Mixture(ways=((0, 1),), shares=(1.0,))
    assert risk(bets, passed(mixture)) == pytest.approx(LEVEL)


def test_a_gap_multiplies_wealths_of_the_same_time():
    bets = list(doubling(1 / LEVEL, lambda goal, wealth: goal / wealth))
    assert 0 < risk(bets, passed(CELL)) <= LEVEL + 1e-9
    highest = risk(bets, lambda rows: np.max(rows, axis=1).sum() >= -math.log(LEVEL))
    assert highest > LEVEL


def test_a_mixture_adds_wealths_of_the_same_time():
    """Highest wealths of different times would state a false claim too often."""
    rule = Mixture(ways=((0,), (1,)), shares=(0.5, 0.5))
    bets = list(doubling(2 / LEVEL, lambda goal, wealth: goal - wealth))
    assert 0 < risk(bets, passed(rule)) <= LEVEL + 1e-9


def test_a_gap_waits_for_a_denominator():
    assert rule_on(path_of(CELL, [[SURE], [SURE]])).decision == "pass"
    assert rule_on(path_of(CELL, [[SURE], [SURE]], defined=False)).decision == "open"


@pytest.mark.parametrize("rows", [2, 3])
def test_a_part_at_its_proof_is_no_name(rows):
    """Names cost more than 1/level each; parts at 1/level would be wrong in 1.8 times the level."""
    assert worst(lambda bets: rule_on(path_of(Named(), bets)).named, rows) > 0.5 * LEVEL
    assert worst(lambda bets: rule_on(path_of(Named(), bets)).named, rows) <= LEVEL + 1e-9


def test_names_of_the_closed_test_are_of_one_time():
    bets = list(doubling(2 / LEVEL, lambda goal, wealth: goal - wealth))
    assert risk(bets, lambda rows: rule_on(path_of(Named(), rows)).named) <= LEVEL + 1e-9


def test_a_ladder_needs_its_order():
    """Any of two false rungs would be chosen in 1.8 times the level."""

    def chosen(rows):
        return rule_on(path_of(Ordered(), rows)).chosen is not None

    assert risk(in_turn(1 / LEVEL, 1 / LEVEL), chosen) == pytest.approx(LEVEL)


def doubted(rule, rows=frozenset(range(9))):
    """Whether one of these rows is ever said to look false, by mirrors with these log wealths."""

    def judged(bets):
        paths = [path_of(rule, np.full_like(bets, LOST), bets).until(at) for at in lengths(bets)]
        return any(doubted_rows(path) & rows for path in paths)

    return judged


def lengths(bets):
    return range(np.shape(bets)[1] + 1)


@pytest.mark.parametrize("rows", [2, 3])
@pytest.mark.parametrize("rule", [AllOf(), Named()])
def test_true_parts_look_false_in_one_case_of_ten(rule, rows):
    """Any one mirror at the goal would warn in nearly twice or three times as many."""
    goals = [GOAL * (1 + part) for part in range(rows)]
    bets = [list(in_turn(*some)) for some in itertools.product(goals, repeat=rows)]
    highest = max(risk(some, doubted(rule)) for some in bets)
    assert 0.9 / GOAL < highest <= 1 / GOAL + 1e-9


def test_the_parts_that_hold_share_one_case_of_ten_beside_one_that_fails():
    bets = [(chance, [[SURE, SURE], *rows]) for chance, rows in in_turn(GOAL, GOAL)]
    assert risk(bets, doubted(Named(), {1, 2})) <= 1 / GOAL + 1e-9


def test_doubt_averages_wealths_of_the_same_time():
    bets = list(doubling(2 * GOAL, lambda goal, wealth: goal - wealth))
    assert 0 < risk(bets, doubted(AllOf())) <= 1 / GOAL + 1e-9


def test_one_row_of_a_part_that_only_suffices_raises_no_doubt():
    """The first row fails, though its part holds; the second is fair, and so is all that is asked."""
    bets = [(chance, [[SURE], *rows]) for chance, rows in in_turn(GOAL)]
    for rule in (AllOf(refute="every"), AllOf(parts=((0, 1),)), Named(parts=((0, 1),))):
        assert risk(bets, doubted(rule)) == pytest.approx(1 / GOAL)
    for rule in (AllOf(parts=()), AllOf(refute="never"), Gap(cells=((0,),))):
        assert not risk(bets, doubted(rule))
    assert not risk(bets, doubted(Named(parts=((0,), (1,)), spared=(0, 1))))


def test_a_part_that_no_mirror_refutes_takes_no_share_of_the_others():
    bets = list(in_turn(GOAL, GOAL))
    assert risk(bets, doubted(Named(spared=(1,)), {0})) == pytest.approx(1 / GOAL)
    assert not risk(bets, doubted(Named(spared=(1,)), {1}))


@pytest.mark.parametrize("rule", [Named(spared=(0,)), Named(parts=((0,), (1,)), spared=(0,))])
def test_a_mirror_of_a_part_that_only_suffices_names_no_culprit(rule):
    bets = [[SURE, SURE], [LOST, LOST]]
    ruling = rule_on(path_of(rule, np.full((2, 2), LOST), bets))
    assert (ruling.culprits, ruling.decision) == ((), "open")
    assert rule_on(path_of(Named(), np.full((2, 2), LOST), bets)).culprits == (0,)
