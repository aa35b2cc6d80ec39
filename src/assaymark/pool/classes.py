"""Pools of a classifier with many classes: id, predicted class and its probability, in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.errors import InputError
from assaymark.pool.duckdb import connect
from assaymark.pool.sources import find_source, named, quoted


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassPool:
    """One entry per item: id, predicted class, probability of that class."""

    ids: NDArray[Any]
    predictions: NDArray[Any]
    scores: NDArray[np.float64]


def _reader(path: Path) -> str:
    source = find_source(str(path))
    readers = {
        "parquet": f"read_parquet({source.listed})",
        "csv": f"read_csv({source.listed}, header = true, all_varchar = true)",
    }
    return readers.get(source.kind, f"read_json({source.listed}, format = 'newline_delimited')")


def read_classes(path: Path, columns: Mapping[str, str]) -> ClassPool:
    """Ids, predictions and probabilities; refused where any is missing or out of range."""
    connection = connect()
    reader = _reader(path)
    try:
        known = [
            row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM {reader}").fetchall()
        ]
        for column in columns.values():
            if column not in known:
                raise InputError(
                    f"Column '{column}' is not in the pool. Columns: {', '.join(known)}."
                )
        rows = connection.execute(
            f"SELECT CAST({named(columns['id'])} AS VARCHAR) AS id, "
            f"CAST({named(columns['prediction'])} AS VARCHAR) AS prediction, "
            f"TRY_CAST({named(columns['score'])} AS DOUBLE) AS score FROM {reader}"
        ).fetchnumpy()
    finally:
        connection.close()
    ids, predictions, scores = (np.ma.filled(rows[n], m) for n, m in
                                (("id", ""), ("prediction", ""), ("score", np.nan)))  # fmt: skip
    if len(ids) == 0:
        raise InputError("The pool is empty: there is no item to draw from.")
    bad = ~((scores >= 0) & (scores <= 1)) | (predictions == "") | (ids == "")
    if bad.any():
        first = int(np.argmax(bad))
        raise InputError(
            f"{int(bad.sum()):,} of {len(ids):,} items lack an id, a prediction or a probability between "
            f"0 and 1, such as {ids[first]!r} with {scores[first]!r}. Complete them or leave them out."
        )
    if len(np.unique(ids.astype(str))) < len(ids):
        raise InputError(f"Ids in '{columns['id']}' are not unique. Each item needs its own id.")
    return ClassPool(ids=ids, predictions=predictions.astype(str), scores=scores.astype(np.float64))


def read_class_texts(
    path: Path, id_column: str, ids: Sequence[str], text: Sequence[str]
) -> dict[str, dict[str, str | None]]:
    """The text columns of these items."""
    if not text or not ids:
        return {}
    listed = ", ".join(quoted(item) for item in ids)
    columns = ", ".join(f"CAST({named(name)} AS VARCHAR)" for name in text)
    connection = connect()
    try:
        rows = connection.execute(
            f"SELECT CAST({named(id_column)} AS VARCHAR), {columns} FROM {_reader(path)} "
            f"WHERE CAST({named(id_column)} AS VARCHAR) IN ({listed})"
        ).fetchall()
    finally:
        connection.close()
    return {row[0]: dict(zip(text, row[1:], strict=True)) for row in rows}
