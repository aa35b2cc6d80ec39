"""Claims of several rows err at most at their risk: every order of draws of tiny pools.

Sealed claims are judged by the product's own code after every draw, so that a false statement at
any time counts, at exact ties and with zero denominators too.
"""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from betting_trees import EACH, nodes

from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import Figure
from assaymark.composite.course import aim_of
from assaymark.composite.judging import judge_path
from assaymark.composite.planning.comparing import (
    CHAINED,
    comparison_statements,
    level_of_comparison,
)
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import ClaimStratum, PoolColumns, SealedClaim, Statement
from assaymark.stats.betting.chances import next_chances, shared_chances

RISK = 0.5


def stratum(predictions, items, *, groups=(), mean=None):
    return ClaimStratum(predictions=tuple(predictions), groups=groups, items=items, mean_score=mean)


def comparison(metric, sizes, *, margin=None, only=None):
    """Cells 11, 10, 01, 00 of these sizes."""
    cells = [stratum(name, n) for name, n in zip(("11", "10", "01", "00"), sizes, strict=True) if n]
    share = Fraction(sizes[1] + sizes[2], sum(sizes))
    margin = None if margin is None else Fraction(margin)
    return SealedClaim(
        kind="comparison",
        claim=f"{metric} of b > {metric} of a",
        confidence=1 - RISK,
        level=level_of_comparison(RISK, metric, margin, only),
        columns=PoolColumns(id="id", predictions=("a", "b")),
        strata=tuple(cells),
        statements=comparison_statements(Figure(metric=metric), margin, share, only),
        chained=metric in CHAINED,
        metric=metric,
        margin=margin,
        only=only,
    )


def worlds(sealed):
    """Every assignment of labels, up to the order within strata."""
    for ones in itertools.product(*(range(s.items + 1) for s in sealed.strata)):
        yield [{1: r, 0: s.items - r} for r, s in zip(ones, sealed.strata, strict=True)]


def counts(sealed, world, classifier, inside=lambda _s: True):
    """tp, fp, fn, tn of one classifier."""
    found = [0, 0, 0, 0]
    for s, labels in zip(sealed.strata, world, strict=True):
        if inside(s):
            for label in (0, 1):
                place = {"11": 0, "10": 1, "01": 2, "00": 3}[s.predictions[classifier] + str(label)]
                found[place] += labels[label]
    return found


def value(metric, cells):
    tp, fp, fn, tn = cells
    above, below = {
        "accuracy": (tp + tn, tp + fp + fn + tn),
        "recall": (tp, tp + fn),
        "precision": (tp, tp + fp),
        "f1": (2 * tp, 2 * tp + fp + fn),
    }[metric]
    return Fraction(above, below) if below else None


JUDGED: dict = {}  # verdicts by claim and draws: worlds share the beginnings of their orders


def judged(sealed, node, drawn):
    """What the product says after these draws."""
    key = (id(sealed), drawn)
    if key not in JUDGED:
        JUDGED[key] = judge_path(sealed, node.path, node.draws)
    return JUDGED[key]


@pytest.fixture(autouse=True)
def _fresh():
    JUDGED.clear()


def risks(sealed, world, *wrongs):
    """The chance of each wrong statement to be made after some draw."""
    test = replace(row_test(sealed), recipe=EACH)
    used = set().union(*(row.domain for row in test.rows.rows))
    most = sum(test.sizes[k] for k in used)
    totals, bad = [0.0] * len(wrongs), [set() for _ in wrongs]
    waiting = np.zeros(len(test.sizes), dtype=np.int64)

    def chooser(race):
        if sealed.allocation == "shared":
            return shared_chances(race, waiting, 1)
        return next_chances(race, aim=aim_of(sealed, race))

    for node in nodes(test, world, chooser=chooser, most=most):
        key = tuple(zip(node.strata, node.outcomes, strict=True))
        found = judged(sealed, node, key)
        for k, is_wrong in enumerate(wrongs):
            if is_wrong(found) and not any(key[:t] in bad[k] for t in range(len(key))):
                bad[k].add(key)
                totals[k] += node.chance
    return totals


def risk(sealed, world, is_wrong):
    return risks(sealed, world, is_wrong)[0]


def wrong_comparison(sealed, world):
    b, a = (value(sealed.metric, counts(sealed, world, c)) for c in (1, 0))

    def is_wrong(found):
        result, decision = found.result, found.decision
        if a is None or b is None:
            return decision != "undecided" or result["not_worse"]
        gap = b - a
        return (
            (decision == "better" and gap <= 0)
            or (decision == "worse" and gap >= 0)
            or (result["within"] and abs(gap) > sealed.margin)
            or (result["not_worse"] and gap < -sealed.margin)
            or Fraction(repr(result["gap_low"])) > gap + Fraction(1, 10**9)
            or Fraction(repr(result["gap_high"])) < gap - Fraction(1, 10**9)
        )

    return is_wrong


