"""How an estimate is sampled, and what it says: point, interval for reading, guarantee."""

from dataclasses import dataclass, field
from typing import Any, Literal

from assaymark.claims.checks import choice, open_share
from assaymark.claims.pictures import (
    Bar,
    InSentence,
    Picture,
    frame,
    html_answer,
    html_table,
    interval_picture,
)
from assaymark.claims.ratio_metrics import metric as find_metric
from assaymark.claims.record import Record
from assaymark.claims.results import counted, rounded, shown
from assaymark.errors import InputError

Sampling = Literal["fixed", "random"]


@dataclass(frozen=True, kw_only=True)
class Part(Record):
    """A range of grid positions of one predicted class (None: any)."""

    items: int
    prediction: bool
    grid_from: int | None = None
    grid_to: int | None = None


@dataclass(frozen=True, kw_only=True)
class EstimateStratum(Record):
    """Items that are sampled together; `prediction` None where they are of both classes.

    `doubt` is the error rate that the scores promise, `mean_score` the mean score.
    """

    name: str
    items: int
    parts: tuple[Part, ...]
    prediction: bool | None
    mean_score: float | None
    doubt: float | None


@dataclass(frozen=True, kw_only=True)
class EstimateDesign(InSentence, Record):
    """Everything about an estimate that is decided before its first label.

    With `sampling` "fixed" each stratum gets its number of labels by the allocation; with "random"
    each draw picks a stratum by `chances`, which is what a guarantee needs. `unit` scales the bets
    of the guaranteed interval. `within`, `labels` and `forecast_ratio` are forecasts. `first`, `step`
    and `guard` are those of an allocation that learns from labels (Tuning). `renew` are the draws
    after which the allocation "renewed" computes chances from the labels up to there. With `regression`
    scores are drawn with the items, and the point is the regression estimate on them.
    """

    metric: str
    sampling: Sampling
    strata: tuple[EstimateStratum, ...]
    stratifier: str
    allocation: str
    confidence: float
    labels: int
    within: float | None
    guarantee: bool = False
    chances: tuple[float, ...] | None = None
    unit: float | None = None
    expected: float | None = None
    forecast_ratio: float | None = None
    first: int | None = None
    step: int | None = None
    guard: bool = True
    renew: tuple[int, ...] | None = None
    regression: bool = False

    def __post_init__(self) -> None:
        choice("sampling", self.sampling, ("fixed", "random"))
        open_share("confidence", self.confidence)
        if self.renew is not None and list(self.renew) != sorted({*self.renew} - {0}):
            raise InputError(f"'renew' must be draw numbers in rising order, got {self.renew}.")

    def __str__(self) -> str:
        strata = counted(len(self.strata), "stratum", "strata")
        known = self.within is not None and self.foreseeable
        near = f", probably within ±{shown(self.within)}" if known else ""
        return f"{find_metric(self.metric).title} from {counted(self.labels, 'label')} in {strata}{near}."

    @property
    def items(self) -> int:
        """How many items the design draws from."""
        return sum(stratum.items for stratum in self.strata)

    @property
    def scored(self) -> bool:
        """Whether scores say how many positives to expect in a stratum."""
        return any(stratum.mean_score is not None for stratum in self.strata)

    @property
    def foreseeable(self) -> bool:
        """Whether the precision is known before a label: by scores; that of an accuracy is bounded."""
        return self.scored or self.metric == "accuracy"


@dataclass(frozen=True, kw_only=True)
class MetricEstimate(InSentence, Record):
    """What the labels say about one metric. What is undefined is None, with a reason, and so is an
    interval that was not seen to cover.

    `low` and `high` are for reading: measured, not proved. `guaranteed_low` and `guaranteed_high`
    each hold with the confidence whenever one looks; `guaranteed_interval` holds on both sides.
    """

    metric: str
    title: str
    point: float | None
    low: float | None
    high: float | None
    method: str
    confidence: float
    guaranteed_low: float | None = None
    guaranteed_high: float | None = None
    guaranteed_interval: tuple[float, ...] | None = None
    guaranteed_reason: str | None = None
    efficiency: float | None = None
    reason: str | None = None
    cautious: tuple[float, ...] | None = None

    @property
    def exact(self) -> bool:
        """Whether every item was labelled, so that there is nothing to estimate."""
        return self.point is not None and self.low == self.high == self.point

    def __str__(self) -> str:
        if self.point is None:
            return f"{self.title} is undefined: {self.reason}"
        if self.low is None or self.high is None:
            return f"{self.title} {shown(self.point)}, no interval: {self.reason}"
        if self.exact:
            return f"{self.title} is {shown(self.point)} exactly"
        half = (self.high - self.low) / 2
        # where the point is not in the middle, ± contradicts the range
        around = f" ± {half:.3f}" if abs(self.high - half - self.point) <= 0.1 * half else ""
        return (
            f"{self.title} {shown(self.point)}{around} "
            f"({rounded(self.low)} to {rounded(self.high, up=True)})"
        )


@dataclass(frozen=True, kw_only=True)
class StratumTally(Record):
    """What the labels of one stratum say: labelled, of them right or relevant, still possible."""

    name: str
    items: int
    labelled: int
    positives: int
    skipped: int
    hidden: int | None = None


@dataclass(frozen=True, kw_only=True)
class Estimates(Record):
    """All metrics from one sample. The first is the one that the sample was drawn for."""

    metrics: tuple[MetricEstimate, ...]
    labels: int
    skipped: int
    waiting: int
    confidence: float
    design: str
    strata: tuple[StratumTally, ...] = ()
    warnings: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    classes: tuple["ClassEstimate", ...] = field(default=())
    every_look: bool = True

    def __str__(self) -> str:
        first, labels = self.metrics[0], counted(self.labels, "label")
        if first.point is None:
            return f"{first.title} is undefined after {labels}: {first.reason}"
        if first.exact:
            return f"{first}: every item is labelled ({labels})"
        return f"{first} from {labels}"

    def __getitem__(self, name: str) -> MetricEstimate:
        wanted = find_metric(name).name
        for one in self.metrics:
            if one.metric == wanted:
                return one
        known = ", ".join(one.metric for one in self.metrics)
        raise InputError(f"The estimate has no {name!r}. It has: {known}.")

    def rows(self) -> list[dict[str, Any]]:
        """One row per metric."""
        names = (
            "metric",
            "point",
            "low",
            "high",
            "guaranteed_low",
            "guaranteed_high",
            "confidence",
        )
        return [{name: getattr(one, name) for name in names} for one in self.metrics]

    def to_frame(self) -> Any:
        """One row per metric: a pandas or polars data frame, or a list of dicts without either."""
        return frame(self.rows())

    def plot(self) -> Picture:
        """All intervals for reading, on one scale from 0 to 1."""
        bars = [
            Bar(title=one.title, low=one.low, high=one.high, point=one.point)
            for one in self.metrics
        ]
        return interval_picture(bars, caption=str(self))

    def _repr_html_(self) -> str:
        return html_answer(str(self), [], self.plot()) + html_table(self.rows())


@dataclass(frozen=True, kw_only=True)
class ClassEstimate(Record):
    """Precision, recall and F1 of one class of a multi-class classifier."""

    name: str
    precision: float | None
    recall: float | None
    f1: float | None
    labels: int
