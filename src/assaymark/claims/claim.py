"""What somebody wants to prove, and the four counts that speak to it."""

from dataclasses import dataclass
from typing import Literal

from assaymark.claims.checks import choice, count, open_share
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