@pytest.mark.parametrize(
    ("metric", "sizes", "margin", "only"),
    [
        ("accuracy", (1, 1, 1, 0), "0.2", None),
        pytest.param("accuracy", (1, 2, 2, 1), "0.2", None, marks=pytest.mark.slow),
        ("accuracy", (0, 2, 2, 0), None, "better"),
        ("recall", (0, 2, 1, 0), "0.2", "better"),
        ("precision", (1, 1, 2, 0), None, None),
        ("recall", (1, 2, 2, 0), None, None),
        ("recall", (1, 1, 1, 1), "0.2", None),
        ("f1", (1, 2, 1, 0), None, None),
        ("f1", (1, 1, 1, 1), "0.1", None),
    ],
)
def test_a_comparison_errs_at_most_at_its_risk(metric, sizes, margin, only):
    """Better, worse, within, not worse and both bounds together."""
    sealed = comparison(metric, sizes, margin=margin, only=only)
    found = [risk(sealed, world, wrong_comparison(sealed, world)) for world in worlds(sealed)]
    assert max(found) <= RISK + 1e-12


def conjunction(text, strata, groups=()):
    return SealedClaim(
        kind="conjunction",
        claim=text,
        confidence=1 - RISK,
        level=RISK,
        columns=PoolColumns(id="id", predictions=("p",), groups=groups),
        strata=tuple(strata),
        statements=(Statement(tree=parse(text)),),
        allocation="shared" if groups else "one at a time",
    )


IN_GROUPS = (
    "recall >= 0.6 in every g",
    [stratum(p, 1, groups=(g,)) for g, p in (("x", "1"), ("x", "0"), ("y", "1"), ("y", "0"))],
    ("g",),
)
TWO_PARTS = (
    "recall >= 0.5 and precision >= 0.5",
    [stratum("1", 2), stratum("0", 2)],
    (),
)
FEWER_IN_GROUPS = (IN_GROUPS[0], IN_GROUPS[1][:3], ("g",))
TWO_PARTS_OF_THREE = (TWO_PARTS[0], [stratum("1", 2), stratum("0", 1)], ())


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(FEWER_IN_GROUPS, id="three in groups"),
        pytest.param(TWO_PARTS_OF_THREE, id="parts of three"),
        pytest.param(IN_GROUPS, id="groups", marks=pytest.mark.slow),
        pytest.param(TWO_PARTS, id="parts", marks=pytest.mark.slow),
    ],
)
def test_a_conjunction_errs_at_most_at_its_risk(shape):
    """False certification, false refutation, and a wrong culprit; each part's bound on its own."""
    sealed = conjunction(*shape)
    parts = sealed.compiled[0].parts

    def values(world):
        for part in parts:
            metric = part.text.split()[0]
            inside = lambda s, g=part.group: not g or s.groups == g  # noqa: E731
            yield value(metric, counts(sealed, world, 0, inside)), Fraction(part.text.split()[-1])

    for world in worlds(sealed):
        true = [v is not None and v >= target for v, target in values(world)]
        numbers = [v for v, _ in values(world)]

        def is_wrong(found, true=true):
            failed = [p["state"] == "failed" for p in found.result["parts"]]
            return (
                (found.decision == "pass" and not all(true))
                or (found.decision == "fail" and all(true))
                or any(f and t for f, t in zip(failed, true, strict=True))
            )

        def too_high(k, number):
            def is_wrong(found):
                bound = found.result["parts"][k]["bound"]
                return bound is not None and (number is None or Fraction(repr(bound)) > number)

            return is_wrong

        bounds = [too_high(k, number) for k, number in enumerate(numbers)]
        assert max(risks(sealed, world, is_wrong, *bounds)) <= RISK + 1e-12


@pytest.mark.parametrize("claim", ["recall >= 0.6", "precision >= 0.6"])
def test_a_ladder_errs_at_most_at_its_risk(claim):
    """The chosen cut-off keeps the claim, whichever rung is reached when."""
    rungs = ("0.3", "0.6")
    sealed = SealedClaim(
        kind="cut-off",
        claim=claim,
        confidence=1 - RISK,
        level=RISK,
        columns=PoolColumns(id="id", scores=("s",), rungs=rungs),
        strata=(stratum("00", 1), stratum("10", 2), stratum("11", 1)),
        statements=(Statement(tree=parse(claim)),),
    )
    metric = claim.split()[0]
    for world in worlds(sealed):
        kept = {
            float(name): (v := value(metric, counts(sealed, world, place))) is not None
            and v >= Fraction("0.6")
            for place, name in enumerate(rungs)
        }

        def is_wrong(found, kept=kept):
            chosen = found.result["cutoff"]
            return chosen is not None and not kept[chosen]

        def is_refuted(found, kept=kept):
            return found.decision == "fail" and kept[found.result["rungs"][0]["cutoff"]]

        assert max(risks(sealed, world, is_wrong, is_refuted)) <= RISK + 1e-12


def test_a_tie_read_to_the_end_is_neither_better_nor_worse():
    sealed = comparison("accuracy", (0, 2, 2, 0))
    world = [{1: 1, 0: 1}, {1: 1, 0: 1}]
    test = replace(row_test(sealed), recipe=EACH, level=1e-6)
    ends = [n for n in nodes(test, world, most=4) if len(n.strata) == 4]
    found = [judge_path(sealed, n.path, n.draws) for n in ends]
    assert {f.decision for f in found} == {"undecided"}
    assert all(f.result["equal"] for f in found)
    assert np.isclose(sum(n.chance for n in ends), 1.0)
