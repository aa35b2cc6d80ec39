"""Parquet, read and written by DuckDB."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from assaymark.errors import InputError
from assaymark.files.answers import Answer, Table, roles_for, table_answers
from assaymark.files.decoding import Glimpse
from assaymark.files.places import PRIVATE, BatchRow, part_of
from assaymark.files.spelling import Names


def fits(glimpse: Glimpse) -> bool:
    """Whether the file begins as parquet files do."""
    return glimpse.head.startswith(b"PAR1")


def read(path: Path, names: Names) -> Iterator[Answer]:
    """The answers of a table with the columns id and label."""
    import duckdb

    from assaymark.pool.duckdb import connect
    from assaymark.pool.sources import named, quoted

    connection = connect()
    try:
        connection.execute("SET preserve_insertion_order = true")
        source = f"read_parquet({quoted(str(path))})"
        header = [row[0] for row in connection.execute(f"DESCRIBE FROM {source}").fetchall()]
        needed = {*NEEDED, names.id_column, names.label_column}
        wanted = [name for name in header if name.strip().lower() in needed]
        chosen = ", ".join(named(name) for name in wanted) or "1"
        rows = connection.execute(f"SELECT {chosen} FROM {source}").fetchall()
    except duckdb.Error as error:
        why = str(error).splitlines()[0]
        raise InputError(f"The label file {path.name!r} cannot be read: {why}") from error
    finally:
        connection.close()
    table = Table(header=wanted, rows=enumerate(rows, start=1), first_line=", ".join(header))
    return table_answers(table, roles_for(names))


NEEDED = ("assaymark_id", "id", "label", "annotator", "time")


def write(path: Path, rows: Sequence[BatchRow], columns: Sequence[str]) -> None:
    """A table with id, the text columns and an empty label."""
    from assaymark.pool.tables import write_table

    names = ["id", *columns, "label"]
    with part_of(path) as part:
        write_table(part, {name: [row.get(name) or "" for row in rows] for name in names})
        part.chmod(PRIVATE)
