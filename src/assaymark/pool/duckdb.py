"""Pools in files, read by DuckDB. The pool itself never enters Python."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from assaymark.errors import EngineError
from assaymark.hints import command
from assaymark.pool import Progress, silent
from assaymark.pool.dialect import DUCKDB
from assaymark.pool.queries import view_sql
from assaymark.pool.sources import Source, find_source, hash_files, quoted
from assaymark.pool.sql import SqlPool, refuse_unknown
from assaymark.pool.written import beside, refuse_other_number, refuse_taken
from assaymark.records.pool import Columns, PoolFile

LONGEST = 16_000_000  # bytes of one row of a CSV file
CSV_HINT = (
    " A CSV pool is UTF-8 text with the column names in its first line, as many fields in every row, "
    f"one kind of line ends, and no row over {LONGEST // 1_000_000} MB."
)
NO_MARK = "(empty)"  # what DuckDB says where a file has no quotes, escapes or comments
SETTLED: dict[tuple[str, int, int, int, int], str | None] = {}
"""How a CSV file is read, by its path and all that changes when somebody writes to it."""
MOST_SETTLED = 256  # files that a server remembers
JOIN = "\n"  # between the text columns of an item
AT_ONCE = 2**27  # ids compared in one go, at 8 bytes each and as much again to sort them


def connect() -> duckdb.DuckDBPyConnection:
    """A private in-memory DuckDB that prints nothing."""
    connection = duckdb.connect()
    # in a notebook DuckDB refuses the setting without ipywidgets, even to turn it off
    if connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()[0][0]:
        connection.execute("SET enable_progress_bar = false")
    connection.execute("SET preserve_insertion_order = false")
    return connection


def reader_sql(source: Source, columns: dict[str, str] | None = None) -> str:
    """The call that reads these files; `columns` forces the types of columns in JSON lines."""
    if source.kind == "parquet":
        return f"read_parquet({source.listed}, union_by_name = true)"
    if source.kind == "csv":
        return (
            f"read_csv({source.listed}, header = true, all_varchar = true, "
            f"max_line_size = {LONGEST})"
        )
    pairs = (f"{quoted(name)}: {quoted(kind)}" for name, kind in (columns or {}).items())
    forced = f", columns = {{{', '.join(pairs)}}}" if columns else ""
    return f"read_json({source.listed}, format = 'newline_delimited'{forced})"


def settled_reader(connection: duckdb.DuckDBPyConnection, source: Source) -> str | None:
    """The same call for one CSV file with its dialect spelled out, as DuckDB finds it.

    Otherwise it is found again for every query, which takes longer than most answers. None for a
    file in which none is found: the plain call says why.
    """
    if source.kind != "csv" or len(source.files) > 1:
        return None
    path = source.files[0]
    about = path.stat()
    key = (str(path), about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
    try:
        return SETTLED[key]
    except KeyError:
        settled = _spelled_out(connection, source)
    if len(SETTLED) >= MOST_SETTLED:
        SETTLED.clear()
    SETTLED[key] = settled
    return settled


def _spelled_out(connection: duckdb.DuckDBPyConnection, source: Source) -> str | None:
    try:
        sniffed = connection.execute(
            "SELECT Delimiter, Quote, Escape, Comment, NewLineDelimiter, SkipRows, Columns FROM "
            f"sniff_csv({quoted(str(source.files[0]))}, header = true, all_varchar = true, "
            f"max_line_size = {LONGEST})"
        ).fetchall()
    except duckdb.Error:
        return None
    delimiter, *marks, line_end, skipped, columns = sniffed[0]
    quote, escape, comment = ("" if mark == NO_MARK else mark for mark in marks)
    if not quote:  # none among the rows that DuckDB looks at; later ones may have the usual one
        quote = escape = '"'
    delimiter, quote, escape, comment = map(quoted, (delimiter, quote, escape, comment))
    names = ", ".join(f"{quoted(column['name'])}: 'VARCHAR'" for column in columns)
    return (
        f"read_csv({source.listed}, auto_detect = false, header = true, skip = {skipped}, "
        f"delim = {delimiter}, quote = {quote}, escape = {escape}, comment = {comment}, "
        f"new_line = {quoted(line_end)}, columns = {{{names}}}, max_line_size = {LONGEST})"
    )


class DuckDBPool(SqlPool):
    """A pool in parquet, CSV or JSON-lines files."""

    engine = "duckdb"
    dialect = DUCKDB

    def __init__(self, source: str, columns: Columns, flags: Sequence[str] = ()) -> None:
        self.columns = columns
        self.flags = tuple(flags)
        self.source: Source = find_source(source)
        self.comma_may_slip = self.source.kind == "csv"
        self._connection = connect()
        self._settled = settled_reader(self._connection, self.source)
        self.types = types = self._column_types()
        for column in (
            columns.id,
            columns.score,
            columns.prediction,
            *columns.text,
            *(columns.groups or ()),
            *(columns.probabilities or ()),
            *flags,
        ):
            if column is not None:
                refuse_unknown(column, types)
        self._create_view(types)

    def close(self) -> None:
        """Close DuckDB's connection."""
        self._connection.close()

    def _rows(self, sql: str, parameters: object = None) -> list[Any]:
        try:
            return self._connection.execute(sql, parameters).fetchall()
        except duckdb.Error as error:
            names = ", ".join(path.name for path in self.source.files[:3])
            if "not utf-8 encoded" in str(error):
                raise EngineError(
                    f"The pool {names!r} is not UTF-8 text; an old spreadsheet writes Windows-1252. Save it "
                    f"as CSV UTF-8, or upload it on the page ({command('serve')}), which converts it."
                ) from error
            first = str(error).splitlines()[0].rstrip(".")
            hint = CSV_HINT if self.source.kind == "csv" else ""
            if hint and (row := carriage_return(self.source.files)) is not None:
                raise EngineError(
                    f"The pool {names!r} cannot be read: in line {row:,} a text without quotes holds a "
                    "carriage return. Save it as parquet, or with all texts in quotes (in pandas: "
                    "to_csv(…, quoting=csv.QUOTE_ALL))."
                ) from error
            raise EngineError(f"The pool {names!r} cannot be read: {first}.{hint}") from error

    def select_in_order(self, sql: str) -> list[Any]:
        """The rows of a query on `everything`, in the order of the file."""
        self._rows("SET preserve_insertion_order = true")
        try:
            return self._rows(sql)
        finally:
            self._rows("SET preserve_insertion_order = false")

    def export(self, sql: str, path: Path, *, rows: int, in_order: bool = True) -> None:
        """A parquet or CSV file, by its ending; whole or not at all, and over nothing."""
        refuse_taken(path)
        form = "(FORMAT parquet, COMPRESSION zstd)"
        if path.suffix.lower() == ".csv":
            form = "(FORMAT csv, HEADER)"
        part = beside(path)
        self._rows(f"SET preserve_insertion_order = {str(in_order).lower()}")
        try:
            written = self._rows(f"COPY ({sql}) TO {quoted(str(part))} {form}")[0][0]
            refuse_other_number(path, written, rows)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
            self._rows("SET preserve_insertion_order = false")

    def export_with(self, column: str, path: Path) -> None:
        """All rows as they are in a parquet file, with one more column."""
        rows = self._rows("SELECT count(*) FROM everything")[0][0]
        self.export(f"SELECT {column}, * FROM everything", path, rows=rows)

    def _reader(self, columns: dict[str, str] | None = None) -> str:
        return reader_sql(self.source, columns) if self._settled is None else self._settled

    def _column_types(self) -> dict[str, str]:
        rows = self._rows(f"DESCRIBE SELECT * FROM {self._reader()}")
        return {row[0]: row[1] for row in rows}

    def _create_view(self, types: dict[str, str]) -> None:
        columns = self.columns
        used = [columns.id, columns.score, columns.prediction, *columns.text, *self.flags]
        forced = None
        if self.source.kind != "parquet":
            # types are detected on a sample of rows; text is read as it stands and cast by us
            types = forced = {name: "VARCHAR" for name in used if name}
        self._id_type = types[columns.id]
        self.id_is_text = self._id_type == "VARCHAR"
        select = view_sql(columns, types, self.dialect, self._reader(forced), self.flags)
        self._rows(f"CREATE TEMP VIEW pool AS {select}")
        self._rows(f"CREATE TEMP VIEW everything AS SELECT * FROM {self._reader()}")

    def files(self, progress: Progress = silent) -> tuple[PoolFile, ...]:
        """Name, size and SHA-256 of every file of the pool."""
        return hash_files(self.source, progress)

    def _repeated(self, items: int) -> list[Any]:
        # exact: if all 64-bit hashes differ, all ids differ; otherwise only the clashes are checked
        parts = -(-items // AT_ONCE)
        clashes: list[int] = []
        for part in range(parts):
            where = f"WHERE hash(raw_id) % {parts} = {part}" if parts > 1 else ""
            sql = f"SELECT hash(raw_id) AS h FROM pool {where}"
            hashes = self._connection.execute(sql).fetchnumpy()["h"]
            clashes += _clashes(np.asarray(hashes))
        if not clashes:
            return []
        listed = ", ".join(map(str, clashes[:1000]))
        return self._rows(
            f"SELECT id, count(*) FROM pool WHERE hash(raw_id) IN ({listed}) "
            "GROUP BY id HAVING count(*) > 1 ORDER BY id LIMIT 3"
        )

    def batches(self, size: int = 5_000) -> Iterator[tuple[list[str], list[str]]]:
        """Ids and texts of every item in file order, a batch at a time; the columns are joined.

        The connection does nothing else meanwhile.
        """
        names = [f"text_{i}" for i in range(len(self.columns.text))]
        text = f"concat_ws({quoted(JOIN)}, {', '.join(names)})" if names else "''"
        self._rows("SET preserve_insertion_order = true")
        try:
            cursor = self._connection.execute(f"SELECT id, {text} FROM pool")
            while rows := cursor.fetchmany(size):
                yield [row[0] for row in rows], [row[1] for row in rows]
        except duckdb.Error as error:
            first = str(error).splitlines()[0].rstrip(".")
            raise EngineError(f"The texts of the pool cannot be read: {first}.") from error
        finally:
            self._rows("SET preserve_insertion_order = false")

    def texts(self, ids: Sequence[str]) -> dict[str, dict[str, str | None]]:
        """The text columns of these items."""
        names = self.columns.text
        if not names or not ids:
            return {name: {} for name in ids}
        # compared as they are stored: writing every whole number of the pool as text costs more
        self._rows(f"CREATE OR REPLACE TEMP TABLE wanted (raw_id {self._id_type})")
        self._connection.register("wanted_ids", {"id": np.array(list(ids), dtype=object)})
        self._rows(f"INSERT INTO wanted SELECT CAST(id AS {self._id_type}) FROM wanted_ids")
        self._connection.unregister("wanted_ids")
        columns = ", ".join(f"text_{i}" for i in range(len(names)))
        rows = self._rows(f"SELECT id, {columns} FROM pool SEMI JOIN wanted USING (raw_id)")
        return {row[0]: dict(zip(names, row[1:], strict=True)) for row in rows}


def _clashes(hashes: "np.ndarray[Any, Any]") -> list[int]:
    """The values that occur more than once; sorts in place, because there may be many."""
    hashes.sort()
    same = hashes[1:] == hashes[:-1]
    return [int(value) for value in np.unique(hashes[1:][same])[:1000]]


def carriage_return(files: Sequence[Path]) -> int | None:
    """The first line with a carriage return outside quotes that ends no line; None where there is none.

    pandas writes such texts without quotes, and DuckDB says only that it cannot go on. Of a gzipped
    file nothing is said.
    """
    for path in files:
        inside = False
        if path.suffix == ".gz":
            continue
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                pieces = line.rstrip(b"\r\n").split(b'"')
                if any(b"\r" in piece for piece in pieces[inside::2]):
                    return number
                inside ^= len(pieces) % 2 == 0
    return None
