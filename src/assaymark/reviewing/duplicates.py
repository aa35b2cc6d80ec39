"""Records that say the same: found by id, DOI or title, and merged before a review begins."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assaymark.files.formats.delimited import write_csv
from assaymark.files.places import BatchRow
from assaymark.pool.duckdb import DuckDBPool
from assaymark.pool.sources import named, quoted

LEAST_TITLE = 20  # letters of a title; shorter ones ("Editorial") are no sign of a duplicate
HEAD = 100  # letters of an abstract that must agree where both records have one


@dataclass(frozen=True, kw_only=True)
class Duplicate:
    """A record that is left out of the pool because another one says the same."""

    id: str
    kept: str
    by: str


@dataclass(kw_only=True)
class Catalogue:
    """The records that stay in a pool: their ids in file order, and where DOIs and titles lead.

    `titles` holds the letters of titles of some length; a title that several records have leads
    nowhere.
    """

    ids: list[str] = field(default_factory=list)
    by_doi: dict[str, str] = field(default_factory=dict)
    by_title: dict[str, str | None] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)

    def add(self, item: str, *, doi: str, title: str) -> None:
        """Take in one more record."""
        self.ids.append(item)
        if doi:
            self.by_doi[doi] = item
        if len(title) >= LEAST_TITLE:
            self.titles[item] = title
            self.by_title[title] = None if title in self.by_title else item

    def find(self, *, doi: str, title: str) -> str | None:
        """The record with this DOI, or else the only one with this title."""
        item = self.by_doi.get(plain_doi(doi)) if doi else None
        return item or self.by_title.get(letters(title))

    def speaks_against(self, item: str, title: str) -> bool:
        """Whether the record of this id has another title of some length."""
        words = letters(title)
        return len(words) >= LEAST_TITLE and self.titles.get(item, words) != words


def find_duplicates(pool: DuckDBPool) -> tuple[Catalogue, list[Duplicate]]:
    """The records to keep, and those that repeat one of them.

    Repeated are: an id that comes again; the same DOI; the same title of some length where neither
    DOI, year nor the head of the abstract speaks against it.
    """
    kept = Catalogue()
    duplicates: list[Duplicate] = []
    ids: set[str] = set()
    by_title: dict[str, list[tuple[str, str, str, str]]] = {}
    for item, title, doi, year, head in _records(pool):
        if item in ids:
            duplicates.append(Duplicate(id=item, kept=item, by="id"))
            continue
        ids.add(item)
        same = kept.by_doi.get(doi) if doi else None
        if same is not None:
            duplicates.append(Duplicate(id=item, kept=same, by="doi"))
            continue
        twin = (
            _twin(by_title.get(title, ()), doi, year, head) if len(title) >= LEAST_TITLE else None
        )
        if twin is not None:
            duplicates.append(Duplicate(id=item, kept=twin, by="title"))
            continue
        kept.add(item, doi=doi, title=title)
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
        column = next((names[name] for name in wanted if name in names), None)
        parts.append("''" if column is None else _column(column))
    rows = pool.select_in_order(f"SELECT {', '.join(parts)} FROM everything")
    for item, title, doi, year, abstract in rows:
        yield str(item), letters(title), plain_doi(doi), str(year or ""), letters(abstract)[:HEAD]


def _column(name: str) -> str:
    return f"CAST({named(name)} AS VARCHAR)"


def letters(text: str | None) -> str:
    """The letters and digits of a text, in lower case."""
    return "".join(letter for letter in (text or "").lower() if letter.isalnum())


def plain_doi(text: str | None) -> str:
    """A DOI without the address in front of it."""
    doi = (text or "").strip().lower()
    return re.sub(r"^(https?://(dx\.)?doi\.org/|doi:\s*)", "", doi)


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
