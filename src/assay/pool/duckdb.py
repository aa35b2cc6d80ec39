"""Pools in files, read by DuckDB. The pool itself never enters Python."""

import difflib
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from assay.errors import EngineError, InputError
from assay.pool import Progress, silent
from assay.pool.cells import ticket_cut
from assay.pool.grid import grid_sql, merge, unit_sql
from assay.pool.sources import Source, find_source, named, quoted
from assay.types.pool import Columns, Histogram, PoolFile, PoolSummary, ReservedItem
from assay.types.strata import Stratum

WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"}
WHOLE |= {f"U{name}" for name in WHOLE}
LONGEST = 16_000_000  # bytes of one row of a CSV file
CSV_HINT = (
    " A CSV pool is UTF-8 text with the column names in its first line, as many fields in every row, "
    f"and no row over {LONGEST // 1_000_000} MB."
)
TRUE = "('1', 'true', '1.0', 't', 'yes')"
FALSE = "('0', 'false', '0.0', 'f', 'no')"


def connect() -> duckdb.DuckDBPyConnection:
    """A private in-memory DuckDB that prints nothing."""
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET preserve_insertion_order = false")
    return connection


class DuckDBPool:
    """A pool in parquet, CSV or JSON-lines files."""

    engine = "duckdb"

    def __init__(self, source: str, columns: Columns, flags: Sequence[str] = ()) -> None:
        self.columns = columns
        self.flags = tuple(flags)
        self.source: Source = find_source(source)
        self._connection = connect()
        types = self._column_types()
        for column in (columns.id, columns.score, columns.prediction, *columns.text, *flags):
            if column is not None:
                _known_column(column, types)
        self._create_view(types)
        self._summary: PoolSummary | None = None

    def close(self) -> None:
        """Close DuckDB's connection."""
        self._connection.close()

    def _rows(self, sql: str, parameters: object = None) -> list[Any]:
        try:
            return self._connection.execute(sql, parameters).fetchall()
        except duckdb.Error as error:
            names = ", ".join(path.name for path in self.source.files[:3])
            first = str(error).splitlines()[0].rstrip(".")
            hint = CSV_HINT if self.source.kind == "csv" else ""
            raise EngineError(f"The pool {names!r} cannot be read: {first}.{hint}") from error

    def select(self, sql: str) -> list[Any]:
        """The rows of a plain SELECT over the views `pool` and `everything`."""
        return self._rows(sql)

    def export(self, sql: str, path: Path) -> None:
        """The rows of a SELECT as a parquet or CSV file, by its ending; whole or not at all."""
        form = "(FORMAT parquet, COMPRESSION zstd)"
        if path.suffix.lower() == ".csv":
            form = "(FORMAT csv, HEADER)"
        part = path.with_name(path.name + ".part")
        self._rows("SET preserve_insertion_order = true")
        try:
            self._rows(f"COPY ({sql}) TO {quoted(str(part))} {form}")
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
            self._rows("SET preserve_insertion_order = false")

    def _reader(self, columns: dict[str, str] | None = None) -> str:
        files = self.source.listed
        if self.source.kind == "parquet":
            return f"read_parquet({files}, union_by_name = true)"
        if self.source.kind == "csv":
            return (
                f"read_csv({files}, header = true, all_varchar = true, max_line_size = {LONGEST})"
            )
        pairs = (f"{quoted(name)}: {quoted(kind)}" for name, kind in (columns or {}).items())
        forced = f", columns = {{{', '.join(pairs)}}}" if columns else ""
        return f"read_json({files}, format = 'newline_delimited'{forced})"

    def _column_types(self) -> dict[str, str]:
        rows = self._rows(f"DESCRIBE SELECT * FROM {self._reader()}")
        return {row[0]: row[1] for row in rows}

    def _create_view(self, types: dict[str, str]) -> None:
        columns = self.columns
        used = [columns.id, columns.score, columns.prediction, *columns.text, *self.flags]
        if self.source.kind != "parquet":
            # types are detected on a sample of rows; text is read as it stands and cast by us
            types = {name: "VARCHAR" for name in used if name}
        reader = self._reader(types if self.source.kind != "parquet" else None)
        score = _score_sql(columns.score, types)
        prediction = _prediction_sql(columns, types, score)
        flags = "".join(f", {_flag_sql(f, types)} AS flag_{i}" for i, f in enumerate(self.flags))
        texts = "".join(
            f", CAST({named(c)} AS VARCHAR) AS text_{i}" for i, c in enumerate(columns.text)
        )
        self._id_type = _id_type(columns.id, types)
        self._rows(
            f"CREATE TEMP VIEW pool AS SELECT {named(columns.id)} AS raw_id, "
            f"CAST({named(columns.id)} AS VARCHAR) AS id, {score} AS score, "
            f"{prediction} AS prediction{texts}{flags} FROM {reader}"
        )
        self._rows(f"CREATE TEMP VIEW everything AS SELECT * FROM {self._reader()}")

    def files(self, progress: Progress = silent) -> tuple[PoolFile, ...]:
        """Name, size and SHA-256 of every file of the pool."""
        found = []
        for number, path in enumerate(self.source.files):
            progress("reading the pool's bytes", number / len(self.source.files))
            with path.open("rb") as stream:
                sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
            found.append(PoolFile(name=path.name, size=path.stat().st_size, sha256=sha256))
        return tuple(found)

    def summary(self, progress: Progress = silent) -> PoolSummary:
        """Counts and histograms after validation; refuses a pool that cannot be used."""
        if self._summary is None:
            progress("checking ids, scores and predictions", 0.1)
            items, low, high = self._validated()
            progress("looking for duplicate ids", 0.4)
            self._refuse_duplicates(items)
            progress("counting scores", 0.8)
            self._summary = self._counted(items, low, high)
        return self._summary

    def _validated(self) -> tuple[int, float | None, float | None]:
        columns = self.columns
        no_id = "id IS NULL OR id = ''" if self._id_type == "VARCHAR" else "raw_id IS NULL"
        tests = {"no_id": no_id}
        if columns.score:
            tests |= {"no_score": "score IS NULL", "odd_score": "NOT isfinite(score)"}
        if columns.prediction:
            tests["odd_prediction"] = "prediction IS NULL"
        finite = "FILTER (WHERE isfinite(score))"
        ends = f"min(score) {finite}, max(score) {finite}" if columns.score else "NULL, NULL"
        counts = ", ".join(f"count(*) FILTER (WHERE {sql})" for sql in tests.values())
        items, low, high, *bad = self._rows(f"SELECT count(*), {ends}, {counts} FROM pool")[0]
        if items == 0:
            raise InputError("The pool is empty: there is no item to draw from.")
        for (name, sql), number in zip(tests.items(), bad, strict=True):
            if number:
                self._refuse(name, sql, number, items)
        if columns.threshold is not None and not low <= columns.threshold <= high:
            raise InputError(
                f"The threshold {columns.threshold:g} is outside the scores, which run from "
                f"{low:g} to {high:g}. Choose one between them."
            )
        return items, low, high

    def _refuse(self, name: str, sql: str, number: int, items: int) -> None:
        shown = self._rows(f"SELECT id FROM pool WHERE {sql} ORDER BY id LIMIT 3")
        where = ", ".join(str(row[0]) for row in shown) + (", …" if number > 3 else "")
        columns = self.columns
        comma = (
            " (A score such as 0,5 has a decimal comma: write 0.5.)"
            if name == "no_score" and self.source.kind == "csv"
            else ""
        )
        sentence = {
            "no_id": f"have no id in '{columns.id}'",
            "no_score": f"have no number as score in '{columns.score}' (ids {where})",
            "odd_score": f"have a score that is not finite in '{columns.score}' (ids {where})",
            "odd_prediction": f"have neither 0 nor 1 in '{columns.prediction}' (ids {where})",
        }[name]
        raise InputError(
            f"{number:,} of {items:,} items {sentence}. Every item needs one: leave these items "
            f"out of the pool or complete them, then run init again.{comma}"
        )

    def _refuse_duplicates(self, items: int) -> None:
        # exact: if all 64-bit hashes differ, all ids differ; otherwise only the clashes are checked
        hashes = self._connection.execute("SELECT hash(raw_id) AS h FROM pool").fetchnumpy()["h"]
        hashes = np.sort(np.asarray(hashes))
        clashes = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
        if not len(clashes):
            return
        listed = ", ".join(str(int(clash)) for clash in clashes[:1000])
        twice = self._rows(
            f"SELECT id, count(*) FROM pool WHERE hash(raw_id) IN ({listed}) "
            "GROUP BY id HAVING count(*) > 1 ORDER BY id LIMIT 3"
        )
        if twice:
            shown = ", ".join(f"{name} ({times} times)" for name, times in twice)
            raise InputError(
                f"Ids in '{self.columns.id}' are not unique: {shown}, … among {items:,} items. "
                "Each item needs its own id; remove the duplicates or choose another column."
            )

    def _counted(self, items: int, low: float | None, high: float | None) -> PoolSummary:
        if low is None or high is None:
            grid, unit = "0", "0.0"
        else:
            grid, unit = grid_sql("score", low, high), unit_sql("score", low, high)
        rows = self._rows(
            f"SELECT coalesce(prediction, false) AS p, {grid} AS g, count(*), "
            f"sum(CAST(floor(1e9 * {unit}) AS BIGINT)) FROM pool GROUP BY ALL ORDER BY p, g"
        )
        parts = {side: [row[1:] for row in rows if row[0] is side] for side in (False, True)}
        counts = {side: sum(row[1] for row in part) for side, part in parts.items()}
        predicts = self.columns.predicts
        return PoolSummary(
            items=items,
            predicted_positive=counts[True],
            predicted_negative=counts[False] if predicts else 0,
            score_low=low,
            score_high=high,
            positive=_histogram(parts[True]) if low is not None else None,
            negative=_histogram(parts[False]) if low is not None else None,
        )

    def reserve(
        self,
        seed: str,
        *,
        strata: Sequence[Stratum],
        limits: Sequence[int],
        after: Sequence[str] | None = None,
        progress: Progress = silent,
    ) -> list[ReservedItem]:
        """The lowest tickets of each stratum, in ticket order, that follow the tickets `after`."""
        progress("drawing a ticket for every item", None)
        after = after or [""] * len(strata)
        limits = [min(limit, part.items) for limit, part in zip(limits, strata, strict=True)]
        cuts = [
            ticket_cut(limit, stratum.items, last)
            for stratum, limit, last in zip(strata, limits, after, strict=True)
        ]
        found = self._tickets(seed, strata, limits, after, cuts)
        short = [
            len([item for item in found if item.stratum == k]) < limits[k]
            for k in range(len(strata))
        ]
        if any(short):  # a stratum holds fewer items than asked for, or the cut-off was unlucky
            cuts = ["g" if poor else cut for poor, cut in zip(short, cuts, strict=True)]
            found = self._tickets(seed, strata, limits, after, cuts)
        return found

    def _tickets(
        self,
        seed: str,
        strata: Sequence[Stratum],
        limits: Sequence[int],
        after: Sequence[str],
        cuts: Sequence[str],
    ) -> list[ReservedItem]:
        grid = self._grid() if any(s.grid_from is not None for s in strata) else "0"
        cases = " ".join(f"WHEN {_stratum_sql(s)} THEN {k}" for k, s in enumerate(strata))
        # the global cut-off comes first, because it is cheap; strata that are taken whole pass it
        rows = self._rows(
            f"""
            WITH t AS (SELECT id, score, prediction, sha256({quoted(seed + ":")} || id) AS ticket,
                              {grid} AS g FROM pool),
                 u AS (SELECT *, CASE {cases} END AS k FROM t
                       WHERE ticket < {quoted(max(cuts))}),
                 v AS (SELECT * FROM u WHERE k IS NOT NULL AND ticket < ({_texts(cuts)})[k + 1]
                       AND ticket > ({_texts(after)})[k + 1])
            SELECT id, k, ticket, prediction, score FROM v
            QUALIFY row_number() OVER (PARTITION BY k ORDER BY ticket, id)
                    <= ({[int(n) for n in limits]})[k + 1]
            ORDER BY k, ticket, id
            """
        )
        return [
            ReservedItem(id=name, stratum=k, ticket=ticket, prediction=prediction, score=score)
            for name, k, ticket, prediction, score in rows
        ]

    def _grid(self) -> str:
        low, high = self.summary().score_low, self.summary().score_high
        return grid_sql("score", low, high) if low is not None and high is not None else "0"

    def texts(self, ids: Sequence[str]) -> dict[str, dict[str, str | None]]:
        """The text columns of these items."""
        names = self.columns.text
        if not names or not ids:
            return {name: {} for name in ids}
        self._rows("CREATE OR REPLACE TEMP TABLE wanted (id VARCHAR)")
        self._connection.register("wanted_ids", {"id": np.array(list(ids), dtype=object)})
        self._rows("INSERT INTO wanted SELECT id FROM wanted_ids")
        self._connection.unregister("wanted_ids")
        columns = ", ".join(f"text_{i}" for i in range(len(names)))
        rows = self._rows(f"SELECT id, {columns} FROM pool SEMI JOIN wanted USING (id)")
        return {row[0]: dict(zip(names, row[1:], strict=True)) for row in rows}


