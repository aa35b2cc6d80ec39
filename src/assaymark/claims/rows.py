"""Rows: linear inequalities on hidden labels, in exact rationals.

A row says Σ gain(cell, label) ≥ required over all items (> where strict). Gains lie in
[0, v(cell)]; the help of a label is gain/v. The domain of a row is the cells with v > 0: labels
elsewhere cannot change it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from assaymark.claims.canonical import digest
from assaymark.claims.cells import Cells
from assaymark.claims.sharing import made_once, shared

Tally = Mapping[tuple[int, int], int]
Signed = Mapping[int, Sequence[Fraction]]
Clause = frozenset[tuple[int, int]]
Combinator = Literal["one", "all-of", "ordered", "named", "gap", "mixture"]
COMPILER = "claims/1"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One inequality. `gains` holds (cell, gain per label) for the cells of its domain.

    `guard` has one clause per denominator that is not known to be positive at the seal: the row
    does not pass before a label of each clause has been found.
    """

    gains: tuple[tuple[int, tuple[Fraction, ...]], ...]
    required: Fraction
    strict: bool
    guard: tuple[Clause, ...] = ()

    @property
    def domain(self) -> tuple[int, ...]:
        """The cells where a label changes something."""
        return tuple(cell for cell, _ in self.gains)


def make_row(
    cells: Cells, signed: Signed, *, constant: Fraction, strict: bool, guard: Sequence[Clause] = ()
) -> Row:
    """The row of Σ signed(cell, label) ≥ constant: the least of each cell is moved to the right."""
    items: dict[int, int] = {}
    lows: dict[int, Fraction] = {}
    gains = []
    for cell, (low, above, useful) in made_once(signed, _above_least).items():
        items[id(low)] = items.get(id(low), 0) + cells.cells[cell].items
        lows[id(low)] = low
        if useful:
            gains.append((cell, above))
    required = constant - sum((items[key] * low for key, low in lows.items()), Fraction(0))
    return Row(gains=tuple(gains), required=required, strict=strict, guard=tuple(guard))


@shared
def _above_least(values: Sequence[Fraction]) -> tuple[Fraction, tuple[Fraction, ...], bool]:
    """The least value, what the others are above it, and whether any is."""
    low = min(values)
    above = tuple(value - low for value in values)
    return low, above, any(above)


@dataclass(frozen=True, kw_only=True)
class RowPart:
    """One part of a claim: its rows, how they are joined, and how it may be refuted.

    `one`, `all-of`: every row. `mixture`: the rows in equal bundles, one per weight; a bundle is
    enough. `gap`: of each product (numbers of rows) one row is enough.
    `refuted` by its mirror in a mean over parts (`mean`), only if every mirror crossed (`every`),
    or only when everything relevant is labelled (`census`).
    """

    text: str
    group: tuple[str, ...] = ()
    combinator: Combinator = "one"
    exact: bool = True
    refuted: Literal["mean", "every", "census"] = "mean"
    rows: tuple[Row, ...]
    weights: tuple[Fraction, ...] = ()
    products: tuple[tuple[int, ...], ...] = ()
    undefined: bool = False
    constants: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class LinearClaim:
    """A claim compiled to rows, with everything that was chosen on the way."""

    text: str
    combinator: Combinator
    parts: tuple[RowPart, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)

    @property
    def exact(self) -> bool:
        """Whether the rows hold exactly when the claim does, not only if."""
        return all(part.exact for part in self.parts)

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows in order."""
        return tuple(row for part in self.parts for row in part.rows)

    def to_json(self) -> dict[str, Any]:
        """Plain values; rationals as "n/d" text."""
        plain: dict[str, Any] = _plain(
            {
                "compiler": COMPILER,
                "text": self.text,
                "combinator": self.combinator,
                "constants": dict(self.constants),
                "parts": [vars(part) for part in self.parts],
            }
        )
        return plain

    @property
    def digest(self) -> str:
        """Hex SHA-256 of the canonical JSON."""
        return digest(self.to_json())


def _plain(value: Any) -> Any:
    if isinstance(value, Row):
        return _plain(vars(value))
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, frozenset):
        return [list(pair) for pair in sorted(value)]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
