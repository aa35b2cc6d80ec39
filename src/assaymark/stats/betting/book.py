"""The rows of a test and their mirrors as arrays: whole numbers for certainty, floats for stakes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.sharing import made_once, shared
from assaymark.stats.betting.rows import Number, Row, Rows, exact
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.wealth import Flags, Ints

LARGEST = 2**62


@dataclass(frozen=True, kw_only=True, eq=False)
class Book:
    """Rows first, then their mirrors. Strata of a domain are renumbered, padded with the last.

    `where[r, j]` is the stratum at place j of row r's domain (K where there is none), `place[r, k]`
    the reverse (the last place where k lies outside). `gain[r, j, o]` is value·help times
    `scale[r]` at place j, a whole number; outcome O is "cannot tell". `whole` is Σ value·size. A
    unit of a row's metric is `base` + Σ `slopes` over the strata `sloped`, padded like a domain.
    Rows of one `domain_number` have the same domain.
    """

    count: int
    sizes: Ints
    where: Ints
    place: Ints
    value: Floats
    help: Floats
    gain: NDArray[Any]
    most: NDArray[Any]
    required: NDArray[Any]
    scale: Floats
    whole: Floats
    strict: Flags
    inside: Flags
    domain_number: Ints
    base: Floats
    sloped: Ints
    slopes: Floats

    def amounts(self, counts: NDArray[Any]) -> NDArray[Any]:
        """These counts of every stratum at the places of every row; 0 where there is no stratum."""
        none = np.zeros((1, *counts.shape[1:]), dtype=counts.dtype)
        return np.concatenate([counts, none])[self.where]

    def help_of(self, tally: Ints) -> NDArray[Any]:
        """The help of every row in a tally of outcomes by stratum."""
        help_sum: NDArray[Any] = (self.gain[:, :-1] * self.amounts(tally)).sum(axis=(1, 2))
        return help_sum

    def help_in(self, strata: Ints, outcomes: Ints) -> NDArray[Any]:
        """The same of these draws, by whichever way is shorter."""
        width, kinds = self.gain.shape[1] - 1, self.gain.shape[2]
        if width * kinds < len(strata):
            return self.help_of(tally_of(strata, outcomes, (len(self.sizes), kinds)))
        rows = np.arange(len(self.gain))[:, None]
        gains: NDArray[Any] = self.gain[rows, self.place[:, strata], outcomes].sum(axis=1)
        return gains


def tally_of(strata: Ints, outcomes: Ints, shape: tuple[int, int]) -> Ints:
    """How often each stratum gave each outcome."""
    cells = np.bincount(strata * shape[1] + outcomes, minlength=shape[0] * shape[1])
    tally: Ints = cells.reshape(shape)
    return tally


def _lcm(row: Row, cells: dict[int, tuple[Fraction, ...]]) -> int:
    kinds = {id(gains): gains for gains in cells.values()}.values()
    values = {id(v): exact(v) for v in row.value.values()}.values()
    parts = [exact(row.required), *values, *(g for gains in kinds for g in gains)]
    return math.lcm(*(f.denominator for f in parts))


def _gains(row: Row) -> dict[int, tuple[Fraction, ...]]:
    known: dict[tuple[int, int], tuple[Fraction, ...]] = {}
    gains = {}
    for k, v in row.value.items():
        pair = (id(v), id(row.help[k]))
        if pair not in known:
            known[pair] = tuple(exact(v) * exact(h) for h in row.help[k])
        gains[k] = known[pair]
    return gains


def _whole_numbers(
    rows: Sequence[Row], sizes: Sequence[int], *, shape: tuple[int, int]
) -> tuple[Any, Any, Any, list[float]]:
    """Gains, required amounts, scales and wholes; 64-bit where every sum fits, else Python's own.

    A mirror gains what its row does not, and needs what the row may miss: the same scale fits both.
    """
    required, scale = np.zeros(2 * len(rows), dtype=object), np.zeros(2 * len(rows), dtype=object)
    numbers, mirrored, wholes, largest = [], [], list[float](), 0
    for r, row in enumerate(rows):
        cells = _gains(row)
        factor = scale[r] = scale[r + len(rows)] = _lcm(row, cells)
        value = made_once(row.value, partial(_times, scale=factor))
        mine = made_once(cells, partial(_all_times, scale=factor))
        numbers.append(mine)
        mirrored.append({k: [value[k] - gain for gain in gains] for k, gains in mine.items()})
        amount = sum(worth * sizes[k] for k, worth in value.items())
        required[r] = _times(row.required, factor)
        required[r + len(rows)] = amount - required[r]
        wholes.append(amount / factor)  # rounded once, as a fraction is
        largest = max(largest, abs(required[r]), abs(amount - required[r]), amount)
    kind = np.int64 if largest < LARGEST else object
    width, outcomes = shape
    gain: NDArray[Any] = np.zeros((2 * len(rows), width + 1, outcomes + 1), dtype=kind)
    for r, one in enumerate((*numbers, *mirrored)):
        if one:
            gain[r, : len(one), :outcomes] = [one[k] for k in sorted(one)]
    return gain, required.astype(kind), scale, wholes


def _times(number: Number, scale: int) -> int:
    """The whole number that `scale`, a multiple of its denominator, makes of it."""
    fraction = exact(number)
    return fraction.numerator * (scale // fraction.denominator)


def _all_times(numbers: Sequence[Fraction], *, scale: int) -> list[int]:
    return [_times(number, scale) for number in numbers]


def _float(number: Number) -> float:
    return float(exact(number))


@shared
def _floats(numbers: Sequence[Number]) -> list[float]:
    return [_float(number) for number in numbers]


@shared
def _rests(numbers: Sequence[Number]) -> list[float]:
    """What is missing to 1, exactly before it is rounded."""
    return [float(1 - exact(number)) for number in numbers]


def open_book(rows: Rows, sizes: Sequence[int]) -> Book:
    """The rows and their mirrors, compiled for these stratum sizes."""
    count, strata = len(rows), rows.strata
    width = max(1, *(len(row.domain) for row in rows.rows))
    shape = width, rows.outcomes
    gain, required, scale, wholes = _whole_numbers(rows.rows, sizes, shape=shape)
    where = np.full((2 * count, width), strata, dtype=np.int64)
    place = np.full((2 * count, strata), width, dtype=np.int64)
    value, share = np.zeros((2 * count, width)), np.zeros((2 * count, width, rows.outcomes))
    for r, row in enumerate(rows.rows):
        domain = sorted(row.domain)
        worth = made_once(row.value, _float)
        for line, help_of in (
            (r, made_once(row.help, _floats)),
            (r + count, made_once(row.help, _rests)),
        ):
            where[line, : len(domain)], place[line, domain] = domain, np.arange(len(domain))
            value[line, : len(domain)] = [worth[k] for k in domain]
            share[line, : len(domain)] = [help_of[k] for k in domain]
    whole = np.array(wholes * 2)
    base, sloped, slopes = _units(rows.rows, whole, rows)
    return Book(
        count=len(rows),
        sizes=np.array(sizes, dtype=np.int64),
        where=where,
        place=place,
        value=value,
        help=share,
        gain=gain,
        most=gain[:, :, : rows.outcomes].max(axis=2),
        required=required,
        scale=scale.astype(np.float64),
        whole=np.where(whole > 0, whole, 1.0),
        strict=np.array([row.strict for row in rows.rows] + [not row.strict for row in rows.rows]),
        inside=place < width,
        domain_number=_domain_numbers(where),
        base=base,
        sloped=sloped,
        slopes=slopes,
    )


def _domain_numbers(where: Ints) -> Ints:
    known: dict[bytes, int] = {}
    return np.array([known.setdefault(line.tobytes(), len(known)) for line in where])


def _units(rows: Sequence[Row], whole: Floats, shape: Rows) -> tuple[Floats, Ints, Floats]:
    base = whole[: len(rows)].copy()
    width = max([len(row.unit.slopes) for row in rows if row.unit is not None], default=0)
    sloped = np.full((len(rows), width), shape.strata, dtype=np.int64)
    slopes = np.zeros((len(rows), width, shape.outcomes))
    for r, row in enumerate(rows):
        if row.unit is not None:
            base[r] = float(row.unit.base)
            mine = sorted(made_once(row.unit.slopes, _floats).items())
            sloped[r, : len(mine)] = [k for k, _ in mine]
            slopes[r, : len(mine)] = [slope for _, slope in mine] if mine else 0.0
    return base, sloped, slopes
