"""How far an undecided claim of several parts is: bounds of its open parts that all hold together.

One idea: a part's bound is the hardest target of a ladder that passed with every easier one, so a false
bound needs the easiest false target of its part to pass. Of m parts each has an m-th of the risk; then
all bounds that any look prints hold together with the claim's confidence. They are shown while nothing
is established, and give way to the claim when it is.
"""

from dataclasses import replace
from fractions import Fraction

from assaymark.claims.averages import vertex_count
from assaymark.claims.language.tree import ClaimTree, Gap, Threshold
from assaymark.claims.linear import Choices, compile_claim
from assaymark.claims.metrics import AVERAGES
from assaymark.claims.rows import RowPart
from assaymark.composite.bounds import ladder_targets, part_numbers
from assaymark.composite.rows import betting_row, make_test, part_units
from assaymark.composite.sealed import SealedClaim
from assaymark.stats.betting.path import replay, rows_passed
from assaymark.stats.betting.rows import Row
from assaymark.stats.betting.rules import AllOf
from assaymark.stats.betting.rules import Gap as GapRule
from assaymark.stats.betting.rulings import rule_on
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.supermartingale import Draws

MOST_VERTICES = 100  # rows for one target of an average; more would make every look slow
LEAST_BALANCED = Fraction(1, 2)  # below it balanced accuracy has no row


def proven_so_far(
    sealed: SealedClaim, test: RowTest, draws: Draws, open_parts: set[int]
) -> list[float | None]:
    """The bound of every open part, all together at the claim's level; None where nothing is proven.

    A later claim on the same subjects states nothing beyond its own targets, as their risk is shared.
    """
    count = len(sealed.compiled[0].parts)
    if sealed.risk.earlier or not len(draws):
        return [None] * count
    if sealed.compiled[0].combinator == "gap":
        return [_gap_so_far(sealed, test, draws)]
    return _targets_so_far(sealed, test, draws, open_parts)


def _gap_so_far(sealed: SealedClaim, test: RowTest, draws: Draws) -> float | None:
    """The least gap that is proven: the claim's limit and a number of cells of its grid.

    "The gap is at most limit + j cells" has the claim's own rows, those of the greater group j cells
    further up; in the highest cells there is nothing to prove.
    """
    part, leaf = sealed.compiled[0].parts[0], sealed.statements[0].tree.parts[0]
    limit = leaf.limit if isinstance(leaf, Gap) else Fraction(0)
    groups, grid = len(part.constants["groups"]), int(part.constants["grid"])
    cells = len(part.rows) // (2 * groups)
    path, bound = replay(test, draws), None
    for steps in range(cells - 1, 0, -1):
        rule = GapRule(cells=_shifted(groups, cells, steps))
        if rule_on(replace(path, test=replace(test, rule=rule))).decision != "pass":
            break
        bound = float(limit + Fraction(steps, grid))
    return bound


def _shifted(groups: int, cells: int, steps: int) -> tuple[tuple[int, ...], ...]:
    """Rows by number: 2·(group·cells + cell) is "above", the next one "below"."""
    return tuple(
        (2 * (lesser * cells + i), 2 * (greater * cells + i + steps) + 1)
        for greater in range(groups)
        for lesser in range(groups)
        if greater != lesser
        for i in range(cells - steps)
    )


def _targets_so_far(
    sealed: SealedClaim, test: RowTest, draws: Draws, open_parts: set[int]
) -> list[float | None]:
    rows, places = _ladder(sealed, open_parts)
    bounds: list[float | None] = [None] * len(sealed.compiled[0].parts)
    if not rows:
        return bounds
    ladder = make_test(sealed, rows, rule=AllOf(refute="never"))
    passed = rows_passed(
        replace(ladder, level=sealed.level / len(bounds), recipe=test.recipe), draws
    )
    start, broken = 0, set[int]()
    for number, target, count in places:
        if not passed[start : start + count].all():
            broken.add(number)
        elif number not in broken:
            bounds[number] = float(target)
        start += count
    return bounds


def _ladder(
    sealed: SealedClaim, open_parts: set[int]
) -> tuple[list[Row], list[tuple[int, Fraction, int]]]:
    """The rows of all targets of the open parts, from easy to hard: part, target and how many rows."""
    tree, cells, choices = (
        sealed.statements[0].tree, sealed.cells, Choices(least_group=sealed.least_group)
    )  # fmt: skip
    rows: list[Row] = []
    places = []
    numbers = part_numbers(sealed)
    for leaf, mine in zip(tree.parts, numbers, strict=True):
        if not isinstance(leaf, Threshold) or not open_parts.intersection(mine):
            continue
        for target in ladder_targets(leaf, parts=sum(map(len, numbers))):
            if not _is_short(leaf, target, len(cells.names)):
                continue
            other = ClaimTree(parts=(replace(leaf, target=target),), every=tree.every)
            for number, part in zip(mine, compile_claim(other, cells, choices).parts, strict=True):
                if number in open_parts:
                    rows += _rows(part, sealed, tree.every)
                    places.append((number, target, len(part.rows)))
    return rows, places


def _is_short(leaf: Threshold, target: Fraction, classes: int) -> bool:
    """Whether a target has rows at all, and few enough to be followed at every look."""
    metric = leaf.figure.metric
    if metric == "balanced accuracy" and target < LEAST_BALANCED:
        return False
    if metric not in AVERAGES or metric == "macro precision":
        return True
    return vertex_count(classes, classes * target) <= MOST_VERTICES


def _rows(part: RowPart, sealed: SealedClaim, every: tuple[str, ...]) -> list[Row]:
    units = part_units(part, sealed.cells, every, sealed.kind)
    return [betting_row(row, part, unit) for row, unit in zip(part.rows, units, strict=True)]
