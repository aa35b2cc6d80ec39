"""Pools that Spark reads: parquet files and folders, addresses in a lake, tables of its catalogue.

Everything is counted, hashed and cut in the cluster; only summaries and the reserve come back.
"""

import hashlib
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assaymark.errors import EngineError, InputError
from assaymark.hints import option
from assaymark.pool import Progress, silent
from assaymark.pool.dialect import SPARK
from assaymark.pool.queries import view_sql
from assaymark.pool.sources import TABLE, Source, find_source, hash_files, is_elsewhere
from assaymark.pool.spark.session import find_session, first_line
from assaymark.pool.sql import SqlPool, refuse_unknown
from assaymark.records.pool import Columns, PoolFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

import os
import re
import shutil
from typing import TYPE_CHECKING

from assaymark.pool.duckdb import connect
from assaymark.pool.written import beside, refuse_ending, refuse_other_number, refuse_taken

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Spark's names of types in the words that the queries know; a whole number of 20 digits is how
# Spark reads an unsigned 64-bit column
TYPES = {"string": "VARCHAR", "int": "INTEGER", "decimal(20,0)": "UBIGINT"}


class SparkPool(SqlPool):
    """A pool in parquet files or in a table, read by a cluster."""

    engine = "spark"
    dialect = SPARK

    def __init__(
        self,
        source: str,
        columns: Columns,
        spark: "str | SparkSession | None" = None,
        flags: Sequence[str] = (),
    ) -> None:
        self.columns = columns
        self.place = source
        self.source: Source | None = None if is_elsewhere(source) else _parquet(source)
        self._spark = find_session(spark)
        self.view = f"assaymark_{uuid.uuid4().hex}"
        self._failures = _failures()
        frame = self._frame()
        self.types = types = {name: TYPES.get(kind, kind.upper()) for name, kind in frame.dtypes}
        for column in (columns.id, columns.score, columns.prediction, *columns.text, *flags):
            if column is not None:
                refuse_unknown(column, types)
        self.id_is_text = types[columns.id] == "VARCHAR"
        self.everything = f"{self.view}_source"
        frame.createOrReplaceTempView(self.everything)
        select = view_sql(columns, types, self.dialect, self.everything, flags)
        self._guarded(lambda: self._spark.sql(f"CREATE TEMPORARY VIEW {self.view} AS {select}"))

    def close(self) -> None:
        """Forget the views; the session goes on, because it may be the user's."""
        for name in (self.view, self.everything):
            self._guarded(lambda name=name: self._spark.catalog.dropTempView(name))

    def _rows(self, sql: str) -> list[Any]:
        rows: list[Any] = self._guarded(lambda: self._spark.sql(sql).collect())
        return rows

    def _guarded(self, run: Any, doing: str | None = None) -> Any:
        try:
            return run()
        except self._failures as error:
            doing = doing or f"read the pool {self.place!r}"
            raise EngineError(f"Spark cannot {doing}: {first_line(error)}.") from error

    def _frame(self) -> "DataFrame":
        if self.source is not None:
            paths = [hadoop_path(str(path.absolute())) for path in self.source.files]
            reader = self._spark.read.option("mergeSchema", len(paths) > 1)
            base = partitioned(self.source)
            if base is not None:
                reader = reader.option("basePath", f"file://{base}")
            return self._guarded(lambda: reader.parquet(*paths))  # type: ignore[no-any-return]
        if self.place.startswith(TABLE):
            name = self.place.removeprefix(TABLE)
            if not self._guarded(lambda: self._spark.catalog.tableExists(name)):
                raise InputError(
                    f"There is no pool at {name!r}: it is no file, and Spark's catalogue has no such "
                    "table. Give a file, a folder, an address or catalogue.schema.table."
                )
            return self._guarded(lambda: self._spark.table(name))  # type: ignore[no-any-return]
        return self._guarded(lambda: self._spark.read.parquet(self.place))  # type: ignore[no-any-return]

    def files(self, progress: Progress = silent) -> tuple[PoolFile, ...]:
        """The files by their bytes; a table or an address as one, by the digest of its rows."""
        if self.source is not None:
            return hash_files(self.source, progress)
        progress("digesting the pool's rows", None)
        rows, digest = self._digest()
        return (PoolFile(name=self.place, size=rows, sha256=digest),)

    def _digest(self) -> tuple[int, str]:
        """The number of rows and a digest of them that does not depend on their order.

        64-bit hashes of the rows are combined by exclusive or, and their upper bits by addition.
        Spark's hash skips missing values, so that they are hashed as such beside the texts.
        """
        texts = "".join(f", text_{i}, isnull(text_{i})" for i in range(len(self.columns.text)))
        rows, mixed, total = self._rows(
            f"SELECT count(*), bit_xor(h), sum(shiftright(h, 40)) FROM (SELECT xxhash64("
            f"id, score, prediction{texts}) AS h FROM {self.view})"
        )[0]
        return rows, hashlib.sha256(f"{rows} {mixed} {total}".encode()).hexdigest()

    def _repeated(self, items: int) -> list[Any]:  # noqa: ARG002 - Spark shares the work itself
        # exact: if all 64-bit hashes differ, all ids differ; otherwise only the clashes are checked
        clashes = self._rows(
            f"SELECT h FROM (SELECT xxhash64(raw_id) AS h FROM {self.view}) "
            "GROUP BY h HAVING count(*) > 1 LIMIT 1000"
        )
        if not clashes:
            return []
        listed = ", ".join(str(row[0]) for row in clashes)
        return self._rows(
            f"SELECT id, count(*) FROM {self.view} WHERE xxhash64(raw_id) IN ({listed}) "
            "GROUP BY id HAVING count(*) > 1 ORDER BY id LIMIT 3"
        )

    def export(
        self,
        sql: str,
        path: Path,
        *,
        rows: int,
        in_order: bool = True,  # noqa: ARG002 - a cluster keeps no order
    ) -> None:
        """A folder of parquet files, written by the executors; whole or not at all."""
        self._guarded(
            lambda: write_folder(self._spark.sql(sql), path, rows=rows), f"write {str(path)!r}"
        )

    def texts(self, ids: Sequence[str]) -> dict[str, dict[str, str | None]]:
        """The text columns of these items."""
        names = self.columns.text
        if not names or not ids:
            return {name: {} for name in ids}
        import pyarrow  # type: ignore[import-untyped]

        # as an Arrow table the ids go to the cluster without Python on the executors
        wanted = pyarrow.table({"id": pyarrow.array(list(ids), pyarrow.string())})
        listed = f"{self.view}_wanted"
        columns = ", ".join(f"text_{i}" for i in range(len(names)))
        self._guarded(lambda: self._spark.createDataFrame(wanted).createOrReplaceTempView(listed))
        rows = self._rows(
            f"SELECT /*+ BROADCAST(w) */ id, {columns} FROM {self.view} "
            f"LEFT SEMI JOIN {listed} AS w USING (id)"
        )
        self._guarded(lambda: self._spark.catalog.dropTempView(listed))
        return {row[0]: dict(zip(names, row[1:], strict=True)) for row in rows}


