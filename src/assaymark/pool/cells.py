"""Cells of a pool: which of several classifiers flag an item. Plain SQL, for any engine.

A cell is named by the flags of its items in order: "10" is flagged by the first and not the second.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from assaymark.errors import InputError
from assaymark.pool.dialect import Dialect
from assaymark.pool.sql import ticket_cut


class Selects(Protocol):
    """What is asked of an engine here: the rows of a SELECT over its view, in its own spelling."""

    view: str
    dialect: Dialect

    def select(self, sql: str) -> list[Any]:
        """The rows of a plain SELECT over the pool."""
        ...


def cell_names(flags: int) -> list[str]:
    """All cells of this many classifiers, those of the union first.

    >>> cell_names(2)
    ['11', '10', '01', '00']
    """
    return ["".join(bits) for bits in itertools.product("10", repeat=flags)]


def cell_sql(flags: int) -> str:
    """SQL for the cell of an item."""
    return " || ".join(f"CASE WHEN flag_{i} THEN '1' ELSE '0' END" for i in range(flags))


def count_cells(pool: Selects, flags: Sequence[str]) -> dict[str, int]:
    """How many items each cell holds. Refuses a column that is not 0/1 for every item."""
    odd = [f"count(*) FILTER (WHERE flag_{i} IS NULL)" for i in range(len(flags))]
    items, *bad = pool.select(f"SELECT count(*), {', '.join(odd)} FROM {pool.view}")[0]
    for place, (column, number) in enumerate(zip(flags, bad, strict=True)):
        if number:
            _refuse(pool, place, column, number, items)
    rows = pool.select(
        f"SELECT {cell_sql(len(flags))} AS cell, count(*) FROM {pool.view} GROUP BY 1"
    )
    return dict.fromkeys(cell_names(len(flags)), 0) | {name: int(n) for name, n in rows}


def _refuse(pool: Selects, place: int, column: str, number: int, items: int) -> None:
    rows = pool.select(f"SELECT id FROM {pool.view} WHERE flag_{place} IS NULL ORDER BY id LIMIT 3")
    where = ", ".join(str(row[0]) for row in rows) + (", …" if number > 3 else "")
    raise InputError(
        f"{number:,} of {items:,} items have neither 0 nor 1 in '{column}' (ids {where}). A "
        "classifier's column says 1 for the items it flags and 0 for all others; turn scores into "
        "0 and 1 by a threshold first."
    )


def lowest_tickets(
    pool: Selects,
    seed: str,
    *,
    sizes: Mapping[str, int],
    taken: Mapping[str, int],
    new: Mapping[str, int],
) -> list[tuple[str, str]]:
    """Item and cell of the `new` lowest tickets that follow the `taken` ones, cell by cell."""
    wanted = {name: taken.get(name, 0) + count for name, count in new.items() if count}
    if not wanted:
        return []
    cuts = {name: ticket_cut(limit, sizes[name], "") for name, limit in wanted.items()}
    rows = _tickets(pool, seed, wanted, taken, cuts)
    for name, limit in wanted.items():
        if sum(cell == name for _, cell in rows) < min(limit, sizes[name]) - taken.get(name, 0):
            return _tickets(pool, seed, wanted, taken, dict.fromkeys(wanted, "g"))
    return rows


def _tickets(
    pool: Selects,
    seed: str,
    wanted: Mapping[str, int],
    taken: Mapping[str, int],
    cuts: Mapping[str, str],
) -> list[tuple[str, str]]:
    flags, text = len(next(iter(wanted))), pool.dialect.text
    ticket = pool.dialect.sha256(f"{text(seed + ':')} || id")
    under = " OR ".join(f"(cell = {text(c)} AND ticket < {text(cut)})" for c, cut in cuts.items())
    places = " OR ".join(
        f"(cell = {text(c)} AND place > {int(taken.get(c, 0))} AND place <= {int(limit)})"
        for c, limit in wanted.items()
    )
    rows = pool.select(
        f"""
        WITH t AS (SELECT id, {cell_sql(flags)} AS cell, {ticket} AS ticket
                   FROM {pool.view}),
             u AS (SELECT id, cell, row_number() OVER (PARTITION BY cell ORDER BY ticket, id) AS place
                   FROM t WHERE {under})
        SELECT id, cell FROM u WHERE {places} ORDER BY cell DESC, place
        """
    )
    return [(str(name), str(cell)) for name, cell in rows]


def cells_of(pool: Selects, flags: int, ids: Sequence[str]) -> dict[str, str]:
    """The cell of each of these items that the pool holds."""
    if not ids:
        return {}
    listed = ", ".join(pool.dialect.text(name) for name in ids)
    rows = pool.select(f"SELECT id, {cell_sql(flags)} FROM {pool.view} WHERE id IN ({listed})")
    return {str(name): str(cell) for name, cell in rows}
