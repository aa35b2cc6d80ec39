"""Table files that somebody brings along, made into what a pool is read from: UTF-8, no workbook."""

import codecs
import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from assaymark.errors import InputError
from assaymark.files.answers import Table, cell_text
from assaymark.files.decoding import HEAD, encoding_of
from assaymark.files.formats.concordance import read_dat
from assaymark.files.formats.reference_tables import ENDINGS, read_references
from assaymark.files.formats.workbook_limits import Emptiness
from assaymark.files.formats.xlsx import opened_workbook
from assaymark.files.places import part_of

TABLES = (
    ".csv", ".tsv", ".csv.gz", ".jsonl", ".ndjson", ".jsonl.gz", ".parquet", ".dat", *ENDINGS, ".xlsx"
)  # fmt: skip
PIECE = 1 << 20
SHEET_PARTS = 3  # of the name of a table that was one sheet of several
LARGEST_LOAD_FILE = 200_000_000  # bytes; it is read as a whole


def table_ending(name: str) -> str:
    """The ending of a table's name; refused where it is of no kind that can be read."""
    lowered = name.lower()
    endings = [ending for ending in TABLES if lowered.endswith(ending)]
    if not endings:
        raise InputError(
            f"{name[-60:]!r} is no table that can be read. Give a file that ends with "
            f"{', '.join(TABLES[:-1])} or {TABLES[-1]}."
        )
    return max(endings, key=len)


def safe_name(name: str) -> str:
    """A file name of plain letters that keeps its ending; whatever a stranger called the file.

    >>> safe_name("../../Mails (März).CSV")
    'Mails-M-rz.csv'
    """
    ending = table_ending(name)
    stem = re.sub(r"[^A-Za-z0-9_]+", "-", Path(name.replace("\\", "/")).name[: -len(ending)])
    return f"{stem.strip('-')[:60] or 'table'}{ending}"


def is_settled(path: Path) -> bool:
    """Whether a pool can be read from the table as it is."""
    ending = table_ending(path.name)
    if ending in (".csv", ".tsv"):
        with path.open("rb") as stream:
            return encoding_of(stream.read(HEAD)) == "utf-8" and _decodes(path, "utf-8")
    return ending not in (".xlsx", ".dat", *ENDINGS)


def settle_table(path: Path) -> Path:
    """The table as a pool is read from: what no engine reads becomes CSV beside it, text UTF-8.

    Every sheet of a workbook becomes a table; the one with the most rows is the answer.
    """
    ending = table_ending(path.name)
    if ending == ".xlsx":
        return _sheets_as_csv(path)
    if ending == ".dat":
        return _as_csv(path.with_suffix(".csv"), _texts_of(_load_file(path)))
    if ending in ENDINGS:
        return _as_csv(path.with_suffix(".csv"), _texts_of(read_references(path)))
    if ending in (".csv", ".tsv"):
        return _as_utf8(path)
    return path


def _as_utf8(path: Path) -> Path:
    if is_settled(path):
        return path
    with path.open("rb") as stream:
        encoding = encoding_of(stream.read(HEAD))
    if encoding == "utf-8":
        encoding = "cp1252"  # what a spreadsheet on Windows writes
    if not _decodes(path, encoding):
        raise InputError(
            f"{path.name!r} is neither UTF-8, UTF-16 nor Windows-1252 text. Save it as CSV UTF-8."
        )
    with (
        part_of(path) as part,
        path.open(encoding=encoding, newline="") as old,
        part.open("w", encoding="utf-8", newline="") as new,
    ):
        while piece := old.read(PIECE):
            new.write(piece)
    return path


def _decodes(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with path.open("rb") as stream:
            while piece := stream.read(PIECE):
                decoder.decode(piece)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _as_csv(target: Path, rows: Iterable[Sequence[str]]) -> Path:
    with part_of(target) as part, part.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return target


def _load_file(path: Path) -> Table:
    """The table of a Concordance load file."""
    if path.stat().st_size > LARGEST_LOAD_FILE:
        raise InputError(f"{path.name!r} is too large for a load file. Save it as CSV UTF-8.")
    return read_dat(path)


def _texts_of(table: Table) -> Iterator[Sequence[str]]:
    """The rows of a table as texts, its header first."""
    yield table.header
    for _number, cells in table.rows:
        yield [cell_text(cell) for cell in cells]


def sheet_name(name: str) -> str | None:
    """The sheet that a table was, where its workbook had several; None elsewhere.

    >>> sheet_name("scores.Data-2024.csv"), sheet_name("scores.csv"), sheet_name("scores.csv.gz")
    ('Data-2024', None, None)
    """
    parts = name.split(".")
    return parts[1] if len(parts) == SHEET_PARTS and name.endswith(".csv") else None


def sheets_beside(names: Iterable[str], name: str) -> list[tuple[str, str]]:
    """The other sheets of the workbook that this table is one of: their tables, and what they are called."""
    own = name.split(".", 1)[0]
    sheets = [(other, sheet_name(other)) for other in names if other.split(".", 1)[0] == own]
    return [(other, sheet) for other, sheet in sheets if sheet and other != name]


def _sheets_as_csv(path: Path) -> Path:
    """Every sheet that is a table as CSV, named by it where there are several; the longest of them."""
    filled: dict[str, list[Sequence[str]]] = {}
    refusals: list[InputError] = []
    with opened_workbook(path, computed=True) as book:
        for sheet in book.worksheets:
            try:
                if rows := list(_sheet_rows(sheet)):
                    filled[sheet.title] = rows
            except InputError as error:  # a sheet of remarks beside that with the table
                refusals.append(error)
    if refusals and not filled:
        raise refusals[0]
    if len(filled) < 2:
        return _as_csv(path.with_suffix(".csv"), next(iter(filled.values()), []))
    longest = max(filled, key=lambda title: len(filled[title]))
    for number, (title, rows) in enumerate(filled.items(), start=1):
        plain = re.sub(r"[^\w-]+", "-", title).strip("-") or str(number)
        target = path.with_suffix(f".{plain}.csv")
        if target.exists():
            target = path.with_suffix(f".{plain}-{number}.csv")
        _as_csv(target, rows)
        if title == longest:
            chosen = target
    return chosen


def _sheet_rows(sheet: Any) -> Iterator[Sequence[str]]:
    emptiness, width = Emptiness(), 0
    sheet.reset_dimensions()
    for cells in sheet.iter_rows(values_only=True):
        emptiness.count(len(cells), sum(value is not None for value in cells))
        texts = [_text(value) for value in cells]
        while texts and not texts[-1]:
            texts.pop()
        if not texts and not width:
            continue
        width = width or len(texts)
        if len(texts) > width:
            raise InputError(
                f"A row of the workbook has {len(texts)} cells and its first row {width}: every column "
                "needs a name in the first row."
            )
        if texts:
            yield [*texts, *[""] * (width - len(texts))]


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
