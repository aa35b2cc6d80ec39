"""The reserve: the lowest tickets of a plan with their texts, as one file of the project."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from assaymark.errors import VerificationError
from assaymark.pool.duckdb import connect
from assaymark.pool.sources import quoted
from assaymark.pool.tables import file_digest, write_table
from assaymark.records.pool import ReservedItem

Texts = Mapping[str, Mapping[str, str | None]]
Queues = tuple[tuple[ReservedItem, ...], ...]
"""Items in ticket order, per stratum."""


@dataclass(frozen=True, kw_only=True)
class StoredReserve:
    """What the ledger records of a reserve file."""

    sha256: str
    tickets: str


def tickets_digest(items: Sequence[ReservedItem]) -> str:
    """SHA-256 of the lines "stratum ticket id", in order."""
    lines = "".join(f"{item.stratum} {item.ticket} {item.id}\n" for item in items)
    return hashlib.sha256(lines.encode()).hexdigest()


def store_reserve(
    path: Path, items: Sequence[ReservedItem], texts: Texts, columns: Sequence[str]
) -> StoredReserve:
    """Write the reserve, whole or not at all."""
    table: dict[str, Any] = {
        "id": [item.id for item in items],
        "stratum": np.array([item.stratum for item in items], dtype=np.int32),
        "ticket": [item.ticket for item in items],
        "prediction": np.array([-1 if i.prediction is None else int(i.prediction) for i in items]),
        "score": np.array([np.nan if item.score is None else item.score for item in items]),
    }
    for number, column in enumerate(columns):
        table[f"text_{number}"] = [texts.get(item.id, {}).get(column) or "" for item in items]
    path.parent.mkdir(exist_ok=True)
    write_table(path, table)
    return StoredReserve(sha256=file_digest(path), tickets=tickets_digest(items))


def load_queues(path: Path, *, sha256: str, strata: int) -> Queues:
    """The items of a reserve file in ticket order per stratum, after its digest was checked."""
    _check(path, sha256)
    return _queues(path, sha256, strata)


def load_scores(path: Path, *, sha256: str) -> tuple[list[str], np.ndarray]:
    """Those items of a reserve file that have a score, and their scores, once its digest was checked."""
    _check(path, sha256)
    connection = connect()
    table = connection.execute(
        f"SELECT id, score FROM read_parquet({quoted(str(path))}) WHERE NOT isnan(score)"
    ).fetchnumpy()
    connection.close()
    return table["id"].tolist(), table["score"]


@lru_cache(maxsize=4)
def _queues(path: Path, sha256: str, strata: int) -> Queues:  # noqa: ARG001 - names the content
    """The same for a file with this digest; a loop that draws one by one reads it once."""
    queues: list[list[ReservedItem]] = [[] for _ in range(strata)]
    for item in _items(path):
        queues[item.stratum].append(item)
    return tuple(tuple(queue) for queue in queues)


def _items(path: Path) -> Iterator[ReservedItem]:
    connection = connect()
    rows = connection.execute(
        "SELECT id, stratum, ticket, CASE WHEN prediction >= 0 THEN prediction = 1 END, "
        f"CASE WHEN NOT isnan(score) THEN score END FROM read_parquet({quoted(str(path))}) "
        "ORDER BY stratum, ticket, id"
    ).fetchall()
    connection.close()
    return map(ReservedItem._make, rows)


def load_texts(path: Path, ids: Sequence[str], columns: Sequence[str]) -> dict[str, dict[str, str]]:
    """The texts of these items, where the reserve holds them."""
    if not ids or not columns:
        return {}
    names = ", ".join(["id", *(f"text_{i}" for i in range(len(columns)))])
    connection = connect()
    connection.register("wanted", {"id": np.array(list(ids), dtype=object)})
    rows = connection.execute(
        f"SELECT {names} FROM read_parquet({quoted(str(path))}) SEMI JOIN wanted USING (id)"
    ).fetchall()
    connection.close()
    return {row[0]: dict(zip(columns, row[1:], strict=True)) for row in rows}


def _check(path: Path, sha256: str) -> None:
    if not path.exists():
        raise VerificationError(f"The reserve file {path.name!r} is missing from the project.")
    if file_digest(path) != sha256:
        raise VerificationError(
            f"The reserve file {path.name!r} was changed: it does not match its digest in the ledger."
        )
