"""Batches to label: id and text, and nothing that could give the answer away."""

from collections.abc import Sequence
from pathlib import Path

from assaymark.files.places import BatchRow, refuse_existing, write_safely
from assaymark.files.tools import find_writer

__all__ = ["BatchRow", "refuse_existing", "write_batch", "write_safely"]


def write_batch(
    path: Path,
    rows: Sequence[BatchRow],
    columns: Sequence[str],
    *,
    form: str = "auto",
    into: Path | None = None,
) -> None:
    """A file with the items' ids and texts for the tool that will label them.

    Whatever else a row holds stays here: the writers see the id and the text columns only. `into`
    is where it lies until it gets its name.
    """
    place = into or path
    blind: list[BatchRow] = [{name: row.get(name) for name in ("id", *columns)} for row in rows]
    find_writer(path, form).write(place, blind, columns)
    place.chmod(0o600)  # texts of the collection are nobody else's business