def can_reach(source: str, spark: "str | SparkSession | None" = None) -> bool:
    """Whether Spark answers and has something at this address or under this name."""
    try:
        session = find_session(spark)
    except EngineError:
        return False
    try:
        if source.startswith(TABLE):
            return bool(session.catalog.tableExists(source.removeprefix(TABLE)))
        return session.read.parquet(source).schema is not None
    except _failures():
        return False


def _parquet(source: str) -> Source:
    origin = find_source(source)
    if origin.kind != "parquet":
        raise InputError(
            f"{origin.files[0].name!r} is a {origin.kind} file, and the engine spark reads parquet and "
            f"tables. Leave {option('engine')} out to read it with DuckDB, or write it as parquet."
        )
    hidden = [path.name for path in origin.files if path.name.startswith(("_", "."))]
    if hidden:
        raise InputError(
            f"Spark passes over files such as {hidden[0]!r}, whose names begin with _ or a dot. "
            "Rename it, or name the files with a glob."
        )
    return origin


def _failures() -> tuple[type[Exception], ...]:
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    return (PySparkException, Py4JError, ConnectionError)


def hadoop_path(path: str) -> str:
    """A path of this file system, whatever the cluster's own is, with nothing read as a pattern."""
    return "file://" + re.sub(r"([\\*?\[\]{}])", r"\\\1", path)


def partitioned(source: Source) -> Path | None:
    """The folder below which folder names are columns (day=7/part-0.parquet); None if they are not.

    DuckDB sees such columns by itself; Spark, given single files, has to be given them.
    """
    parents = {path.absolute().parent for path in source.files}
    base = Path(os.path.commonpath(parents))
    while "=" in base.name:
        base = base.parent
    below = [parent.relative_to(base).parts for parent in parents]
    named = all(parts and all("=" in part for part in parts) for parts in below)
    return base if named else None


def write_folder(frame: "DataFrame", path: Path, *, rows: int) -> None:
    """Write the rows beside and move them when this machine sees as many as there should be.

    Where the file system is not shared, each executor writes to a disk of its own and Spark calls
    that a success; the count finds out.
    """
    refuse_ending(path)
    refuse_taken(path)
    part = beside(path.absolute())
    try:
        # a target is no pattern: it is taken letter by letter
        frame.write.option("compression", "zstd").parquet(f"file://{part}")
        refuse_other_number(path, _rows(part), rows)
        part.rename(path.absolute())
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _rows(folder: Path) -> int:
    files = tuple(sorted(folder.glob("*.parquet")))
    if not files:
        return 0
    connection = connect()
    try:
        listed = Source(kind="parquet", files=files).listed
        row = connection.execute(f"SELECT count(*) FROM read_parquet({listed})").fetchall()
    finally:
        connection.close()
    return int(row[0][0])
