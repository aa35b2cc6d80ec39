"""Pools as DuckDB reads them, through an engine of another name."""

from collections.abc import Sequence
from typing import Any

from assaymark.pool import Pool
from assaymark.pool.duckdb import DuckDBPool
from assaymark.records.pool import Columns


def open_memory(source: str, columns: Columns, _connection: Any, flags: Sequence[str]) -> Pool:
    return DuckDBPool(source, columns, flags)
