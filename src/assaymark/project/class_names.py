"""The names that predictions have in a pool: of classes, or of two verdicts."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from assaymark.claims.checks import choice
from assaymark.claims.label_sets import all_sets
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.pool import Pool, open_pool
from assaymark.pool.joined_ids import parts_of_name
from assaymark.pool.sources import set_sql
from assaymark.records.pool import Columns, refuse_tags

MOST_CLASSES = 1_000


def with_classes(
    source: str,
    columns: Columns,
    *,
    predicted_by: Sequence[str],
    named: Sequence[str] = (),
    and_predicted: bool = False,
    engine: str = "duckdb",
) -> Columns:
    """The columns with the list of classes: those named, or else those that are predicted.

    With `and_predicted` those that are named are added to them.
    """
    names = {name for column in predicted_by for name in _values(source, columns, column, engine)}
    if len(names) > MOST_CLASSES:
        raise InputError(
            f"'{predicted_by[0]}' holds more than {MOST_CLASSES:,} different values: a column of class "
            "names was expected."
        )
    more = () if and_predicted else named
    outside = sorted(names - set(more))
    if more and outside:
        shown = ", ".join(map(repr, outside[:3])) + (", …" if len(outside) > 3 else "")
        raise InputError(
            f"'{predicted_by[0]}' predicts {shown}, which is not among the classes named. Name "
            f"every class with {option('class', 'NAME')}, or leave the list out."
        )
    return replace(columns, classes=tuple(more) or tuple(sorted({*names, *named})))


def with_tags(
    source: str,
    columns: Columns,
    *,
    predicted_by: Sequence[str],
    named: Sequence[str] = (),
    engine: str = "duckdb",
) -> Columns:
    """The columns of items that have any number of labels: those named, or those predicted.

    Predicted labels that are not named are left out.
    """
    if engine != "duckdb":
        raise InputError("Several labels for one item are read with DuckDB: leave the engine out.")
    names = {name for column in predicted_by for name in _tags(source, columns, column)}
    tags = tuple(named) or tuple(sorted(names))
    refuse_tags(tags)
    return replace(columns, tags=tags, classes=all_sets(tags))


def compared_columns(
    source: str,
    columns: Columns,
    *,
    predicted_by: Sequence[str],
    classes: bool = False,
    named: Sequence[str] = (),
    tags: bool = False,
    engine: str = "duckdb",
) -> Columns:
    """The columns of classifiers that are compared, with their classes or their two verdicts.

    More than two names that are no numbers are names of classes, whether one says so or not. The
    first classifier stands for all of them in the record.
    """
    first = replace(columns, prediction=predicted_by[0], positive=None)
    if tags:
        return with_tags(source, first, predicted_by=predicted_by, named=named, engine=engine)
    if not (classes or named or columns.positive):
        values = {v for column in predicted_by for v in _values(source, columns, column, engine)}
        classes = len({v.lower() for v in values}) > 2 and not any(map(is_number, values))
    if not (classes or named):
        return with_verdicts(source, columns, predicted_by=predicted_by[0], engine=engine)
    return with_classes(
        source, first, predicted_by=predicted_by, named=named, and_predicted=classes, engine=engine
    )


def is_number(text: str) -> bool:
    """Whether a prediction is spelled as a number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


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


def _tags(source: str, columns: Columns, column: str) -> list[str]:
    """The different labels in a column of sets."""

    def tags(pool: Pool) -> str:
        inside = f"unnest({set_sql(column, pool.types[column])})"
        return f"SELECT DISTINCT trim(v) AS v FROM (SELECT {inside} AS v FROM {pool.everything})"

    return _listed(source, columns, column, "duckdb", tags)


def _values(source: str, columns: Columns, column: str, engine: str) -> list[str]:
    """The different values of a column, in order; one more than is allowed tells that it is none."""

    def values(pool: Pool) -> str:
        text = f"trim(CAST({pool.dialect.name(column)} AS STRING))"
        return f"SELECT DISTINCT {text} AS v FROM {pool.everything}"

    return _listed(source, columns, column, engine, values)


def _listed(
    source: str, columns: Columns, column: str, engine: str, values: Callable[[Pool], str]
) -> list[str]:
    parts = parts_of_name(columns.id)  # several columns that make the id are joined later
    key = parts[0] if parts else columns.id
    pool = open_pool(source, Columns(id=key, groups=(column,)), engine=engine)
    try:
        rows = pool.select(
            f"SELECT v FROM ({values(pool)}) AS t WHERE v <> '' ORDER BY v LIMIT {MOST_CLASSES + 1}"
        )
        return [str(row[0]) for row in rows]
    finally:
        pool.close()
