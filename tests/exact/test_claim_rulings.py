"""Rulings over parts of several rows, by enumeration: names, refutations, and wrong builds of both."""

import itertools
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from counted_rows import rows_hold

from assaymark.claims.cells import Cell, Cells, Subject
from assaymark.claims.label_sets import all_sets
from assaymark.claims.language.grammar import parse
from assaymark.claims.linear import Choices, compile_claim
from assaymark.claims.truth import figure_value, part_holds
from assaymark.composite import judging
from assaymark.composite.bounds import PartBound
from assaymark.composite.judging import judge_path
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import ClaimStratum, PoolColumns, SealedClaim, Statement
from assaymark.stats.betting.chances import next_chances, shared_chances
from assaymark.stats.betting.path import certainty, judged_path
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.score_guided.supermartingale import Draws

LEVEL = 0.75  # so that a few labels can decide
GREEDY = Recipe(
    fewest=1,
    first_block=1,
    least_margin=0.9,
    margins=(0.5, 0.7, 0.9),
    reach=(0.95,) * 4,
    floor=0.0001,
)


def sealed_claim(
    text,
    strata,
    *,
    classes=(),
    tags=(),
    names=("classifier",),
    family="every",
    groups=(),
    allocation="one at a time",
):
    columns = PoolColumns(
        id="id",
        predictions=names,
        classes=classes,
        tags=tags,
        groups=groups,
        view="labels" if classes else "two",
    )
    return SealedClaim(
        kind="conjunction",
        claim=text,
        confidence=1 - LEVEL,
        level=LEVEL,
        columns=columns,
        strata=tuple(strata),
        statements=(Statement(tree=parse(text)),),
        names=names,
        family=family,
        allocation=allocation,
    )


def early(sealed):
    """The test without its floor of 30 labels, below which tiny pools would be counted only."""
    return replace(row_test(sealed), recipe=GREEDY)


@pytest.fixture(autouse=True)
def _without_bounds(monkeypatch):
    """Without the targets beside its own a claim is decided earlier: the harder case here."""
    monkeypatch.setattr(judging, "part_bounds", lambda *_: [PartBound()] * 9)
    monkeypatch.setattr(judging, "bound_ladder", lambda *_: None)


def worlds(sealed):
    """Every way to label the pool: counts of outcomes per stratum."""
    outcomes = len(sealed.cells.labels)
    each = [
        [c for c in itertools.product(range(s.items + 1), repeat=outcomes) if sum(c) == s.items]
        for s in sealed.strata
    ]
    return itertools.product(*each)


def decisions(sealed, world, wrong):
    """The chance of ever seeing a decision that `wrong` condemns, over all orders of the draws."""
    test = early(sealed)
    nobody = np.zeros(len(sealed.strata), dtype=np.int64)

    def follow(race, log, strata, labels, chances, left):
        draws = Draws(
            strata=np.array(strata, dtype=np.int64),
            labels=np.array(labels, dtype=np.int64),
            sampling=np.array(chances).reshape(-1, len(left)),
        )
        path = judged_path(test, draws, np.array(log).T.reshape(2 * len(test.rows), -1))
        if wrong(judge_path(sealed, path, draws)):
            return 1.0
        sizes = [sum(counts) for counts in left]
        shared = sealed.allocation == "shared"
        chance = shared_chances(race, nobody, 1) if shared else next_chances(race)
        chance = chance * (np.array(sizes) > 0)
        if not chance.sum():
            return 0.0
        chance = chance / chance.sum()
        total = 0.0
        for k in np.flatnonzero(chance):
            for o, n in enumerate(left[k]):
                if not n:
                    continue
                twin = race.copy()
                step = Draws(strata=np.array([k]), labels=np.array([o]), sampling=chance[None, :])
                grown = [*log, twin.feed(step)[:, 0]]
                rest = [list(c) for c in left]
                rest[k][o] -= 1
                share = chance[k] * n / sizes[k]
                total += share * follow(
                    twin, grown, [*strata, k], [*labels, o], [*chances, chance], rest
                )
        return total

    return follow(Race(test), [], [], [], [], [list(c) for c in world])


