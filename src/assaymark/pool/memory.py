"""Data in memory as a parquet file: Arrow streams, data frames, columns, rows."""

import importlib
import importlib.util
import math
from collections.abc import Iterator, Mapping, Sequence
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


@runtime_checkable
class ArrayLike(Protocol):
    """Anything that numpy takes for an array: arrays, series of pandas and polars, tensors."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        """The values as an array."""
        ...

    def __iter__(self) -> Iterator[Any]:
        """The values one by one."""
        ...


Values = Sequence[Any] | ArrayLike
"""One value per item: scores, predictions or labels."""
STREAMED = ("string", "integer", "floating", "boolean", "decimal", "date", "datetime", "empty")
"""What an object column may hold for pandas to stream it, as pandas calls it."""
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
            numbers = [f"row_number() OVER () - 1 AS {named(positions)}"] if positions else []
            named_columns = map(named, self.names)  # pandas also streams an index without a name
            return write_rows(path, self.stream, ", ".join([*numbers, *named_columns]))
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
    data = _with_index(data)
    _refuse_repeated(data)
    columns = _columns(data)
    if columns is not None:
        return MemoryTable(names=tuple(map(str, columns)), columns=columns, stream=None)
    if isinstance(data, ArrowStream):
        stream = _Stream(data)
        return MemoryTable(names=_stream_names(data, stream), columns=None, stream=stream)
    if data is not None and not isinstance(data, str) and len(data) == 0:
        raise InputError("The table is empty: there is no item in it.")
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
    if _is_pandas(data) and not _streams(data):
        return {str(name): _pandas_values(data[name]) for name in data.columns}
    if isinstance(data, NamedColumns) and not isinstance(data, ArrowStream):
        return {name: data[name] for name in data.column_names}
    return None


def _with_index(data: Any) -> Any:
    """A pandas data frame whose named index is a column again: it usually holds the ids."""
    if _is_pandas(data) and any(name is not None for name in data.index.names):
        return data.reset_index()
    return data


def refuse_other_numbers(data: Any) -> None:
    """Refused where rows that have no ids would be numbered otherwise than by the index of pandas.

    The rows of a filtered or sorted frame are looked up by its index: the wrong ones would be labelled.
    """
    index = getattr(data, "index", None) if hasattr(data, "iloc") else None
    if index is None or importlib.import_module("pandas").RangeIndex(len(index)).equals(index):
        return
    kind = type(data).__name__
    keep = " (reset_index(names='id'))" if kind == "DataFrame" else ""
    raise InputError(
        f"The rows have no ids, and the index of the {kind} is not 0, 1, 2, …: what number is a row to "
        f"have? Make the index a column of ids{keep}, or number the rows by their position "
        "(reset_index(drop=True)) and look labels up by position too."
    )


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "columns")


def _refuse_repeated(data: Any) -> None:
    """Refused where two columns have one name: nobody could say which of them is meant."""
    names = [str(name) for name in data.columns] if _is_pandas(data) else []
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"Two columns are named {repeated!r}: give them different names.")


def _streams(data: Any) -> bool:
    """Whether pandas can stream the frame: it needs pyarrow for it, and columns of one type each."""
    if importlib.util.find_spec("pyarrow") is None:
        return False
    kinds = [(dtype.name, data.iloc[:, at]) for at, dtype in enumerate(data.dtypes)]
    return all(
        name != "float16" and (name != "object" or _inferred(column) in STREAMED)
        for name, column in kinds
    )


def _inferred(column: Any) -> str:
    pandas = importlib.import_module("pandas")
    return str(pandas.api.types.infer_dtype(column, skipna=True))


def _pandas_values(column: Any) -> Any:
    """The values of a column; what is missing is None, or not a number."""
    column = column.infer_objects()
    kind = getattr(column.dtype, "kind", "O")
    if kind in "iu" and not column.hasnans:
        return column.to_numpy(dtype=f"{kind}8")
    if kind in "iuf":
        return column.to_numpy(dtype="float64", na_value=math.nan)
    if kind == "O":
        return column.astype(object).where(column.notna(), None).to_numpy()
    return column.to_numpy()


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
