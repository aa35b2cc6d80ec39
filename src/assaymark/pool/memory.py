"""Data in memory as a parquet file: Arrow streams, data frames, columns, rows."""

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import duckdb

from assaymark.errors import InputError
from assaymark.pool.sources import named
from assaymark.pool.tables import write_rows, write_table


@runtime_checkable
class ArrowStream(Protocol):
    """Anything that exports the Arrow C stream interface: pandas, polars, pyarrow, DuckDB, …"""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule with the rows."""
        ...


@runtime_checkable
class NamedColumns(Protocol):
    """A table that lists its columns and gives them by name, such as a Hugging Face dataset."""

    @property
    def column_names(self) -> Sequence[str]:
        """The names of the columns."""
        ...

    def __getitem__(self, name: Any, /) -> Any:
        """The values of a column."""
        ...


Table = Mapping[str, Any] | Sequence[Mapping[str, Any]] | ArrowStream | NamedColumns
"""What is taken as a table in memory."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MemoryTable:
    """A table in memory: its column names, and either its columns or a stream of its rows."""

    names: tuple[str, ...]
    columns: Mapping[str, Any] | None
    stream: "_Stream | None"

    def write(self, path: Path, *, positions: str | None = None) -> Path:
        """Write it as parquet; `positions` adds a column of that name that numbers the rows from 0."""
        if self.stream is not None:
            number = f"row_number() OVER () - 1 AS {named(positions)}, " if positions else ""
            return write_rows(path, self.stream, f"{number}*")
        columns = dict(self.columns or {})
        if positions:
            length = len(next(iter(columns.values()), ()))
            columns = {positions: range(length), **columns}
        return write_table(path, columns)


class _Stream:
    """The capsule of another object and nothing else of it.

    DuckDB reads a capsule by itself, but asks for pyarrow when it knows the object's library.
    """

    def __init__(self, source: ArrowStream) -> None:
        self._source = source

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._source.__arrow_c_stream__(requested_schema)


def is_table(data: object) -> bool:
    """Whether the data are a table in memory, rather than the name of a file."""
    if isinstance(data, str | Path):
        return False
    rows = isinstance(data, Sequence) and all(isinstance(row, Mapping) for row in data)
    return isinstance(data, Mapping | ArrowStream | NamedColumns) or rows


def memory_table(data: Any) -> MemoryTable:
    """The table behind what people hold in memory.

    >>> memory_table([{"id": 1, "score": 0.5}, {"id": 2}]).columns
    {'id': [1, 2], 'score': [0.5, None]}
    """
    columns = _columns(data)
    if columns is not None:
        return MemoryTable(names=tuple(map(str, columns)), columns=columns, stream=None)
    if isinstance(data, ArrowStream):
        stream = _Stream(data)
        return MemoryTable(names=_stream_names(data, stream), columns=None, stream=stream)
    raise InputError(
        f"A {type(data).__name__} cannot be read as a table. Give a data frame, an Arrow table, a "
        "dict of columns, a list of dicts, or the name of a file."
    )


def column_values(data: Any) -> dict[str, list[Any]]:
    """The columns of a small table as Python values."""
    table = memory_table(data)
    if table.stream is None:
        return {name: list(values) for name, values in (table.columns or {}).items()}
    with duckdb.connect() as connection:
        connection.register("given", table.stream)
        rows = connection.execute("SELECT * FROM given").fetchall()
    return {name: [row[i] for row in rows] for i, name in enumerate(table.names)}


def _columns(data: Any) -> Mapping[str, Any] | None:
    """The columns, where the data hold them as such; None where they are a stream."""
    if isinstance(data, Mapping):
        return data
    if isinstance(data, Sequence) and not isinstance(data, str | bytes) and data:
        if not all(isinstance(row, Mapping) for row in data):
            return None
        names = dict.fromkeys(name for row in data for name in row)
        return {name: [row.get(name) for row in data] for name in names}
    if _lacks_pyarrow(data):
        return {str(name): data[name].to_numpy() for name in data.columns}
    if isinstance(data, NamedColumns) and not isinstance(data, ArrowStream):
        return {name: data[name] for name in data.column_names}
    return None


def _lacks_pyarrow(data: Any) -> bool:
    """Whether it is a pandas data frame that cannot stream, because pandas needs pyarrow for it."""
    is_pandas = type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "columns")
    return is_pandas and importlib.util.find_spec("pyarrow") is None


def _stream_names(data: Any, stream: _Stream) -> tuple[str, ...]:
    """The names of the columns, without using up a stream that can be read only once."""
    names = getattr(data, "column_names", None) or getattr(data, "columns", None)
    schema = getattr(data, "schema", None)
    if names is None:
        names = getattr(schema, "names", None)
    if names is not None and not callable(names):
        return tuple(map(str, names))
    with duckdb.connect() as connection:
        connection.register("given", stream)
        return tuple(
            row[0] for row in connection.execute("DESCRIBE SELECT * FROM given").fetchall()
        )


def table_file(data: Any, path: Path) -> str | None:
    """The name of a file with this data: a table in memory is written to `path`, a file stays."""
    if data is None:
        return None
    return str(memory_table(data).write(path)) if is_table(data) else str(data)
