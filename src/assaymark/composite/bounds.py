"""Bounds of the parts of a claim: the hardest target of a ladder that passed with every easier one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import ClaimTree, Threshold
from assaymark.claims.linear import Choices, compile_claim
from assaymark.claims.metrics import AVERAGES
from assaymark.composite.rows import betting_row, make_test, part_units
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.shared_risk.subjects import on_one_scale
from assaymark.stats.betting.open_block import Foreseen
from assaymark.stats.betting.path import RowPath, replay, rows_passed
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.betting.rows import Row, Unit
from assaymark.stats.betting.rules import AllOf
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.risk_account import PENDING_FACTOR, ClosedRow
from assaymark.stats.score_guided.supermartingale import Draws, first_draws
from assaymark.stats.score_guided.wealth import Flags

EASIER = (0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01)
HARDER = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1)
FEW = ((0.2, 0.1, 0.05), (0.02, 0.05))
MOST_ROWS = 320


def row_passed(path: RowPath, row: int) -> int | None:
    """After how many draws the row passed; what is certain at the end overrides every bet."""
    return None if path.certainty.refuted[row, -1] else path.passed_at[row]


@dataclass(frozen=True, kw_only=True)
class PartBound:
    """The bound of a part, and whether every target easier than its own has passed.

    `value` is None where nothing is proved yet, or where the part has no ladder of targets.
    """

    value: float | None = None
    easier_passed: bool = True


def part_bounds(
    sealed: SealedClaim, draws: Draws, recipe: Recipe, foreseen: Foreseen | None = None
) -> list[PartBound]:
    """The bound of every part.

    Each holds with the claim's confidence together with what is claimed of its part, since a target
    counts only after every easier one; not all of them together. A later claim on the same subjects
    states nothing beyond its own targets, as their risk is shared.
    """
    ladder = bound_ladder(sealed, recipe)
    if ladder is None:
        return [PartBound()] * len(sealed.compiled[0].parts)
    return ladder.bounds(rows_passed(ladder.test, draws, foreseen))


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundLadder:
    """The targets of every part as rows of one test: `places` are the part and target of each."""

    test: RowTest
    places: tuple[tuple[int, Fraction], ...]
    own: tuple[Fraction | None, ...]
    sides: tuple[int, ...]

    def bounds(self, passed: Flags) -> list[PartBound]:
        """What follows where these rows have passed."""
        bounds = [PartBound()] * len(self.own)
        broken: set[int] = set()
        for row, (number, target) in enumerate(self.places):
            if not passed[row]:
                broken.add(number)
                if self._is_easier(number, target):
                    bounds[number] = replace(bounds[number], easier_passed=False)
            elif number not in broken:
                bounds[number] = PartBound(value=float(target))
        return bounds

    def passed_since(self, draws: Draws, at: int) -> int | None:
        """After how many draws, at least `at`, every easier target has passed; None: not yet."""
        known = self.bounds(rows_passed(self.test, first_draws(draws, at)))
        if all(one.easier_passed for one in known):
            return at
        path = replay(self.test, draws)
        times = [
            row_passed(path, row)
            for row, (number, target) in enumerate(self.places)
            if self._is_easier(number, target)
        ]
        late = [time for time in times if time is not None]
        return max([at, *late]) if len(late) == len(times) else None

    def _is_easier(self, number: int, target: Fraction) -> bool:
        claimed = self.own[number]
        return claimed is not None and self.sides[number] * (claimed - target) > 0


def bound_ladder(sealed: SealedClaim, recipe: Recipe) -> BoundLadder | None:
    """The targets that bounds are read from, by the claim's recipe; None where none are printed."""
    rows, places = ([], []) if sealed.risk.earlier else _ladders(sealed)
    if not rows:
        return None
    leaves = [parse(part.text).parts[0] for part in sealed.compiled[0].parts]
    known = [leaf if isinstance(leaf, Threshold) else None for leaf in leaves]
    return BoundLadder(
        test=replace(make_test(sealed, rows, rule=AllOf(refute="never")), recipe=recipe),
        places=tuple(places),
        own=tuple(None if leaf is None else leaf.target for leaf in known),
        sides=tuple(-1 if leaf is not None and leaf.side == "upper" else 1 for leaf in known),
    )


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
    race.pass_over(draws)
    inside = test.book.inside[: len(rows), list(waiting)].sum(axis=1)
    rows_closed: dict[int, list[ClosedRow]] = {}
    for row, (number, target) in enumerate(places):
        log = float(race.log[row])
        if not race.stopped[row]:
            log += int(inside[row]) * math.log(PENDING_FACTOR)
        leaf = parse(sealed.compiled[0].parts[number].text).parts[0]
        _, _, scaled = on_one_scale(leaf.figure.metric, "lower", float(target))
        rows_closed.setdefault(number, []).append(ClosedRow(target=scaled, wealth=math.exp(log)))
    return {number: tuple(closed) for number, closed in rows_closed.items()}


def _ladders(sealed: SealedClaim) -> tuple[list[Row], list[tuple[int, Fraction]]]:
    """The rows of all targets, with the part and target of each."""
    tree, cells = sealed.statements[0].tree, sealed.cells
    rows, places = [], []
    numbers = part_numbers(sealed)
    units: dict[int, Unit] = {}  # of a part's figure, whatever the target
    for leaf, mine in zip(tree.parts, numbers, strict=True):
        if not isinstance(leaf, Threshold) or leaf.figure.metric in AVERAGES:
            continue
        for target in ladder_targets(leaf, parts=sum(map(len, numbers))):
            other = ClaimTree(parts=(replace(leaf, target=target),), every=tree.every)
            parts = compile_claim(other, cells, Choices(least_group=sealed.least_group)).parts
            for number, part in zip(mine, parts, strict=True):
                if number not in units:
                    units[number] = part_units(part, cells, tree.every, sealed.kind)[0]
                rows.append(betting_row(part.rows[0], part, units[number]))
                places.append((number, target))
    return rows, places


def part_numbers(sealed: SealedClaim) -> list[list[int]]:
    """For every leaf of the tree: the numbers of its parts, group by group."""
    tree, cells = sealed.statements[0].tree, sealed.cells
    if len(tree.parts) == 1:
        return [list(range(len(sealed.compiled[0].parts)))]
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


def ladder_targets(leaf: Threshold, *, parts: int) -> list[Fraction]:
    """Targets from easy to hard around the claim's own; fewer where there are many parts."""
    easier, harder = FEW if parts * 16 > MOST_ROWS else (EASIER, HARDER)
    sign = 1 if leaf.side == "lower" else -1
    moves = [-Fraction(str(x)) for x in easier] + [Fraction(0)] + [Fraction(str(x)) for x in harder]
    targets = [leaf.target + sign * move for move in moves]
    return [t for t in targets if 0 < t < 1]
