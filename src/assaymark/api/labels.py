"""Labels as Python users hold them: mappings, series, data frames, pairs."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assaymark.claims.label_sets import SEPARATOR
from assaymark.errors import InputError
from assaymark.files.labels import LabelRow
from assaymark.files.spelling import (
    CANNOT_TELL,
    NOT_RELEVANT,
    RELEVANT,
    USUAL,
    Names,
    read_label,
)
from assaymark.pool.joined_ids import joined_id, parts_of_name
from assaymark.pool.memory import ArrowStream, NamedColumns, Table, column_values

Labels = Mapping[Any, Any] | Iterable[tuple[Any, Any]] | Table
"""What `tell` takes: labels by item id, pairs of id and label, or a table with both columns."""
SHOWN = 12  # classes named in a message


@dataclass(frozen=True, kw_only=True)
class LabelColumns:
    """The columns of ids and labels, where labels come as a table."""

    id: str
    label: str = "label"


def label_rows(
    labels: Labels, *, annotator: str, columns: LabelColumns, names: Names = USUAL
) -> list[LabelRow]:
    """One row per label. A missing value of a table or a series is an item without a label yet."""
    return [
        LabelRow(item=item_id(item), label=label_of(item, value, names), annotator=annotator)
        for item, value in label_pairs(labels, columns)
        if not _absent(value)
    ]


def label_pairs(labels: Any, columns: LabelColumns) -> list[tuple[Any, Any]]:
    """Ids with their labels.

    >>> label_pairs([(7, 1), (8, "no")], LabelColumns(id="id"))
    [(7, 1), (8, 'no')]
    """
    if _is_series(labels) or (isinstance(labels, Mapping) and not _is_table(labels, columns)):
        return list(labels.items())
    if _is_table(labels, columns) or isinstance(labels, ArrowStream | NamedColumns):
        return _table_pairs(labels, columns)
    if isinstance(labels, Sequence) and labels and isinstance(labels[0], Mapping):
        return _table_pairs(labels, columns)
    try:
        return [(item, value) for item, value in labels]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"Labels cannot be read from a {type(labels).__name__}. Give a mapping of ids to labels, "
            "pairs (id, label), a series with ids as its index, or a table with the columns "
            f"'{columns.id}' and '{columns.label}'."
        ) from error


def item_id(item: Any) -> str:
    """The id as the project stores it; an `Item` stands for its id.

    >>> item_id(7), item_id(("q1", 7))
    ('7', '["q1","7"]')
    """
    identifier = getattr(item, "id", item)
    return joined_id(identifier) if isinstance(identifier, tuple) else str(identifier)


def label_of(item: Any, value: Any, names: Names = USUAL) -> int | None:
    """1 or 0, the place of a class in the list, or None for "cannot tell"; others are refused.

    `names` are those that the project gives to its labels.

    >>> label_of(7, "yes"), label_of(8, None)
    (1, None)
    """
    if value is None:
        return None
    if isinstance(value, bool) and not names.classes:
        return int(value)
    try:
        return read_label(_written(value, names), names)
    except InputError as error:
        raise InputError(
            f"The label of item {getattr(item, 'id', item)!r} is {value!r}, which cannot be read. "
            f"Nothing was recorded. Labels are {_readable(names)}."
        ) from error


def _written(value: Any, names: Names) -> str:
    """The label as it stands in a file; a list or set of tags as one text."""
    if names.tags and isinstance(value, list | tuple | set | frozenset):
        return f"{SEPARATOR} ".join(map(str, value)) or names.classes[-1]
    return str(value)


def _readable(names: Names) -> str:
    """What a label may be, in words."""
    if names.tags:
        return f"None (cannot tell) or a list of {', '.join(names.tags)}; an empty one for none of them"
    if names.classes:
        more = ", …" if len(names.classes) > SHOWN else ""
        return (
            f"None (cannot tell) or the name of a class: {', '.join(names.classes[:SHOWN])}{more}"
        )
    project_words = {*names.relevant, *names.irrelevant, *names.unclear}
    words = sorted({*RELEVANT, *NOT_RELEVANT, *CANNOT_TELL, *project_words} - {"1.0", "0.0"})
    return f"True, False, None (cannot tell) or one of: {', '.join(words)}"


def _absent(value: Any) -> bool:
    """NaN, NaT and NA of data frames; None is an answer."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is _NO_LABEL or type(value).__name__ in ("NAType", "NaTType")


_NO_LABEL = object()


def _is_series(labels: Any) -> bool:
    return hasattr(labels, "index") and hasattr(labels, "items") and not hasattr(labels, "columns")


def _is_table(labels: Any, columns: LabelColumns) -> bool:
    """Whether a mapping holds columns, or the object is a data frame."""
    if isinstance(labels, Mapping):
        first = (parts_of_name(columns.id) or (columns.id,))[0]
        return {first, columns.label} <= set(labels) and not isinstance(labels[first], str | int)
    return hasattr(labels, "columns")


def _table_pairs(labels: Any, columns: LabelColumns) -> list[tuple[Any, Any]]:
    table = column_values(labels)
    parts = parts_of_name(columns.id)
    for name in (*(parts or (columns.id,)), columns.label):
        if name not in table:
            raise InputError(
                f"The table of labels has no column '{name}'. Its columns: {', '.join(table)}. Name "
                "them: tell(labels, id='…', label='…')."
            )
    values = [_NO_LABEL if value is None else value for value in table[columns.label]]
    ids = zip(*(table[name] for name in parts), strict=True) if parts else table[columns.id]
    return list(zip(ids, values, strict=True))
