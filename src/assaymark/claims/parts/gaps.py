"""The largest gap between groups as products of rows.

The claim is false if, for one ordered pair of groups, r_g − r_g′ > δ. Let [l, u] be the cell of a
grid that holds r_g′. Then "r_g′ > u" and "r_g < l + δ" are both false. Groups share no items, so
the wealths of the two rows move on different draws, and their product *at the same time* is fair
to bet with: it reaches 1/α with chance α at most. The claim is certified when, for every ordered
pair and every cell, that product has reached 1/α.
"""

import itertools
from collections.abc import Mapping
from fractions import Fraction

from assaymark.claims.cells import Cells, Subject
from assaymark.claims.language.tree import Gap
from assaymark.claims.rows import Row, RowPart, make_row
from assaymark.claims.weights import Weighed, guards, weigh
from assaymark.errors import InputError

CELLS_OF_GAP = 20


def gap_part(
    leaf: Gap,
    subject: Subject,
    cells: Cells,
    groups: Mapping[tuple[str, ...], tuple[int, ...]],
    grid: int,
) -> RowPart:
    """All rows "r_g > u" and "r_g < l + δ", and the products that must be reached."""
    if len(groups) < 2:
        raise InputError(f"A gap between {' and '.join(leaf.columns)} needs at least two groups.")
    figures = [weigh(subject, cells, scope) for scope in groups.values()]
    cuts = [Fraction(i, grid) for i in range(grid + 1)]
    spans = [(low, high) for low, high in itertools.pairwise(cuts) if low + leaf.limit < 1]
    rows = tuple(
        row
        for figure in figures
        for low, high in spans
        for row in (_above(figure, cells, high), _below(figure, cells, low + leaf.limit))
    )
    return RowPart(
        text=str(leaf),
        combinator="gap",
        exact=False,
        refuted="census",
        rows=rows,
        products=_products(len(figures), spans),
        undefined=any(frozenset() in guards(figure) for figure in figures),
        constants={"grid": grid, "groups": [list(group) for group in groups]},
    )


def _products(groups: int, spans: list[tuple[Fraction, Fraction]]) -> tuple[tuple[int, ...], ...]:
    """Row numbers: 2·(group·cells + cell) is "above", the next one "below".

    In the top cell "r_g′ > 1" cannot be shown, so the second factor stands alone.
    """
    return tuple(
        (second,) if high == 1 else (2 * (lesser * len(spans) + i), second)
        for greater, lesser in itertools.permutations(range(groups), 2)
        for i, (_low, high) in enumerate(spans)
        for second in [2 * (greater * len(spans) + i) + 1]
    )


def _above(figure: Weighed, cells: Cells, bound: Fraction) -> Row:
    return make_row(
        cells,
        figure.combined(1, -bound),
        constant=Fraction(0),
        strict=True,
        guard=guards(figure),
    )


def _below(figure: Weighed, cells: Cells, bound: Fraction) -> Row:
    return make_row(
        cells,
        figure.combined(-1, bound),
        constant=Fraction(0),
        strict=True,
        guard=guards(figure),
    )
