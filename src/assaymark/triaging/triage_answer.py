"""What is asked of a triage, and what it answers."""

from dataclasses import dataclass
from typing import Any, Literal

from assaymark.claims.checks import choice, open_share
from assaymark.claims.pictures import (
    Bar,
    Picture,
    frame,
    html_answer,
    html_table,
    interval_picture,
)
from assaymark.claims.record import plain
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.triaging.triage import RULES, ScoreBin, Thresholds, Triage, YieldPoint


@dataclass(frozen=True, kw_only=True)
class TriageQuestion:
    """What is wanted of which files. Without `train`, a quarter of the labels calibrates."""

    dev: str
    score: str
    label: str
    target: float
    delta: float = 0.1
    rule: str = "certified"
    pool: str | None = None
    id: str | None = None
    train: str | None = None
    calibrator: str = "platt"
    seed: int = 42
    weights: tuple[float, float, float, float] = (1, -1, -1, 1)
    costs: tuple[float, float] = (1, 1)

    def __post_init__(self) -> None:
        choice("rule", self.rule, RULES)
        open_share("target", self.target)
        open_share("delta", self.delta)
        if self.pool and not self.id:
            raise InputError(
                f"{option('pool')} needs {option('id')}: without ids nobody can tell whether "
                "development items are "
                "among the pool's."
            )


@dataclass(frozen=True, kw_only=True)
class WeighedErrors:
    """What right and wrong decisions are worth together, by the weights and costs asked for."""

    utility: float
    detection_cost: float | None


@dataclass(frozen=True, kw_only=True)
class DrawnLabels:
    """Where labels were bought to order: the survey, the attempts so far, items nobody could tell."""

    survey: int
    attempts: int
    skipped: int


@dataclass(frozen=True, kw_only=True, eq=False)
class TriageAnswer:
    """The verdict, the thresholds as a file keeps them, and what a report draws.

    `counted_on` says which scores the share that is automated and the histogram are of.
    """

    triage: Triage
    thresholds: Thresholds
    counted_on: Literal["pool", "development"]
    curve: tuple[YieldPoint, ...]
    histogram: tuple[ScoreBin, ...]
    weighed: WeighedErrors | None = None
    drawn: DrawnLabels | None = None

    def __str__(self) -> str:
        return str(self.triage)

    @property
    def established(self) -> bool:
        """Whether the promise is proved."""
        return self.triage.certified

    @property
    def bound(self) -> float | None:
        """The accuracy that is promised; None where nothing is, or something else."""
        return self.triage.guaranteed_accuracy

    @property
    def labels(self) -> int:
        """How many labels the promise uses."""
        return self.triage.labels

    @property
    def result(self) -> dict[str, Any]:
        """The answer as plain values, for scripts, the ledger and the report."""
        triage = self.triage
        shares = {key: value for key, value in triage.tally.figures().items() if key != "yield"}
        return {
            "rule": triage.rule,
            "target": triage.target,
            "delta": triage.delta,
            "low": triage.cutoffs.low,
            "high": triage.cutoffs.high,
            "certified": triage.certified,
            "guaranteed_accuracy": triage.guaranteed_accuracy,
            "promise": triage.promise,
            "reason": triage.reason,
            **shares,
            "yield": self.thresholds.automated_share,
            "yield_of": self.counted_on,
            "labels": triage.labels,
            "labels_needed": triage.needed,
            "placed_by": self.thresholds.placed_by,
            "steps": len(triage.steps),
            "curve": [
                {"target": p.target, "yield": p.automated_share, "accuracy": p.accuracy}
                for p in self.curve
            ],
            "histogram": [
                {
                    "from": b.low,
                    "to": b.high,
                    "items": b.items,
                    "height": b.height,
                    "route": b.route,
                }
                for b in self.histogram
            ],
            "assumptions": list(triage.assumptions),
            **({} if self.weighed is None else plain(self.weighed)),
            **({} if self.drawn is None else plain(self.drawn)),
        }

    def row(self) -> dict[str, Any]:
        """The answer as one row of a table."""
        return {
            "rule": self.triage.rule,
            "target": self.triage.target,
            "certified": self.triage.certified,
            "low": self.triage.cutoffs.low,
            "high": self.triage.cutoffs.high,
            "automated_share": self.thresholds.automated_share,
            "labels": self.labels,
        }

    def to_frame(self) -> Any:
        """One row as a pandas or polars data frame; a list of one dict where neither is installed."""
        return frame([self.row()])

    def plot(self) -> Picture:
        """The share that is automated, and the accuracy among its labels beside the target."""
        tally = self.triage.tally
        bars = [
            Bar(title="automated", low=0.0, high=self.thresholds.automated_share),
            Bar(
                title="accuracy",
                low=self.bound,
                high=None if self.bound is None else 1.0,
                point=tally.accuracy,
                target=self.triage.target,
            ),
        ]
        return interval_picture(bars, caption=str(self))

    def _repr_html_(self) -> str:
        return html_answer(str(self), [], self.plot()) + html_table([self.row()])


def plain_answer(answer: TriageAnswer) -> dict[str, Any]:
    """The answer as one JSON object."""
    return {**answer.result, "thresholds": plain(answer.thresholds)}
