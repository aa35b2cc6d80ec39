"""A pool as Python users hold it: a file, a table in memory, or arrays of scores and predictions."""

import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assaymark.errors import InputError
from assaymark.ledger.events import State
from assaymark.pool.joined_ids import joined_name, parts_of_name
from assaymark.pool.memory import (
    MemoryTable,
    Table,
    Values,
    is_table,
    memory_table,
    refuse_other_numbers,
)
from assaymark.project.class_names import (
    compared_columns,
    with_classes,
    with_tags,
    with_verdicts,
)
from assaymark.project.folder import Project
from assaymark.project.foreign_pools import readable_pool
from assaymark.project.place import is_project
from assaymark.project.registration import init
from assaymark.records.pool import Columns

if TYPE_CHECKING:
    from collections.abc import Sequence

POOL_FILE = "pool.parquet"
IN_MEMORY = ":memory:"
MEMORY = "/dev/shm"  # noqa: S108 - a private folder is made in it
ID = "id"


@dataclass(frozen=True, kw_only=True, eq=False)
class PoolInput:
    """A pool and which of its columns mean what; None where the usual names are to be used."""

    data: "str | Path | Table | None" = None
    y_score: Values | None = None
    y_pred: Values | None = None
    id: "str | Sequence[str] | None" = None
    score: str | None = None
    prediction: str | None = None
    threshold: float | None = None
    text: "str | Sequence[str]" = ()
    groups: tuple[str, ...] = ()
    positive: str | None = None
    compared: tuple[str, ...] = ()
    """Columns of predictions of classifiers that are compared on the pool."""
    classes: bool | tuple[str, ...] = False
    """Whether predictions are names of classes; a tuple names them."""
    tags: bool | tuple[str, ...] = False
    """Whether an item has any number of labels, written a; b; a tuple names those that count."""
    probability: "Mapping[str, str] | None" = None
    """The column of the probability of each class, in place of a column of predictions."""
    unscored: bool = False
    """Whether the pool has no classifier yet: a column named score or prediction is no such thing."""

    @property
    def id_column(self) -> str:
        """The column of ids; several columns make one, named after them."""
        return ID if self.id is None else joined_name(self.id)

    @property
    def texts(self) -> tuple[str, ...]:
        """The text columns; one name is one column."""
        return (self.text,) if isinstance(self.text, str) else tuple(self.text)

    @property
    def cut(self) -> float | None:
        """The threshold as a plain number, which may have been one of numpy's."""
        return float(self.threshold) if isinstance(self.threshold, Real) else self.threshold


def register(
    pool: PoolInput,
    folder: Path,
    *,
    engine: str = "duckdb",
    connection: object = None,
) -> None:
    """Make the folder a project with this pool; tables in memory are written into it."""
    refuse_project(folder)
    arrays = pool.y_score is not None or pool.y_pred is not None
    if not arrays and not is_table(pool.data):
        _refuse_no_pool(pool.data)
        with readable_pool(str(pool.data), folder) as source:
            columns = _with_names(pool, source, _named(pool), engine=engine)
            init(folder, pool=source, columns=columns, engine=engine, connection=connection)
        return
    table = _with_arrays(pool) if arrays else memory_table(pool.data)
    columns, numbered = _columns(pool, table.names)
    if numbered:
        values = pool.data.values() if isinstance(pool.data, Mapping) else ()
        for held in (pool.data, pool.y_score, pool.y_pred, *values):
            refuse_other_numbers(held)
    folder.mkdir(parents=True, exist_ok=True)
    several = parts_of_name(columns.id)
    path = folder / (f"rows-{POOL_FILE}" if several else POOL_FILE)
    table.write(path, positions=columns.id if numbered else None)
    init(folder, pool=str(path), columns=_with_names(pool, str(path), columns))
    if several:
        path.unlink()


def refuse_project(folder: Path) -> None:
    """Refuse a folder that is a project already, and say how to go on with that."""
    if is_project(folder) and (state := Project(folder=folder).state()).pool is not None:
        raise InputError(
            f"{str(folder)!r} already is an assaymark project. Go on with it: "
            f"assaymark.{_opened_as(state)}({str(folder)!r}); or name another folder."
        )


def _opened_as(state: State) -> str:
    """The class that goes on with the work of a project."""
    if state.reviews or state.attempts:
        return "Review" if state.reviews else "Certification"
    kinds = {"claim": "ComposedClaim", "training": "Training", "estimate": "Estimation"}
    purposes = {work.survey.purpose for work in state.surveys}
    return next((kinds[one] for one in kinds if one in purposes), "Certification")