def _known_column(column: str, types: dict[str, str]) -> None:
    if column in types:
        return
    lowered = {name.lower(): name for name in types}
    near = difflib.get_close_matches(column.lower(), lowered, n=1)
    hint = f" Did you mean '{lowered[near[0]]}'?" if near else ""
    listed = ", ".join(types)
    raise InputError(f"Column '{column}' is not in the pool. Columns: {listed}.{hint}")


def _id_type(column: str, types: dict[str, str]) -> str:
    if types[column] not in {"VARCHAR", *WHOLE}:
        raise InputError(
            f"Ids in '{column}' are of type {types[column]}, which can be written as text in more "
            "than one way. Use text or whole numbers as ids."
        )
    return types[column]


def _score_sql(column: str | None, types: dict[str, str]) -> str:
    if column is None:
        return "CAST(NULL AS DOUBLE)"
    kind = types[column]
    if kind == "VARCHAR":
        # without trim, DuckDB moves the cast into the CSV reader, where a bad value is an error
        return f"TRY_CAST(trim({named(column)}) AS DOUBLE)"
    if kind in WHOLE | {"DOUBLE", "FLOAT"} or kind.startswith("DECIMAL"):
        return f"CAST({named(column)} AS DOUBLE)"
    raise InputError(f"Scores in '{column}' are of type {kind}. Scores are numbers.")


