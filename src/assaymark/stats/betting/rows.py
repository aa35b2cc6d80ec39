"""Rows: linear claims on strata and outcomes, kept as exact fractions.

One idea: whether a claim is decided is a matter of counting, so it is counted in whole numbers;
only stakes and chances, which cannot make a certificate wrong, are computed in floating point.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from assaymark.errors import InputError

CANNOT_TELL = -1
Number = Fraction | int | float | str
Place = tuple[int, int]


def exact(value: Number) -> Fraction:
    """The number as it is written: 0.8 means 4/5, not the nearest binary fraction.

    >>> 4 * (1 - exact(0.8)) - exact(0.8)
    Fraction(0, 1)
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"A row needs finite numbers, got {value!r}.")
        return Fraction(repr(float(value)))
    return Fraction(value)


@dataclass(frozen=True, kw_only=True)
class Unit:
    """What one unit of the metric is worth in gain: base + Σ slopes over the items' outcomes.

    For a ratio this is its denominator. Only stakes and chances use it.
    """

    base: Fraction
    slopes: Mapping[int, Sequence[Fraction]]


@dataclass(frozen=True, kw_only=True)
class Row:
    """The claim Σ value·help >= required (with `strict`: > required) over all items.

    `value[k]` is above 0 in the row's domain and may be left out elsewhere; `help[k][o]` lies in
    [0, 1]. Each guard is a set of (stratum, outcome); one of them must have been found before the
    row may pass, otherwise its metric may still turn out to be undefined. `undefined` says what
    holds if that can no longer happen.
    """

    value: Mapping[int, Number]
    help: Mapping[int, Sequence[Number]]
    required: Number
    strict: bool = False
    guards: tuple[frozenset[Place], ...] = ()
    undefined_holds: bool = False
    unit: Unit | None = None
    name: str = ""

    def __post_init__(self) -> None:
        value = {int(k): exact(v) for k, v in self.value.items() if exact(v) != 0}
        missing = [k for k in value if k not in self.help]
        if missing:
            raise InputError(f"Row {self.name!r} has no help for stratum {missing[0]}.")
        shares = {k: tuple(exact(h) for h in self.help[k]) for k in value}
        if any(v < 0 for v in value.values()):
            raise InputError(
                f"Row {self.name!r} has a value below 0; turn its help around instead."
            )
        if any(not 0 <= h <= 1 for row in shares.values() for h in row):
            raise InputError(f"Row {self.name!r} has help outside 0 to 1.")
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "help", shares)
        object.__setattr__(self, "required", exact(self.required))

    @property
    def domain(self) -> frozenset[int]:
        """The strata that say something about the row."""
        return frozenset(self.value)

    def mirror(self, sizes: Sequence[int]) -> "Row":
        """The row that is true exactly when this one is false: all that is not help must suffice."""
        whole = sum((exact(v) * sizes[k] for k, v in self.value.items()), Fraction(0))
        return replace(
            self,
            help={k: tuple(1 - exact(h) for h in shares) for k, shares in self.help.items()},
            required=whole - exact(self.required),
            strict=not self.strict,
            guards=(),
            undefined_holds=False,
            name=f"not {self.name}",
        )


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Several rows on the same strata and outcomes."""

    rows: tuple[Row, ...]
    strata: int
    outcomes: int

    def __post_init__(self) -> None:
        if not self.rows:
            raise InputError("A test needs at least one row.")
        for row in self.rows:
            if any(not 0 <= k < self.strata for k in row.domain):
                raise InputError(
                    f"Row {row.name!r} names a stratum outside 0 to {self.strata - 1}."
                )
            if any(len(shares) != self.outcomes for shares in row.help.values()):
                raise InputError(
                    f"Row {row.name!r} must give help for each of {self.outcomes} outcomes."
                )

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def dense(
        cls,
        value: Sequence[Sequence[Number]],
        help: Sequence[Sequence[Sequence[Number]]],  # noqa: A002  the trade word of these pages
        required: Sequence[Number],
        *,
        strict: Sequence[bool] | bool = False,
    ) -> "Rows":
        """Rows from plain tables: value[m][k], help[m][k][o], required[m].

        >>> Rows.dense([[1, 0]], [[[0, 1], [0, 1]]], [3]).rows[0].domain
        frozenset({0})
        """
        words = [strict] * len(required) if isinstance(strict, bool) else strict
        rows = tuple(
            Row(value=dict(enumerate(v)), help=dict(enumerate(h)), required=r, strict=s)
            for v, h, r, s in zip(value, help, required, words, strict=True)
        )
        return cls(rows=rows, strata=len(value[0]), outcomes=len(help[0][0]))