def _with_names(
    pool: PoolInput, source: str, columns: Columns, *, engine: str = "duckdb"
) -> Columns:
    """The columns with the names of classes, or of the two verdicts, that are predicted."""
    named = next((n for n in (pool.tags, pool.classes) if not isinstance(n, bool)), ())
    tags, classes = bool(pool.tags), pool.classes is True
    if pool.compared:
        return compared_columns(
            source, columns, predicted_by=pool.compared, classes=classes, named=named, tags=tags,
            engine=engine,
        )  # fmt: skip
    if pool.probability is not None:
        _refuse_other_names(pool)
        return replace(
            columns,
            score=pool.score,
            prediction=pool.prediction,
            classes=tuple(pool.probability),
            probabilities=tuple(pool.probability.values()),
        )
    if not tags and not pool.classes:
        return with_verdicts(source, columns, engine=engine)
    by = (columns.prediction,) if columns.prediction else ()
    of_names = with_tags if tags else with_classes
    columns = replace(columns, positive=None)
    return of_names(source, columns, predicted_by=by, named=named, engine=engine)


def _refuse_other_names(pool: PoolInput) -> None:
    if pool.classes or pool.tags:
        raise InputError(
            "The names of the classes are those that have a probability: leave 'classes' and 'tags' out."
        )


class FolderOwner:
    """Lives as long as the work on a project, and its temporary folder with it."""


def new_project(pool: PoolInput, folder: str | Path | None, *, owner: object) -> Path:
    """The folder of a new project with this pool; a temporary one lives as long as its owner."""
    place = project_folder(folder, owner=owner)
    register(pool, place)
    return place


def project_folder(folder: str | Path | None, *, owner: object) -> Path:
    """The named folder, or a temporary one that lives as long as its owner.

    ":memory:" is a temporary one in main memory, where the system has such a place.
    """
    if folder is not None and str(folder) != IN_MEMORY:
        if Path(folder).exists() and not Path(folder).is_dir():
            raise InputError(f"{str(folder)!r} is a file. Name a folder for the project.")
        return Path(folder)
    fast = folder is not None and os.access(MEMORY, os.W_OK)
    place = Path(tempfile.mkdtemp(prefix="assaymark-", dir=MEMORY if fast else None))
    weakref.finalize(owner, _remove, place)
    return place


def _remove(folder: Path) -> None:
    """Remove the folder. The ledger's head is written a moment later and may come in between."""
    for _ in range(50):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.02)


def _refuse_no_pool(data: object) -> None:
    if hasattr(data, "collect"):
        raise InputError(
            f"A {type(data).__name__} holds no rows yet. Give its result: pool.collect()."
        )
    if not isinstance(data, str | Path):
        raise InputError(
            f"The pool cannot be a {type(data).__name__}. Give a data frame, an Arrow table, a dict of "
            "columns, a list of dicts, the name of a file, or arrays: y_score=…, y_pred=…"
        )


def _named(pool: PoolInput) -> Columns:
    return Columns(
        id=pool.id_column,
        score=pool.score,
        prediction=pool.prediction,
        threshold=pool.cut,
        text=pool.texts,
        groups=pool.groups or None,
        positive=pool.positive,
    )


def _columns(pool: PoolInput, names: tuple[str, ...]) -> tuple[Columns, bool]:
    """Which column is what, and whether rows are numbered because no column holds ids."""
    score, prediction = pool.score, pool.prediction
    if score is None and not pool.unscored and "score" in names:
        score = "score"
    if (
        prediction is None
        and pool.threshold is None
        and not pool.unscored
        and "prediction" in names
    ):
        prediction = "prediction"
    numbered = pool.id is None and ID not in names
    return _named(replace(pool, score=score, prediction=prediction)), numbered


def _with_arrays(pool: PoolInput) -> MemoryTable:
    """The arrays as columns, beside those of a table of columns where there is one."""
    known: dict[str, Any] = {}
    if pool.data is not None:
        table = memory_table(pool.data)
        if table.columns is None:
            raise InputError(
                "Arrays go with a dict of columns or with nothing; a data frame has columns of its "
                "own. Name them instead: score='…', prediction='…'."
            )
        known = dict(table.columns)
    for name, values in (("score", pool.y_score), ("prediction", pool.y_pred)):
        if values is not None:
            known[name] = _one_column(name, values)
    return memory_table(known)


def _one_column(name: str, values: Values) -> Any:
    import numpy as np

    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 2:
        raise InputError(
            f"'{name}' has two columns, as predict_proba gives them. Take the one of the positive "
            f"class: {name}[:, 1]."
        )
    if array.ndim != 1:
        raise InputError(
            f"'{name}' must hold one number per item, got an array of shape {array.shape}."
        )
    return array
