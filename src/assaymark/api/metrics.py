"""Metrics of a labelled random sample with their bounds, from y_true and y_pred."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from assaymark.api.expectations import own_numbers
from assaymark.certification.forecasts import calculators
from assaymark.claims.claim import Counts, Side
from assaymark.claims.pictures import Picture, frame, html_table, interval_picture
from assaymark.claims.ratio_metrics import metric as find_metric
from assaymark.claims.results import Estimate
from assaymark.errors import InputError
from assaymark.stats.binomial_bounds import Offered as Method

if TYPE_CHECKING:
    from assaymark.pool.memory import Values

Sample = Literal["random"]
USUAL = ("accuracy", "precision", "recall", "f1", "specificity", "npv", "prevalence")


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """Metrics of one sample, each with its own interval: each holds at the confidence by itself."""

    estimates: tuple[Estimate, ...]
    counts: Counts

    def __getitem__(self, name: str) -> Estimate:
        wanted = find_metric(name).name
        for one in self.estimates:
            if one.metric == wanted:
                return one
        known = ", ".join(one.metric for one in self.estimates)
        raise InputError(f"The table has no {name!r}. It has: {known}.")

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def __str__(self) -> str:
        return "\n".join(str(one) for one in self.estimates)

    def to_frame(self) -> Any:
        """One row per metric: a pandas or polars data frame, or a list of dicts without either."""
        return frame([one.row() for one in self.estimates])

    def plot(self) -> Picture:
        """All intervals on one scale from 0 to 1."""
        first = self.estimates[0].interval
        caption = f"{self.counts.total:,} labels, {first.method}, {100 * first.confidence:g}% each"
        return interval_picture([one._bar() for one in self.estimates], caption=caption)

    def _repr_html_(self) -> str:
        return html_table([one.row() for one in self.estimates])


@own_numbers
def bound(
    metric: str,
    counts: "Counts | Values",
    y_pred: "Values | None" = None,
    *,
    sample: Sample | None = None,
    design: str | None = None,
    confidence: float = 0.95,
    side: Side = "lower",
    method: Method = "exact",
    positive: Any = None,
) -> Estimate:
    """The metric's point estimate and its bound from a labelled sample of fixed size.

    Give `Counts`, or the labels and predictions: `bound("f1", y_true, y_pred, sample="random")`.
    `sample="random"` says that the items are a simple random sample; no other sample has these
    bounds, so it must be said. `positive` is the class that counts as positive, where labels are
    not 0 and 1. `side` is "lower", "upper" or "both". Only `method="exact"` is guaranteed.

    *Assumes* a simple random sample, a classifier fixed before it was drawn, and a size that did
    not depend on the labels.

    >>> y_true, y_pred = [1] * 80 + [0] * 20 + [1] * 20 + [0] * 880, [1] * 100 + [0] * 900
    >>> str(bound("f1", y_true, y_pred, sample="random"))
    'F1 ≥ 0.7414 with 95% confidence (1,000 labels, exact, simple)'
    """
    return calculators.bound(
        metric,
        _counts(counts, y_pred, positive),
        design=_design(sample, design),
        confidence=confidence,
        side=side,
        method=method,
    )


@own_numbers
def metrics(
    y_true: "Counts | Values",
    y_pred: "Values | None" = None,
    *,
    sample: Sample | None = None,
    names: tuple[str, ...] = USUAL,
    confidence: float = 0.95,
    method: Method = "exact",
    positive: Any = None,
) -> Metrics:
    """The usual metrics of a labelled random sample, each with its two-sided interval.

    Give labels and predictions, or `Counts`. The parameters are those of `bound`; `names` are the
    metrics. Each interval holds at the confidence by itself, not all of them together.

    >>> table = metrics([1, 1, 0, 0] * 50, [1, 0, 0, 0] * 50, sample="random")
    >>> round(table["recall"].low, 3), table["recall"].point
    (0.398, 0.5)
    """
    counts = _counts(y_true, y_pred, positive)
    design = _design(sample, None)
    estimates = tuple(
        calculators.bound(
            name, counts, design=design, confidence=confidence, side="both", method=method
        )
        for name in names
    )
    return Metrics(estimates=estimates, counts=counts)


def bound_scorer(metric: str, *, confidence: float = 0.95, method: Method = "exact") -> Any:
    """A scikit-learn scorer whose score is the metric's lower bound on the items of the fold.

    It works wherever scikit-learn takes `scoring=`: small folds score lower because they prove
    less. The bound holds for one fold that is a random sample and was not used to choose anything;
    the best of several candidates needs a sample of its own.
    """
    from sklearn.metrics import make_scorer

    find_metric(metric)  # refused here, not in the middle of a search
    return make_scorer(_fold_bound, metric=metric, confidence=confidence, method=method)


def _fold_bound(
    y_true: "Values", y_pred: "Values", *, metric: str, confidence: float, method: Method
) -> float:
    answer = bound(metric, y_true, y_pred, sample="random", confidence=confidence, method=method)
    return answer.bound


def _counts(counts: "Counts | Values", y_pred: "Values | None", positive: Any) -> Counts:
    if isinstance(counts, Counts):
        if y_pred is not None:
            raise InputError("Give either counts, or labels and predictions, not both.")
        return counts
    if y_pred is None:
        raise InputError(
            "Predictions are missing. Give Counts(tp=…, fp=…, fn=…, tn=…), or labels and "
            "predictions: y_true, y_pred."
        )
    known = Counts.from_labels(counts, y_pred, positive=positive)
    if not known.total:
        raise InputError("The sample is empty: there is no label to count.")
    return known


def _design(sample: str | None, design: str | None) -> str:
    if sample is None and design is None:
        raise InputError(
            "Say how the items were chosen: sample='random' for a simple random sample. Bounds for "
            "other samples need what assaymark.certify or assaymark.estimate records."
        )
    if sample not in (None, "random"):
        raise InputError(f"'sample' must be 'random', got {sample!r}: no other sample is bounded.")
    return design or "simple"
