"""What rows say where every label is counted: the truth that compiled claims and rulings are held to."""

from collections.abc import Mapping
from fractions import Fraction

from assaymark.claims.rows import LinearClaim, Row, RowPart

Tally = Mapping[tuple[int, int], int]


def value_of(row: Row, cell: int) -> Fraction:
    """The largest gain in a cell; 0 outside the domain."""
    return max(dict(row.gains).get(cell, (Fraction(0),)))


def help_of(row: Row, cell: int, label: int) -> Fraction:
    """The help of a label: its gain as a share of the largest in its cell."""
    return dict(row.gains)[cell][label] / value_of(row, cell)


def amount(row: Row, tally: Tally) -> Fraction:
    """The gain of these labels."""
    gains = dict(row.gains)
    return sum((n * gains[c][o] for (c, o), n in tally.items() if c in gains), Fraction(0))


def is_reached(row: Row, tally: Tally) -> bool:
    """Whether the gain of these labels is what the row asks for."""
    return _is_enough(row, amount(row, tally))


def _is_enough(row: Row, gain: Fraction) -> bool:
    return gain > row.required if row.strict else gain >= row.required


def is_guarded(row: Row, tally: Tally) -> bool:
    """Whether every denominator is known to be positive."""
    return all(any(tally.get(pair, 0) for pair in clause) for clause in row.guard)


def certain(row: Row, tally: Tally, left: Mapping[int, int]) -> bool | None:
    """What is certain with `left` items unlabelled per cell, the guard aside; None if nothing.

    Items that nobody could decide are neither in the tally nor left: they gain nothing.
    """
    gain = amount(row, tally)
    if _is_enough(row, gain):
        return True
    best = gain + sum((left.get(cell, 0) * max(gains) for cell, gains in row.gains), Fraction(0))
    return None if _is_enough(row, best) else False


def rows_hold(claim: LinearClaim | RowPart, tally: Tally) -> bool:
    """Whether the rows hold for a full tally of labels, and every denominator is positive."""
    if isinstance(claim, LinearClaim):
        return all(rows_hold(part, tally) for part in claim.parts)
    if claim.undefined or not all(is_guarded(row, tally) for row in claim.rows):
        return False
    truth = [is_reached(row, tally) for row in claim.rows]
    if claim.combinator == "gap":
        return all(any(truth[i] for i in product) for product in claim.products)
    if claim.combinator == "mixture":
        size = len(truth) // len(claim.weights)
        return any(all(truth[i : i + size]) for i in range(0, len(truth), size))
    return all(truth)
