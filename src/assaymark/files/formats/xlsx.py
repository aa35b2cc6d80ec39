"""Excel workbooks, row by row: text stays text, and nothing in it is run."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from assaymark.errors import InputError
from assaymark.files.answers import Answer, Roles, Table, roles_for, table_answers
from assaymark.files.decoding import Glimpse
from assaymark.files.formats.workbook_limits import Emptiness, check_workbook
from assaymark.files.places import BatchRow, part_of
from assaymark.files.spelling import Names

LONGEST = 32_767  # characters that a cell of a spreadsheet holds
# what XML cannot hold, and what it would change (a lone carriage return)
UNWRITABLE = re.compile("[\x00-\x08\x0b-\x0d\x0e-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
WRITTEN = re.compile(r"_x([0-9A-Fa-f]{4})_")
CHOICES = "relevant,not relevant,cannot tell"


def fits(glimpse: Glimpse) -> bool:
    """Whether the file is a workbook: a zip archive."""
    return glimpse.head.startswith(b"PK\x03\x04")


def first_sheet(path: Path) -> Table:
    """The first sheet that holds anything, read whole: a pool that somebody keeps in a workbook."""
    with opened_workbook(path) as book:
        emptiness = Emptiness()
        tables = (_table(sheet, emptiness) for sheet in book.worksheets)
        table = next((one for one in tables if any(one.header)), None)
        if table is None:
            raise InputError(f"The workbook {path.name!r} holds nothing.")
        # a sheet may end a million empty rows below the last one with content
        filled = [(n, list(c)) for n, c in table.rows if any(v is not None for v in c)]
        return replace(table, rows=filled)


def read(path: Path, names: Names) -> Iterator[Answer]:
    """The answers of the first sheet that has the columns id and label, or those that are named."""
    roles = roles_for(names)
    with opened_workbook(path) as book:
        yield from table_answers(_labelled_sheet(book, roles), roles)


@contextmanager
def opened_workbook(path: Path, *, computed: bool = False) -> Iterator[Any]:
    """The workbook, checked before anything of it is read into memory; of formulas what they gave."""
    from zipfile import BadZipFile, ZipFile

    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with path.open("rb") as stream:
            with ZipFile(stream) as archive:
                check_workbook(archive, path.stat().st_size)
            book = load_workbook(stream, read_only=True, data_only=computed, keep_links=False)
            try:
                yield book
            finally:
                book.close()
    except InputError:
        raise
    except OSError as error:
        raise InputError(
            f"The file {path.name!r} cannot be read: {error.strerror or error}."
        ) from error
    except (BadZipFile, InvalidFileException, LookupError, ValueError, SyntaxError) as error:
        raise InputError(
            f"The file {path.name!r} is no workbook that can be read ({error}). Save it as .xlsx or as "
            "CSV UTF-8."
        ) from error


def _labelled_sheet(book: Any, roles: Roles) -> Table:
    emptiness = Emptiness()
    tables = [_table(sheet, emptiness) for sheet in book.worksheets]
    for table in tables:
        names = {name.strip().lower() for name in table.header}
        if names.intersection(roles.id) and names.intersection(roles.label):
            return table
    return tables[0] if tables else Table(header=(), rows=(), first_line="")


def _table(sheet: Any, emptiness: Emptiness) -> Table:
    rows = _rows(sheet, emptiness)
    header: list[str] = []
    for _number, cells in rows:
        header = ["" if cell.value is None else _text(cell.value) for cell in cells]
        if any(header):
            break
    return Table(
        header=header,
        rows=((number, [_value(cell) for cell in cells]) for number, cells in rows),
        first_line=", ".join(header),
    )


def _rows(sheet: Any, emptiness: Emptiness) -> Iterator[tuple[int, Sequence[Any]]]:
    sheet.reset_dimensions()  # what a sheet says of its size may be false, and rows are filled up to it
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        emptiness.count(len(cells), sum(cell.value is not None for cell in cells))
        yield number, cells


class _Formula:
    """A cell that holds no value but a way to compute one."""

    def __init__(self, text: object) -> None:
        self.text = text

    def __str__(self) -> str:
        return f"the formula {str(self.text)[:30]}; paste the values instead"


def _value(cell: Any) -> Any:
    if cell.data_type == "f":
        return _Formula(cell.value)
    return _text(cell.value) if isinstance(cell.value, str) else cell.value


def _text(value: object) -> str:
    return WRITTEN.sub(lambda match: chr(int(match.group(1), 16)), str(value))


def write(path: Path, rows: Sequence[BatchRow], columns: Sequence[str]) -> None:
    """A workbook with id, the text columns and an empty label to choose; every cell is text."""
    from openpyxl import Workbook

    names = ["id", *columns, "label"]
    table = [[_storable(row, name) for name in names] for row in rows]
    book = Workbook(write_only=True)
    sheet = book.create_sheet("items")
    _lay_out(sheet, names, len(rows))
    head, body = _style(sheet, bold=True), _style(sheet, bold=False)
    sheet.append([_filled(cell, name) for cell, name in zip(head(names), names, strict=True)])
    cells = body(names)
    for texts in table:
        # the same cells again: each row is written before the next one is begun
        sheet.append([_filled(cell, text) for cell, text in zip(cells, texts, strict=True)])
    with part_of(path) as part:
        book.save(part)


def _lay_out(sheet: Any, names: Sequence[str], rows: int) -> None:
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    sheet.freeze_panes = "B2"
    for place, name in enumerate(names, start=1):
        width = 16 if name in ("id", "label") else 70
        sheet.column_dimensions[get_column_letter(place)].width = width
    choices = DataValidation(type="list", formula1=f'"{CHOICES}"', allow_blank=True)
    choices.showErrorMessage = False  # 1 and 0 are as good as the words
    last = get_column_letter(len(names))
    choices.add(f"{last}2:{last}{rows + 1}")
    sheet.data_validations.append(choices)


def _style(sheet: Any, *, bold: bool) -> Callable[[Sequence[str]], list[Any]]:
    """Makes cells that a spreadsheet treats as text, whatever stands in them."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font

    def make(names: Sequence[str]) -> list[Any]:
        cells: list[Any] = [WriteOnlyCell(sheet) for _ in names]
        for cell in cells:
            cell.number_format = "@"
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            cell.font = Font(bold=bold)
        return cells

    return make


def _filled(cell: Any, text: str) -> Any:
    """The cell with this text in it. Its kind is said, or "=1+1" would become a formula."""
    cell._value = text or None
    cell.data_type = "s" if text else "n"
    return cell


def _storable(row: BatchRow, name: str) -> str:
    text = row.get(name) or ""
    safe = UNWRITABLE.sub(lambda match: f"_x{ord(match.group(0)):04X}_", text)
    if len(safe) > LONGEST:
        raise InputError(
            f"Item {row['id']!r} has {len(text):,} characters in '{name}', and a cell of a "
            f"spreadsheet holds {LONGEST:,}. Write .csv or .jsonl instead."
        )
    return safe
