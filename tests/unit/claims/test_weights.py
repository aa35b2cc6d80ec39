"""Sums over classes, and what a claim keeps when it is noted down."""

from dataclasses import replace
from fractions import Fraction

import pytest

from assaymark.claims.language.grammar import parse
from assaymark.claims.weights import total
from assaymark.composite.sealed import (
    ClaimStratum,
    PoolColumns,
    SealedClaim,
    Statement,
    annotated,
)


def test_sums_are_those_of_every_class_and_shared_by_cells_that_share_amounts() -> None:
    one, other = (Fraction(1, 3), Fraction(0)), (Fraction(1, 6), Fraction(-2, 5))
    sums = total({0: one, 1: one, 2: other}, {0: other, 1: other, 2: other})
    assert sums == {
        0: (Fraction(1, 2), Fraction(-2, 5)),
        1: (Fraction(1, 2), Fraction(-2, 5)),
        2: (Fraction(1, 3), Fraction(-4, 5)),
    }
    assert sums[0] is sums[1]


def _sealed() -> SealedClaim:
    tree = parse("recall >= 0.8 and precision >= 0.7")
    return SealedClaim(
        kind="conjunction",
        claim=str(tree),
        confidence=0.95,
        level=0.05,
        columns=PoolColumns(id="id", predictions=("p",)),
        strata=tuple(ClaimStratum(predictions=(p,), items=20) for p in "01"),
        statements=(Statement(tree=tree),),
    )


def test_notes_leave_the_rows_as_they_were_compiled() -> None:
    sealed = _sealed()
    noted = annotated(sealed, level=0.01)
    assert noted.level == 0.01
    assert "compiled" not in vars(noted)
    rows = sealed.compiled
    assert annotated(sealed, digests=("x",)).compiled is rows
    assert replace(sealed, digests=("x",)).compiled == rows


def test_what_rows_depend_on_is_no_note() -> None:
    with pytest.raises(TypeError, match="least_group"):
        annotated(_sealed(), least_group=3)
