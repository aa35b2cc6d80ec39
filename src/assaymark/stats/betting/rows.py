"""Rows: linear claims on strata and outcomes, kept as exact fractions.

One idea: whether a claim is decided is a matter of counting, so it is counted in whole numbers;
only stakes and chances, which cannot make a certificate wrong, are computed in floating point.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from assaymark.claims.sharing import made_once, shared
from assaymark.errors import InputError

CANNOT_TELL = -1
Number = Fraction | int | float | str
Place = tuple[int, int]


def exact(value: Number) -> Fraction:
    """The number as it is written: 0.8 means 4/5, not the nearest binary fraction.

    >>> 4 * (1 - exact(0.8)) - exact(0.8)
    Fraction(0, 1)
    """
    if type(value) is Fraction:
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"A row needs finite numbers, got {value!r}.")
        return Fraction(repr(float(value)))
    return Fraction(value)


def _exactly(shares: Sequence[Number]) -> tuple[Fraction, ...]:
    """The numbers as they are written; the same tuple if they are fractions already."""
    if isinstance(shares, tuple) and all(type(h) is Fraction for h in shares):
        return shares
    return tuple(exact(h) for h in shares)


def _is_below_zero(value: Fraction) -> bool:
    return value.numerator < 0


@shared
def _is_share(shares: Sequence[Fraction]) -> bool:
    return all(0 <= h.numerator <= h.denominator for h in shares)


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
        value = {int(k): v for k, v in made_once(self.value, exact).items() if v}
        missing = [k for k in value if k not in self.help]
        if missing:
            raise InputError(f"Row {self.name!r} has no help for stratum {missing[0]}.")
        shares = made_once({k: self.help[k] for k in value}, _exactly)
        if any(made_once(value, _is_below_zero).values()):
            raise InputError(
                f"Row {self.name!r} has a value below 0; turn its help around instead."
            )
        if not all(made_once(shares, _is_share).values()):
            raise InputError(f"Row {self.name!r} has help outside 0 to 1.")
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "help", shares)
        object.__setattr__(self, "required", exact(self.required))

    @property
    def domain(self) -> frozenset[int]:
        """The strata that say something about the row."""
        return frozenset(self.value)


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
