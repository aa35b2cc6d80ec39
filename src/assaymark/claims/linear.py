"""The compiler of claims: from a tree and the cells of a pool to rows.

Every choice that the rows depend on (believed positives, weights between classifiers, tangent
point, grid, order, what "undefined" means, groups left out) is stored among the constants.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from assaymark.claims.averages import average_part
from assaymark.claims.cells import Cells, Subject, subjects
from assaymark.claims.language.tree import (
    ClaimTree,
    Comparison,
    Figure,
    Gap,
    Part,
    Threshold,
    Within,
)
from assaymark.claims.metrics import AVERAGES
from assaymark.claims.parts.comparisons import comparison_part, text_of
from assaymark.claims.parts.gaps import CELLS_OF_GAP, gap_part
from assaymark.claims.rows import Combinator, LinearClaim, RowPart, make_row
from assaymark.claims.weights import guards, weigh
from assaymark.errors import InputError

Undefined = Literal["fails", "holds"]
LARGEST = 2_000_000
"""The most gains (rows × strata × labels) of one claim about every class."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What is chosen before the seal.

    `undefined`: whether a metric without a denominator holds. `least_group`: smaller groups are
    left out, by name. `family`: every group together, or which groups pass. `mixture`: three
    weights between classifiers in place of one. `gap_cells`: cells of the grid for gaps.
    """

    undefined: Undefined = "fails"
    least_group: int = 0
    family: Literal["every", "named"] = "every"
    mixture: bool = False
    gap_cells: int = CELLS_OF_GAP


def compile_claim(tree: ClaimTree, cells: Cells, choices: Choices | None = None) -> LinearClaim:
    """The claim as rows over the cells."""
    choices = choices or Choices()
    scopes, left_out = _scopes(tree, cells, choices)
    _refuse_large(tree, cells, scopes)
    parts = tuple(
        replace(part, group=group)
        for group, scope in scopes.items()
        for leaf in tree.parts
        for part in _parts(leaf, cells, scope, choices)
    )
    constants: dict[str, Any] = {
        "undefined": choices.undefined,
        "least_group": choices.least_group,
        "cells": cells.digest,
    }
    if left_out:
        constants["left_out"] = [list(group) for group in left_out]
    return LinearClaim(
        text=str(tree), combinator=_combinator(parts, choices), parts=parts, constants=constants
    )


def _refuse_large(tree: ClaimTree, cells: Cells, scopes: "Scopes") -> None:
    """Refuse a claim about too many classes, whose rows would fill the ledger."""
    every = sum(leaf.figure.every_class for leaf in tree.parts)
    size = every * len(cells.names) * len(cells.labels) * sum(map(len, scopes.values()))
    if size > LARGEST:
        raise InputError(
            f"'{tree}' is too large to be sealed with {len(cells.names)} classes on "
            f"{sum(map(len, scopes.values())):,} strata. Claim accuracy, or name the classes that "
            "matter: recall of NAME >= 0.7."
        )


def _combinator(parts: tuple[RowPart, ...], choices: Choices) -> Combinator:
    if choices.family == "named":
        return "named"
    return parts[0].combinator if len(parts) == 1 else "all-of"


Scopes = dict[tuple[str, ...], tuple[int, ...]]


def _scopes(
    tree: ClaimTree, cells: Cells, choices: Choices
) -> tuple[Scopes, list[tuple[str, ...]]]:
    if not cells.everywhere:
        raise InputError("The pool has no items, so nothing can be claimed about it.")
    if not tree.every:
        return {(): cells.everywhere}, []
    groups = cells.groups(tree.every)
    small = [g for g, scope in groups.items() if cells.items(scope) < choices.least_group]
    if len(small) == len(groups):
        raise InputError(f"Every group has fewer than {choices.least_group} items: none is left.")
    return {g: scope for g, scope in groups.items() if g not in small}, small


def _parts(leaf: Part, cells: Cells, scope: Sequence[int], choices: Choices) -> tuple[RowPart, ...]:
    if isinstance(leaf, Threshold):
        return tuple(
            _threshold(leaf, subject, cells, scope, choices)
            for subject in subjects(leaf.figure, cells)
        )
    _no_average(leaf.figure)
    if isinstance(leaf, Gap):
        groups = cells.groups(leaf.columns)
        small = [g for g, inside in groups.items() if cells.items(inside) < choices.least_group]
        if small:
            names = ", ".join(" ".join(group) for group in small)
            raise InputError(
                f"A gap is about every group, and {names} would be left out as too small: claim it "
                "without a least size, or leave their items out of the pool."
            )
        return tuple(
            gap_part(leaf, subject, cells, groups, choices.gap_cells)
            for subject in subjects(leaf.figure, cells)
        )
    return _compared(leaf, cells, scope, choices)


def _compared(
    leaf: Comparison | Within, cells: Cells, scope: Sequence[int], choices: Choices
) -> tuple[RowPart, ...]:
    if isinstance(leaf, Within):
        return tuple(
            part for one in both_ways(leaf) for part in _compared(one, cells, scope, choices)
        )
    return tuple(
        comparison_part(leaf, better, other, cells, scope, mixture=choices.mixture)
        for better, other in rivals(leaf, cells)
    )


def both_ways(leaf: Within) -> tuple[Comparison, Comparison]:
    """ "Within a margin" as two claims: neither is worse than the other by more than it."""
    first = leaf.figure
    second = replace(first, names=(*first.names[:-1], leaf.other))
    return (
        Comparison(figure=first, champion=leaf.other, offset=-leaf.margin, strict=False),
        Comparison(figure=second, champion=first.names[-1], offset=-leaf.margin, strict=False),
    )


def rivals(leaf: Comparison, cells: Cells) -> tuple[tuple[Subject, Subject], ...]:
    """The figure of the one and of the other, for every class that the comparison is about."""
    *classes, challenger = leaf.figure.names
    champion = cells.classifier(leaf.champion)
    if not classes and not leaf.figure.every_class:
        cells.classifier(challenger)  # a single name is a classifier here, never a class
        klass = None if leaf.figure.metric == "accuracy" else cells.positive
        if klass is None and leaf.figure.metric != "accuracy":
            raise InputError(
                f"{leaf.figure.metric} needs a class: write {leaf.figure.metric} of NAME of {challenger}."
            )
        one = Subject(
            metric=leaf.figure.metric, klass=klass, classifier=cells.classifier(challenger)
        )
        return ((one, replace(one, classifier=champion)),)
    return tuple((s, replace(s, classifier=champion)) for s in subjects(leaf.figure, cells))


def _no_average(figure: Figure) -> None:
    if figure.metric in AVERAGES:
        raise InputError(
            f"{figure.metric} can be claimed against a number only: gaps and comparisons of it "
            "can be estimated. Compare f1 of every class, or accuracy."
        )


def _threshold(
    leaf: Threshold, subject: Subject, cells: Cells, scope: Sequence[int], choices: Choices
) -> RowPart:
    if subject.metric in AVERAGES:
        return average_part(leaf, subject, cells, scope)
    figure = weigh(subject, cells, scope)
    sign = 1 if leaf.side == "lower" else -1
    guard = guards(figure)
    undefined = choices.undefined == "fails" and frozenset() in guard
    row = make_row(
        cells,
        figure.combined(sign, -sign * leaf.target),
        constant=Fraction(0),
        strict=False,
        guard=guard if choices.undefined == "fails" else (),
    )
    return RowPart(text=text_of(leaf, subject), rows=(row,), undefined=undefined)
