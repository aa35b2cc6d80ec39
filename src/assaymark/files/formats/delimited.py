"""Plain CSV: comma, semicolon or tab; what spreadsheets write and what they can open unharmed."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from assaymark.errors import InputError
from assaymark.files.answers import Answer, Roles, Table, roles_for, table_answers
from assaymark.files.decoding import Glimpse, read_text
from assaymark.files.places import BatchRow, write_safely
from assaymark.files.spelling import Names

# documents run to megabytes; the module's own limit is 128 KB
csv.field_size_limit(2**31 - 1)

# A spreadsheet runs text that begins like this as a formula; an apostrophe in front prevents it.
# One that splits at semicolons or tabs does not honour quotes in the middle of its field, so that
# there the text behind a semicolon, a tab or a line break begins a cell of its own.
FORMULA = r"[ \xa0\"]*[=+\-@\uff1d\uff0b\uff0d\uff20]"  # with their full-width forms
RISKY = re.compile(rf"\A(?='*(?:[\t\r\n]|{FORMULA}))|(?<=[;\t\r\n])(?='*{FORMULA})")
GUARD = re.compile(rf"\A'(?='*(?:[\t\r\n]|{FORMULA}))|(?<=[;\t\r\n])'(?='*{FORMULA})")
QUOTED = re.compile(r'[",;\t\r\n]|^\s|\s$')
SEPARATOR = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)
OTHERS = re.compile(r"[{\[]|þ|(?:\d+\.\s+)?TY  -|PAR1|PK\x03\x04")  # JSON, RIS, parquet, a workbook
RIVALS = ("asreview_label", "included", "label_included")


def guard(text: str) -> str:
    """The text so that no spreadsheet takes a part of it for a formula; `unguard` gives it back.

    >>> guard("=1+1"), guard("a;=1+1"), unguard(guard("a;=1+1"))
    ("'=1+1", "a;'=1+1", 'a;=1+1')
    """
    return RISKY.sub("'", text)


def unguard(text: str) -> str:
    """The text that `guard` was given."""
    return GUARD.sub("", text) if "'" in text else text


def fits(glimpse: Glimpse) -> bool:
    """Whether this is a table in text that no other tool claims."""
    names = header_names(glimpse)
    return names is not None and ("label" in names or not names.intersection(RIVALS))


def header_names(glimpse: Glimpse) -> set[str] | None:
    """The column names of a table in text; None if it is something else."""
    if "\0" in glimpse.first_line or OTHERS.match(glimpse.text):
        return None
    rows = csv.reader(io.StringIO(glimpse.text, newline=""), delimiter=_delimiter(glimpse.text))
    try:
        return {name.strip().lower() for name in next(rows, [])}
    except csv.Error:
        return set()


def read(path: Path, names: Names) -> Iterator[Answer]:
    """The answers of a CSV file with the columns id and label, or those that are named."""
    return table_answers(read_table(path), roles_for(names))


def read_as(path: Path, roles: Roles) -> Iterator[Answer]:
    """The answers of a CSV file whose columns are called otherwise."""
    return table_answers(read_table(path), roles)


def read_table(path: Path) -> Table:
    """The table in a CSV file, with formulas' guards removed."""
    text = read_text(path)
    said = SEPARATOR.match(text)
    if said:  # the way to tell Excel which separator a file uses
        text = text[said.end() :]
    delimiter = said.group(1) if said else _delimiter(text)
    rows = _rows(text, delimiter, offset=1 if said else 0)
    header = next(rows, (0, []))[1]
    return Table(header=header, rows=rows, first_line=text.split("\n", 1)[0])


def _delimiter(text: str) -> str:
    head = re.sub(r'"[^"]*"', "", text[:10_000]).lstrip("\r\n").split("\n", 1)[0]
    return max((",", ";", "\t"), key=head.count)


def _rows(text: str, delimiter: str, *, offset: int) -> Iterator[tuple[int, list[str]]]:
    stream = io.StringIO(text, newline="")
    # strict: a quote that never closes would swallow the rows after it without a word
    reader = csv.reader(stream, delimiter=delimiter, strict=True)
    first = True
    try:
        for cells in reader:
            if first and not any(cells):
                continue
            first = False
            yield reader.line_num + offset, [unguard(cell) for cell in cells]
    except csv.Error as error:
        number = reader.line_num + offset
        raise InputError(
            f"Row {number} of the label file is not CSV: {error}. Nothing was recorded. Text that "
            'holds a quote or a line break stands between quotes, and its own quotes are doubled: "".'
        ) from error


def write(path: Path, rows: Sequence[BatchRow], columns: Sequence[str]) -> None:
    """A CSV file with id, the text columns and an empty label."""
    write_csv(path, ["id", *columns, "label"], rows)


def write_csv(path: Path, names: Sequence[str], rows: Iterable[BatchRow]) -> None:
    """A CSV file with these columns."""
    write_safely(path, csv_text(names, rows))


def csv_text(names: Sequence[str], rows: Iterable[BatchRow]) -> str:
    """A CSV table with these columns, in which no spreadsheet finds a formula."""
    lines = [",".join(map(_field, names))]
    lines += [",".join(_field(row.get(name) or "") for name in names) for row in rows]
    return "".join(line + "\n" for line in lines)


def _field(text: str) -> str:
    safe = guard(text)
    return '"' + safe.replace('"', '""') + '"' if QUOTED.search(safe) else safe
