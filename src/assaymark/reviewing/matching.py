"""Which records of the pool the decisions of another tool are about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.files.formats.delimited import write_csv
from assaymark.files.places import BatchRow
from assaymark.hints import switch
from assaymark.reviewing.references import LEAST_TITLE, Catalogue
from assaymark.reviewing.screened import PLAIN, Screened

SPELLED = {1: "1", 0: "0", None: "?"}
LISTED = ["file", "id", "doi", "title", "label"]


@dataclass(frozen=True, kw_only=True)
class Unmatched:
    """A record of an import whose place in the pool is not known, by the id that it has there."""

    file: str
    id: str
    record: Screened


@dataclass(frozen=True, kw_only=True)
class Matching:
    """Labels by the ids of the pool, and the records that could not be found in it."""

    labels: Mapping[str, int | None]
    unmatched: tuple[Unmatched, ...]
    records: int


def match(
    records: Sequence[Screened], pool: Catalogue, merged: Mapping[str, str], *, file: str
) -> Matching:
    """The labels of the records by the ids of the pool.

    A file may hold several columns of ids: the one that fits best is taken. A record whose id is
    not in the pool, or belongs to another title there, is found by its reference, if at all. Two
    records of one place that differ make it unclear.
    """
    ids = set(pool.ids)
    columns = dict.fromkeys(column for one in records for column in one.names)

    def by(column: str, one: Screened) -> str | None:
        name = one.names.get(column, "")
        item = name if name in ids else merged.get(name)
        return None if item is None or pool.speaks_against(item, one.reference) else item

    best = max(columns, key=lambda c: sum(by(c, one) is not None for one in records), default="")
    labels: dict[str, int | None] = {}
    unmatched = []
    written = best.removesuffix(PLAIN)
    for one in records:
        item = by(best, one) or pool.find(one.reference)
        if item is None:
            unmatched.append(Unmatched(file=file, id=one.names.get(written, ""), record=one))
        else:
            labels[item] = one.label if labels.get(item, one.label) == one.label else None
    return Matching(labels=labels, unmatched=tuple(unmatched), records=len(records))


def refusal(matching: Matching, *, what: str, like: str, skip: bool) -> InputError:
    """That some records are not in the pool: three of them, how others are found, and what to do.

    `skip` says that one may go on without them, if any other was found.
    """
    missing = matching.unmatched
    names = (
        f"{one.id!r} ({one.record.title!r})" if one.record.title else repr(one.id)
        for one in missing[:3]
    )
    verb = "was" if len(missing) == 1 else "were"
    how = f"The ids must be those of the pool's id column; there they look like {like!r}."
    if any(one.record.title for one in missing):
        how = (
            "Records are found by id, by DOI, by a title that one record of the pool has (of "
            f"{LEAST_TITLE} letters or more), or by title with year and first author, or abstract; the "
            f"ids of the pool look like {like!r}."
        )
    rest = (
        f" To begin without these records and have them listed: {switch('skip-unmatched')}."
        if skip and matching.labels
        else ""
    )
    return InputError(
        f"{counted(len(missing), 'record')} of {what} (of {matching.records:,}) {verb} not found in the "
        f"pool: {', '.join(names)}{', …' if len(missing) > 3 else ''}. {how}{rest} Nothing was recorded."
    )


def write_unmatched(path: Path, unmatched: Sequence[Unmatched]) -> None:
    """The list of records that could not be found in the pool, with their decisions."""
    rows: list[BatchRow] = [
        {
            "file": one.file,
            "id": one.id,
            "doi": one.record.doi,
            "title": one.record.title,
            "label": SPELLED[one.record.label],
        }
        for one in unmatched
    ]
    write_csv(path, LISTED, rows)
