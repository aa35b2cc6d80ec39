"""Ids made of several columns: the JSON list of their texts, in a column named after them."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from assaymark.errors import InputError
from assaymark.pool.duckdb import DuckDBPool
from assaymark.pool.sources import named, quoted
from assaymark.pool.sql import refuse_unknown
from assaymark.records.pool import Columns

FILE = "pool.parquet"


def joined_name(columns: str | Sequence[str]) -> str:
    """The name of the column that holds the ids made of these.

    >>> joined_name(["qid", "docid"]), joined_name("id")
    ('["qid","docid"]', 'id')
    """
    names = tuple(columns) if isinstance(columns, list | tuple) else (columns,)
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"Columns are named by text, got {columns!r}. Name the columns first.")
    if not names or len(set(names)) < len(names):
        raise InputError(f"An id is made of different columns, got {list(names)}.")
    return names[0] if len(names) == 1 else joined_id(names)


def joined_id(parts: Sequence[object]) -> str:
    """One id for these parts: the canonical JSON of the list of their texts."""
    return json.dumps([str(part) for part in parts], ensure_ascii=False, separators=(",", ":"))


def parts_of_name(column: str) -> tuple[str, ...] | None:
    """The columns that this one was made of; None where it was not made of several."""
    if not column.startswith('["'):
        return None
    try:
        return split_id(column)
    except ValueError:
        return None


def split_id(text: str) -> tuple[str, ...]:
    """The parts of an id.

    >>> split_id('["q1","d 7"]')
    ('q1', 'd 7')
    """
    return tuple(str(part) for part in json.loads(text))


@contextmanager
def with_joined_ids(source: str, column: str, folder: Path, *, engine: str) -> Iterator[str]:
    """The pool to register: a copy in the folder with a column of ids, where several make one.

    The copy is removed where the pool is refused, so that one can try again.
    """
    names = parts_of_name(column)
    if names is None:
        yield source
        return
    if engine == "duckdb" and _has_column(source, column, names):
        yield source  # made before, by `write_joined`
        return
    path = folder / FILE
    write_joined(source, column, path, engine=engine)
    try:
        yield str(path)
    except BaseException:
        path.unlink()
        raise


def _has_column(source: str, column: str, names: Sequence[str]) -> bool:
    pool = DuckDBPool(source, Columns(id=names[0]))
    try:
        return column in pool.types
    finally:
        pool.close()


def write_joined(source: str, column: str, path: Path, *, engine: str = "duckdb") -> None:
    """Write a copy of the pool with the column of ids that its name tells the parts of."""
    names = parts_of_name(column) or (column,)
    if engine != "duckdb":
        raise InputError(
            f"Ids of several columns are made by DuckDB only, and the engine is {engine!r}. Add one "
            "column with ids to the table."
        )
    pool = DuckDBPool(source, Columns(id=names[0]))
    try:
        for name in names:
            refuse_unknown(name, dict(pool.types))
        pool.export_with(f"{joined_sql(names)} AS {named(column)}", path)
    finally:
        pool.close()


def joined_sql(names: Sequence[str]) -> str:
    """The id of a row; NULL, which no pool may have, where a part is missing."""
    texts = [f"CAST({named(name)} AS VARCHAR)" for name in names]
    parts = [f"""'"' || {_escaped_sql(text)} || '"'""" for text in texts]
    return f"""'[' || {" || ',' || ".join(parts)} || ']'"""


def _escaped_sql(text: str) -> str:
    """The text as it stands inside a JSON text: escaped as `joined_id` does it."""
    for character in ("\\", '"', *map(chr, range(1, 32))):
        escape = json.dumps(character)[1:-1]
        text = f"replace({text}, chr({ord(character)}), {quoted(escape)})"
    return text
