"""Parts of a pool that are sampled separately."""

from dataclasses import dataclass

from assaymark.claims.record import Record


@dataclass(frozen=True, kw_only=True)
class Stratum(Record):
    """Items of one predicted class (None: either) in a range of grid positions (None: any)."""

    items: int
    prediction: bool | None = None
    grid_from: int | None = None
    grid_to: int | None = None
    mean_score: float | None = None

    def __str__(self) -> str:
        who = {None: "all items", True: "predicted positive", False: "predicted negative"}
        return who[self.prediction]
