"""A table before it is a pool: its columns, its first rows, and what is wrong with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import duckdb

from assaymark.claims.results import counted
from assaymark.errors import EngineError, InputError
from assaymark.pool.duckdb import CSV_HINT, connect, reader_sql
from assaymark.pool.named_files import file_names_sql, names_file_sql, within_limit
from assaymark.pool.sources import find_source, named
from assaymark.pool.sql import refuse_unknown
from assaymark.records.pool import Columns

ROWS = 10
LONGEST_CELL = 300  # characters of a cell that are shown
MOST_COLUMNS = 200
LONGEST_NUMBER = 25  # characters
SCORES = ("score", "prob", "confidence", "logit")
FEW = 12  # different values of a column that may hold predictions

Level = Literal["wrong", "careful", "fine"]


@dataclass(frozen=True, kw_only=True)
class ColumnSeen:
    """A column: how many rows are empty, how many numbers, how many different values, names of files.

    The values are counted roughly where they repeat a lot, and exactly where they may be ids.
    """

    name: str
    empty: int
    numbers: int
    different: int
    low: float | None
    high: float | None
    length: float
    files: int = 0


@dataclass(frozen=True, kw_only=True)
class TablePreview:
    """A table as somebody sees it who is about to name its columns; `guess` is a first try."""

    rows: int
    columns: tuple[ColumnSeen, ...]
    first: tuple[tuple[str, ...], ...]
    guess: "Columns | None"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing about the table: wrong (it cannot be used so), careful, or fine."""

    level: Level
    sentence: str


