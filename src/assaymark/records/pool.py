"""A collection of items: which columns play which part, and what two light passes learnt."""

import math
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from assaymark.claims.label_sets import MOST_TAGS, SEPARATOR, all_sets
from assaymark.claims.record import Record
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.records.pool_shape import (
    CLASSIFIER,
    ColumnsShape,
    Histogram,
    PoolCell,
    PoolFile,
    PoolShape,
    PredictedBy,
    ScoreRange,
    SummaryShape,
)

__all__ = ["Columns", "Histogram", "PoolFile", "PoolSummary", "RegisteredPool", "ReservedItem"]

NO_BINS = Histogram(edges=(), counts=(), sums=())
NONE_OF_LIST = "none of the list"
"""The label of an item that belongs to no class of the list: wrong for every prediction."""


@dataclass(frozen=True, kw_only=True)
class Columns(Record):
    """Which column of the pool holds what. `threshold` turns scores into predictions.

    `groups` are columns that a claim may be made in every group of; `positive` is the prediction
    that counts as positive where the two are not spelled 0 and 1, and `negative` the other one.
    With `classes` predictions and labels are names of this list; `probabilities` are then one
    column for each of them, in place of a column of predictions. With `tags` an item has any
    number of labels, and the classes are the sets of them.
    """

    shape: ClassVar[type] = ColumnsShape

    id: str
    score: str | None = None
    prediction: str | None = None
    threshold: float | None = None
    text: tuple[str, ...] = ()
    groups: tuple[str, ...] | None = None
    positive: str | None = None
    negative: str | None = None
    classes: tuple[str, ...] | None = None
    probabilities: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.classes is not None:
            refuse_classes(self.classes)
            self._refuse_two_verdicts()
        if self.prediction and self.threshold is not None:
            raise InputError(
                f"Give either {option('prediction')} or {option('threshold')}, not both: each "
                "says which items are "
                "predicted positive."
            )
        if self.threshold is not None:
            self._refuse_threshold()
        if self.threshold is not None and not self.score:
            raise InputError(
                f"{option('threshold')} needs {option('score')}: it is a cut-off on the scores."
            )
        for name in self.text:
            if name in (self.score, self.prediction):
                raise InputError(
                    f"'{name}' cannot be shown as text: people label without seeing scores or "
                    "predictions."
                )
            if name.lower() in ("id", "label", "annotator", "time"):
                raise InputError(
                    f"A text column cannot be called '{name}': label files use that name. Rename the "
                    "column in the pool."
                )

    def _refuse_threshold(self) -> None:
        if not isinstance(self.threshold, int | float) or not math.isfinite(self.threshold):
            raise InputError(f"'threshold' must be a number, got {self.threshold!r}.")

    def _refuse_two_verdicts(self) -> None:
        if self.positive is not None or self.threshold is not None:
            raise InputError(
                "Classes have no positive one and no threshold: leave "
                f"{option('positive')} and {option('threshold')} out, and claim a "
                "metric of a class, as in recall of NAME >= 0.8."
            )
        if (self.prediction is None) == (self.probabilities is None):
            raise InputError(
                "Classes are predicted by one column of names, or by one probability for each class: "
                f"give {option('prediction', 'COL')}, or {option('probability', 'CLASS=COL')} for "
                "every class."
            )

    @property
    def predicts(self) -> bool:
        """Whether items are predicted positive or negative at all."""
        return not self.classes and (self.prediction is not None or self.threshold is not None)

    @property
    def example_claim(self) -> str:
        """A claim that such a pool allows, for advice."""
        if self.classes:
            return "recall of every class >= 0.7"
        claim = "f1 >= 0.75" if self.predicts else "prevalence <= 0.05"
        if not self.groups:
            return claim
        from assaymark.claims.language.tree import quoted  # ledgers are read without it

        return f"{claim} in every {quoted(self.groups[0])}"

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The names that labels may have where they are classes, "none of the list" last."""
        return (*self.classes, NONE_OF_LIST) if self.classes else ()

    def to_shape(self) -> ColumnsShape:
        """The columns as they are stored."""
        predicted, scores = None, {CLASSIFIER: self.score} if self.score else None
        named = (self.negative, self.positive) if self.negative and self.positive else None
        if self.classes and self.probabilities:
            scores = dict(zip(self.classes, self.probabilities, strict=True))
        if self.predicts or self.prediction:
            column = self.prediction or self.score or ""
            predicted = {CLASSIFIER: PredictedBy(column=column, threshold=self.threshold)}
        return ColumnsShape(
            id=(self.id,),
            predictions=predicted,
            scores=scores,
            texts=self.text or None,
            groups=self.groups,
            classes=named if self.tags else self.classes or named,
            tags=self.tags,
            positive=self.positive,
        )

    @classmethod
    def from_shape(cls, shape: ColumnsShape) -> "Columns":
        """The columns that `to_shape` described; refused where they need a newer version."""
        predicted, scores = shape.predictions or {}, shape.scores or {}
        classes = shape.classes if shape.positive is None else None
        if shape.tags:
            refuse_tags(shape.tags)
            classes = all_sets(shape.tags)
        by_class = classes is not None and tuple(scores) == classes
        names = {*predicted, *(() if by_class else scores)}
        if len(shape.id) != 1 or names - {CLASSIFIER}:
            raise InputError(
                "This pool has several classifiers or columns of ids, which this version of "
                "assaymark does not read. Install a newer assaymark."
            )
        by = predicted.get(CLASSIFIER)
        threshold = by.threshold if by else None
        return cls(
            id=shape.id[0],
            score=scores.get(CLASSIFIER),
            prediction=by.column if by and threshold is None else None,
            threshold=threshold,
            text=shape.texts or (),
            groups=shape.groups,
            positive=shape.positive,
            negative=shape.classes[0] if shape.classes and shape.positive is not None else None,
            classes=classes,
            tags=shape.tags,
            probabilities=tuple(scores[name] for name in classes) if classes and by_class else None,
        )


def refuse_classes(classes: tuple[str, ...]) -> None:
    """Refuse a list of classes in which a label could mean two things, or nothing."""
    if len(classes) < 2:
        raise InputError(
            f"Labels are of two classes or more, got {', '.join(classes) or 'none'}. Name those that "
            "are never predicted as well."
        )
    for name in classes:
        if not name or name != name.strip() or name == NONE_OF_LIST:
            raise InputError(f"A class cannot be called {name!r}. Rename it in the pool.")
    twice = next((name for name in classes if classes.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"The class {twice!r} is named twice. Name each class once.")


def refuse_tags(tags: tuple[str, ...]) -> None:
    """Refuse a list of tags whose sets are too many to count, or could be mistaken for one another."""
    if len(tags) > MOST_TAGS:
        raise InputError(
            f"{len(tags):,} labels ({', '.join(tags[:3])}, …) are too many at once: an item can have any "
            f"set of them, and every set is counted. Name up to {MOST_TAGS} that matter with "
            f"{option('class', 'NAME')}; the others are left out. A second project can hold the rest."
        )
    refuse_classes(tags)
    bad = next((name for name in tags if SEPARATOR in name), None)
    if bad is not None:
        raise InputError(
            f"The label {bad!r} holds '{SEPARATOR}', which stands between two labels. Rename it."
        )


@dataclass(frozen=True, kw_only=True)
class PoolSummary(Record):
    """Everything later steps need to know about a pool without reading it again."""

    shape: ClassVar[type] = SummaryShape

    items: int
    predicted_positive: int
    predicted_negative: int
    score_low: float | None = None
    score_high: float | None = None
    positive: Histogram | None = None
    negative: Histogram | None = None

    @property
    def predicts(self) -> bool:
        """Whether any item is predicted positive or negative."""
        return self.predicted_positive + self.predicted_negative > 0

    def to_shape(self) -> SummaryShape:
        """The summary as it is stored: the predicted positives, then the predicted negatives."""
        cells: tuple[PoolCell, ...]
        if self.predicts:
            cells = (
                _cell(1, self.predicted_positive, self.positive),
                _cell(0, self.predicted_negative, self.negative),
            )
        else:
            cells = (PoolCell(items=self.items, histogram=self.negative),)
        low, high = self.score_low, self.score_high
        known = None if low is None or high is None else ScoreRange(low=low, high=high)
        return SummaryShape(
            items=self.items, cells=cells, ranges=None if known is None else {CLASSIFIER: known}
        )

    @classmethod
    def from_shape(cls, shape: SummaryShape) -> "PoolSummary":
        """The summary that `to_shape` described."""
        known = (shape.ranges or {}).get(CLASSIFIER)
        sides = {cell.predictions.get(CLASSIFIER): cell for cell in shape.cells}
        positive, negative = sides.get(1), sides.get(0) or sides.get(None)
        none = NO_BINS if known else None
        return cls(
            items=shape.items,
            predicted_positive=positive.items if positive else 0,
            predicted_negative=sides[0].items if 0 in sides else 0,
            score_low=known.low if known else None,
            score_high=known.high if known else None,
            positive=positive.histogram if positive else none,
            negative=negative.histogram if negative else none,
        )


def _cell(prediction: int, items: int, histogram: Histogram | None) -> PoolCell:
    return PoolCell(items=items, predictions={CLASSIFIER: prediction}, histogram=histogram)


@dataclass(frozen=True, kw_only=True)
class RegisteredPool(Record):
    """A pool as it was when the project began: where it is, its summary, its fingerprint."""

    shape: ClassVar[type] = PoolShape

    source: str
    engine: str
    columns: Columns
    summary: PoolSummary
    files: tuple[PoolFile, ...]
    fingerprint: str
    classifiers: dict[str, dict[str, str]] | None = None

    @property
    def cells(self) -> tuple[bool | None, ...]:
        """What is predicted of the items in each cell; draws name cells by their place here."""
        return (True, False) if self.summary.predicts else (None,)

    def to_shape(self) -> PoolShape:
        """The pool as it is stored."""
        return PoolShape(
            source=self.source,
            engine=self.engine,
            summary=self.summary.to_shape(),
            files=self.files,
            fingerprint=self.fingerprint,
            classifiers=self.classifiers,
            **_fields(self.columns.to_shape()),
        )

    @classmethod
    def from_shape(cls, shape: PoolShape) -> "RegisteredPool":
        """The pool that `to_shape` described."""
        return cls(
            source=shape.source,
            engine=shape.engine,
            columns=Columns.from_shape(shape),
            summary=PoolSummary.from_shape(shape.summary),
            files=shape.files,
            fingerprint=shape.fingerprint,
            classifiers=shape.classifiers,
        )


def _fields(shape: ColumnsShape) -> dict[str, Any]:
    return {field.name: getattr(shape, field.name) for field in fields(ColumnsShape)}


class ReservedItem(NamedTuple):
    """An item that may be drawn: its place in the ticket order of its stratum."""

    id: str
    stratum: int
    ticket: str
    prediction: bool | None
    score: float | None
