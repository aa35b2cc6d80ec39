"""What somebody wants to prove, and the four counts that speak to it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from assaymark.claims.checks import choice, count, open_share, same_order
from assaymark.claims.record import Record
from assaymark.errors import InputError

Side = Literal["lower", "upper", "both"]
CELLS = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True, kw_only=True)
class Claim(Record):
    """ "The metric is at least (lower) or at most (upper) the target"."""

    metric: str
    side: Literal["lower", "upper"]
    target: float

    def __post_init__(self) -> None:
        choice("side", self.side, ("lower", "upper"))
        open_share("target", self.target)

    def __str__(self) -> str:
        return f"{self.metric} {'>=' if self.side == 'lower' else '<='} {self.target:g}"


@dataclass(frozen=True, kw_only=True)
class Counts(Record):
    """How often prediction and label agreed or not: the confusion matrix."""

    tp: int
    fp: int
    fn: int
    tn: int

    def __post_init__(self) -> None:
        for cell in CELLS:
            count(cell, getattr(self, cell))

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """The counts in the order TP, FP, FN, TN."""
        return (self.tp, self.fp, self.fn, self.tn)

    @property
    def total(self) -> int:
        """How many items were counted."""
        return sum(self.cells)

    @classmethod
    def parse(cls, text: str) -> "Counts":
        """Counts from `TP,FP,FN,TN` as people type them.

        >>> Counts.parse("80,20,20,880").total
        1000
        """
        parts = [part.strip() for part in text.split(",")]
        if len(parts) != 4 or not all(part.isascii() and part.isdigit() for part in parts):
            raise InputError(
                f"Counts are four whole numbers TP,FP,FN,TN, got {text!r}. Example: 80,20,20,880."
            )
        return cls(**dict(zip(CELLS, map(int, parts), strict=True)))

    @classmethod
    def from_labels(
        cls, y_true: Iterable[Any], y_pred: Iterable[Any], *, positive: Any = None
    ) -> "Counts":
        """Counts from labels and predictions, item by item.

        They are 0 and 1 or False and True; of other classes, `positive` names the one that counts
        as positive.

        >>> str(Counts.from_labels([1, 1, 0, 0], [1, 0, 0, 0]).cells)
        '(1, 0, 1, 2)'
        """
        same_order(y_true, y_pred)
        labels, predictions = _listed(y_true), _listed(y_pred)
        if len(labels) != len(predictions):
            raise InputError(
                f"Labels and predictions must be of the same items, got {len(labels):,} labels and "
                f"{len(predictions):,} predictions."
            )
        _refuse_other_classes(labels, predictions, positive)
        cells = dict.fromkeys(CELLS, 0)
        names = {(True, True): "tp", (False, True): "fp", (True, False): "fn", (False, False): "tn"}
        truth = _classes(labels, positive, "label")
        for pair in zip(truth, _classes(predictions, positive, "prediction"), strict=True):
            cells[names[pair]] += 1
        return cls(**cells)

    @classmethod
    def from_confusion_matrix(cls, matrix: Any) -> "Counts":
        """Counts from scikit-learn's confusion matrix: [[TN, FP], [FN, TP]].

        >>> Counts.from_confusion_matrix([[880, 20], [20, 80]]) == Counts.parse("80,20,20,880")
        True
        """
        rows = [_listed(row) for row in matrix]
        if [len(row) for row in rows] != [2, 2]:
            raise InputError(
                "The confusion matrix of two classes has two rows and two columns, [[TN, FP], [FN, "
                f"TP]]; got {rows!r}."
            )
        (tn, fp), (fn, tp) = rows
        return cls(tp=_whole(tp), fp=_whole(fp), fn=_whole(fn), tn=_whole(tn))


def _listed(values: Iterable[Any]) -> list[Any]:
    """The values as Python's own, which numpy, pandas, polars and pyarrow hold as others."""
    source: Any = values
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(source, name):
            return list(getattr(source, name)())
    return list(values)


def _refuse_other_classes(labels: list[Any], predictions: list[Any], positive: Any) -> None:
    """Refused where everything would count as negative, and so as right, by a slip of spelling."""
    if positive is None or not labels:
        return
    if positive not in labels and positive not in predictions:
        raise InputError(
            f"No label and no prediction is {positive!r}. They are: {_examples(labels)}, and "
            f"{_examples(predictions)}."
        )
    if {*labels}.isdisjoint(predictions) and len({*labels, *predictions}) > 2:
        raise InputError(
            f"No prediction is one of the labels: labels are {_examples(labels)}, and predictions "
            f"{_examples(predictions)}."
        )


def _examples(values: list[Any]) -> str:
    distinct = list(dict.fromkeys(values))
    return ", ".join(map(repr, distinct[:3])) + (", …" if len(distinct) > 3 else "")


def _classes(values: list[Any], positive: Any, what: str) -> list[bool]:
    """Whether each value is of the positive class."""
    missing = next((i for i, value in enumerate(values) if _is_missing(value)), None)
    if missing is not None:
        raise InputError(
            f"The {what} at position {missing} is missing. Leave out items without one, unless that "
            "depends on the item: then the rest is no random sample."
        )
    if positive is not None:
        return [bool(value == positive) for value in values]
    odd = next((i for i, value in enumerate(values) if not _is_binary(value)), None)
    if odd is not None:
        is_score = what == "prediction" and isinstance(values[odd], float)
        advice = (
            "Cut scores first: y_score >= 0.5."
            if is_score
            else "Name the class that counts as positive: positive='…'."
        )
        raise InputError(
            f"The {what} at position {odd} is {values[odd]!r}, and 0 or 1 was expected. {advice}"
        )
    return [bool(value) for value in values]


def _is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA, which alone are not equal to themselves."""
    return value is None or str(value) == "<NA>" or bool(value != value)


def _is_binary(value: Any) -> bool:
    return not isinstance(value, str) and value is not None and bool(value == 0 or value == 1)


def _whole(value: Any) -> int:
    if value != int(value):
        raise InputError(f"A confusion matrix holds counts, got {value!r}: leave out normalize=…")
    return int(value)
