"""ASReview: a CSV of title and abstract in, its exported CSV out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assaymark.files.answers import ITEM, Answer, Roles
from assaymark.files.decoding import Glimpse
from assaymark.files.formats.delimited import RIVALS, header_names, read_as, write_csv
from assaymark.files.places import BatchRow, joined
from assaymark.files.spelling import Names

# ASReview reads 007 as the number 7 and "NA" as nothing; with this in front an id stays text
MARK = "item:"
ROLES = Roles(
    id=(ITEM, "id"),
    label=RIVALS,
    annotator=("asreview_user_name", "asreview_user_email", "annotator"),
    time=("asreview_time",),
)


def fits(glimpse: Glimpse) -> bool:
    """Whether the table has a column in which ASReview writes labels."""
    return bool((header_names(glimpse) or set()).intersection(RIVALS))


def read(path: Path, _names: Names) -> Iterator[Answer]:
    """The answers of an exported CSV; records that nobody has seen have none."""
    for answer in read_as(path, ROLES):
        yield replace(answer, item=answer.item.removeprefix(MARK))


def write(path: Path, rows: Sequence[BatchRow], columns: Sequence[str]) -> None:
    """A CSV of records: the item's id, and its texts as the title and abstract that are shown."""
    records = [{**record(row, columns), ITEM: f"{MARK}{row['id']}"} for row in rows]
    write_csv(path, [ITEM, "title", "abstract"], records)


def record(row: BatchRow, columns: Sequence[str]) -> BatchRow:
    """The item as a record with a title and an abstract, whatever its columns are called."""
    names = {name.lower(): name for name in columns}
    title = names.get("title", columns[0] if len(columns) > 1 and "abstract" not in names else None)
    rest = [name for name in columns if name != title]
    return {
        ITEM: row["id"],
        "title": (row.get(title) or "") if title else "",
        "abstract": joined(row, rest),
    }
