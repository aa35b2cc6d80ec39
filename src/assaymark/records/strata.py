"""Parts of a pool that are sampled separately."""

from dataclasses import dataclass
from typing import ClassVar

from assaymark.claims.record import Record
from assaymark.records.plan_shape import StratumShape

CELLS = {True: 0, False: 1, None: None}


@dataclass(frozen=True, kw_only=True)
class Stratum(Record):
    """Items of one predicted class (None: either) in a range of grid positions (None: any)."""

    shape: ClassVar[type] = StratumShape

    items: int
    prediction: bool | None = None
    grid_from: int | None = None
    grid_to: int | None = None
    mean_score: float | None = None

    def __str__(self) -> str:
        who = {None: "all items", True: "predicted positive", False: "predicted negative"}
        return who[self.prediction]

    def to_shape(self) -> StratumShape:
        """The stratum as it is stored, with its cell of the pool."""
        return StratumShape(
            items=self.items,
            cell=CELLS[self.prediction],
            grid_from=self.grid_from,
            grid_to=self.grid_to,
            mean_score=self.mean_score,
        )

    @classmethod
    def from_shape(cls, shape: StratumShape) -> "Stratum":
        """The stratum that `to_shape` described."""
        return cls(
            items=shape.items,
            prediction={cell: prediction for prediction, cell in CELLS.items()}[shape.cell],
            grid_from=shape.grid_from,
            grid_to=shape.grid_to,
            mean_score=shape.mean_score,
        )
