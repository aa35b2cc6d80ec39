"""Decisions of a review for other tools: csv, RIS and ASReview's csv."""

from collections.abc import Callable
from pathlib import Path

from assaymark.errors import InputError
from assaymark.files.answers import ITEM
from assaymark.files.formats import asreview, ris
from assaymark.files.formats.delimited import write_csv
from assaymark.files.places import BatchRow, refuse_existing
from assaymark.pool.duckdb import DuckDBPool
from assaymark.project.folder import Project, collection_of
from assaymark.reviewing.standing import IRRELEVANT, RELEVANT, account_of, the_review

LABELS = {RELEVANT: "1", IRRELEVANT: "0"}
NOTES = {"1": "ASReview_relevant", "0": "ASReview_irrelevant", "": "ASReview_not_seen"}
Rows = list[BatchRow]


def export_decisions(project: Project, path: Path, *, form: str = "auto") -> int:
    """Write every record with its decision; how many have one. The form follows the ending."""
    name = form if form != "auto" else path.suffix.lower().removeprefix(".")
    if path.suffix.lower() == ".asreview":
        raise InputError(
            f"{path.name!r} would look like a project of ASReview, which reads decisions from a table: "
            "name a .csv file and the format asreview, or a .ris file."
        )
    if name not in WRITERS:
        raise InputError(f"Decisions are written as csv, ris or asreview, got {name!r}.")
    refuse_existing(path)
    state = project.state()
    plays = account_of(state, the_review(state)).plays
    collection = collection_of(state)
    pool = DuckDBPool(project.pool_path(collection), collection.columns)
    try:
        ids = sorted(row[0] for row in pool.select("SELECT id FROM pool"))
        texts = pool.texts(ids)
    finally:
        pool.close()
    rows: Rows = [
        {"id": item, **texts[item], "label": LABELS.get(plays.get(item, ""), ""),
         "decision": plays.get(item, "not read")}
        for item in ids
    ]  # fmt: skip
    WRITERS[name](path, rows, collection.columns.text)
    return len(plays)


def _csv(path: Path, rows: Rows, columns: tuple[str, ...]) -> None:
    write_csv(path, ["id", *columns, "label", "decision"], rows)


def _asreview(path: Path, rows: Rows, columns: tuple[str, ...]) -> None:
    records = [
        {
            **asreview.record(row, columns),
            ITEM: f"{asreview.MARK}{row['id']}",
            "asreview_label": row["label"],
        }
        for row in rows
    ]
    write_csv(path, [ITEM, "title", "abstract", "asreview_label"], records)


def _ris(path: Path, rows: Rows, columns: tuple[str, ...]) -> None:
    ris.write_noted(path, [(row, NOTES[row["label"] or ""]) for row in rows], columns)


WRITERS: dict[str, Callable[[Path, Rows, tuple[str, ...]], None]] = {
    "csv": _csv,
    "ris": _ris,
    "asreview": _asreview,
}
