"""The names that predictions have in a pool: of classes, or of two verdicts."""

from collections.abc import Sequence
from dataclasses import replace

from assaymark.claims.checks import choice
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.pool import open_pool
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
    found = {name for column in predicted_by for name in _values(source, columns, column, engine)}
    if len(found) > MOST_CLASSES:
        raise InputError(
            f"'{predicted_by[0]}' holds more than {MOST_CLASSES:,} different values: a column of class "
            "names was expected."
        )
    outside = sorted(found - set(named))
    if named and outside:
        shown = ", ".join(map(repr, outside[:3])) + (", …" if len(outside) > 3 else "")
        raise InputError(
            f"'{predicted_by[0]}' predicts {shown}, which is not among the classes named. Name "
            f"every class with {option('class', 'NAME')}, or leave the list out."
        )
    return replace(columns, classes=tuple(named) or tuple(sorted(found)))


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


def with_verdicts(source: str, columns: Columns, *, engine: str = "duckdb") -> Columns:
    """The columns with the name of the other verdict beside the positive one."""
    if columns.positive is None or columns.prediction is None:
        return columns
    found = _values(source, columns, columns.prediction, engine)
    if len(found) == 2:
        choice("positive", columns.positive, found)
        return replace(columns, negative=next(n for n in found if n != columns.positive))
    return columns


def _values(source: str, columns: Columns, column: str, engine: str) -> list[str]:
    """The different values of a column, in order; one more than is allowed tells that it is none."""
    pool = open_pool(source, Columns(id=columns.id, groups=(column,)), engine=engine)
    try:
        text = f"trim(CAST({pool.dialect.name(column)} AS STRING))"
        rows = pool.select(
            f"SELECT DISTINCT {text} AS v FROM {pool.everything} WHERE {text} <> '' "
            f"ORDER BY v LIMIT {MOST_CLASSES + 1}"
        )
        return [str(row[0]) for row in rows]
    finally:
        pool.close()
