"""Labels from a file: every row is understood, or nothing of the file is used."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.files.spelling import read_label

Row = tuple[int, dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class LabelRow:
    """One answer: who said what about which item. None stands for "cannot tell"."""

    item: str
    label: int | None
    annotator: str


@dataclass(frozen=True, kw_only=True)
class LabelFile:
    """The answers of a file, and how many rows were still empty."""

    rows: tuple[LabelRow, ...]
    empty: int


def read_labels(path: Path, *, annotator: str, form: str = "auto") -> LabelFile:
    """The answers in a CSV or JSON-lines file. Refuses the whole file if a row is malformed.

    `annotator` is whose answers they are where the file has no such column.
    """
    if form == "auto":
        form = "jsonl" if path.suffix.lower() in (".jsonl", ".ndjson") else "csv"
    if form not in READERS:
        raise InputError(f"'format' must be one of auto, {', '.join(READERS)}, got {form!r}.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"The label file {path.name!r} cannot be read: {why}.") from error
    rows: dict[tuple[str, str], LabelRow] = {}
    empty = 0
    faults: list[str] = []
    for number, record in READERS[form](text):
        try:
            row = _row(record, annotator)
        except InputError as error:
            faults.append(f"row {number}: {error}")
            continue
        if row is None:
            empty += 1
        elif rows.setdefault((row.item, row.annotator), row) != row:
            faults.append(f"row {number}: {row.annotator} labelled {row.item!r} twice, differently")
    if faults:
        more = f" and {len(faults) - 3} more" if len(faults) > 3 else ""
        raise InputError(
            f"Nothing was recorded from {path.name!r}: {'; '.join(faults[:3])}{more}. A label is 1 or "
            "0, true or false, yes or no, relevant or irrelevant, or ? for cannot tell. Mend these "
            "rows and import the file again."
        )
    return LabelFile(rows=tuple(rows.values()), empty=empty)


def _row(record: dict[str, Any], annotator: str) -> LabelRow | None:
    text = _text(record.get("label"))
    if text.strip() == "":
        return None
    item = _text(record.get("id"))
    if item == "":
        raise InputError("the id is missing")
    label = read_label(text)
    return LabelRow(item=item, label=label, annotator=_text(record.get("annotator")) or annotator)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)


def _csv_rows(text: str) -> Iterator[Row]:
    head = text.split("\n", 1)[0]
    delimiter = max((",", ";", "\t"), key=head.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    names = {name.strip().lower(): name for name in reader.fieldnames or () if name}
    for needed in ("id", "label"):
        if needed not in names:
            raise InputError(
                f"The label file has no column '{needed}'. Its first line must name the columns id "
                f"and label; it reads {head.strip()[:80]!r}."
            )
    for record in reader:
        yield reader.line_num, {name: record.get(column) for name, column in names.items()}


def _jsonl_rows(text: str) -> Iterator[Row]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise InputError(f"Line {number} of the label file is not JSON: {error}.") from error
        if not isinstance(record, dict):
            raise InputError(f"Line {number} of the label file is not a JSON object.")
        yield number, record


READERS: dict[str, Callable[[str], Iterator[Row]]] = {"csv": _csv_rows, "jsonl": _jsonl_rows}
