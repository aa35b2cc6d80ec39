"""The records of a pool before a review begins: ids, duplicates, and what other tools decided."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.files.decoding import glimpse
from assaymark.files.delimited import header_names, read_table
from assaymark.files.labels import read_labels
from assaymark.pool.duckdb import DuckDBPool
from assaymark.pool.sources import named, quoted

LEAST_TITLE = 20  # letters of a title; shorter ones ("Editorial") are no sign of a duplicate
HEAD = 100  # letters of an abstract that must agree where both records have one
RAYYAN = re.compile(r"RAYYAN-INCLUSION:\s*\{([^}]*)\}")
RAYYAN_VOTE = re.compile(r'"[^"]*"\s*=>\s*"(\w+)"')
VOTES = {"included": 1, "excluded": 0, "maybe": None}
DECISIONS = {
    "included": 1, "include": 1, "relevant": 1, "yes": 1, "1": 1,
    "excluded": 0, "exclude": 0, "irrelevant": 0, "no": 0, "0": 0,
    "maybe": None, "conflict": None, "?": None,
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Duplicate:
    """A record that is left out of the pool because another one says the same."""

    id: str
    kept: str
    by: str


def find_duplicates(pool: DuckDBPool) -> tuple[list[str], list[Duplicate]]:
    """The ids to keep in file order, and the records that repeat one of them.

    Repeated are: an id that comes again; the same DOI; the same title of some length where neither
    DOI, year nor the head of the abstract speaks against it.
    """
    kept: list[str] = []
    duplicates: list[Duplicate] = []
    ids: set[str] = set()
    by_doi: dict[str, str] = {}
    by_title: dict[str, list[tuple[str, str, str, str]]] = {}
    for item, title, doi, year, head in _records(pool):
        if item in ids:
            duplicates.append(Duplicate(id=item, kept=item, by="id"))
            continue
        ids.add(item)
        same = by_doi.get(doi) if doi else None
        if same is not None:
            duplicates.append(Duplicate(id=item, kept=same, by="doi"))
            continue
        twin = (
            _twin(by_title.get(title, ()), doi, year, head) if len(title) >= LEAST_TITLE else None
        )
        if twin is not None:
            duplicates.append(Duplicate(id=item, kept=twin, by="title"))
            continue
        kept.append(item)
        if doi:
            by_doi[doi] = item
        by_title.setdefault(title, []).append((item, doi, year, head))
    return kept, duplicates


def _twin(others: Iterable[tuple[str, str, str, str]], *mine: str) -> str | None:
    for item, *theirs in others:
        if all(not a or not b or a == b for a, b in zip(mine, theirs, strict=True)):
            return item
    return None


def _records(pool: DuckDBPool) -> Iterable[tuple[str, str, str, str, str]]:
    names = {name.lower(): name for name in pool.types}
    parts = [_column(pool.columns.id)]
    for wanted in (("title",), ("doi",), ("year", "publication_year"), ("abstract",)):
        found = next((names[name] for name in wanted if name in names), None)
        parts.append("''" if found is None else _column(found))
    rows = pool.select(f"SELECT {', '.join(parts)} FROM everything")
    for item, title, doi, year, abstract in rows:
        yield str(item), _letters(title), _doi(doi), str(year or ""), _letters(abstract)[:HEAD]


def _column(name: str) -> str:
    return f"CAST({named(name)} AS VARCHAR)"


def _letters(text: str | None) -> str:
    return "".join(letter for letter in (text or "").lower() if letter.isalnum())


def _doi(text: str | None) -> str:
    found = (text or "").strip().lower()
    return re.sub(r"^(https?://(dx\.)?doi\.org/|doi:\s*)", "", found)


def write_merged(pool: DuckDBPool, duplicates: Sequence[Duplicate], path: Path, rows: int) -> None:
    """A copy of the pool without its duplicates."""
    out = sorted({one.id for one in duplicates if one.by != "id"})
    key = _column(pool.columns.id)
    where = f"WHERE {key} NOT IN ({', '.join(map(quoted, out))})" if out else ""
    sql = f"SELECT * FROM everything {where} QUALIFY row_number() OVER (PARTITION BY {key}) = 1"
    pool.export(sql, path, rows=rows, in_order=False)


def read_ids(text: str) -> list[str]:
    """Ids separated by commas, or the lines (or the column id) of a file."""
    path = Path(text)
    if not path.is_file():
        return [part.strip() for part in text.split(",") if part.strip()]
    names = header_names(glimpse(path)) or set()
    if "id" in names:
        table = read_table(path)
        place = [name.strip().lower() for name in table.header].index("id")
        return [str(cells[place]).strip() for _, cells in table.rows if any(cells)]
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    return [line.strip() for line in lines if line.strip()]


def read_screened(path: Path) -> dict[str, int | None]:
    """Records with their decisions from ASReview, RIS, Rayyan, Covidence or a plain table.

    Readers who differ make a record unclear: it counts as cannot tell.
    """
    names = header_names(glimpse(path)) if path.exists() else None
    if names and "covidence #" in names:
        return _covidence(path)
    if names and "notes" in names and ("key" in names or "id" in names) and _has_votes(path):
        return _rayyan(path)
    found: dict[str, int | None] = {}
    for row in read_labels(path, annotator="import").rows:
        agreed = row.item not in found or found[row.item] == row.label
        found[row.item] = row.label if agreed else None
    return found


def _table(path: Path) -> list[dict[str, Any]]:
    table = read_table(path)
    header = [name.strip().lower() for name in table.header]
    return [dict(zip(header, cells, strict=False)) for _, cells in table.rows if any(cells)]


def _has_votes(path: Path) -> bool:
    return any(RAYYAN.search(str(row.get("notes", ""))) for row in _table(path))


def _rayyan(path: Path) -> dict[str, int | None]:
    found: dict[str, int | None] = {}
    for row in _table(path):
        votes = RAYYAN.search(str(row.get("notes", "")))
        said = (
            {VOTES.get(vote.lower()) for vote in RAYYAN_VOTE.findall(votes[1])} if votes else set()
        )
        if said:
            item = str(row.get("key") or row.get("id")).removeprefix("rayyan-")
            found[item] = said.pop() if len(said) == 1 else None
    return found


def _covidence(path: Path) -> dict[str, int | None]:
    found: dict[str, int | None] = {}
    for row in _table(path):
        said = next(
            (row[name] for name in ("decision", "status", "vote", "label") if row.get(name)), ""
        )
        word = str(said).strip().lower()
        if not word:
            continue
        if word not in DECISIONS:
            raise InputError(
                f"{path.name!r} says {said!r} of a record, and included, excluded or maybe was "
                "expected. Nothing was recorded."
            )
        found[str(row.get("ref") or row["covidence #"]).lstrip("#")] = DECISIONS[word]
    return found


def matched(
    labels: Mapping[str, int | None], ids: set[str], merged: Mapping[str, str], *, what: str
) -> dict[str, int | None]:
    """These labels by the ids of the pool; refused where one of them is not in it."""
    strange = [item for item in labels if item not in ids and item not in merged]
    if strange:
        shown = ", ".join(repr(item) for item in strange[:3])
        raise InputError(
            f"{counted(len(strange), 'record')} of {what} (of {len(labels):,}) are not in the pool: "
            f"{shown}{', …' if len(strange) > 3 else ''}. The ids must be those of the pool's id column; "
            f"there they look like {min(ids)!r}. Nothing was recorded."
        )
    found: dict[str, int | None] = {}
    for item, label in labels.items():
        name = item if item in ids else merged[item]
        found[name] = label if found.get(name, label) == label else None
    return found


def write_duplicates(path: Path, duplicates: Sequence[Duplicate]) -> None:
    """The list of records that were merged into others."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "kept", "by"])
        writer.writerows([one.id, one.kept, one.by] for one in duplicates)
