"""Pools in files that no engine reads, copied as parquet: workbooks, Concordance load files, references."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from assaymark.errors import InputError
from assaymark.files.answers import Table, cell_text
from assaymark.files.formats.concordance import read_dat
from assaymark.files.formats.reference_tables import ENDINGS, is_reference_file, read_references
from assaymark.files.formats.xlsx import first_sheet
from assaymark.pool.tables import write_table
from assaymark.project.place import private_folder

READERS = {".xlsx": first_sheet, ".dat": read_dat, **dict.fromkeys(ENDINGS, read_references)}
COPY = "pool.parquet"
NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d+)?(?:[eE]-?\d+)?")
"""A number as people write it; one with a zero in front is an id, and a longer one too."""


def is_foreign(pool: str) -> bool:
    """Whether the pool is a file that only a copy makes readable."""
    path = Path(pool).expanduser()
    return path.suffix.lower() in READERS and path.is_file()


def copy_of(pool: str, target: Path) -> Path:
    """Write the table of such a file as parquet; returns where."""
    return write_table(target, _columns_of(pool))


def _columns_of(pool: str) -> dict[str, Sequence[object]]:
    """Numbers where a table has them; of references every part is text, ids such as 1001.2260 too."""
    path = Path(pool).expanduser()
    columns = _columns(READERS[path.suffix.lower()](path), path)
    if is_reference_file(path):
        return {**columns}
    return {name: _typed(values) for name, values in columns.items()}


@contextmanager
def readable_pool(pool: str, folder: Path) -> Iterator[str]:
    """The pool itself, or its copy in the project folder where no engine reads it.

    The copy is what the project is about: the checksum is that of the copy. It is taken back where
    the project does not begin.
    """
    if not is_foreign(pool):
        yield pool
        return
    columns = _columns_of(pool)
    private_folder(folder)
    copy = write_table(folder / COPY, columns)
    try:
        yield str(copy)
    except BaseException:
        copy.unlink(missing_ok=True)
        with suppress(OSError):  # it holds something else
            folder.rmdir()
        raise


def _columns(table: Table, path: Path) -> dict[str, list[str | None]]:
    names = [name.strip() for name in table.header]
    used = [name for name in names if name]
    if len(set(used)) < len(used) or not used:
        raise InputError(
            f"The first line of {path.name!r} must name every column once; it reads "
            f"{table.first_line.strip()[:80]!r}."
        )
    columns: dict[str, list[str | None]] = {name: [] for name in used}
    for number, cells in table.rows:
        if all(value is None or value == "" for value in cells):
            continue
        for place, name in enumerate(names):
            if name:
                try:
                    text = cell_text(cells[place]) if place < len(cells) else ""
                except InputError as error:
                    raise InputError(
                        f"Row {number:,} of {path.name!r}, column {name!r}: {error}. A text that begins "
                        "with = may have been saved as a formula: save the table as CSV then."
                    ) from error
                columns[name].append(text or None)
    return columns


def _typed(values: Sequence[str | None]) -> list[object]:
    """Numbers where every value is one, text elsewhere."""
    if any(value is None or not NUMBER.fullmatch(value) for value in values):
        return list(values)
    numbers = [float(value) for value in values if value is not None]
    whole = all(number.is_integer() for number in numbers)
    return [int(number) for number in numbers] if whole else list(numbers)
