"""ASReview's project file (.asreview): a zip with records, and decisions in SQLite; versions 1 to 3."""

import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from assaymark.claims.canonical import read_json
from assaymark.errors import InputError
from assaymark.files.formats.delimited import read_table, write_csv

ENDING = ".asreview"
COLUMNS = ("record_id", "title", "abstract", "doi", "year")
TABLES = (".csv", ".tsv", ".tab")


@dataclass(frozen=True, kw_only=True)
class ProjectRecord:
    """A record of the project: its fields, its decision, and its row in the file that was imported.

    `label` is 1 or 0, None where nobody decided.
    """

    record_id: str
    title: str = ""
    abstract: str = ""
    doi: str = ""
    year: str = ""
    label: int | None = None
    row: Mapping[str, str] = field(default_factory=dict)


def is_project_file(path: str | Path) -> bool:
    """Whether the name is that of an ASReview project file."""
    return str(path).lower().endswith(ENDING)


def read_project(path: Path) -> list[ProjectRecord]:
    """Every record of the project in the order of its ids, with what was decided about it."""
    try:
        with _unpacked(path) as folder:
            return _records(folder)
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, sqlite3.Error) as error:
        raise InputError(
            f"{path.name!r} cannot be read as an ASReview project file: {error}. Export the project "
            "from ASReview again, or export its records as csv."
        ) from error


def write_records(records: list[ProjectRecord], path: Path) -> None:
    """The records as a csv with record_id, title, abstract, doi and year."""
    write_csv(path, COLUMNS, ({name: getattr(one, name) for name in COLUMNS} for one in records))


@contextmanager
def _unpacked(path: Path) -> Iterator[Path]:
    """The parts of the file that are needed, in a folder for the time being."""
    with zipfile.ZipFile(path) as packed, tempfile.TemporaryDirectory() as name:
        for member in packed.namelist():
            if _is_needed(PurePosixPath(member)):
                packed.extract(member, name)
        yield Path(name)


def _is_needed(member: PurePosixPath) -> bool:
    if member.parts[:1] == ("legacy_v2",):  # what it was before ASReview 3
        return False
    return member.suffix in (".db", ".sql", *TABLES) or member.name == "project.json"


def _records(folder: Path) -> list[ProjectRecord]:
    settings = read_json((folder / "project.json").read_text(encoding="utf-8"))
    labels = _labels(folder)
    store = next(
        (folder / n for n in ("results.db", "data_store.db") if (folder / n).is_file()), None
    )
    rows = {one["id"]: _rows(folder / "data" / one["name"]) for one in settings.get("datasets", ())}
    if store is None:
        return _first_version(_rows(folder / "data" / settings["dataset_path"]), labels)
    table = _select(store, "SELECT * FROM record ORDER BY record_id")
    return [_record(one, labels, rows.get(one["dataset_id"], [])) for one in table]


def _record(
    one: Mapping[str, Any], labels: Mapping[int, int], rows: list[dict[str, str]]
) -> ProjectRecord:
    place = one["dataset_row"]
    label = labels.get(one["record_id"])
    if label is None and one["duplicate_of"] is not None:
        label = labels.get(one["duplicate_of"])
    return ProjectRecord(
        record_id=str(one["record_id"]),
        label=label,
        row=rows[place] if place < len(rows) else {},
        **{name: str(one[name] or "") for name in COLUMNS[1:]},
    )


def _first_version(rows: list[dict[str, str]], labels: Mapping[int, int]) -> list[ProjectRecord]:
    """Version 1 keeps no table of records: they are the rows of the file, by number or record_id."""
    records = []
    for place, row in enumerate(rows):
        name = row.get("record_id", str(place))
        texts = {key: row.get(key, "") for key in COLUMNS[1:]}
        records.append(ProjectRecord(record_id=name, label=labels.get(int(name)), row=row, **texts))
    return records


def _labels(folder: Path) -> dict[int, int]:
    places = [folder / "results.db", *sorted(folder.glob("reviews/*/results.*"))]
    place = next((one for one in places if one.is_file()), None)
    if place is None:
        raise ValueError("it holds no results")
    rows = _select(place, "SELECT record_id, label FROM results WHERE label IS NOT NULL")
    return {row["record_id"]: int(row["label"]) for row in rows}


def _select(place: Path, sql: str) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(place)) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(sql)]


def _rows(path: Path) -> list[dict[str, str]]:
    """The rows of the file that was imported, where it is a table."""
    if path.suffix.lower() not in TABLES or not path.is_file():
        return []
    table = read_table(path)
    header = [name.strip().lower() for name in table.header]
    return [dict(zip(header, cells, strict=False)) for _, cells in table.rows]
