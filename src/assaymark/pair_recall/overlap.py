"""Recall from classifiers that overlap: what was labelled in each cell, and what follows from it.

A cell is named by which classifiers flag its items: "11" both, "10" only the first, "00" neither.
"""

from dataclasses import dataclass

from assaymark.claims.checks import count
from assaymark.claims.record import Record
from assaymark.claims.results import counted, percent, rounded, shown
from assaymark.errors import InputError

DELTA_BAND = (0.85, 1.25)  # usable pairs of the paper's tables lie between 0.88 and 1.24


@dataclass(frozen=True, kw_only=True)
class CellSample(Record):
    """A cell: its items, how many of them have a label, and how many of those are positive."""

    items: int
    labels: int = 0
    positives: int = 0

    def __post_init__(self) -> None:
        for name in ("items", "labels", "positives"):
            count(name, getattr(self, name))
        if not self.positives <= self.labels <= self.items:
            raise InputError(
                f"A cell of {counted(self.items, 'item')} cannot hold "
                f"{counted(self.labels, 'label')} with {self.positives:,} positive. Positives are "
                "labelled items, and labelled items are items of the cell."
            )


@dataclass(frozen=True, kw_only=True)
class DeltaBand(Record):
    """How far from independence the pair may be: 1 is independent, above 1 they find the same."""

    low: float = DELTA_BAND[0]
    high: float = DELTA_BAND[1]

    def __post_init__(self) -> None:
        if not 0 < self.low <= 1 <= self.high:
            raise InputError(
                f"The dependence band must run from a number in (0, 1] to one of at least 1, got "
                f"{self.low:g} to {self.high:g}. 1 means independent; the usual band is "
                f"{DELTA_BAND[0]:g},{DELTA_BAND[1]:g}."
            )


@dataclass(frozen=True, kw_only=True)
class RecallRange(Record):
    """A recall: the point, the sampling interval, and the band that dependence adds.

    `low` and `high` are for the recall times the dependence; only the band is for the recall.
    `upper` is Eq. 2 of the paper, an upper bound that needs no label of the joint cell; None where
    it was not asked for, or where false positives avoid each other and it would bound nothing.
    """

    recall: float
    low: float
    high: float
    band_low: float
    band_high: float
    confidence: float = 0.95
    upper: float | None = None

    def __str__(self) -> str:
        return (
            f"recall about {shown(self.recall)}; sampling alone {rounded(self.low)} to "
            f"{rounded(self.high, up=True)} with {percent(self.confidence)} confidence; with "
            f"dependence {rounded(self.band_low)} to {rounded(self.band_high, up=True)}"
        )


@dataclass(frozen=True, kw_only=True)
class Positives(Record):
    """How many positive items the collection holds: point, sampling interval, band."""

    point: float
    low: float
    high: float
    band_low: float
    band_high: float

    def __str__(self) -> str:
        return (
            f"about {self.point:,.0f} positive items ({self.low:,.0f} to {self.high:,.0f} from "
            f"sampling; {self.band_low:,.0f} to {self.band_high:,.0f} with dependence)"
        )


@dataclass(frozen=True, kw_only=True)
class Dependence(Record):
    """How far two classifiers are from independent on one class: 1 is independent."""

    point: float
    low: float | None = None
    high: float | None = None
    source: str = ""

    def __str__(self) -> str:
        ends = (
            "" if self.low is None or self.high is None else f" ({self.low:.2f} to {self.high:.2f})"
        )
        return f"{self.point:.2f}{ends}, {self.source}"


@dataclass(frozen=True, kw_only=True)
class Feasible(Record):
    """Which dependence is possible at all; `high` is None where nothing bounds it."""

    low: float
    high: float | None

    def __str__(self) -> str:
        top = "no upper end" if self.high is None else f"at most {self.high:.3f}"
        return f"at least {self.low:.3f}, {top}"


@dataclass(frozen=True, kw_only=True)
class OverlapEstimate(Record):
    """What a labelled sample over the cells says about each classifier, in their order.

    `method` is how the items that nobody flagged were accounted for: "pair" (independence),
    "triple" (no three-way interaction) or "combined" (with labels from outside). `chao` is a lower
    bound on the positives, None where it would contradict the estimate. `refuted` says that labels
    from outside excluded the assumed dependence, so that all figures come from labels alone.
    """

    method: str
    recalls: tuple[RecallRange, ...]
    positives: Positives
    missed: float
    labels: int
    band: DeltaBand
    confidence: float
    feasible: Feasible | None = None
    delta1: Dependence | None = None
    delta2: Dependence | None = None
    chao: float | None = None
    refuted: bool = False
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.recalls[0]} ({self.labels:,} labels, {self.method})"


@dataclass(frozen=True, kw_only=True)
class CellAdvice(Record):
    """How many more labels a cell needs for the wanted half-width; `known` counts those it has."""

    cell: str
    labels: int
    known: int
    items: int


@dataclass(frozen=True, kw_only=True)
class Advice(Record):
    """What to label next. `floor` is the half-width that dependence leaves however much is labelled."""

    half_width: float
    reached: float
    cells: tuple[CellAdvice, ...]
    floor: float
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, kw_only=True)
class Cost(Record):
    """Labels for the same precision by unbiased sampling and by the pair.

    `saving` compares sampling error alone, as if the pair were independent; `honest_saving`
    compares root mean squared errors with the bias that a dependence of `delta` brings.
    """

    prevalence: float
    recall: float
    half_width: float
    unbiased: int
    pair: int
    saving: float
    honest_saving: float
    delta: float
