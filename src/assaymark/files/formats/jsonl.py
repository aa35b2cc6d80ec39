"""Plain JSON lines: one object per item."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assaymark.claims.canonical import read_json
from assaymark.errors import InputError
from assaymark.files.answers import ITEM, Answer, cell_text
from assaymark.files.decoding import Glimpse, read_text
from assaymark.files.places import BatchRow, write_safely
from assaymark.files.spelling import Names


def first_object(glimpse: Glimpse) -> dict[str, Any] | None:
    """The object in the first line; empty if it cannot be read, None if it is something else."""
    if not glimpse.text.startswith("{"):
        return None
    try:
        value = read_json(glimpse.first_line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def fits(glimpse: Glimpse) -> bool:
    """Whether each line is an object with an id, as far as the first one tells."""
    value = first_object(glimpse)
    return value is not None and ("id" in value or not {"answer", "annotations"} & set(value))


def records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of the file by line."""
    # only line feeds end a line here: JSON text may hold every other separator as it is
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = read_json(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"Line {number} of the label file is not JSON: {error}.") from error
        if not isinstance(record, dict):
            raise InputError(f"Line {number} of the label file is not a JSON object.")
        yield number, record


def read(path: Path, names: Names) -> Iterator[Answer]:
    """The answers of a file of objects with id and label, or the fields that are named."""
    for number, record in records(path):
        if names.id_column or names.label_column:
            record = _renamed(record, names)
        yield object_answer(record, f"row {number}")


def _renamed(record: dict[str, Any], names: Names) -> dict[str, Any]:
    """The object with the named fields under their usual names."""
    fields = {name.strip().lower(): value for name, value in record.items()}
    renamed = dict(record)
    for usual, name in (("id", names.id_column), ("label", names.label_column)):
        if name:
            renamed[usual] = fields.get(name)
    if names.id_column:
        renamed.pop(ITEM, None)
    return renamed


def object_answer(record: dict[str, Any], place: str) -> Answer:
    """The answer of an object with id, label and perhaps annotator and time."""
    try:
        return Answer(
            place=place,
            item=cell_text(record.get(ITEM, record.get("id"))),
            label=cell_text(record.get("label")),
            annotator=cell_text(record.get("annotator")),
            time=cell_text(record.get("time")),
        )
    except InputError as error:
        return Answer(place=place, fault=str(error))


def write(path: Path, rows: Sequence[BatchRow], columns: Sequence[str]) -> None:
    """One object per item: id, the text columns and an empty label."""
    names = ["id", *columns, "label"]
    write_lines(path, [{name: row.get(name) for name in names} for row in rows])


def write_lines(path: Path, objects: Sequence[dict[str, Any]]) -> None:
    """These objects, one in each line."""
    write_safely(path, "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects))
