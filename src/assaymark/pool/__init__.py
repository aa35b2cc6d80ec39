"""Door 1, read-only: a pool of items behind one protocol, one file per engine."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from assaymark.errors import InputError
from assaymark.plugins import Registry, takes
from assaymark.records.plan import Stratum
from assaymark.records.pool import Columns, PoolFile, PoolSummary, ReservedItem

if TYPE_CHECKING:
    from assaymark.pool.dialect import Dialect

Progress = Callable[[str, float | None], None]
"""Progress callback: what is being done and how far it is (a share, or None where nobody knows)."""


def silent(_message: str, _share: float | None) -> None:
    """Progress that nobody watches."""


class Pool(Protocol):
    """What every engine can do with a pool. Nothing here changes the user's data."""

    engine: str
    view: str
    everything: str
    types: Mapping[str, str]
    dialect: "Dialect"

    def files(self, progress: Progress = silent) -> tuple[PoolFile, ...]:
        """Name, size and SHA-256 of every file; what only the engine can reach counts as one."""
        ...

    def summary(self, progress: Progress = silent) -> PoolSummary:
        """Counts and histograms after validation; refuses a pool that cannot be used."""
        ...

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
        ...

    def strata_of(self, ids: Sequence[str], strata: Sequence[Stratum]) -> dict[str, int]:
        """The stratum of each of these items that lies in one."""
        ...

    def texts(self, ids: Sequence[str]) -> dict[str, dict[str, str | None]]:
        """The text columns of these items."""
        ...

    def select(self, sql: str) -> list[Any]:
        """The rows of a plain SELECT over the view `view`.

        It has id, text_0, text_1, … and the 0/1 columns as booleans flag_0, flag_1, …, NULL where a
        value is neither.
        """
        ...

    def check(self, progress: Progress = silent) -> int:
        """The number of items; refuses a pool that cannot be used, as `summary` does."""
        ...

    @property
    def score_sql(self) -> str:
        """The score as a number, in terms of the pool's own columns, which `everything` has."""
        ...

    def export(self, sql: str, path: Path, *, rows: int, in_order: bool = True) -> None:
        """Write these many rows of a SELECT; whole or not at all, and over nothing.

        DuckDB writes a parquet or CSV file, by its ending. Spark's executors write a folder of
        parquet files, in no order.
        """
        ...

    def close(self) -> None:
        """Give back what the engine holds."""
        ...


def open_pool(
    source: str,
    columns: Columns,
    *,
    engine: str = "duckdb",
    connection: object = None,
    flags: Sequence[str] = (),
) -> Pool:
    """The pool at this path or glob, or in this table, read by that engine.

    `flags` are 0/1 columns to have at hand. `connection` is what the engine
    understands: for Spark a session or the address of a cluster, or nothing for ASSAYMARK_SPARK or
    the session that runs already.
    """
    return ENGINES.find("engine", engine)(source, columns, connection, flags)


def _duckdb(source: str, columns: Columns, _connection: Any, flags: Sequence[str]) -> Pool:
    from assaymark.pool.duckdb import DuckDBPool

    return DuckDBPool(source, columns, flags)


def _spark(source: str, columns: Columns, connection: Any, flags: Sequence[str]) -> Pool:
    from assaymark.pool.spark.engine import SparkPool

    return SparkPool(source, columns, connection, flags)


Engine = Callable[[str, Columns, Any, Sequence[str]], Pool]
"""Opens a pool: source, columns, a connection that only the engine understands, 0/1 columns."""

ENGINES: Registry[Engine] = Registry(
    "assaymark.engines",
    {"duckdb": _duckdb, "spark": _spark},
    takes("source", "columns", "connection", "flags"),
)


def has_pool(source: str, *, engine: str, connection: Any = None) -> bool:
    """Whether there is anything to read at this source, whatever it holds."""
    from assaymark.pool.sources import find_source, is_elsewhere

    if engine not in ("duckdb", "spark"):
        return engine in ENGINES  # it says itself what it cannot read
    if is_elsewhere(source):
        if engine == "duckdb":  # it reads files alone, and asks no address that a ledger names
            return False
        from assaymark.pool.spark.engine import can_reach

        return can_reach(source, connection)
    try:
        exists = bool(find_source(source).files)
    except InputError:
        return False
    if exists and engine_at_hand(source, engine, connection) == "spark":
        from assaymark.pool.spark.session import find_session

        find_session(connection)  # a cluster that does not answer is no sign that the pool changed
    return exists


def engine_at_hand(source: str, engine: str, connection: object = None) -> str:
    """The engine that reads a registered pool here: DuckDB for files where no Spark is installed.

    Both engines give the same answers on the same files, so that a certificate from a cluster can
    be checked on any machine that has the files.
    """
    from assaymark.pool.sources import is_elsewhere

    if engine != "spark" or connection is not None or is_elsewhere(source):
        return engine
    from assaymark.pool.spark.session import is_installed

    return engine if is_installed() else "duckdb"