class Table:
    """A table file, open for a look. Use it as a context manager."""

    def __init__(self, path: Path) -> None:
        self._source = find_source(str(path))
        self._connection = connect()
        self._connection.execute("SET preserve_insertion_order = true")
        self._rows_of = f"(SELECT * FROM {reader_sql(self._source)})"
        self.names = [row[0] for row in self._rows(f"DESCRIBE SELECT * FROM {self._rows_of}")]
        if len(self.names) > MOST_COLUMNS:
            raise InputError(
                f"The table has {len(self.names):,} columns, and at most {MOST_COLUMNS} can be shown "
                "here. Leave out those that nobody needs."
            )

    def __enter__(self) -> "Table":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def _rows(self, sql: str) -> list[Any]:
        try:
            return self._connection.execute(sql).fetchall()
        except duckdb.Error as error:
            first = str(error).splitlines()[0].rstrip(".")
            hint = CSV_HINT if self._source.kind == "csv" else ""
            name = self._source.files[0].name
            raise EngineError(f"The table {name!r} cannot be read: {first}.{hint}") from error

    def preview(self) -> TablePreview:
        """Its columns, its first rows, and a guess which column is what."""
        rows = self._rows(f"SELECT count(*) FROM {self._rows_of}")[0][0]
        columns = tuple(self._column(name) for name in self.names)
        cells = ", ".join(f"left({_text(name)}, {LONGEST_CELL})" for name in self.names)
        first = self._rows(f"SELECT {cells} FROM {self._rows_of} LIMIT {ROWS}")
        return TablePreview(
            rows=rows,
            columns=columns,
            first=tuple(tuple(cell or "" for cell in row) for row in first),
            guess=guess_columns(rows, columns),
        )

    def _column(self, name: str) -> ColumnSeen:
        text, number = _text(name), f"TRY_CAST({_text(name)} AS DOUBLE)"
        row = self._rows(
            f"SELECT count(*) FILTER ({text} IS NULL OR trim({text}) = ''), count({number}), "
            f"approx_count_distinct({text}), min({number}) FILTER (isfinite({number})), "
            f"max({number}) FILTER (isfinite({number})), avg(length({text})), count({text}), "
            f"count(*) FILTER ({names_file_sql(text)}) FROM {self._rows_of}"
        )[0]
        different = row[2]
        if 2 * different > row[6]:  # an approximate count cannot tell ids from nearly ids
            different = self._rows(f"SELECT count(DISTINCT hash({text})) FROM {self._rows_of}")[0][
                0
            ]
        return ColumnSeen(
            name=name,
            empty=row[0],
            numbers=row[1],
            different=different,
            low=row[3],
            high=row[4],
            length=row[5] or 0.0,
            files=row[7],
        )

    def check(self, columns: Columns) -> tuple[Finding, ...]:
        """What registration would say of these columns, and what else is worth knowing."""
        for name in (columns.id, columns.score, columns.prediction, *columns.text):
            if name is not None:
                refuse_unknown(name, self.names)
        findings = [*self._about_ids(columns.id)]
        if columns.score is not None:
            findings += self._about_scores(columns.score, columns.threshold)
        if columns.prediction is not None:
            findings += self._about_predictions(columns.prediction, columns.positive)
        findings += self._about_texts(columns.text)
        return tuple(findings)

    def _about_ids(self, name: str) -> list[Finding]:
        text = _text(name)
        rows, empty, different = self._rows(
            f"SELECT count(*), count(*) FILTER ({text} IS NULL OR trim({text}) = ''), "
            f"count(DISTINCT {text}) FROM {self._rows_of}"
        )[0]
        findings = []
        if not rows:
            findings.append(_wrong("The table has no rows."))
        if empty:
            findings.append(_wrong(f"{counted(empty, 'row')} without an id in “{name}”."))
        if different < rows - empty:
            twice = self._rows(
                f"SELECT {text}, count(*) FROM {self._rows_of} WHERE {text} IS NOT NULL "
                "GROUP BY 1 HAVING count(*) > 1 ORDER BY 2 DESC, 1 LIMIT 3"
            )
            shown = ", ".join(f"{value} ({number:,}×)" for value, number in twice)
            findings.append(
                _wrong(
                    f"{counted(rows - empty - different, 'row')} of “{name}” "
                    f"{_verb('repeat', rows - empty - different)} an id: {shown}. "
                    "Each item needs an id of its own."
                )
            )
        return findings or [_fine(f"{counted(rows, 'item')}, each with an id of its own.")]

    def _about_scores(self, name: str, threshold: float | None) -> list[Finding]:
        text, number = _text(name), f"TRY_CAST({_text(name)} AS DOUBLE)"
        filled, numbers, low, high, above = self._rows(
            f"SELECT count(*) FILTER (trim({text}) <> ''), count({number}) FILTER (isfinite({number})), "
            f"min({number}), max({number}), "
            f"count(*) FILTER ({number} >= {0 if threshold is None else threshold:.17g}) "
            f"FROM {self._rows_of}"
        )[0]
        rows = self._rows(f"SELECT count(*) FROM {self._rows_of}")[0][0]
        findings = []
        if numbers < filled:
            findings.append(self._about_no_numbers(name, filled - numbers))
        if filled < rows:
            findings.append(
                _wrong(
                    f"{counted(rows - filled, 'item')} without a score in “{name}”. Score them, or leave "
                    "these rows out, and upload the table again."
                )
            )
        if findings or low is None:
            return findings or [_wrong(f"“{name}” holds no numbers.")]
        if low == high:
            return [_careful(f"Every score is {low:g}, so scores cannot guide anything.")]
        if low < 0 or high > 1:
            findings.append(
                _careful(
                    f"Scores go from {low:g} to {high:g}: they order the items, but are no probabilities."
                )
            )
        if threshold is not None and not 0 < above < rows:
            side = "every item" if above == rows else "no item"
            findings.append(
                _careful(f"At a cut-off of {threshold:g} {side} is predicted relevant.")
            )
        elif threshold is not None:
            findings.append(
                _fine(f"At {threshold:g}, {counted(above, 'item')} are predicted relevant.")
            )
        return findings

    def _about_no_numbers(self, name: str, count: int) -> Finding:
        """Values that are no numbers, with the first of them, and how a number is written."""
        text = _text(name)
        (odd,) = self._rows(
            f"SELECT left({text}, 40) FROM {self._rows_of} WHERE trim({text}) <> '' "
            f"AND NOT coalesce(isfinite(TRY_CAST({text} AS DOUBLE)), false) LIMIT 1"
        )[0]
        are = "is no number" if count == 1 else "are no numbers"
        return _wrong(
            f"{counted(count, 'value')} of “{name}” {are}, such as “{odd}”. Numbers are written 0.5: "
            "with a point, and without a sign of per cent."
        )

    def _about_predictions(self, name: str, positive: str | None) -> list[Finding]:
        text = f"trim({_text(name)})"
        values = self._rows(
            f"SELECT {text}, count(*) FROM {self._rows_of} GROUP BY 1 ORDER BY 2 DESC LIMIT {FEW + 1}"
        )
        names = {value.lower() for value, _ in values if value}
        if any(not value for value, _ in values):
            return [_wrong(f"Some items have no prediction in “{name}”.")]
        if positive is None and not names <= {"0", "1", "true", "false", "0.0", "1.0"}:
            shown = ", ".join(value for value, _ in values[:4])
            return [_wrong(f"“{name}” holds {shown}: say which of these values means relevant.")]
        return [_fine(", ".join(f"{number:,} × {value}" for value, number in values[:4]) + ".")]

    def _about_texts(self, names: Sequence[str]) -> list[Finding]:
        if not names:
            return [
                _careful("No text column: reviewers would see the ids only. Choose what they read.")
            ]
        empty = " AND ".join(f"({_text(n)} IS NULL OR trim({_text(n)}) = '')" for n in names)
        without = self._rows(f"SELECT count(*) FILTER ({empty}) FROM {self._rows_of}")[0][0]
        if not without:
            return []
        return [_careful(f"{counted(without, 'item')} without any text to read.")]

    def file_names(self, columns: Sequence[str]) -> list[str]:
        """The pictures and PDFs that the cells of these columns name."""
        for name in columns:
            refuse_unknown(name, self.names)
        if not columns:
            return []
        sql = file_names_sql([_text(name) for name in columns], self._rows_of)
        return within_limit([row[0] for row in self._rows(sql)])

    def values(self, name: str) -> list[str]:
        """The different values of a column that has few; none where it has many."""
        refuse_unknown(name, self.names)
        rows = self._rows(
            f"SELECT DISTINCT trim({_text(name)}) AS v FROM {self._rows_of} "
            f"WHERE trim({_text(name)}) <> '' ORDER BY v LIMIT {FEW + 1}"
        )
        return [row[0] for row in rows] if len(rows) <= FEW else []


