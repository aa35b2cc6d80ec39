"""Prodigy: JSON lines with a text in, `prodigy db-out` out."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assaymark.errors import InputError
from assaymark.files.answers import ITEM, Answer, cell_text
from assaymark.files.decoding import Glimpse
from assaymark.files.formats.jsonl import first_object, records, write_lines
from assaymark.files.places import BatchRow, joined
from assaymark.files.spelling import Names

ANSWERS = ("accept", "reject", "ignore")
# a session that nobody named is called after the data set and the time it began
UNNAMED = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d$")


def fits(glimpse: Glimpse) -> bool:
    """Whether the first object was answered in Prodigy."""
    return (first_object(glimpse) or {}).get("answer") in ANSWERS


def read(path: Path, names: Names) -> Iterator[Answer]:
    """The answers: accept or reject of one label, or the choice among several; ignore is unclear."""
    for number, record in records(path):
        place = f"row {number}"
        try:
            yield Answer(
                place=place,
                item=_item(record),
                label=_label(record, names),
                annotator=_annotator(record),
                time=cell_text(record.get("_timestamp")),
            )
        except InputError as error:
            yield Answer(place=place, fault=str(error))


def _item(record: dict[str, Any]) -> str:
    meta = record.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    for holder, name in ((record, ITEM), (meta, ITEM), (meta, "id"), (record, "id")):
        if holder.get(name) not in (None, ""):
            return cell_text(holder[name])
    raise InputError(f"it has no '{ITEM}', so nobody knows the item")


def _label(record: dict[str, Any], names: Names) -> str:
    answer = record.get("answer")
    if answer is None:
        return ""
    if answer not in ANSWERS:
        raise InputError(f"its answer is {answer!r}; one of {', '.join(ANSWERS)} was expected")
    if answer == "ignore":
        return "?"
    if "options" in record or isinstance(record.get("accept"), list):
        return _chosen(record, names)
    # one label that is accepted or rejected; whatever its name, it stands for relevant
    means = names.meaning(cell_text(record.get("label")))
    if means == "?":
        raise InputError(f"it accepts or rejects {record.get('label')!r}, which is no label")
    yes = (answer == "accept") == (means != "0")
    return "1" if yes else "0"


def _chosen(record: dict[str, Any], names: Names) -> str:
    if record["answer"] == "reject":
        raise InputError("it rejects the whole question instead of choosing a label")
    chosen = record.get("accept") or []
    if not isinstance(chosen, list) or len(chosen) > 1:
        raise InputError(f"it chooses several labels: {chosen}")
    if chosen:
        return cell_text(chosen[0])
    offered = [
        names.meaning(cell_text(option.get("id")))
        for option in record.get("options") or []
        if isinstance(option, dict)
    ]
    if offered == ["1"]:  # the only box there was, left empty
        return "0"
    raise InputError("it was accepted without choosing a label")


def _annotator(record: dict[str, Any]) -> str:
    name = cell_text(record.get("_annotator_id") or record.get("_session_id"))
    return "" if UNNAMED.search(name) else name


def write(path: Path, rows: Sequence[BatchRow], columns: Sequence[str]) -> None:
    """One task per item: its id, and its texts one after the other."""
    write_lines(path, [{ITEM: row["id"], "text": joined(row, columns)} for row in rows])
