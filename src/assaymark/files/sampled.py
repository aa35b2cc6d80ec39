"""Labelled samples that were drawn elsewhere: one row per item, and how it was drawn."""

import csv
import io
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from assaymark.errors import InputError
from assaymark.files.formats.delimited import unguard

DRAWN = ("probability", "stratum", "stratum_items")


@dataclass(frozen=True, kw_only=True)
class SampledRow:
    """One labelled item. `items` is the size of its stratum, where strata were drawn from; `cluster`
    names the thread, custodian or case that was drawn, where whole ones were.
    """

    item: str
    label: str
    prediction: str
    probability: float | None
    stratum: str
    items: int | None
    cluster: str | None = None


@dataclass(frozen=True, kw_only=True)
class SampledFile:
    """The labelled rows, how many had no label yet, and whether all of a stratum's sizes are known."""

    rows: tuple[SampledRow, ...]
    empty: int


def read_sampled(path: Path, *, key: Path | None = None) -> SampledFile:
    """The labelled sample in a CSV file; `key` adds columns by id. Refused whole if a row is wrong."""
    table = _table(path)
    if key is not None:
        table = _joined(path, table, key)
    _check_columns(path, table)
    rows, empty, ids = [], 0, set()
    for number, record in enumerate(table, start=2):
        item = record.get("id", "") or str(number)
        if item in ids:
            raise InputError(
                f"{path.name!r}, row {number}: the item {item!r} comes twice. A sample lists every item "
                "once; remove one of the rows."
            )
        ids.add(item)
        if not record.get("label", "").strip():
            empty += 1
            continue
        rows.append(_row(path, number, item, record))
    if len({row.probability is None for row in rows}) > 1:
        raise InputError(
            f"{path.name!r} gives a probability in some rows and none in others. Give it in every row, "
            "or leave the column out and give stratum and stratum_items. Were two files mixed up?"
        )
    if len({row.cluster is None for row in rows}) > 1:
        raise InputError(
            f"{path.name!r} names a cluster in some rows and none in others. Name it in every row; an "
            "item that came alone is a cluster of its own."
        )
    return SampledFile(rows=tuple(rows), empty=empty)


def _table(path: Path) -> list[dict[str, str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"The file {path.name!r} cannot be read: {why}.") from error
    head = text.split("\n", 1)[0]
    delimiter = max((",", ";", "\t"), key=head.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    return [
        {
            (name or "").strip().lower(): unguard(value or "").strip()
            for name, value in record.items()
            if name
        }
        for record in reader
    ]


def _joined(path: Path, table: list[dict[str, str]], key: Path) -> list[dict[str, str]]:
    rows = _table(key)
    by_id = {record.get("id", ""): record for record in rows}
    if not by_id or "" in by_id:
        raise InputError(f"The key {key.name!r} needs a column 'id' with an id in every row.")
    if len(by_id) < len(rows):
        twice = next(name for name, n in Counter(row["id"] for row in rows).items() if n > 1)
        raise InputError(
            f"The key {key.name!r} lists the item {twice!r} twice. Were the keys of two draws put "
            "together? Estimate each draw with its own key."
        )
    lost = [record.get("id", "") for record in table if record.get("id", "") not in by_id]
    if lost:
        raise InputError(
            f"{len(lost):,} items of {path.name!r} are not in the key {key.name!r}, such as {lost[0]!r}. "
            "Are these two files of the same draw?"
        )
    return [_merged(path, key, by_id[record["id"]], record) for record in table]


def _merged(path: Path, key: Path, drawn: dict[str, str], record: dict[str, str]) -> dict[str, str]:
    """A row with what the key says about it; refused where the two say different things."""
    values = {name: value for name, value in record.items() if value or name not in drawn}
    for name in ("prediction", *DRAWN):
        if name in values and drawn.get(name, "") not in ("", values[name]):
            raise InputError(
                f"The item {record['id']!r} has the {name} {values[name]!r} in {path.name!r} and "
                f"{drawn[name]!r} in the key {key.name!r}. Were two files mixed up?"
            )
    return {**drawn, **values}


def _check_columns(path: Path, table: list[dict[str, str]]) -> None:
    names = set(table[0]) if table else set()
    for needed in ("label", "prediction"):
        if needed not in names:
            raise InputError(
                f"{path.name!r} has no column '{needed}'. It needs label, prediction, and how each item "
                "was drawn: probability, or stratum and stratum_items. Columns: "
                f"{', '.join(sorted(names)) or 'none'}."
            )
    if "probability" not in names and not {"stratum", "stratum_items"} <= names:
        raise InputError(
            f"{path.name!r} does not say how its items were drawn. Add a column probability (the chance "
            "of each item to be drawn), or stratum and stratum_items."
        )


def _row(path: Path, number: int, item: str, record: dict[str, str]) -> SampledRow:
    def amount(name: str) -> float | None:
        text = record.get(name, "")
        if not text:
            return None
        try:
            return float(text)
        except ValueError:
            raise InputError(
                f"{path.name!r}, row {number}: {name} must be a number, got {text!r}."
            ) from None

    if not record["prediction"]:
        raise InputError(
            f"{path.name!r}, row {number}: the prediction is empty. Every item needs what the "
            "classifier said."
        )
    chance, items = amount("probability"), amount("stratum_items")
    if items is not None and not (items >= 1 and items == items // 1 and items < 1e15):
        raise InputError(
            f"{path.name!r}, row {number}: stratum_items is {items:g}. It is the number of items in "
            "the stratum, a whole number of at least 1."
        )
    if chance is not None and not 0 < chance <= 1:
        raise InputError(
            f"{path.name!r}, row {number}: the probability is {chance:g}. The chance to be drawn is above "
            "0 and at most 1."
        )
    if chance is None and items is None:
        raise InputError(f"{path.name!r}, row {number} does not say how the item was drawn.")
    return SampledRow(
        item=item,
        label=record["label"],
        prediction=record["prediction"],
        probability=chance,
        stratum=record.get("stratum", ""),
        items=None if items is None else int(items),
        cluster=record.get("cluster") or None,
    )
