"""Batches to label: id and text, and nothing that could give the answer away."""

import csv
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path

from assay.errors import InputError

BatchRow = dict[str, str | None]


def write_batch(path: Path, rows: Sequence[BatchRow], columns: Sequence[str]) -> None:
    """A file with id, the text columns and an empty label, as CSV or JSON lines by its ending."""
    names = ["id", *columns, "label"]
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        lines = [json.dumps({n: row.get(n) for n in names}, ensure_ascii=False) for row in rows]
        write_safely(path, "".join(line + "\n" for line in lines))
        return
    if path.suffix.lower() != ".csv":
        raise InputError(f"A batch is written as .csv or .jsonl, got {path.name!r}.")
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, names, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    write_safely(path, stream.getvalue())


def refuse_existing(path: Path) -> None:
    """Refuse to write over a file: it may hold somebody's work."""
    if path.exists():
        raise InputError(
            f"{str(path)!r} exists already and may hold labels. Choose another name with -o, or "
            "remove it first."
        )
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {str(path.parent)!r} to write {path.name!r} into.")


def write_safely(path: Path, text: str) -> None:
    """The whole file or nothing of it: written beside its place, then moved there."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path.name!r} cannot be written: {error.strerror or error}.") from error
