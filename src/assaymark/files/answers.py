"""One answer as a file states it, before anybody has judged whether it makes sense."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from assaymark.errors import InputError
from assaymark.files.spelling import Names
from assaymark.hints import option

ITEM = "assaymark_id"
"""What the item's id is called where a tool has an id of its own."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Who said what about which item, in the file's own words; `place` is for messages.

    An empty label means not labelled yet; `seconds` is how long it took. A `fault` says why the row
    cannot be understood.
    """

    place: str
    item: str = ""
    label: str = ""
    annotator: str = ""
    time: str = ""
    seconds: float | None = None
    fault: str | None = None


@dataclass(frozen=True, kw_only=True)
class Roles:
    """The column names that can play each part, best first."""

    id: tuple[str, ...]
    label: tuple[str, ...]
    annotator: tuple[str, ...]
    time: tuple[str, ...]


PLAIN = Roles(
    id=(ITEM, "id"),
    label=("label",),
    annotator=("annotator",),
    time=("time",),
)


def roles_for(names: Names) -> Roles:
    """The usual columns, or those that were named for this file."""
    return Roles(
        id=(names.id_column,) if names.id_column else PLAIN.id,
        label=(names.label_column,) if names.label_column else PLAIN.label,
        annotator=PLAIN.annotator,
        time=PLAIN.time,
    )


@dataclass(frozen=True, kw_only=True)
class Table:
    """Named columns and numbered rows. A value may be anything that a cell can hold."""

    header: Sequence[str]
    rows: Iterable[tuple[int, Sequence[Any]]]
    first_line: str


def table_answers(table: Table, roles: Roles = PLAIN) -> Iterator[Answer]:
    """The answers of a table; rows in which nothing stands are passed over."""
    places = _places(table, roles)
    width = len(table.header)
    for number, cells in table.rows:
        if all(value is None or value == "" for value in cells):
            continue
        place = f"row {number}"
        if any(value not in (None, "") for value in cells[width:]):
            fault = f"it has {len(cells)} fields, and the first line names {width} columns"
            yield Answer(place=place, fault=fault)
            continue
        try:
            values = {part: _cell(cells, column) for part, column in places.items()}
        except InputError as error:
            yield Answer(place=place, fault=str(error))
            continue
        yield Answer(
            place=place,
            item=values["item"],
            label=values["label"],
            annotator=values["annotator"],
            time=values["time"],
        )


def _cell(cells: Sequence[Any], column: int | None) -> str:
    return cell_text(cells[column]) if column is not None and column < len(cells) else ""


def _places(table: Table, roles: Roles) -> dict[str, int | None]:
    names = [name.strip().lower() for name in table.header]
    places = {}
    for part, wanted in (
        ("item", roles.id),
        ("label", roles.label),
        ("annotator", roles.annotator),
        ("time", roles.time),
    ):
        name = next((name for name in wanted if name in names), None)
        if name is not None and names.count(name) > 1:
            raise InputError(f"The label file has two columns '{name}'. Keep one of them.")
        places[part] = None if name is None else names.index(name)
    for part, wanted in (("item", roles.id), ("label", roles.label)):
        if places[part] is None:
            raise InputError(
                f"The label file has no column '{wanted[-1]}'. Its first line must name the columns "
                f"{roles.id[-1]} and {roles.label[-1]}; it reads {table.first_line.strip()[:80]!r}. Other "
                f"names are given with {option('id-column', 'NAME')} and {option('label-column', 'NAME')}."
            )
    return places


def cell_text(value: Any) -> str:
    """What a cell or a JSON value says, as text: 1.0 and true are 1."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    raise InputError(f"a text or a number was expected, and it holds {str(value)[:70]}")


def read_time(text: str) -> str | None:
    """A time as people and tools write it, as RFC 3339 text in UTC; None for an empty one.

    >>> read_time("2026-03-01 10:00:00+02:00")
    '2026-03-01T08:00:00.000Z'
    """
    text = text.strip()
    if not text:
        return None
    try:
        moment = _moment(text)
    except (ValueError, OverflowError, OSError):
        raise InputError(
            f"the time {text[:40]!r} cannot be read (2026-03-01T10:00:00Z was expected)"
        ) from None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _moment(text: str) -> datetime:
    whole = text.split(".")[0]
    if text.replace(".", "", 1).isdecimal() and len(whole) > 8:
        seconds = float(text)
        # tools count in seconds or in thousandths of them
        return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC)
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