def _prediction_sql(columns: Columns, types: dict[str, str], score: str) -> str:
    if columns.threshold is not None:
        return f"({score} >= CAST({float(columns.threshold)!r} AS DOUBLE))"
    if columns.prediction is None:
        return "CAST(NULL AS BOOLEAN)"
    return _flag_sql(columns.prediction, types)


def _flag_sql(column: str, types: dict[str, str]) -> str:
    """A 0/1 column as true or false; NULL where it holds anything else."""
    name, kind = named(column), types[column]
    if kind == "BOOLEAN":
        return name
    if kind in WHOLE | {"DOUBLE", "FLOAT"} or kind.startswith("DECIMAL"):
        return f"CASE WHEN {name} = 1 THEN true WHEN {name} = 0 THEN false END"
    text = f"lower(trim(CAST({name} AS VARCHAR)))"
    return f"CASE WHEN {text} IN {TRUE} THEN true WHEN {text} IN {FALSE} THEN false END"


def _stratum_sql(stratum: Stratum) -> str:
    terms = ["true"]
    if stratum.prediction is not None:
        terms.append("prediction" if stratum.prediction else "NOT prediction")
    if stratum.grid_from is not None:
        terms.append(f"g >= {int(stratum.grid_from)}")
    if stratum.grid_to is not None:
        terms.append(f"g < {int(stratum.grid_to)}")
    return " AND ".join(terms)


def _texts(values: Sequence[str]) -> str:
    return "[" + ", ".join(quoted(value) for value in values) + "]"


def _histogram(rows: list[Any]) -> Histogram:
    positions = [int(row[0]) for row in rows]
    return merge(positions, [int(row[1]) for row in rows], [int(row[2]) for row in rows])
