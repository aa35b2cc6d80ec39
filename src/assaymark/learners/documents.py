"""What can be trained on: features made once, or any scikit-learn pipeline that reads texts."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.learners.features import Features, Floats, Ints, Progress, needed
from assaymark.plugins import Registry, takes

Flags = NDArray[np.bool_]


class Scorer(Protocol):
    """A fitted classifier: higher scores are more likely relevant."""

    def at(self, rows: Ints) -> Floats:
        """The scores of these rows."""
        ...

    def everywhere(self, progress: Progress) -> Floats:
        """The score of every row of the collection."""
        ...


class Documents(Protocol):
    """A collection that can be trained on."""

    @property
    def name(self) -> str:
        """What is recorded as the learner."""
        ...

    def fit(self, rows: Ints, labels: Flags) -> Scorer:
        """A classifier trained on these rows."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Weights:
    """A linear classifier over the features of a collection."""

    features: Features
    weights: NDArray[np.float32]
    intercept: float

    def at(self, rows: Ints) -> Floats:
        """The scores of these rows."""
        scores = self.features.matrix[rows] @ self.weights
        return np.asarray(scores, dtype=np.float64) + self.intercept

    def everywhere(self, _progress: Progress) -> Floats:
        """The score of every row, a part of the rows at a time."""
        return self.features.products(self.weights) + self.intercept


@dataclass(frozen=True, kw_only=True)
class LinearFit:
    """How closely a linear machine follows its labels, and how many others a relevant one outweighs."""

    strength: float = 0.3
    relevant: float = 1.0

    def machine(self) -> Any:
        """An unfitted support vector machine; fitted to the same rows it is always the same."""
        weights = None if self.relevant == 1.0 else {True: self.relevant, False: 1.0}
        return needed("sklearn.svm").LinearSVC(
            C=self.strength, class_weight=weights, tol=0.05, max_iter=3000, random_state=0
        )


READING = LinearFit(strength=0.05, relevant=10.0)
"""For finding the last relevant records: a smooth machine that would rather read one too many."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearDocuments:
    """A linear support vector machine over TF-IDF rows."""

    features: Features
    how: LinearFit = LinearFit()

    @property
    def name(self) -> str:
        """What is recorded as the learner."""
        return "linear SVM over TF-IDF" + (", made for reading" if self.how == READING else "")

    def fit(self, rows: Ints, labels: Flags) -> Scorer:
        """The machine trained on these rows."""
        machine = self.how.machine()
        machine.fit(self.features.matrix[rows], labels)
        weights = machine.coef_.ravel().astype(np.float32)
        return Weights(
            features=self.features, weights=weights, intercept=float(machine.intercept_[0])
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Piped:
    documents: "PipelineDocuments"
    pipeline: Any

    def _scores(self, texts: Sequence[str]) -> Floats:
        pipeline = self.pipeline
        if hasattr(pipeline, "decision_function"):
            return np.asarray(pipeline.decision_function(texts), dtype=np.float64)
        share = np.clip(pipeline.predict_proba(texts)[:, 1], 1e-9, 1 - 1e-9)
        return np.asarray(np.log(share / (1 - share)), dtype=np.float64)

    def at(self, rows: Ints) -> Floats:
        """The scores of these rows."""
        return self._scores(self.documents.texts_of(rows))

    def everywhere(self, progress: Progress) -> Floats:
        """The score of every text as it streams past."""
        scores: list[Floats] = []
        for texts in self.documents.batches():
            scores.append(self._scores(texts))
            done = sum(map(len, scores))
            progress("scoring the texts", done / max(1, self.documents.items))
        return np.concatenate(scores) if scores else np.zeros(0)


@dataclass(frozen=True, kw_only=True, eq=False)
class PipelineDocuments:
    """Any scikit-learn pipeline from texts to a classifier; `factory` makes an unfitted one."""

    name: str
    factory: Callable[[], Any]
    items: int
    texts_of: Callable[[Ints], list[str]]
    batches: Callable[[], Iterator[list[str]]]

    def fit(self, rows: Ints, labels: Flags) -> Scorer:
        """The pipeline trained on these texts."""
        pipeline = self.factory()
        if not (hasattr(pipeline, "decision_function") or hasattr(pipeline, "predict_proba")):
            raise InputError(
                f"The learner {self.name!r} gives no scores: it needs predict_proba or "
                "decision_function. Use another classifier at the end of the pipeline."
            )
        try:
            fitted = pipeline.fit(self.texts_of(rows), labels.astype(int))
        except ValueError as error:
            raise InputError(f"The learner {self.name!r} cannot be trained: {error}") from error
        return _Piped(documents=self, pipeline=fitted)


LEARNERS: Registry[Callable[[], Any]] = Registry(
    "assaymark.learners", {}, takes(), reserved=("linear",)
)
"""Functions that make an unfitted text pipeline, by name; the built-in learner needs none."""


def _module_here(module: str) -> ModuleType:
    """A user's module, found in this folder first, as `python -m` would.

    A notebook or a server that serves several projects may have loaded a file of the same name from
    another folder: this folder's own file is what is meant.
    """
    here = Path.cwd()
    own = here / f"{module}.py"
    loaded = sys.modules.get(module)
    if own.is_file() and getattr(loaded, "__file__", str(own)) != str(own):
        del sys.modules[module]
    sys.path.insert(0, str(here))
    invalidate_caches()  # the file may be younger than what was last read of this folder
    try:
        return import_module(module)
    finally:
        sys.path.remove(str(here))


def load_factory(name: str) -> Callable[[], Any]:
    """What makes an unfitted pipeline, named `module:function` or `module:pipeline`, or by a plug-in's name.

    A pipeline itself is copied for every fit.
    """
    if name and ":" not in name and name in LEARNERS:
        return LEARNERS[name]
    if name in LEARNERS.refused:
        LEARNERS.find("learner", name)
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise InputError(
            f"A learner is named module:function, got {name!r}. Example: "
            f"{option('learner', 'mine:build')} with "
            "a file mine.py in this folder."
        )
    try:
        factory = getattr(_module_here(module), attribute)
    except (ImportError, AttributeError) as error:
        raise InputError(f"The learner {name!r} cannot be loaded: {error}.") from error
    if hasattr(factory, "fit") and not isinstance(factory, type):
        clone: Callable[[Any], Any] = needed("sklearn.base").clone
        return lambda: clone(factory)
    if not callable(factory):
        raise InputError(
            f"The learner {name!r} is neither a pipeline nor a function that makes one."
        )
    made: Callable[[], Any] = factory
    return made
