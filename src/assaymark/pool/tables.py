"""Columns in memory as a parquet file that an engine can read."""

import hashlib
import json
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
    if not any(lengths.values()):
        raise InputError("The table is empty: there is no item in it.")
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
    except (duckdb.InvalidInputException, duckdb.NotImplementedException) as error:
        raise InputError(
            f"The table cannot be read: {str(error).splitlines()[0]}. Columns must have different "
            "names and hold numbers or text; turn others into text first, and float16 into float32."
        ) from error
    finally:
        connection.close()
        part.unlink(missing_ok=True)
    return path


def file_digest(path: Path) -> str:
    """SHA-256 of the file's bytes. A pipe or a device, which may never end, is refused."""
    if path.exists() and not path.is_file():
        raise InputError(f"{path.name!r} is not a file that can be read to its end.")
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _array(values: Sequence[Any]) -> "np.ndarray[Any, Any]":
    if not isinstance(values, np.ndarray):
        values = list(values)
    # numpy would give every text the room of the longest: a giant among thousands fills the memory
    if isinstance(values, np.ndarray) or not any(isinstance(value, str) for value in values):
        array = _plain(values)
        if array.dtype.kind not in "OSU":
            return array
    texts = np.empty(len(values), dtype=object)
    if set(map(type, values)) <= {str}:
        texts[:] = values
        return texts
    texts[:] = [None if value is None else _text(value) for value in values]
    return texts


def _plain(values: Sequence[Any]) -> "np.ndarray[Any, Any]":
    """The values as an array of numbers that DuckDB reads, or of objects where they are none."""
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        return np.empty(len(values), dtype=object)
    return array.astype(np.float32) if array.dtype == np.float16 else array


def _text(value: object) -> str:
    """The value as text: lists and dicts, such as chat messages, as JSON."""
    if isinstance(value, tuple):
        return json.dumps([str(part) for part in value], ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(
                f"A column holds bytes that are no text (UTF-8): {value[:20]!r}. Turn them into text."
            ) from error
    return str(value)
