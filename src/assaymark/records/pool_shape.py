"""How a pool is stored: named predictions and scores, and counts for each cell of them.

A cell holds the items about which the same is known before any label: what each classifier
predicts of them, and their group. Draws name the cell of their item by its place in the list.
"""

from dataclasses import dataclass, field

from assaymark.claims.record import Record

CLASSIFIER = "classifier"  # the name of a pool's only classifier


@dataclass(frozen=True, kw_only=True)
class PredictedBy(Record):
    """Where a classifier's prediction stands; with a threshold, the column holds its scores."""

    column: str
    threshold: float | None = None


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
class PoolCell(Record):
    """Items of which every classifier predicts the same, in one group; `histogram` of their scores."""

    items: int
    predictions: dict[str, int | str] = field(default_factory=dict)
    groups: dict[str, str] | None = None
    histogram: Histogram | None = None


@dataclass(frozen=True, kw_only=True)
class ScoreRange(Record):
    """The lowest and the highest score of a classifier."""

    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class SummaryShape(Record):
    """What two passes over the pool counted."""

    items: int
    cells: tuple[PoolCell, ...]
    ranges: dict[str, ScoreRange] | None = None


@dataclass(frozen=True, kw_only=True)
class ColumnsShape(Record):
    """Which columns of the pool play which part.

    Several columns of `id` make one id, the canonical JSON of the list of their texts. `groups`
    are columns; `classes` are the names a label may take, in order, and `positive` the one that
    counts as 1. With `tags` an item has any number of these labels. Absent: labels are 0 and 1.
    """

    id: tuple[str, ...]
    id_type: str = "text"
    predictions: dict[str, PredictedBy] | None = None
    scores: dict[str, str] | None = None
    groups: tuple[str, ...] | None = None
    classes: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    positive: str | None = None
    texts: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class PoolFile(Record):
    """One file of the pool, by its bytes."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class PoolShape(ColumnsShape):
    """A registered pool as it is stored. `classifiers` tells what is known of each, by name."""

    source: str
    engine: str
    summary: SummaryShape
    files: tuple[PoolFile, ...]
    fingerprint: str
    classifiers: dict[str, dict[str, str]] | None = None
