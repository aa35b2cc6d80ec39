"""The collection as training sees it: rows in file order, and what can be trained on them."""

import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.errors import InputError
from assaymark.hints import command
from assaymark.learners.documents import (
    Documents,
    LinearDocuments,
    LinearFit,
    PipelineDocuments,
    load_factory,
)
from assaymark.learners.features import Features, has_features, needed, open_features, vectorise
from assaymark.ledger.events import SurveyWork, set_aside, settings_of
from assaymark.pool import Progress, silent
from assaymark.pool.duckdb import JOIN, DuckDBPool
from assaymark.pool.sources import is_elsewhere
from assaymark.project.folder import Project
from assaymark.records.pool import RegisteredPool
from assaymark.sampling.reserve import refuse_changed
from assaymark.sampling.tickets import ticket

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
FEATURES = "features"  # a folder of the project that can be made again at any time
LINEAR = "linear"


@dataclass(frozen=True, kw_only=True, eq=False)
class Material:
    """Ids in row order, and the documents behind them."""

    ids: NDArray[Any]
    documents: Documents
    pool: DuckDBPool

    @cached_property
    def place(self) -> dict[str, int]:
        """The row of each item."""
        return {str(item): row for row, item in enumerate(self.ids)}

    def rows(self, items: Iterable[str]) -> Ints:
        """The rows of these items."""
        return np.array([self.place[item] for item in items], dtype=np.int64)

    def order(self, seed: str) -> Ints:
        """All rows in the order of their tickets."""
        # 64 of the 256 bits: a collection of a million has two alike once in 30 million projects
        tickets = (int(ticket(seed, item)[:16], 16) for item in self.ids)
        return np.argsort(np.fromiter(tickets, np.uint64, len(self.ids)), kind="stable")

    def marked(self, items: Iterable[str]) -> Flags:
        """Which rows are these items; those of other collections are left out."""
        flags = np.zeros(len(self.ids), dtype=np.bool_)
        flags[[self.place[item] for item in items if item in self.place]] = True
        return flags

    def certified(self, work: SurveyWork) -> Flags:
        """Which rows a certificate will be about, as the population says."""
        settings = settings_of(work)
        if settings.population != "future":
            return ~self.marked(work.order)
        return np.array([set_aside(settings, item) for item in self.ids], dtype=np.bool_)


@contextmanager
def open_material(
    project: Project,
    collection: RegisteredPool,
    learner: str,
    *,
    how: LinearFit = LinearFit(),  # noqa: B008 - frozen
    progress: Progress = silent,
) -> Iterator[Material]:
    """The collection opened for training; its texts are read for the learner the first time.

    `how` the built-in learner is fitted.
    """
    refuse_untrainable_pool(collection)
    needed("sklearn")
    factory = None if learner == LINEAR else _factory(learner)
    pool = DuckDBPool(project.pool_path(collection), collection.columns)
    try:
        refuse_changed(pool, collection, progress)
        if factory is None:
            features = _features(project, collection, pool, progress)
            yield Material(
                ids=features.ids, documents=LinearDocuments(features=features, how=how), pool=pool
            )
            return
        ids = np.array([item for batch, _ in pool.batches() for item in batch], dtype=object)
        texts = TrainingTexts(pool)
        documents = PipelineDocuments(
            name=learner,
            factory=factory,
            items=len(ids),
            texts_of=lambda rows: texts.of([str(ids[row]) for row in rows]),
            batches=lambda: (batch for _, batch in pool.batches()),
        )
        yield Material(ids=ids, documents=documents, pool=pool)
    finally:
        pool.close()


def _factory(learner: str) -> Callable[[], Any]:
    """What makes the user's own pipeline; whatever goes wrong in it is reported before any label."""
    try:
        factory = load_factory(learner)
        made = factory()
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"The learner {learner!r} cannot be made: {type(error).__name__}: {error}."
        ) from error
    if not (hasattr(made, "decision_function") or hasattr(made, "predict_proba")):
        raise InputError(
            f"The learner {learner!r} gives no scores: it needs predict_proba or decision_function. "
            "Use another classifier at the end of the pipeline."
        )
    return factory


def refuse_untrainable_pool(collection: RegisteredPool) -> None:
    """Refuse a pool without texts, with a classifier of its own, or out of this machine's reach."""
    columns = collection.columns
    if columns.predicts or columns.score:
        raise InputError(
            "This project's pool came with a classifier of its own (a score, prediction or threshold). "
            f"To train a new one, begin a project without them: "
            f"{command('init', 'DIR', pool='FILE', id='COL', text='COL')}."
        )
    if "assaymark_score" in (columns.id, *columns.text):
        raise InputError(
            "A column of this project's pool is called 'assaymark_score', as the classifier's scores will "
            "be. Rename it and begin a new project."
        )
    if not columns.text:
        raise InputError(
            "Training reads texts, and this project's pool has no text column. Begin a project that "
            f"names one: {command('init', 'DIR', pool='FILE', id='COL', text='COL')}."
        )
    if is_elsewhere(collection.source):
        raise InputError(
            f"Training reads the texts on this machine, and {collection.source!r} can be reached by "
            "Spark only. Write it to parquet files first and begin a project on those."
        )


def _features(
    project: Project, collection: RegisteredPool, pool: DuckDBPool, progress: Progress
) -> Features:
    """The features of the collection, made once; two who make them at once do not disturb."""
    home = project.folder / FEATURES
    folder, items = home / collection.fingerprint[:16], collection.summary.items
    if has_features(folder, items=items):
        return open_features(folder)
    part = home / f"{collection.fingerprint[:16]}-{uuid.uuid4().hex[:8]}.part"
    try:
        vectorise(pool.batches(), part, items=items, progress=progress)
        if not has_features(folder, items=items):
            shutil.rmtree(folder, ignore_errors=True)
            part.replace(folder)
    except OSError as error:
        if not has_features(folder, items=items):  # otherwise somebody else was faster
            raise InputError(
                f"The word weights cannot be written to {str(home)!r}: {error.strerror or error}."
            ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return open_features(folder)


class TrainingTexts:
    """The texts of training items, read from the pool once: every fold asks for most of them."""

    def __init__(self, pool: DuckDBPool) -> None:
        self._pool = pool
        self._kept: dict[str, str] = {}

    def of(self, ids: Sequence[str]) -> list[str]:
        """The texts of these items."""
        missing = [item for item in ids if item not in self._kept]
        for item, fields in self._pool.texts(missing).items() if missing else ():
            self._kept[item] = JOIN.join(text for text in fields.values() if text is not None)
        return [self._kept[item] for item in ids]
