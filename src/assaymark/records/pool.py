"""A collection of items: which columns play which part, and what two light passes learnt."""

from dataclasses import dataclass

from assaymark.claims.record import Record
from assaymark.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Columns(Record):
    """Which column of the pool holds what. `threshold` turns scores into predictions.

    `groups` are columns that a claim may be made in every group of; `positive` is the prediction
    that counts as positive where the two are not spelled 0 and 1.
    """

    id: str
    score: str | None = None
    prediction: str | None = None
    threshold: float | None = None
    text: tuple[str, ...] = ()
    groups: tuple[str, ...] | None = None
    positive: str | None = None

    def __post_init__(self) -> None:
        if self.prediction and self.threshold is not None:
            raise InputError(
                "Give either --prediction or --threshold, not both: each says which items are "
                "predicted positive."
            )
        if self.threshold is not None and not self.score:
            raise InputError("--threshold needs --score: it is a cut-off on the scores.")
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

    @property
    def predicts(self) -> bool:
        """Whether items are predicted positive or negative at all."""
        return self.prediction is not None or self.threshold is not None


@dataclass(frozen=True, kw_only=True)
class Histogram(Record):
    """Scores of one predicted class in bins of ascending score.

    `edges` are positions on the fine grid of scores (see `assaymark.pool.grid`): bin i holds the
    items whose grid position is at least edges[i] and below edges[i+1]. `sums` are exact integer
    sums of floor(10⁹·u), u the score mapped from its range onto [0, 1].
    """

    edges: tuple[int, ...]
    counts: tuple[int, ...]
    sums: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class PoolSummary(Record):
    """Everything later steps need to know about a pool without reading it again."""

    items: int
    predicted_positive: int
    predicted_negative: int
    score_low: float | None = None
    score_high: float | None = None
    positive: Histogram | None = None
    negative: Histogram | None = None


@dataclass(frozen=True, kw_only=True)
class PoolFile(Record):
    """One file of the pool, by its bytes."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class RegisteredPool(Record):
    """A pool as it was when the project began: where it is, its summary, its fingerprint."""

    source: str
    engine: str
    columns: Columns
    summary: PoolSummary
    files: tuple[PoolFile, ...]
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class ReservedItem(Record):
    """An item that may be drawn: its place in the ticket order of its stratum."""

    id: str
    stratum: int
    ticket: str
    prediction: bool | None
    score: float | None
