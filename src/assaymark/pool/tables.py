"""Columns in memory as a parquet file that an engine can read."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from assaymark.errors import EngineError, InputError
from assaymark.pool.duckdb import connect
from assaymark.pool.sources import named, quoted
from assaymark.pool.written import beside


def write_table(path: Path, columns: Mapping[str, Any]) -> Path:
    """Write the columns, whole or not at all; returns the path."""
    table = {f"c{number}": _array(values) for number, values in enumerate(columns.values())}
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"The columns have different lengths: {lengths}.")
    renamed = ", ".join(f"c{number} AS {named(name)}" for number, name in enumerate(columns))
    return write_rows(path, table, renamed)


def write_rows(path: Path, rows: Any, select: str) -> Path:
    """Write rows that DuckDB can read, in their order, whole or not at all; returns the path."""
    part = beside(path)
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    connection = connect()
    copy = f"COPY (SELECT {select} FROM given) TO {quoted(str(part))}"
    try:
        connection.execute("SET preserve_insertion_order = true")
        connection.register("given", rows)
        connection.execute(f"{copy} (FORMAT parquet, COMPRESSION zstd)")
        part.replace(path)
    except (duckdb.IOException, OSError) as error:
        raise EngineError(
            f"{path.name!r} cannot be written: {error}. Nothing was recorded; is the disk full?"
        ) from error
    finally:
        connection.close()
        part.unlink(missing_ok=True)
    return path


def file_digest(path: Path) -> str:
    """SHA-256 of the file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _array(values: Sequence[Any]) -> "np.ndarray[Any, Any]":
    if not isinstance(values, np.ndarray):
        values = list(values)
    # numpy would give every text the room of the longest: a giant among thousands fills the memory
    if isinstance(values, np.ndarray) or not any(isinstance(value, str) for value in values):
        array = np.asarray(values)
        if array.dtype.kind not in "OSU":
            return array
    texts = np.empty(len(values), dtype=object)
    texts[:] = [None if value is None else str(value) for value in values]
    return texts
