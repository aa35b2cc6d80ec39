"""The file of a batch comes before its event: what a killed draw left is known again and replaced."""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from assaymark.files.batch import BatchRow, refuse_existing, write_batch
from assaymark.files.places import part_of, write_safely
from assaymark.pool.tables import file_digest

NOTE = ".last-batch.json"


def write_new_batch(
    folder: Path,
    batch: str,
    path: Path,
    rows: Sequence[BatchRow],
    columns: Sequence[str],
    *,
    form: str = "auto",
) -> None:
    """Write the file of a batch that is recorded next; `batch` names it within its project.

    A file that is there already is refused, unless an earlier try at this very batch wrote it and
    nobody has touched it since: a batch that is recorded never comes again, so that try was killed.
    """
    if not _left_by_a_killed_try(folder, batch, path):
        refuse_existing(path)
    with part_of(path) as part:
        write_batch(path, rows, columns, form=form, into=part)
        note = {"batch": batch, "file": str(path.absolute()), "sha256": file_digest(part)}
        write_safely(folder / NOTE, json.dumps(note))  # before the file has its name


def _left_by_a_killed_try(folder: Path, batch: str, path: Path) -> bool:
    with suppress(OSError, ValueError):
        note = json.loads((folder / NOTE).read_text(encoding="utf-8"))
        known = {"batch": batch, "file": str(path.absolute()), "sha256": file_digest(path)}
        return bool(note == known and not path.is_symlink())
    return False
