"""A pool parted into accept, review and reject: three parquet files, whole or not at all."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assaymark.errors import InputError
from assaymark.pool import Pool, Progress, open_pool, silent
from assaymark.pool.dialect import double_sql
from assaymark.pool.scored import ScoreColumns
from assaymark.pool.written import new_folder, refuse_taken
from assaymark.records.pool import Columns
from assaymark.triaging.triage import Cutoffs

PARTS = ("accept", "review", "reject")


@dataclass(frozen=True, kw_only=True)
class Routed:
    """How many items went where, and the folder with the three files."""

    folder: Path
    accept: int
    review: int
    reject: int

    @property
    def items(self) -> int:
        """All items."""
        return self.accept + self.review + self.reject

    @property
    def automated_share(self) -> float:
        """The share of items that people need not see."""
        return (self.accept + self.reject) / self.items

    def __str__(self) -> str:
        return (
            f"{self.items:,} items: {self.accept:,} accepted, {self.reject:,} rejected, "
            f"{self.review:,} for people"
        )


def route(
    source: str,
    columns: ScoreColumns,
    cutoffs: Cutoffs,
    folder: Path,
    *,
    engine: str = "duckdb",
    connection: object = None,
    progress: Progress = silent,
) -> Routed:
    """Write accept.parquet, review.parquet and reject.parquet, every column kept.

    They are written beside the folder and moved there together, so that nobody ever sees a part.
    DuckDB writes files, Spark folders of files.
    """
    refuse_taken(folder)
    if columns.id is None:
        raise InputError("Routing needs the column of the ids, to see that no item comes twice.")
    pool = open_pool(
        source, Columns(id=columns.id, score=columns.score), engine=engine, connection=connection
    )
    try:
        items = pool.check(lambda message, share: progress(message, (share or 0) / 4))
        parts = conditions(pool.score_sql, cutoffs)
        counts = _counted(pool, parts, items)
        part = new_folder(folder)
        try:
            for number, (name, where) in enumerate(parts.items()):
                progress(f"writing {name}.parquet", 0.15 + 0.28 * number)
                sql = f"SELECT * FROM {pool.everything} WHERE {where}"
                pool.export(sql, part / f"{name}.parquet", rows=counts[name], in_order=False)
            part.rename(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    finally:
        pool.close()
    return Routed(folder=folder, **counts)


def _counted(pool: Pool, parts: Mapping[str, str], items: int) -> dict[str, int]:
    sums = ", ".join(f"count(*) FILTER (WHERE {where})" for where in parts.values())
    counts = dict(zip(parts, pool.select(f"SELECT {sums} FROM {pool.everything}")[0], strict=True))
    if sum(counts.values()) != items:
        raise InputError(
            f"{items:,} items were read, and then {sum(counts.values()):,}: the pool changed "
            "meanwhile. Run it again."
        )
    return counts


def conditions(score: str, cutoffs: Cutoffs) -> dict[str, str]:
    """The SQL condition of each part; together they hold every finite score exactly once."""
    accept = "false" if cutoffs.high is None else f"{score} >= {double_sql(cutoffs.high)}"
    reject = "false" if cutoffs.low is None else f"{score} <= {double_sql(cutoffs.low)}"
    return {
        "accept": accept,
        "review": f"NOT ({accept}) AND NOT ({reject})",
        "reject": reject,
    }
