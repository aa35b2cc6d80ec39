"""Scores of a file, with ids and labels where it has them, in memory: one light pass by DuckDB."""

import difflib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from assaymark.claims.results import counted
from assaymark.errors import EngineError, InputError
from assaymark.pool.duckdb import LONGEST, connect
from assaymark.pool.sources import Source, find_source, named, quoted
from assaymark.pool.tables import file_digest
from assaymark.records.pool import PoolFile

YES = "('1', 'true', '1.0', 't', 'yes', 'relevant')"
NO = "('0', 'false', '0.0', 'f', 'no', 'irrelevant', 'not relevant')"


@dataclass(frozen=True, kw_only=True)
class ScoreColumns:
    """Which columns of a file hold the score and, where needed, id, label and what people read."""

    score: str
    id: str | None = None
    label: str | None = None
    text: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Scored:
    """The scores of a file in file order, and the ids and labels that were asked for."""

    scores: NDArray[np.float64]
    ids: NDArray[Any] | None = None
    labels: NDArray[np.int8] | None = None


class ScoreFile:
    """A scored file behind one checked view: `score`, `id`, `label` and all its own columns."""

    def __init__(self, source: str, columns: ScoreColumns, *, what: str) -> None:
        self.columns, self.what = columns, what
        self.source: Source = find_source(source)
        self._connection = connect()
        self._connection.execute("SET preserve_insertion_order = true")
        self.types = {r[0]: r[1] for r in self.rows(f"DESCRIBE SELECT * FROM {self.reader}")}
        for column in (columns.score, columns.id, columns.label, *columns.text):
            if column is not None:
                self._known(column)

    def __enter__(self) -> "ScoreFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def files(self) -> tuple[PoolFile, ...]:
        """Name, size and SHA-256 of every file."""
        return tuple(
            PoolFile(name=path.name, size=path.stat().st_size, sha256=file_digest(path))
            for path in self.source.files
        )

    @property
    def reader(self) -> str:
        """The file as a table of SQL."""
        files = self.source.listed
        if self.source.kind == "parquet":
            return f"read_parquet({files}, union_by_name = true)"
        if self.source.kind == "csv":
            return (
                f"read_csv({files}, header = true, all_varchar = true, max_line_size = {LONGEST})"
            )
        return f"read_json({files}, format = 'newline_delimited')"

    @property
    def score(self) -> str:
        """The score as a SQL number; null where it is none."""
        column = named(self.columns.score)
        kind = self.types[self.columns.score]
        if kind == "VARCHAR":
            return f"TRY_CAST(trim({column}) AS DOUBLE)"
        if kind in ("BOOLEAN", "DATE") or kind.startswith("TIMESTAMP"):
            raise InputError(f"Scores in '{self.columns.score}' are of type {kind}, not numbers.")
        return f"CAST({column} AS DOUBLE)"

    def rows(self, sql: str) -> list[Any]:
        """The rows of a query; DuckDB's complaint becomes ours."""
        try:
            return self._connection.execute(sql).fetchall()
        except duckdb.Error as error:
            first = str(error).splitlines()[0].rstrip(".")
            name = self.source.files[0].name
            raise EngineError(f"The {self.what} {name!r} cannot be read: {first}.") from error

    def refuse_bad_scores(self) -> int:
        """The number of items; refused where any score is missing or not finite."""
        items, bad = self.rows(
            f"SELECT count(*), count(*) FILTER (WHERE s IS NULL OR NOT isfinite(s)) "
            f"FROM (SELECT {self.score} AS s FROM {self.reader})"
        )[0]
        if not items:
            raise InputError(f"The {self.what} is empty.")
        if bad:
            raise InputError(
                f"{bad:,} of {items:,} items of the {self.what} have no finite number as score in "
                f"'{self.columns.score}'. Leave these items out or score them."
            )
        return int(items)

    def refuse_bad_ids(self, items: int) -> None:
        """Refused where ids are missing or not unique."""
        column = named(str(self.columns.id))
        row = self._connection.execute(
            f"SELECT hash({column}) AS h, {column} IS NULL AS gone FROM {self.reader}"
        ).fetchnumpy()
        hashes = np.sort(np.asarray(row["h"]))
        # if all 64-bit hashes differ, all ids do; only otherwise are the ids themselves compared
        if not np.asarray(row["gone"]).any() and (hashes[1:] != hashes[:-1]).all():
            return
        distinct = self.rows(f"SELECT count(DISTINCT {column}) FROM {self.reader}")[0][0]
        if distinct < items:
            raise InputError(
                f"Ids in '{self.columns.id}' of the {self.what} are not unique or missing: "
                f"{distinct:,} different ids for {items:,} items. Each item needs its own."
            )

    def read(self) -> Scored:
        """The scores, and the ids and labels where their columns were named."""
        self.refuse_bad_scores()
        columns = self.columns
        parts = [f"{self.score} AS score"]
        if columns.id is not None:
            parts.append(f"CAST({named(columns.id)} AS VARCHAR) AS id")
        if columns.label is not None:
            text = f"lower(trim(CAST({named(columns.label)} AS VARCHAR)))"
            parts.append(f"CASE WHEN {text} IN {YES} THEN 1 WHEN {text} IN {NO} THEN 0 "
                         f"ELSE -1 END AS label")  # fmt: skip
            self._refuse_bad_labels(text)
        arrays = self._connection.execute(
            f"SELECT {', '.join(parts)} FROM {self.reader}"
        ).fetchnumpy()
        return Scored(
            scores=np.asarray(arrays["score"], dtype=np.float64),
            ids=np.asarray(arrays["id"], dtype=object) if columns.id is not None else None,
            labels=np.asarray(arrays["label"], np.int8) if columns.label is not None else None,
        )

    def _refuse_bad_labels(self, text: str) -> None:
        column = named(str(self.columns.label))
        odd = self.rows(
            f"SELECT CAST({column} AS VARCHAR), count(*) FROM {self.reader} "
            f"WHERE {text} IS NULL OR {text} NOT IN {YES} AND {text} NOT IN {NO} GROUP BY 1 LIMIT 1"
        )
        if odd:
            value, number = odd[0]
            verb, what = "is" if number == 1 else "are", "empty" if value is None else repr(value)
            raise InputError(
                f"{counted(number, 'label')} in '{self.columns.label}' of the {self.what} {verb} {what}. "
                "Labels are 1 for relevant and 0 for not; leave out items without a label."
            )

    def lowest_tickets(self, seed: str, where: dict[str, str], limit: int) -> list[tuple[str, str]]:
        """Id and part of the `limit` items with the lowest tickets among the parts, ticket order."""
        item = f"CAST({named(str(self.columns.id))} AS VARCHAR)"
        cases = " ".join(f"WHEN {sql} THEN {quoted(name)}" for name, sql in where.items())
        rows = self.rows(
            f"WITH t AS (SELECT {item} AS id, CASE {cases} END AS part FROM {self.reader}) "
            f"SELECT id, part FROM t WHERE part IS NOT NULL "
            f"ORDER BY sha256({quoted(seed + ':')} || id), id LIMIT {int(limit)}"
        )
        return [(row[0], row[1]) for row in rows]

    def counts(self, where: dict[str, str]) -> dict[str, int]:
        """How many items each part holds."""
        parts = ", ".join(f"count(*) FILTER (WHERE {sql})" for sql in where.values())
        row = self.rows(f"SELECT {parts} FROM {self.reader}")[0]
        return dict(zip(where, map(int, row), strict=True))

    def first_of(self, ids: Collection[str]) -> str | None:
        """The first item of the file, by id, that is one of these; None if none is."""
        if not ids:
            return None
        self._connection.register("these", {"id": np.array(sorted(ids), dtype=object)})
        item = f"CAST({named(str(self.columns.id))} AS VARCHAR)"
        rows = self.rows(
            f"SELECT min(f.id) FROM (SELECT {item} AS id FROM {self.reader}) f JOIN these USING (id)"
        )
        self._connection.unregister("these")
        return None if rows[0][0] is None else str(rows[0][0])

    def scores_of(self, ids: list[str]) -> dict[str, float]:
        """The scores of these items."""
        item = f"CAST({named(str(self.columns.id))} AS VARCHAR)"
        listed = ", ".join(quoted(name) for name in ids)
        rows = self.rows(
            f"SELECT {item}, {self.score} FROM {self.reader} WHERE {item} IN ({listed})"
        )
        return {row[0]: float(row[1]) for row in rows}

    def texts(self, ids: list[str]) -> dict[str, dict[str, str | None]]:
        """What people read of these items."""
        columns = self.columns
        if not columns.text or columns.id is None:
            return {item: {} for item in ids}
        listed = ", ".join(quoted(item) for item in ids)
        names = ", ".join(f"CAST({named(name)} AS VARCHAR)" for name in columns.text)
        rows = self.rows(
            f"SELECT CAST({named(columns.id)} AS VARCHAR) AS key, {names} FROM {self.reader} "
            f"WHERE CAST({named(columns.id)} AS VARCHAR) IN ({listed})"
        )
        return {row[0]: dict(zip(columns.text, row[1:], strict=True)) for row in rows}

    def _known(self, column: str) -> None:
        if column in self.types:
            return
        lowered = {name.lower(): name for name in self.types}
        near = difflib.get_close_matches(column.lower(), lowered, n=1)
        hint = f" Did you mean '{lowered[near[0]]}'?" if near else ""
        raise InputError(
            f"Column '{column}' is not in the {self.what}. Columns: {', '.join(self.types)}.{hint}"
        )


def read_scored(source: str, columns: ScoreColumns, *, what: str) -> Scored:
    """The scores of a file, checked."""
    with ScoreFile(source, columns, what=what) as file:
        return file.read()
