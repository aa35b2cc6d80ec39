"""Door 1, read-only: a pool of items behind one protocol, one file per engine."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from assay.errors import InputError
from assay.types.pool import Columns, PoolFile, PoolSummary, ReservedItem
from assay.types.strata import Stratum

Progress = Callable[[str, float | None], None]
"""Told what is being done and how far it is (a share, or None where nobody knows)."""


def silent(_message: str, _share: float | None) -> None:
    """Progress that nobody watches."""


class Pool(Protocol):
    """What every engine can do with a pool. Nothing here changes the user's data."""

    engine: str

    def files(self, progress: Progress = silent) -> tuple[PoolFile, ...]:
        """Name, size and SHA-256 of every file of the pool."""
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

    def texts(self, ids: Sequence[str]) -> dict[str, dict[str, str | None]]:
        """The text columns of these items."""
        ...

    def select(self, sql: str) -> list[Any]:
        """The rows of a plain SELECT over two views.

        `pool` has id, text_0, text_1, … and the 0/1 columns as booleans flag_0, flag_1, …, NULL
        where a value is neither; `everything` has the columns as the user named them.
        """
        ...

    def export(self, sql: str, path: Path) -> None:
        """The rows of a SELECT as a parquet or CSV file, by its ending; whole or not at all."""
        ...

    def close(self) -> None:
        """Give back what the engine holds."""
        ...


def open_pool(
    source: str, columns: Columns, *, engine: str = "duckdb", flags: Sequence[str] = ()
) -> Pool:
    """The pool at this path or glob, read by that engine; `flags` are 0/1 columns to have at hand."""
    if engine != "duckdb":
        raise InputError(f"'engine' must be one of duckdb, got {engine!r}.")
    from assay.pool.duckdb import DuckDBPool

    return DuckDBPool(source, columns, flags)