def _text(column: str) -> str:
    return f"CAST({named(column)} AS VARCHAR)"


def _verb(verb: str, count: int) -> str:
    return f"{verb}s" if count == 1 else verb


def _wrong(sentence: str) -> Finding:
    return Finding(level="wrong", sentence=sentence)


def _careful(sentence: str) -> Finding:
    return Finding(level="careful", sentence=sentence)


def _fine(sentence: str) -> Finding:
    return Finding(level="fine", sentence=sentence)


def guess_columns(rows: int, columns: Sequence[ColumnSeen]) -> Columns | None:
    """Which column is probably what, by names and values; None where no column can be an id."""
    unique = [c for c in columns if not c.empty and c.different == rows]
    unique = unique or [c for c in columns if not c.empty and c.different >= 0.95 * rows]
    ids = _named(unique, ("id", "_id", "docid", "doc_id", "key", "uid", "number")) or unique
    if not ids:
        return None
    rest = [c for c in columns if c is not ids[0]]
    numbers = [c for c in rest if c.numbers == rows and c.different > 2]
    scores = _named(numbers, SCORES)
    flags = [c for c in rest if c.numbers == rows and c.different <= 2 and c.low in (0, 1)]
    predictions = _named(flags, ("pred", "flag", "decision")) if not scores else []
    if not scores and not predictions:
        scores = _named([c for c in rest if _may_be_scores(c)], SCORES)
    used = {ids[0].name, *(c.name for c in (*scores[:1], *predictions[:1]))}
    texts = [c for c in rest if c.name not in used and c.length > 12 and c.numbers < rows / 2]
    texts = [c for c in texts if c.name.lower() not in ("id", "label", "annotator", "time")]
    longest = sorted(texts, key=lambda c: -c.length)[:1]
    titles = [c for c in _named(texts, ("title", "subject", "headline"))[:1] if c not in longest]
    shown = [c for c in rest if c.name not in used and 2 * c.files > rows and c not in longest]
    score = scores[0] if scores else None
    low, high = (score.low, score.high) if score and score.numbers else (None, None)
    probable = low is not None and high is not None and low >= 0 and high <= 1
    return Columns(
        id=ids[0].name,
        score=score.name if score else None,
        prediction=predictions[0].name if predictions else None,
        threshold=0.5 if probable else None,
        text=tuple(c.name for c in dict.fromkeys((*titles, *longest, *shown))),
    )


def _may_be_scores(column: ColumnSeen) -> bool:
    """Whether a column of that name holds scores of which some cannot be read: it is named, and said."""
    return column.different > FEW and column.length <= LONGEST_NUMBER


def _named(columns: Sequence[ColumnSeen], words: Sequence[str]) -> list[ColumnSeen]:
    """Those whose names hold one of these words, an exact name first."""
    exact = [c for word in words for c in columns if c.name.lower() == word]
    return exact + [
        c for word in words for c in columns if word in c.name.lower() and c not in exact
    ]
