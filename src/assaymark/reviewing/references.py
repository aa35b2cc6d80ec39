"""Bibliographic references: what tells one record from another, and which record of a pool is meant."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assaymark.errors import InputError
from assaymark.files.formats.delimited import write_csv
from assaymark.files.places import BatchRow
from assaymark.pool.duckdb import DuckDBPool
from assaymark.pool.sources import named, quoted

LEAST_TITLE = 20  # letters of a title; shorter ones ("Editorial") are no sign of a duplicate
HEAD = 100  # letters of an abstract that must agree where both records have one
YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
NEXT_AUTHOR = re.compile(r";|\||&|\band\b|,")
COLUMNS = {
    "title": ("title", "primary_title", "primary title"),
    "doi": ("doi",),
    "year": ("year", "publication_year", "published year"),
    "author": ("authors", "author", "first_author"),
    "abstract": ("abstract",),
}
"""Columns that hold a part of a reference, the first of them that a table has."""


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A record by what is known of it; empty where nothing is.

    Title and abstract are letters only, `author` the surname of the first one. `text` is the digest
    of what else people read.
    """

    title: str = ""
    doi: str = ""
    year: str = ""
    author: frozenset[str] = frozenset()
    abstract: str = ""
    text: str = ""

    @property
    def tells(self) -> bool:
        """Whether the title alone is a sign of the record."""
        return len(self.title) >= LEAST_TITLE

    def may_repeat(self, other: "Reference") -> bool:
        """Whether neither DOI, year, author, abstract nor text speaks against the same record."""
        if self.author and other.author and not self.author & other.author:
            return False
        fields = (self.doi, self.year, self.abstract, self.text)
        other_fields = (other.doi, other.year, other.abstract, other.text)
        return all(not a or not b or a == b for a, b in zip(fields, other_fields, strict=True))

    def is_meant_by(self, other: "Reference") -> bool:
        """Whether year and author, or the abstract, say that both are one record."""
        same_author = bool(self.author & other.author)
        same_year = bool(self.year) and self.year == other.year
        return (same_year and same_author) or (
            len(self.abstract) >= HEAD // 2 and self.abstract == other.abstract
        )


def reference(row: Mapping[str, str | None], text: str | None = None) -> Reference:
    """The reference of a row, whose columns are in lower case; `text` is what else people read.

    An empty text is another one than any that says something.
    """
    parts = {part: _first(row, names) for part, names in COLUMNS.items()}
    return Reference(
        title=letters(parts["title"]),
        doi=plain_doi(parts["doi"]),
        year=year_of(parts["year"]),
        author=surname(parts["author"]),
        abstract=letters(parts["abstract"][: 10 * HEAD])[:HEAD],
        text="" if text is None else _digest(text),
    )


def _first(row: Mapping[str, str | None], names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := row.get(name))), "")


def _digest(text: str) -> str:
    words = " ".join(text.lower().split())
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def letters(text: str | None) -> str:
    """The letters and digits of a text, in lower case."""
    return "".join(letter for letter in (text or "").lower() if letter.isalnum())


def plain_doi(text: str | None) -> str:
    """A DOI without the address in front of it."""
    doi = (text or "").strip().lower()
    return re.sub(r"^(https?://(dx\.)?doi\.org/|doi:\s*)", "", doi)


def year_of(text: str) -> str:
    """The four digits of a year.

    >>> year_of("2020/05/01/")
    '2020'
    """
    match = YEAR.search(text)
    return match[0] if match else ""


def surname(authors: str) -> frozenset[str]:
    """The words of the first author's surname; of "John Smith" both, since either may be it.

    >>> sorted(surname("Smith, John and Doe, J."))
    ['smith']
    >>> sorted(surname("Smith JA, Doe J"))
    ['smith']
    """
    first = NEXT_AUTHOR.split(authors, maxsplit=1)[0]
    words = re.findall(r"[^\W\d_]+", first.lower())
    return frozenset([word for word in words if len(word) > 2] or words[:1])


@dataclass(kw_only=True)
class Catalogue:
    """The records that stay in a pool: their ids in file order, and where DOIs and titles lead."""

    ids: list[str] = field(default_factory=list)
    by_doi: dict[str, str] = field(default_factory=dict)
    by_title: dict[str, list[str]] = field(default_factory=dict)
    references: dict[str, Reference] = field(default_factory=dict)

    def add(self, item: str, record: Reference) -> None:
        """Take in one more record."""
        self.ids.append(item)
        self.references[item] = record
        if record.doi:
            self.by_doi[record.doi] = item
        if record.title:
            self.by_title.setdefault(record.title, []).append(item)

    def repeated_by(self, record: Reference) -> str | None:
        """The record that this one repeats, by a title of some length that nothing speaks against."""
        if not record.tells:
            return None
        return next(
            (item for item, other in self._titled(record) if other.may_repeat(record)), None
        )

    def find(self, record: Reference) -> str | None:
        """The record of the pool that is meant, or None where that is unclear.

        By its DOI; by a title of some length that one record has; by any title where year and first
        author, or the abstract, single one record out.
        """
        if record.doi in self.by_doi:
            return self.by_doi[record.doi]
        titled = {
            item: other
            for item, other in self._titled(record)
            if not (other.doi and record.doi)  # equal ones were found above
        }
        if record.tells and len(titled) == 1:
            return next(iter(titled))
        meant = [item for item, other in titled.items() if other.is_meant_by(record)]
        return meant[0] if len(meant) == 1 else None

    def speaks_against(self, item: str, record: Reference) -> bool:
        """Whether the record of this id is another one, by its title.

        Of mere numbers, which every tool assigns by itself, any difference is enough.
        """
        known = self.references[item]
        differs = bool(known.title and record.title) and known.title != record.title
        if item.isdecimal():
            return differs or not known.may_repeat(record)
        return differs and known.tells and record.tells

    def _titled(self, record: Reference) -> Iterator[tuple[str, Reference]]:
        items = self.by_title.get(record.title, ()) if record.title else ()
        return ((item, self.references[item]) for item in items)


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
            "correct the ids, or name several columns as the id, where these make one together."
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
