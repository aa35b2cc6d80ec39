"""Records that say the same: found by id, DOI or title, and merged before a review begins."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assaymark.errors import InputError
from assaymark.files.formats.delimited import write_csv
from assaymark.files.places import BatchRow
from assaymark.pool.duckdb import DuckDBPool
from assaymark.pool.sources import named, quoted
from assaymark.reviewing.references import COLUMNS, Catalogue, Reference, reference


@dataclass(frozen=True, kw_only=True)
class Duplicate:
    """A record that is left out of the pool because another one says the same."""

    id: str
    kept: str
    by: str


def find_duplicates(pool: DuckDBPool) -> tuple[Catalogue, list[Duplicate]]:
    """The records to keep, and those that repeat one of them.

    Repeated are: an id that comes again with the same record; the same DOI; the same title of some
    length where neither DOI, year, author, the head of the abstract nor another text speaks against it.
    """
    kept = Catalogue()
    duplicates: list[Duplicate] = []
    ids: dict[str, Reference] = {}
    for item, record in _records(pool):
        if item in ids:
            _refuse_another(item, ids[item], record)
            duplicates.append(Duplicate(id=item, kept=item, by="id"))
            continue
        ids[item] = record
        if record.doi in kept.by_doi:
            duplicates.append(Duplicate(id=item, kept=kept.by_doi[record.doi], by="doi"))
        elif (twin := kept.repeated_by(record)) is not None:
            duplicates.append(Duplicate(id=item, kept=twin, by="title"))
        else:
            kept.add(item, record)
    return kept, duplicates


def _refuse_another(item: str, first: Reference, again: Reference) -> None:
    """Refuse two records under one id: the second would be merged away, and nobody would read it."""
    pairs = ((first.title, again.title), (first.doi, again.doi), (first.text, again.text))
    if any(a and b and a != b for a, b in pairs):
        raise InputError(
            f"The id {item!r} stands at two different records. Every record needs an id of its own: "
            "correct the ids, or repeat the id option for several columns that make one together."
        )


def _records(pool: DuckDBPool) -> Iterator[tuple[str, Reference]]:
    """The records in file order: the columns of a reference, and what else people read."""
    names = {name.lower(): name for name in pool.types}
    known = [name for part in COLUMNS.values() for name in part if name in names]
    texts = [name for name in pool.columns.text if name.lower() not in known]
    asked = [pool.columns.id, *(names[name] for name in known), *texts]
    rows = pool.select_in_order(f"SELECT {', '.join(map(_column, asked))} FROM everything")
    for item, *cells in rows:
        fields = dict(zip(known, cells, strict=False))
        text = " ".join(cell or "" for cell in cells[len(known) :]) if texts else None
        yield str(item), reference(fields, text)


def _column(name: str) -> str:
    return f"CAST({named(name)} AS VARCHAR)"


def write_merged(pool: DuckDBPool, duplicates: Sequence[Duplicate], path: Path, rows: int) -> None:
    """A copy of the pool without its duplicates: of a repeated id the first row, all in file order."""
    out = sorted({one.id for one in duplicates if one.by != "id"})
    key = _column(pool.columns.id)
    where = f"WHERE {key} NOT IN ({', '.join(map(quoted, out))})" if out else ""
    place = named("place in the file")
    placed = f"SELECT *, row_number() OVER () AS {place} FROM everything"
    first = f"row_number() OVER (PARTITION BY {key} ORDER BY {place}) = 1"
    sql = f"SELECT * EXCLUDE ({place}) FROM ({placed}) {where} QUALIFY {first} ORDER BY {place}"
    pool.export(sql, path, rows=rows)


def write_duplicates(path: Path, duplicates: Sequence[Duplicate]) -> None:
    """The list of records that were merged into others."""
    rows: list[BatchRow] = [{"id": one.id, "kept": one.kept, "by": one.by} for one in duplicates]
    write_csv(path, ["id", "kept", "by"], rows)
