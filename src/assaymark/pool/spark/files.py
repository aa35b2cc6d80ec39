"""Folders of parquet files that Spark's executors write: whole or not at all."""

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from assaymark.pool.duckdb import connect
from assaymark.pool.sources import Source
from assaymark.pool.written import beside, refuse_ending, refuse_other_number, refuse_taken

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def hadoop_path(path: str) -> str:
    """A path of this file system, whatever the cluster's own is, with nothing read as a pattern."""
    return "file://" + re.sub(r"([\\*?\[\]{}])", r"\\\1", path)


def partitioned(source: Source) -> Path | None:
    """The folder below which folder names are columns (day=7/part-0.parquet); None if they are not.

    DuckDB sees such columns by itself; Spark, given single files, has to be given them.
    """
    parents = {path.absolute().parent for path in source.files}
    base = Path(os.path.commonpath(parents))
    while "=" in base.name:
        base = base.parent
    below = [parent.relative_to(base).parts for parent in parents]
    named = all(parts and all("=" in part for part in parts) for parts in below)
    return base if named else None


def write_folder(frame: "DataFrame", path: Path, *, rows: int) -> None:
    """Write the rows beside and move them when this machine sees as many as there should be.

    Where the file system is not shared, each executor writes to a disk of its own and Spark calls
    that a success; the count finds out.
    """
    refuse_ending(path)
    refuse_taken(path)
    part = beside(path.absolute())
    try:
        # a target is no pattern: it is taken letter by letter
        frame.write.option("compression", "zstd").parquet(f"file://{part}")
        refuse_other_number(path, _rows(part), rows)
        part.rename(path.absolute())
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _rows(folder: Path) -> int:
    files = tuple(sorted(folder.glob("*.parquet")))
    if not files:
        return 0
    connection = connect()
    try:
        listed = Source(kind="parquet", files=files).listed
        row = connection.execute(f"SELECT count(*) FROM read_parquet({listed})").fetchall()
    finally:
        connection.close()
    return int(row[0][0])
