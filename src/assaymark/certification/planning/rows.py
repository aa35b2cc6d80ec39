"""What a plan's claim compiles to: rows of exact gains over the cells of its pool."""

from assaymark.claims.cells import Cell, Cells
from assaymark.claims.claim import Claim
from assaymark.claims.language.grammar import parse
from assaymark.claims.linear import compile_claim
from assaymark.claims.rows import LinearClaim
from assaymark.records.decimals import decimal_text
from assaymark.records.pool import PoolSummary
from assaymark.records.pool_shape import CLASSIFIER


def compiled(claim: Claim, summary: PoolSummary) -> LinearClaim:
    """The claim as rows over the cells of this pool."""
    word = ">=" if claim.side == "lower" else "<="
    tree = parse(f"{claim.metric} {word} {decimal_text(claim.target)}")
    return compile_claim(tree, _cells(summary))


def constants_of(rows: LinearClaim) -> tuple[tuple[str, str], ...]:
    """What the compiler chose, as text."""
    return tuple(sorted((name, str(value)) for name, value in rows.constants.items()))


def _cells(summary: PoolSummary) -> Cells:
    # without predictions only the prevalence can be claimed, which asks for none
    sides = {1: summary.predicted_positive, 0: summary.predicted_negative}
    if not summary.predicts:
        sides = {0: summary.items}
    return Cells(
        classifiers=(CLASSIFIER,),
        classes=("0", "1"),
        positive="1",
        cells=tuple(Cell(predictions=(str(side),), items=items) for side, items in sides.items()),
    )
