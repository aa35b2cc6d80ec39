"""A file of labels that exist, read once: duplicates, conflicts, annotators, and counts by cell."""

from collections.abc import Sequence
from dataclasses import dataclass

from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.files.spelling import CANNOT_TELL, NOT_RELEVANT, RELEVANT
from assaymark.hints import option
from assaymark.pool.scored import ScoreColumns, ScoreFile
from assaymark.pool.sources import named, quoted


@dataclass(frozen=True, kw_only=True)
class LabelColumns:
    """Where labels, predictions and, where they exist, ids, annotators, strata and chances stand."""

    label: str = "label"
    prediction: str | None = None
    score: str | None = None
    threshold: float | None = None
    id: str | None = None
    annotator: str | None = None
    strata: str | None = None

    def __post_init__(self) -> None:
        if (self.prediction is None) == (self.score is None):
            raise InputError(
                f"Give either {option('prediction', 'COL')}, or {option('score', 'COL')} with "
                f"{option('threshold')}."
            )
        if (self.score is None) != (self.threshold is None):
            raise InputError("A score needs its threshold, and a threshold its score.")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Items with one settled label that agree in everything that counts."""

    stratum: str
    chance: float | None
    items: int | None
    predicted: bool
    label: bool
    count: int


@dataclass(frozen=True, kw_only=True)
class LabelFile:
    """What the file holds: rows, items, what is wrong with them, and the cells of usable labels."""

    rows: int
    items: int
    repeats: int
    conflicts: int
    unclear: int
    missing: int
    annotators: tuple[tuple[str, int], ...]
    compared: int
    agreed: int
    cells: tuple[Cell, ...]
    columns: tuple[str, ...]


def _words(words: set[str]) -> str:
    return f"({', '.join(quoted(word) for word in sorted(words))})"


def _text(column: str) -> str:
    return f"lower(trim(CAST({named(column)} AS VARCHAR)))"


def _label_code(text: str) -> str:
    """1, 0, −1 for cannot tell, null for no answer, −2 for what nobody understands."""
    return (
        f"CASE WHEN {text} IS NULL OR {text} = '' THEN NULL WHEN {text} IN {_words(RELEVANT)} THEN 1 "
        f"WHEN {text} IN {_words(NOT_RELEVANT)} THEN 0 WHEN {text} IN {_words(CANNOT_TELL)} THEN -1 "
        "ELSE -2 END"
    )


def predicted(columns: LabelColumns) -> str:
    """The prediction as SQL: 1, 0, or something else where there is none."""
    if columns.prediction is not None:
        return _label_code(_text(columns.prediction))
    value = f"TRY_CAST({named(str(columns.score))} AS DOUBLE)"
    cut = repr(columns.threshold)
    return f"CASE WHEN {value} >= {cut} THEN 1 WHEN {value} < {cut} THEN 0 END"


def _stratum(columns: LabelColumns, known: Sequence[str]) -> str:
    if columns.strata == "prediction":
        return f"CAST({predicted(columns)} AS VARCHAR)"
    if columns.strata is not None:
        return f"CAST({named(columns.strata)} AS VARCHAR)"
    return "CAST(stratum AS VARCHAR)" if "stratum" in known else "''"


def open_file(path: str, columns: LabelColumns, *, what: str) -> ScoreFile:
    """The file with every named column checked."""
    score = columns.score or columns.prediction or columns.label
    return ScoreFile(path, ScoreColumns(score=score), what=what)


def read_labels(path: str, columns: LabelColumns) -> LabelFile:
    """The labels of a file; refused where a label or a prediction cannot be understood."""
    with open_file(path, columns, what="file of labels") as file:
        names = tuple(file.types)
        for column in (columns.label, columns.id, columns.annotator):
            if column is not None and column not in names:
                raise InputError(
                    f"Column {column!r} is not in the file of labels. Columns: {', '.join(names)}."
                )
        item = (
            f"CAST({named(columns.id)} AS VARCHAR)"
            if columns.id
            else "CAST(row_number() OVER () AS VARCHAR)"
        )
        who = f"CAST({named(columns.annotator)} AS VARCHAR)" if columns.annotator else "NULL"
        chance = "TRY_CAST(probability AS DOUBLE)" if "probability" in names else "NULL"
        size = "TRY_CAST(stratum_items AS BIGINT)" if "stratum_items" in names else "NULL"
        file.rows(
            f"CREATE TEMP TABLE answers AS SELECT {item} AS item, "
            f"{_label_code(_text(columns.label))} AS label, {predicted(columns)} AS predicted, "
            f"{who} AS who, {chance} AS chance, {size} AS size, "
            f"{_stratum(columns, names)} AS stratum FROM {file.reader}"
        )
        _refuse_odd(file, columns)
        return _counted(file, names)


def _refuse_odd(file: ScoreFile, columns: LabelColumns) -> None:
    odd, none = file.rows(
        "SELECT count(*) FILTER (WHERE label = -2), "
        "count(*) FILTER (WHERE predicted IS NULL OR predicted NOT IN (0, 1)) FROM answers"
    )[0]
    if odd:
        raise InputError(
            f"{odd:,} labels in {columns.label!r} are neither 1, 0 nor '?' for cannot tell. Labels of two "
            "classes are needed: write a class as 1 and the others as 0."
        )
    if none:
        raise InputError(
            f"{none:,} rows have no prediction that says 1 or 0. Leave them out, or give the right column "
            f"with {option('prediction')} or {option('score')} and {option('threshold')}."
        )


def _counted(file: ScoreFile, names: tuple[str, ...]) -> LabelFile:
    file.rows(
        "CREATE TEMP TABLE settled AS SELECT item, count(*) AS rows, count(label) AS answers, "
        "count(*) FILTER (WHERE label >= 0) AS told, min(label) FILTER (WHERE label >= 0) AS low, "
        "max(label) FILTER (WHERE label >= 0) AS high, any_value(predicted) AS predicted, "
        "any_value(chance) AS chance, any_value(size) AS size, any_value(stratum) AS stratum "
        "FROM answers GROUP BY item"
    )
    row = file.rows(
        "SELECT sum(rows), count(*), sum(rows) - count(*), count(*) FILTER (WHERE low <> high), "
        "count(*) FILTER (WHERE told = 0 AND answers > 0), count(*) FILTER (WHERE answers = 0), "
        "count(*) FILTER (WHERE told > 1), count(*) FILTER (WHERE told > 1 AND low = high) FROM settled"
    )[0]
    totals = [int(value or 0) for value in row]
    people = file.rows(
        "SELECT who, count(label) FROM answers WHERE who IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1"
    )
    cells = file.rows(
        "SELECT coalesce(stratum, ''), chance, size, predicted = 1, low = 1, count(*) FROM settled "
        "WHERE told > 0 AND low = high GROUP BY ALL ORDER BY ALL"
    )
    return LabelFile(
        rows=totals[0],
        items=totals[1],
        repeats=totals[2],
        conflicts=totals[3],
        unclear=totals[4],
        missing=totals[5],
        compared=totals[6],
        agreed=totals[7],
        annotators=tuple((str(name), int(number)) for name, number in people),
        cells=tuple(
            Cell(stratum=c[0], chance=c[1], items=c[2], predicted=c[3], label=c[4], count=c[5])
            for c in cells
        ),
        columns=names,
    )


def collection_sizes(path: str, columns: LabelColumns, *, labels: str) -> dict[str, int]:
    """How many items of the collection lie in each stratum, by the same rule as the labels.

    Refused where labels are of items that it does not hold, or for which it predicts otherwise, if
    both name their items by the same column.
    """
    with open_file(path, columns, what="collection") as file:
        both = columns.id is not None and columns.id in file.types
        item = f"CAST({named(str(columns.id))} AS VARCHAR)" if both else "NULL"
        stratum = _stratum(columns, tuple(file.types))
        file.rows(
            f"CREATE TEMP TABLE held AS SELECT {item} AS item, {predicted(columns)} AS said, "
            f"coalesce({stratum}, '') AS stratum FROM {file.reader}"
        )
        if both:
            with open_file(labels, columns, what="file of labels") as given:
                source = f"SELECT {item} AS item, {predicted(columns)} AS said FROM {given.reader}"
            _refuse_foreign(file, source, columns)
        rows = file.rows("SELECT stratum, count(*) FROM held GROUP BY 1 ORDER BY 1")
    return {str(name): int(items) for name, items in rows}


def _refuse_foreign(file: ScoreFile, labelled: str, columns: LabelColumns) -> None:
    foreign, stray, other, turned = file.rows(
        "SELECT count(DISTINCT item) FILTER (WHERE held.item IS NULL), "
        "min(item) FILTER (WHERE held.item IS NULL), "
        "count(DISTINCT item) FILTER (WHERE labelled.said <> held.said), "
        "min(item) FILTER (WHERE labelled.said <> held.said) "
        f"FROM ({labelled}) labelled LEFT JOIN held USING (item)"
    )[0]
    if foreign:
        raise InputError(
            f"{counted(foreign, 'labelled item')} of the file cannot be found in the collection by "
            f"{columns.id!r} (the first is {stray!r}). Are these labels of another collection?"
        )
    if other:
        raise InputError(
            f"The file and the collection predict differently for {counted(other, 'item')} (the first is "
            f"{turned!r}). Give the collection with the predictions of the same classifier."
        )


def part_sizes(path: str, columns: LabelColumns) -> dict[tuple[str, bool], int]:
    """How many items of the collection lie in each stratum and predicted class."""
    with open_file(path, columns, what="collection") as file:
        rows = file.rows(
            f"SELECT coalesce({_stratum(columns, tuple(file.types))}, ''), {predicted(columns)}, count(*) "
            f"FROM {file.reader} GROUP BY 1, 2 ORDER BY 1, 2"
        )
    if any(side not in (0, 1) for _, side, _ in rows):
        raise InputError("Items of the collection have no prediction that says 1 or 0.")
    return {(str(name), side == 1): int(items) for name, side, items in rows}
