"""The rows of a test and their mirrors as arrays: whole numbers for certainty, floats for stakes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.stats.betting.rows import Row, Rows, exact
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.wealth import Flags, Ints

LARGEST = 2**62


@dataclass(frozen=True, kw_only=True, eq=False)
class Book:
    """Rows first, then their mirrors. Strata of a domain are numbered anew, padded with the last.

    `where[r, j]` is the stratum at place j of row r's domain (K where there is none), `place[r, k]`
    the reverse (the last place where k lies outside). `gain[r, k, o]` is value·help times
    `scale[r]`, a whole number; outcome O is "cannot tell". `whole` is Σ value·size.
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
    base: Floats
    slopes: Floats


def _lcm(row: Row, cells: dict[int, tuple[Fraction, ...]]) -> int:
    parts = [exact(row.required), *(g for gains in cells.values() for g in gains)]
    return math.lcm(*(f.denominator for f in (*parts, *map(exact, row.value.values()))))


def _gains(row: Row) -> dict[int, tuple[Fraction, ...]]:
    return {k: tuple(exact(v) * exact(h) for h in row.help[k]) for k, v in row.value.items()}


def _whole_numbers(
    rows: Sequence[Row], sizes: Sequence[int], outcomes: int
) -> tuple[Any, Any, Any]:
    """Gains, required amounts and scales; 64-bit where every sum fits, Python's own otherwise."""
    shape = (len(rows), len(sizes), outcomes + 1)
    gain, required = np.zeros(shape, dtype=object), np.zeros(len(rows), dtype=object)
    scale, largest = np.zeros(len(rows), dtype=object), 0
    for r, row in enumerate(rows):
        cells = _gains(row)
        scale[r] = _lcm(row, cells)
        required[r] = int(exact(row.required) * scale[r])
        for k, gains in cells.items():
            gain[r, k, :outcomes] = [int(g * scale[r]) for g in gains]
        amount = sum(int(exact(v) * scale[r]) * sizes[k] for k, v in row.value.items())
        largest = max(largest, abs(required[r]), amount)
    if largest < LARGEST:
        return gain.astype(np.int64), required.astype(np.int64), scale
    return gain, required, scale


def open_book(rows: Rows, sizes: Sequence[int]) -> Book:
    """The rows and their mirrors, compiled for these stratum sizes."""
    listed = (*rows.rows, *(row.mirror(sizes) for row in rows.rows))
    gain, required, scale = _whole_numbers(listed, sizes, rows.outcomes)
    n, strata = len(listed), rows.strata
    width = max(1, *(len(row.domain) for row in listed))
    where = np.full((n, width), strata, dtype=np.int64)
    place = np.full((n, strata), width, dtype=np.int64)
    value, share = np.zeros((n, width)), np.zeros((n, width, rows.outcomes))
    for r, row in enumerate(listed):
        domain = sorted(row.domain)
        where[r, : len(domain)], place[r, domain] = domain, np.arange(len(domain))
        value[r, : len(domain)] = [float(exact(row.value[k])) for k in domain]
        share[r, : len(domain)] = [[float(exact(h)) for h in row.help[k]] for k in domain]
    whole = np.array(
        [
            float(sum((exact(v) * sizes[k] for k, v in row.value.items()), Fraction()))
            for row in listed
        ]
    )
    base, slopes = _units(listed[: len(rows)], whole, rows)
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
        strict=np.array([row.strict for row in listed]),
        inside=place < width,
        base=base,
        slopes=slopes,
    )


def _units(rows: Sequence[Row], whole: Floats, shape: Rows) -> tuple[Floats, Floats]:
    base = whole[: len(rows)].copy()
    slopes = np.zeros((len(rows), shape.strata, shape.outcomes))
    for r, row in enumerate(rows):
        if row.unit is not None:
            base[r] = float(row.unit.base)
            for k, slope in row.unit.slopes.items():
                slopes[r, k] = [float(s) for s in slope]
    return base, slopes
