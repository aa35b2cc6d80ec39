"""Concordance load files (DAT): þ around each field, the control character 20 between fields.

Line breaks inside a field are written as ®, in Windows-1252, UTF-8 or UTF-16.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from assaymark.errors import InputError
from assaymark.files.answers import Answer, Table, roles_for, table_answers
from assaymark.files.decoding import Glimpse, decoded, unreadable
from assaymark.files.places import BatchRow, write_safely
from assaymark.files.spelling import Names

QUOTE, BETWEEN, BREAK = "þ", "\x14", "®"


def fits(glimpse: Glimpse) -> bool:
    """Whether the first line is quoted and separated as load files are."""
    return glimpse.first_line.startswith(QUOTE) and QUOTE + BETWEEN + QUOTE in glimpse.first_line


def read(path: Path, names: Names) -> Iterator[Answer]:
    """The answers of a load file; its columns are mostly named for the occasion."""
    return table_answers(read_dat(path), roles_for(names))


def read_dat(path: Path) -> Table:
    """The table in a load file."""
    try:
        text = decoded(path.read_bytes())
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(path, error) from error
    rows = _rows(text.lstrip("\ufeff"), path)
    header = next(rows, (0, []))[1]
    return Table(header=header, rows=rows, first_line=", ".join(header))


def _rows(text: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    stream = io.StringIO(text, newline="")
    reader = csv.reader(stream, delimiter=BETWEEN, quotechar=QUOTE, strict=True)
    try:
        for cells in reader:
            if any(cells):
                yield reader.line_num, [cell.replace(BREAK, "\n") for cell in cells]
    except csv.Error as error:
        raise InputError(
            f"Line {reader.line_num} of {path.name!r} is no line of a Concordance load file: {error}."
        ) from error


def write(path: Path, rows: Sequence[BatchRow], columns: Sequence[str]) -> None:
    """A load file with id, the text columns and an empty label."""
    names = ["id", *columns, "label"]
    stream = io.StringIO(newline="")
    lines = csv.writer(
        stream, delimiter=BETWEEN, quotechar=QUOTE, quoting=csv.QUOTE_ALL, lineterminator="\r\n"
    )
    lines.writerow(names)
    for row in rows:
        cells = [BREAK.join((row.get(name) or "").splitlines()) for name in names]
        if cells[0].replace(BREAK, "\n") != row["id"]:
            raise InputError(
                f"The id {str(row['id'])[:60]!r} would come back as another one: a load file writes line "
                f"breaks as {BREAK}. Write the batch in another format."
            )
        lines.writerow(cells)
    write_safely(path, stream.getvalue())
