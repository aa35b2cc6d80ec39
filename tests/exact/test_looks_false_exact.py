"""Every order of draws of tiny pools: how often a claim that holds is ever said to look false.

A warning at `goal` to one may come with a chance of at most 1/goal, whatever the labels are, whichever
stratum the chances choose and at whichever look. Every world in which the claim holds is tried, and for
parts named one by one every world in which the part does.
"""

import itertools
from dataclasses import replace

import pytest
from betting_trees import nodes
from test_claim_rulings import GREEDY, sealed_claim, stratum, truth, worlds

from assaymark.claims.label_sets import all_sets
from assaymark.composite.rows import row_test
from assaymark.composite.view.estimates import doubted_parts
from assaymark.stats.betting import rulings
from assaymark.stats.betting.chances import shared_chances
from assaymark.stats.betting.rows import CANNOT_TELL

GOALS = (1.2, 1.5, 2.0, 3.0)
TWO = [stratum("1", items=3), stratum("0", items=2)]
GROUPS = [stratum("1", items=2, groups=(g,)) for g in "pqr"]
BOTH = "recall >= 0.5 and precision >= 0.5"
EVERY = "precision >= 0.5 in every g"
CLASSES = {"classes": ("x", "y")}
IN_GROUPS = {"groups": ("g",), "allocation": "shared"}
BALANCED = "balanced accuracy >= 0.6 and precision >= 0.25"
SPEAKING = {
    "one": sealed_claim("recall >= 0.5", TWO),
    "at most": sealed_claim("recall <= 0.5", TWO),
    "two figures": sealed_claim(BOTH, TWO),
    "three figures": sealed_claim(f"{BOTH} and accuracy >= 0.6", TWO),
    "every group": sealed_claim(EVERY, GROUPS, **IN_GROUPS),
    "every class": sealed_claim(
        "recall of every class >= 0.5", [stratum("x", items=2), stratum("y", items=1)], **CLASSES
    ),
    "every tag": sealed_claim(
        "recall of every class >= 0.5", [stratum("x", items=1), stratum("x; y", items=2)],
        classes=all_sets(("x", "y")), tags=("x", "y"),
    ),
    "macro recall": sealed_claim(
        "macro recall >= 0.5", [stratum("x", items=2), stratum("y", items=2)], **CLASSES
    ),
    "macro f1 and accuracy": sealed_claim(
        "macro f1 >= 0.5 and accuracy >= 0.5", [stratum("x", items=2), stratum("y", items=1)], **CLASSES
    ),
    "f1 compared": sealed_claim(
        "f1 of b > f1 of a", [stratum("0", "1", items=2), stratum("1", "0", items=2)], names=("a", "b")
    ),
    "balanced accuracy and another": sealed_claim(
        BALANCED, [stratum("1", items=4), stratum("0", items=2)]
    ),
    "named groups": sealed_claim(
        EVERY, [stratum("1", items=4, groups=(g,)) for g in "pq"], family="named", **IN_GROUPS
    ),
    "named figures": sealed_claim(BOTH, TWO, family="named"),
    "named, balanced accuracy and another": sealed_claim(
        BALANCED, [stratum("1", items=4), stratum("0", items=2)], family="named"
    ),
}  # fmt: skip
SILENT = {
    "balanced accuracy": sealed_claim(
        "balanced accuracy >= 0.75", [stratum("1", items=4), stratum("0", items=2)]
    ),
    "gap": sealed_claim(
        "accuracy gap between g <= 0.4", [stratum("1", items=3, groups=(g,)) for g in "pq"],
        groups=("g",),
    ),
}  # fmt: skip


def bold_test(sealed):
    """The test with bold bets from the first draw on, at a level that stops none of them."""
    return replace(row_test(sealed), level=0.001, recipe=GREEDY)


def warned(sealed, world, wrong, test=None):
    """For every goal, the chance that a part of `wrong` is ever said to look false."""
    test = test or bold_test(sealed)
    chances = dict.fromkeys(GOALS, 0.0)
    spoken: dict[tuple, frozenset] = {}

    def next_chances(race):
        return shared_chances(race, race.remaining * 0, 1)

    how = {"chooser": next_chances} if sealed.allocation == "shared" else {}
    for node in nodes(test, world, **how):
        draws = tuple(zip(node.strata, node.outcomes, strict=True))
        before = spoken.get(draws[:-1], frozenset())
        spoken[draws] = before | speaking(sealed, node.path, wrong)
        for goal in spoken[draws] - before:
            chances[goal] += node.chance
    return chances


def speaking(sealed, path, wrong):
    """The goals at which one of these parts is said to look false by all of these labels."""
    found = set()
    for goal in GOALS:
        rulings.GOAL = goal
        if doubted_parts(sealed, path) & wrong:
            found.add(goal)
    return frozenset(found)


@pytest.fixture(autouse=True)
def _goal(monkeypatch):
    monkeypatch.setattr(rulings, "GOAL", rulings.GOAL)


def parts_that_hold(sealed, holds):
    """The parts that must not look false: of a claim that fails, none, unless parts are named."""
    if sealed.family == "named":
        return {number for number, yes in enumerate(holds) if yes}
    return set(range(len(holds))) if all(holds) else set()


def risks(sealed, test=None):
    """For every goal, the greatest chance over all worlds, as a share of 1/goal."""
    worst = dict.fromkeys(GOALS, 0.0)
    for world in worlds(sealed):
        wrong = parts_that_hold(sealed, truth(sealed, world))
        if wrong:
            found = warned(sealed, [dict(enumerate(counts)) for counts in world], wrong, test)
            worst = {goal: max(worst[goal], goal * found[goal]) for goal in GOALS}
    return worst


@pytest.mark.parametrize("name", SPEAKING)
def test_what_holds_looks_false_with_the_promised_chance_at_most(name, measured):
    worst = risks(SPEAKING[name])
    goal = max(worst, key=worst.__getitem__)
    measured("looks-false", f"exact: {name}", worst[goal] / goal, nominal=1 / goal)
    assert max(worst.values()) <= 1 + 1e-9, worst
    assert max(worst.values()) > 0, "a test that never warns shows nothing"


@pytest.mark.parametrize("name", SILENT)
def test_what_no_bet_refutes_is_never_said_to_look_false(name):
    sealed = SILENT[name]
    for world in worlds(sealed):
        counts = [dict(enumerate(each)) for each in world]
        assert not any(warned(sealed, counts, {0}).values())


@pytest.mark.parametrize("name", ["one", "two figures", "named figures"])
def test_items_that_nobody_can_judge_raise_no_doubt(name):
    """Whatever such an item is: what would hold with it looks false no more often without it."""
    sealed = SPEAKING[name]
    worst = 0.0
    for world in worlds(sealed):
        wrong = parts_that_hold(sealed, truth(sealed, world))
        for k, kind in itertools.product(range(len(world)), range(2)):
            if wrong and world[k][kind]:
                counts = [dict(enumerate(each)) for each in world]
                counts[k] |= {kind: world[k][kind] - 1, CANNOT_TELL: 1}
                found = warned(sealed, counts, wrong)
                worst = max(worst, *(goal * chance for goal, chance in found.items()))
    assert 0 < worst <= 1 + 1e-9
