"""The names that predictions have in a pool: of classes, or of two verdicts."""

from collections.abc import Sequence
from dataclasses import replace

from assaymark.claims.checks import choice
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.pool import open_pool
from assaymark.pool.joined_ids import parts_of_name
from assaymark.records.pool import Columns

MOST_CLASSES = 1_000


def with_classes(
    source: str,
    columns: Columns,
    *,
    predicted_by: Sequence[str],
    named: Sequence[str] = (),
    engine: str = "duckdb",
) -> Columns:
    """The columns with the list of classes: those named, or else those that are predicted."""
    names = {name for column in predicted_by for name in _values(source, columns, column, engine)}
    if len(names) > MOST_CLASSES:
        raise InputError(
            f"'{predicted_by[0]}' holds more than {MOST_CLASSES:,} different values: a column of class "
            "names was expected."
        )
    outside = sorted(names - set(named))
    if named and outside:
        shown = ", ".join(map(repr, outside[:3])) + (", …" if len(outside) > 3 else "")
        raise InputError(
            f"'{predicted_by[0]}' predicts {shown}, which is not among the classes named. Name "
            f"every class with {option('class', 'NAME')}, or leave the list out."
        )
    return replace(columns, classes=tuple(named) or tuple(sorted(names)))


def with_probabilities(columns: Columns, pairs: Sequence[str]) -> Columns:
    """The columns with one probability for each class, each as CLASS=COL, or COL named alike.

    >>> with_probabilities(Columns(id="id"), ["spam=p_spam", "ham"]).probabilities
    ('p_spam', 'ham')
    """
    names, places = zip(*(_pair(text) for text in pairs), strict=True)
    return replace(columns, classes=names, probabilities=places)


def _pair(text: str) -> tuple[str, str]:
    name, mark, column = text.partition("=")
    return (name, column) if mark else (text, text)


def with_verdicts(
    source: str, columns: Columns, *, predicted_by: str | None = None, engine: str = "duckdb"
) -> Columns:
    """The columns with the name of the other verdict beside the positive one.

    It is looked for in the column of predictions, or in that of a classifier to be compared, whose
    verdicts are checked when the comparison is sealed.
    """
    column = predicted_by or columns.prediction
    if columns.positive is None or column is None:
        return columns
    names = _values(source, columns, column, engine)
    if len(names) == 2 and (predicted_by is None or columns.positive in names):
        choice("positive", columns.positive, names)
        return replace(columns, negative=next(n for n in names if n != columns.positive))
    return columns


def _values(source: str, columns: Columns, column: str, engine: str) -> list[str]:
    """The different values of a column, in order; one more than is allowed tells that it is none."""
    parts = parts_of_name(columns.id)  # several columns that make the id are joined later
    key = parts[0] if parts else columns.id
    pool = open_pool(source, Columns(id=key, groups=(column,)), engine=engine)
    try:
        text = f"trim(CAST({pool.dialect.name(column)} AS STRING))"
        rows = pool.select(
            f"SELECT DISTINCT {text} AS v FROM {pool.everything} WHERE {text} <> '' "
            f"ORDER BY v LIMIT {MOST_CLASSES + 1}"
        )
        return [str(row[0]) for row in rows]
    finally:
        pool.close()
