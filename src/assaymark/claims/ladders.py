"""A ladder of cut-offs: one row per rung, in an order that is sealed.

The last rung of which it and all before it have crossed may be chosen. The first false rung in the
order is fixed before any label, and choosing a false rung needs that one to cross: chance α at
most, whenever one stops. Recall is walked from the lowest cut-off up, precision from the highest
down.
"""

from dataclasses import replace

from assaymark.claims.cells import Cells
from assaymark.claims.language.tree import ClaimTree, Threshold
from assaymark.claims.linear import compile_claim
from assaymark.claims.rows import LinearClaim
from assaymark.errors import InputError

UPWARD = {"recall": True, "precision": False}


def ladder_claim(tree: ClaimTree) -> Threshold:
    """The claim of a ladder; refused where it is not one figure of the whole pool."""
    leaf = tree.parts[0]
    if (
        len(tree.parts) != 1
        or tree.every
        or not isinstance(leaf, Threshold)
        or leaf.side != "lower"
        or leaf.figure.metric not in UPWARD
        or leaf.figure.every_class
        or leaf.figure.names
    ):
        raise InputError(
            f"A cut-off is certified for recall or precision of at least a number, got '{tree}'. "
            "Example: recall >= 0.95."
        )
    return leaf


def compile_ladder(tree: ClaimTree, cells: Cells, *, start: str | None = None) -> LinearClaim:
    """The claim at every rung from the start on, in its order; empty rungs are left out."""
    leaf = ladder_claim(tree)
    order = _order(cells, upward=UPWARD[leaf.figure.metric], start=start)
    rungs = [replace(leaf, figure=replace(leaf.figure, names=("1", name))) for name in order]
    parts = tuple(
        part for rung in rungs for part in compile_claim(ClaimTree(parts=(rung,)), cells).parts
    )
    constants = {"order": order, "start": order[0], "undefined": "fails", "cells": cells.digest}
    return LinearClaim(text=str(tree), combinator="ordered", parts=parts, constants=constants)


def _order(cells: Cells, *, upward: bool, start: str | None) -> list[str]:
    names = [
        name
        for place, name in enumerate(cells.classifiers)
        if cells.predicted("1", place, cells.everywhere)
    ]
    if not upward:
        names.reverse()
    if not names:
        raise InputError("No item reaches any of the cut-offs: there is no rung to certify.")
    if start is None:
        return names
    if start not in names:
        raise InputError(f"The start '{start}' is none of the cut-offs {', '.join(names)}.")
    return names[names.index(start) :]
