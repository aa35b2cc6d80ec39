"""Bounds of the parts of a claim: the hardest target of a ladder that passed with every easier one."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from assaymark.claims.cells import WITHOUT_CLASS
from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import ClaimTree, Threshold
from assaymark.claims.linear import Choices, compile_claim
from assaymark.composite.rows import betting_row, make_test, part_units
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.shared_risk.subjects import on_one_scale
from assaymark.stats.betting.path import RowPath, replay
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.rows import Row
from assaymark.stats.betting.rules import AllOf
from assaymark.stats.risk_account import PENDING_FACTOR, ClosedRow
from assaymark.stats.score_guided.supermartingale import Draws

EASIER = (0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01)
HARDER = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1)
FEW = ((0.2, 0.1, 0.05), (0.02, 0.05))
MOST_ROWS = 320


def row_passed(path: RowPath, row: int) -> int | None:
    """After how many draws the row passed; what is certain at the end overrides every bet."""
    return None if path.certainty.refuted[row, -1] else path.passed_at[row]


def part_bounds(sealed: SealedClaim, draws: Draws) -> list[float | None]:
    """The bound of every part; None where nothing is proved yet, or the part has no ladder.

    Each holds with the claim's confidence on its own, not all of them together. A later claim on the
    same subjects states nothing beyond its own targets, as their risk is shared.
    """
    count = len(sealed.compiled[0].parts)
    found: list[float | None] = [None] * count
    rows, places = ([], []) if sealed.risk.earlier else _ladders(sealed)
    if not rows:
        return found
    path = replay(make_test(sealed, rows, rule=AllOf(refute="never")), draws)
    broken: set[int] = set()
    for row, (number, target) in enumerate(places):
        if row_passed(path, row) is None:
            broken.add(number)
        elif number not in broken:
            found[number] = float(target)
    return found


def ladder_wealth(
    sealed: SealedClaim, draws: Draws, waiting: Sequence[int]
) -> dict[int, tuple[ClosedRow, ...]]:
    """The wealth of every target behind the printed bounds, by part, when the claim was closed.

    `waiting` are the strata of draws without a label: each counts as the worst one.
    """
    if sealed.kind != "conjunction":
        return {}
    rows, places = _ladders(sealed)
    if not rows:
        return {}
    test = make_test(sealed, rows, rule=AllOf(refute="never"))
    race = Race(test)
    race.feed(draws)
    inside = test.book.inside[: len(rows), list(waiting)].sum(axis=1)
    found: dict[int, list[ClosedRow]] = {}
    for row, (number, target) in enumerate(places):
        log = float(race.log[row])
        if not race.stopped[row]:
            log += int(inside[row]) * math.log(PENDING_FACTOR)
        leaf = parse(sealed.compiled[0].parts[number].text).parts[0]
        _, _, scaled = on_one_scale(leaf.figure.metric, "lower", float(target))
        found.setdefault(number, []).append(ClosedRow(target=scaled, wealth=math.exp(log)))
    return {number: tuple(mine) for number, mine in found.items()}


def _ladders(sealed: SealedClaim) -> tuple[list[Row], list[tuple[int, Fraction]]]:
    """The rows of all targets, with the part and target of each."""
    tree, cells = sealed.statements[0].tree, sealed.cells
    rows, places = [], []
    numbers = _numbers(sealed)
    for leaf, mine in zip(tree.parts, numbers, strict=True):
        if not isinstance(leaf, Threshold) or leaf.figure.metric in WITHOUT_CLASS:
            continue
        for target in _targets(leaf, few=sum(map(len, numbers)) * 16 > MOST_ROWS):
            other = ClaimTree(parts=(replace(leaf, target=target),), every=tree.every)
            parts = compile_claim(other, cells, Choices(least_group=sealed.least_group)).parts
            for number, own in zip(mine, parts, strict=True):
                unit = part_units(own, cells, tree.every, sealed.kind)[0]
                rows.append(betting_row(own.rows[0], own, unit))
                places.append((number, target))
    return rows, places


def _numbers(sealed: SealedClaim) -> list[list[int]]:
    """For every leaf of the tree: the numbers of its parts, group by group."""
    tree, cells = sealed.statements[0].tree, sealed.cells
    choices = Choices(least_group=sealed.least_group)
    sizes = [
        len(compile_claim(ClaimTree(parts=(leaf,), every=tree.every), cells, choices).parts)
        for leaf in tree.parts
    ]
    groups = len({part.group for part in sealed.compiled[0].parts})
    each = [size // groups for size in sizes]
    return [
        [g * sum(each) + sum(each[:i]) + j for g in range(groups) for j in range(each[i])]
        for i in range(len(each))
    ]


def _targets(leaf: Threshold, *, few: bool) -> list[Fraction]:
    """Targets from easy to hard around the claim's own."""
    easier, harder = FEW if few else (EASIER, HARDER)
    sign = 1 if leaf.side == "lower" else -1
    moves = [-Fraction(str(x)) for x in easier] + [Fraction(0)] + [Fraction(str(x)) for x in harder]
    targets = [leaf.target + sign * move for move in moves]
    return [t for t in targets if 0 < t < 1]