def truth(sealed, world):
    tree, cells = sealed.statements[0].tree, sealed.cells
    tally = Counter(
        {(k, o): n for k, counts in enumerate(world) for o, n in enumerate(counts) if n}
    )
    scopes = cells.groups(tree.every) if tree.every else {(): cells.everywhere}
    return [
        part_holds(parse(part.text).parts[0], cells, scopes[part.group], tally)
        for part in sealed.compiled[0].parts
    ]


def stratum(*predictions, items, groups=()):
    return ClaimStratum(predictions=predictions, items=items, groups=groups)


CASES = {
    "macro f1": sealed_claim(
        "macro f1 >= 0.6",
        [stratum("x", items=2), stratum("y", items=2)],
        classes=("x", "y"),
    ),
    "every class": sealed_claim(
        "recall of every class >= 0.5",
        [stratum("x", items=2), stratum("y", items=1)],
        classes=("x", "y"),
    ),
    "every tag": sealed_claim(
        "recall of every class >= 0.5",
        [stratum("x", items=1), stratum("x; y", items=2)],
        classes=all_sets(("x", "y")),
        tags=("x", "y"),
    ),
    "f1 compared": sealed_claim(
        "f1 of b > f1 of a",
        [stratum("0", "1", items=2), stratum("1", "0", items=2), stratum("1", "1", items=1)],
        names=("a", "b"),
    ),
    "f1 compared, rows that only suffice": sealed_claim(
        "f1 of b > f1 of a",
        [stratum("1", "0", items=2), stratum("0", "1", items=1), stratum("0", "0", items=1)],
        names=("a", "b"),
    ),
    "balanced accuracy": sealed_claim(
        "balanced accuracy >= 0.75",
        [stratum("1", items=4), stratum("0", items=2)],
    ),
    "balanced accuracy and another": sealed_claim(
        "balanced accuracy >= 0.75 and precision >= 0.25",
        [stratum("1", items=4), stratum("0", items=2)],
    ),
    "gap": sealed_claim(
        "accuracy gap between g <= 0.4",
        [stratum("1", items=3, groups=("p",)), stratum("1", items=3, groups=("q",))],
        groups=("g",),
    ),
    "gap, draws shared": sealed_claim(
        "accuracy gap between g <= 0.4",
        [
            stratum("1", items=2, groups=("p",)),
            stratum("1", items=2, groups=("q",)),
            stratum("1", items=2, groups=("r",)),
        ],
        groups=("g",),
        allocation="shared",
    ),
    "gap, a group may lack positives": sealed_claim(
        "recall gap between g <= 0.6",
        [
            stratum("1", items=2, groups=("p",)),
            stratum("0", items=1, groups=("p",)),
            stratum("1", items=1, groups=("q",)),
            stratum("0", items=1, groups=("q",)),
        ],
        groups=("g",),
        allocation="shared",
    ),
    "both figures": sealed_claim(
        "recall >= 0.5 and precision >= 0.5",
        [stratum("1", items=2), stratum("0", items=2)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_no_form_errs_beyond_its_level(name, measured):
    """Certified though false, or refuted though true: at most the level, in every world."""
    sealed = CASES[name]
    worst = {"pass": 0.0, "fail": 0.0}
    for world in worlds(sealed):
        holds = all(truth(sealed, world))
        wrong = "fail" if holds else "pass"
        chance = decisions(sealed, world, lambda verdict, wrong=wrong: verdict.decision == wrong)
        worst[wrong] = max(worst[wrong], chance)
    measured("composite-claims", f"exact: {name}", max(worst.values()), nominal=LEVEL)
    assert worst["pass"] <= LEVEL + 1e-9, worst
    assert worst["fail"] <= LEVEL + 1e-9, worst
    assert max(worst.values()) > 0, "a test that never decides early shows nothing"


def misnamed(holds):
    """Whether a verdict says of a part that it is reached, though it does not hold."""

    def wrong(verdict):
        states = [part["state"] for part in verdict.result["parts"]]
        return any(s == "reached" and not h for s, h in zip(states, holds, strict=True))

    return wrong


def misjudged(holds):
    """The same, or that it failed although it holds."""

    def wrong(verdict):
        states = [part["state"] for part in verdict.result["parts"]]
        said = zip(states, holds, strict=True)
        return any(s != "open" and (s == "reached") != h for s, h in said)

    return wrong


def test_a_mirror_of_a_row_that_only_suffices_fails_no_named_part():
    """Balanced accuracy that held was said to have failed with a chance of 0.764 at a level of 0.75."""
    strata = [stratum("1", items=4), stratum("0", items=2)]
    claim = "balanced accuracy >= 0.6 and precision >= 0.25"
    sealed = sealed_claim(claim, strata, family="named")
    chances = [
        decisions(sealed, world, misjudged(truth(sealed, world))) for world in worlds(sealed)
    ]
    assert 0 < max(chances) <= LEVEL + 1e-9


def test_names_err_at_most_at_the_level_of_the_family():
    """Any wrong name, of a part that holds or of one that fails, has the level together."""
    strata = [stratum("1", items=2, groups=(g,)) for g in "pqr"]
    sealed = sealed_claim("precision >= 0.6 in every g", strata, family="named", groups=("g",))
    for world in worlds(sealed):
        assert decisions(sealed, world, misnamed(truth(sealed, world))) <= LEVEL + 1e-9


def test_names_of_tags_err_at_most_at_the_level_of_the_family():
    """One claim for each tag on the same draws: any wrong name has the level together."""
    sealed = sealed_claim(
        "precision of every class >= 0.6",
        [stratum("x; y", items=2), stratum("x", items=1)],
        classes=all_sets(("x", "y")),
        tags=("x", "y"),
        family="named",
    )
    chances = []
    for world in worlds(sealed):
        chances.append(decisions(sealed, world, misnamed(truth(sealed, world))))
    assert max(chances) <= LEVEL + 1e-9
    assert max(chances) > 0


def test_truth_by_counting_of_tags():
    """A tag is counted wherever it is in the set, predicted or found."""
    tags = ("x", "y")
    cells = Cells(
        classifiers=("classifier",),
        classes=all_sets(tags),
        others=("none of the list",),
        tags=tags,
        cells=(Cell(predictions=("x; y",), items=2), Cell(predictions=("y",), items=1)),
    )
    found = {(0, 0): 1, (0, 2): 1, (1, 2): 1}  # x, then x and y twice
    subject = Subject(metric="recall", klass="x", classifier=0)
    values = [
        figure_value(replace(subject, metric=metric, klass=tag), cells, (0, 1), found)
        for tag in tags
        for metric in ("recall", "precision")
    ]
    assert values == [Fraction(2, 3), 1, 1, Fraction(2, 3)]
    for text in ("recall of x >= 0.5", "precision of every class >= 0.5", "accuracy >= 0.5"):
        claim, leaf = compile_claim(parse(text), cells, Choices()), parse(text).parts[0]
        for pair in itertools.product(_splits(2, 4), _splits(1, 4)):
            tally = {(k, o): n for k, counts in enumerate(pair) for o, n in enumerate(counts) if n}
            assert rows_hold(claim, tally) == part_holds(leaf, cells, cells.everywhere, tally)


def test_truth_by_counting_is_what_the_rows_say_where_they_are_exact():
    cells = Cells(
        classifiers=("classifier",),
        classes=("x", "y"),
        others=("none of the list",),
        cells=(Cell(predictions=("x",), items=2), Cell(predictions=("y",), items=2)),
    )
    for text in ("accuracy >= 0.5", "recall of x >= 0.5", "precision of every class >= 0.5"):
        claim, leaf = compile_claim(parse(text), cells, Choices()), parse(text).parts[0]
        for pair in itertools.product(_splits(2), repeat=2):
            tally = {(k, o): n for k, counts in enumerate(pair) for o, n in enumerate(counts) if n}
            assert rows_hold(claim, tally) == part_holds(leaf, cells, cells.everywhere, tally)


def _splits(items, outcomes=3):
    return [c for c in itertools.product(range(items + 1), repeat=outcomes) if sum(c) == items]


def test_a_part_that_only_suffices_is_decided_by_counting():
    """Read to the end the rows of macro F1 may fail although it holds: then it is counted."""
    sealed = CASES["macro f1"]
    open_ends = 0
    for world in worlds(sealed):
        cells = [(k, o) for k, c in enumerate(world) for o, n in enumerate(c) for _ in range(n)]
        draws = Draws(
            strata=np.array([k for k, _ in cells]),
            labels=np.array([o for _, o in cells]),
            sampling=np.tile([0.5, 0.5], (len(cells), 1)),
        )
        test = early(sealed)
        found = judge_path(sealed, judged_path(test, draws, Race(test).feed(draws)), draws)
        expected = "pass" if all(truth(sealed, world)) else "fail"
        assert found.decision == expected or not found.certain
        open_ends += found.decision == "continue"
    assert open_ends == 0


def _is_several(sealed):
    return len(sealed.compiled[0].parts) > 1


FAMILIES = [(name, "every") for name in CASES] + [
    (name, "named") for name in CASES if _is_several(CASES[name])
]


@pytest.mark.parametrize(("name", "family"), FAMILIES)
def test_what_counting_alone_says_is_true(name, family):
    """Of balanced accuracy it said "failed" while it held: its row only suffices, and had failed."""
    sealed = replace(CASES[name], family=family)
    test = replace(early(sealed), level=1e-12)  # no bet gets so far
    rng = np.random.default_rng(3)
    for world in worlds(sealed):
        holds = truth(sealed, world)
        cells = [(k, o) for k, c in enumerate(world) for o, n in enumerate(c) for _ in range(n)]
        order = rng.permutation(cells)
        draws = Draws(
            strata=order[:, 0], labels=order[:, 1], sampling=np.full((len(cells), len(world)), 0.5)
        )
        log = Race(test).feed(draws)
        for end in range(len(cells) + 1):
            some = Draws(
                strata=draws.strata[:end], labels=draws.labels[:end], sampling=draws.sampling[:end]
            )
            found = judge_path(sealed, judged_path(test, some, log[:, :end]), some)
            states = [part["state"] for part in found.result["parts"]]
            said = zip(states, holds, strict=True)
            assert all(s == "open" or (s == "reached") == h for s, h in said), (world, end, states)
            if found.decision in ("pass", "fail"):
                good = all(holds) if family == "every" else any(holds)
                assert (found.decision == "pass") == good, (world, end)
        assert found.decision != "continue"


def test_exact_fractions_decide():
    cells = Cells(
        classifiers=("a", "b"),
        classes=("0", "1"),
        positive="1",
        cells=(Cell(predictions=("1", "1"), items=1), Cell(predictions=("0", "1"), items=8)),
    )
    leaf = parse("precision of b > precision of a").parts[0]
    assert not part_holds(leaf, cells, cells.everywhere, {(0, 1): 1, (1, 1): 8})
    assert Fraction(1, 1) == Fraction(9, 9)


@pytest.mark.parametrize("percent", range(1, 100))
def test_whole_numbers_decide_at_every_tie(percent):
    """0.29 · 100 is 28.999… in floats: 29 found of 100 would be too few, or 28 enough."""
    pool = [stratum("1", items=100), stratum("0", items=100)]
    test = row_test(sealed_claim(f"recall >= 0.{percent:02d}", pool))
    for found in (percent, percent - 1):
        predicted = [1] * found + [0] * (100 - found)
        missed = [1] * (100 - found) + [0] * found
        draws = Draws(
            strata=np.repeat([0, 1], 100),
            labels=np.array([*predicted, *missed]),
            sampling=np.full((200, 2), 0.5),
        )
        known = certainty(test, draws)
        assert known.holds[0, -1] == (found == percent)
        assert known.refuted[0, -1] == (found < percent)
