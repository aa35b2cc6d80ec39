"""Errors of estimates beside rivals: a record for each kind of pool, and the table of every cell."""

from collections.abc import Sequence

from evidence.book import Row, lines, record, short, table
from evidence.limits import NAMES
from evidence.steps import Done

TABLE = "estimate-errors"
POOLS = {"race": "pools of the race", "fresh": "pools that chose nothing", "made": "made pools"}
WAYS = {"fixed": "fixed chances", "renewed": "renewed chances"}


def finished_steps(done: Sequence[Done]) -> list[Done]:
    """The steps that measured errors of estimates: on made pools, and on collections."""
    return [one for one in done if one.step.experiment == TABLE]


def records(done: Sequence[Done]) -> list[Row]:
    """How both allocations stand beside the best rival of each cell."""
    return [
        made
        for one in finished_steps(done)
        for row in table(one, "summary")
        for made in _records(one, row)
    ]


def _records(one: Done, row: Row) -> list[Row]:
    found = []
    for own, name in WAYS.items():
        of = (
            f"error of {NAMES[row['metric']]} at {row['labels']} labels, {name}, over that of the best "
            f"rival, {row['pools']} {POOLS[row['where']]}"
        )
        mean = f"{of}: geometric mean; best in {row[f'{own} best in']}"
        behind = f"{of}: worst; clearly behind in {row[f'{own} clearly behind']}"
        found += [
            record(one, mean, row[f"{own} over best rival"], 1.0),
            record(one, behind, row[f"{own}, worst"], 1.0),
        ]
    return found


def cells(done: Sequence[Done], before: Sequence[Row]) -> str:
    """Every cell, one line each; those of pools that were not run today stay as they were."""
    now = [
        {name: short(cell) for name, cell in row.items()}
        for one in finished_steps(done)
        for row in table(one, "errors")
    ]
    places = {row["where"] for row in now}
    return lines([*now, *(row for row in before if row["where"] not in places)])
