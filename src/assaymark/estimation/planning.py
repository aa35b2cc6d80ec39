"""Plan an estimate: strata, allocation and the number of labels, before any label."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from assaymark.certification.planning.strata import guided_strata, scores_are_shares
from assaymark.claims.checks import choice, open_share
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.errors import PlanError
from assaymark.estimation.axis_strata import pool_axis, stratum_parts
from assaymark.estimation.estimate import EstimateDesign, EstimateStratum, Part
from assaymark.estimation.evidence import betting_strata
from assaymark.estimation.stats.confidence_axis import Axis, Floats
from assaymark.estimation.stats.default_strata import believed_error, strata_wanted
from assaymark.estimation.stats.guaranteed_interval import margin_unit
from assaymark.estimation.stats.neyman_allocation import ALLOCATIONS, Tuning
from assaymark.estimation.stats.rank_strata import expected, fixed_chances, unit_variance
from assaymark.estimation.stats.regression_estimator import MEASURED
from assaymark.estimation.stats.renewed_chances import FEWEST_RENEWED, RENEWED, renewal_draws
from assaymark.estimation.stats.stratifiers import Stratification, stratify
from assaymark.hints import command, option, switch
from assaymark.records.pool import PoolSummary
from assaymark.stats.special import ndtri

# Half the guaranteed interval of F1 in standard errors: 3.2 to 4.7 in two made worlds at 200 to 1,600
# labels, five runs each. A forecast, so a round middle will do.
BETTING_WIDTH = 3.9
FEWEST = 20
FIRST, STEP = (
    5,
    50,
)  # of allocations that learn: per stratum before learning, and per batch after it
CELL = ("predicted negative", "predicted positive")


@dataclass(frozen=True, kw_only=True)
class EstimateRequest:
    """What somebody wants to know, and how well or at what price."""

    metric: str
    within: float | None = None
    budget: int | None = None
    confidence: float = 0.95
    guarantee: bool = False
    stratifier: str | None = None
    allocation: str | None = None
    strata: int | None = None
    first: int | None = None
    step: int | None = None
    guard: bool = True
    expect: float | None = None
    seed: str | None = None

    def __post_init__(self) -> None:
        open_share("confidence", self.confidence)
        if self.within is None and self.budget is None:
            raise PlanError(
                f"Say how precise the estimate must be ({option('within', 0.01)}) or how many labels it may "
                f"cost ({option('budget', 200)})."
            )
        if self.within is not None and self.budget is not None:
            raise PlanError(
                f"{option('within', format(self.within, 'g'))} and "
                f"{option('budget', self.budget)} both set the number of labels. "
                "Give one of them."
            )
        if self.within is not None and not 0 < self.within < 0.5:
            raise PlanError(
                f"{option('within')} is half the width of the interval, between 0 and 0.5, got "
                f"{self.within:g}."
            )
        if self.budget is not None and self.budget < FEWEST:
            raise PlanError(f"An estimate needs at least {FEWEST} labels, got {self.budget}.")


def plan_estimate(
    request: EstimateRequest, summary: PoolSummary, *, cut_off: float | None
) -> EstimateDesign:
    """The design for these terms on this pool; its size is a forecast from the scores."""
    name = metric(request.metric).name
    if summary.predicted_positive + summary.predicted_negative == 0:
        raise PlanError(
            "The pool has no predictions, so there is nothing to be right or wrong about. Begin "
            f"again with {command('init', '…', prediction='COL')} or {option('threshold', 'X')}."
        )
    if name == "accuracy":
        return _accuracy(request, summary, cut_off)
    if request.stratifier or request.strata or _tunes(request):
        raise PlanError(
            f"{option('stratifier')} and {option('strata')} are for accuracy; {metric(name).title} "
            "uses strata by rank. Leave them out."
        )
    return _rare_class(request, name, summary)


def _chances_or_renewed(request: EstimateRequest, name: str) -> str:
    """How strata by rank are drawn: with fixed chances, or with chances renewed from the labels."""
    if request.allocation is None:
        return "chances"
    known = ("chances", "renewed") if name in RENEWED else ("chances",)
    return choice("allocation", request.allocation, known)


def _rare_class(request: EstimateRequest, name: str, summary: PoolSummary) -> EstimateDesign:
    """Rank strata drawn at random: three of the predicted positives, six of the negatives."""
    cut = guided_strata(Claim(metric=name, side="lower", target=0.5), summary)
    strata = tuple(
        EstimateStratum(
            name=f"{CELL[bool(part.prediction)]} {number + 1}",
            items=part.items,
            parts=(
                Part(
                    items=part.items,
                    prediction=bool(part.prediction),
                    grid_from=part.grid_from,
                    grid_to=part.grid_to,
                ),
            ),
            prediction=part.prediction,
            mean_score=part.mean_score,
            doubt=None,
        )
        for number, part in enumerate(cut)
    )
    tested = betting_strata(strata)
    chances = fixed_chances(name, tested)
    variance = unit_variance(name, tested, chances)
    if summary.positive is None and request.budget is None:
        raise PlanError(_unscored("rare-class metrics"))
    allocation = _chances_or_renewed(request, name)
    design = replace(
        _random(request, name, strata, chances, variance, stratifier="rank"),
        regression=name in MEASURED and scores_are_shares(summary),
    )
    if allocation == "chances":
        return design
    if design.labels < FEWEST_RENEWED:
        raise PlanError(
            f"Chances are renewed from {FEWEST_RENEWED} labels on, and the plan has {design.labels}. Leave "
            f"{option('allocation')} out."
        )
    return replace(design, allocation=allocation, renew=renewal_draws(design.labels))


def _random(
    request: EstimateRequest,
    name: str,
    strata: tuple[EstimateStratum, ...],
    chances: Floats,
    variance: float | None,
    *,
    stratifier: str,
) -> EstimateDesign:
    items = sum(part.items for part in strata)
    width = BETTING_WIDTH if request.guarantee else float(ndtri((1 + request.confidence) / 2))

    def half(labels: int) -> float | None:
        if variance is None:
            return None
        return width * math.sqrt(variance / labels * max(1 - labels / items, 0.0))

    labels = _labels(request, half, items)
    tested = betting_strata(strata)
    hoped = expected(name, tested)
    return EstimateDesign(
        metric=name,
        sampling="random",
        strata=strata,
        stratifier=stratifier,
        allocation="chances",
        confidence=request.confidence,
        labels=labels,
        within=half(labels),
        guarantee=request.guarantee,
        chances=tuple(float(q) for q in chances),
        unit=margin_unit(name, tested, chances, labels=labels, confidence=request.confidence),
        expected=hoped.value if hoped else None,
    )


def _accuracy(
    request: EstimateRequest, summary: PoolSummary, cut_off: float | None
) -> EstimateDesign:
    if summary.positive is None or summary.negative is None:
        return _unscored_accuracy(request, summary)
    stratifier = request.stratifier or "mixc"
    allocation = request.allocation or ("mass" if stratifier == "mixc" else "proportional")
    choice("allocation", allocation, ALLOCATIONS)
    learning = _learning(request, allocation)
    if request.guarantee and (stratifier != "mixc" or allocation != "mass"):
        raise PlanError(
            f"{switch('guarantee')} needs strata drawn at random, which is offered for the default strata "
            f"(mixc, mass). Leave {option('stratifier')} and {option('allocation')} out, or "
            f"{switch('guarantee')}."
        )
    axis = pool_axis(summary, cut_off=cut_off)
    cuts: dict[int, Stratification] = {}

    def cut_for(labels: int) -> Stratification:
        wanted = request.strata or strata_wanted(labels)
        if request.strata is None:
            wanted = min(wanted, len(axis.z))
        if wanted > labels:
            raise PlanError(
                f"{labels} labels cannot cover {wanted} strata. Ask for fewer strata or more labels."
            )
        if wanted not in cuts:
            cuts[wanted] = stratify(axis, stratifier, wanted)
        return cuts[wanted]

    width = BETTING_WIDTH if request.guarantee else float(ndtri((1 + request.confidence) / 2))

    def half(labels: int) -> float | None:
        unit = _unit_variance(axis, cut_for(labels), allocation)
        return width * math.sqrt(unit / labels * max(1 - labels / axis.items, 0.0))

    labels = _labels(request, half, axis.items)
    cut = cut_for(labels)
    strata = _strata(axis, cut, summary)
    mean = axis.mean_doubt
    simple = max(mean * (1 - mean), 1e-12)
    ratio = _unit_variance(axis, cut, allocation) / simple
    if request.guarantee:
        unit = _unit_variance(axis, cut, "mass")
        return _random(request, "accuracy", strata, cut.shares, unit, stratifier=stratifier)
    return EstimateDesign(
        metric="accuracy",
        sampling="fixed",
        strata=strata,
        stratifier=stratifier,
        allocation=allocation,
        confidence=request.confidence,
        labels=labels,
        within=half(labels),
        chances=tuple(float(q) for q in cut.shares) if allocation == "mass" else None,
        expected=1 - mean,
        forecast_ratio=ratio,
        first=learning.first if learning else None,
        step=learning.step if learning and allocation == "optimal-steps" else None,
        guard=learning.guard if learning else True,
    )


def _tunes(request: EstimateRequest) -> bool:
    return request.first is not None or request.step is not None or not request.guard


def _learning(request: EstimateRequest, allocation: str) -> Tuning | None:
    """The tuning of an allocation that learns from labels: OPT-A1 (once) or OPT-A2 (steps)."""
    if not allocation.startswith("optimal"):
        if _tunes(request):
            raise PlanError(
                f"{option('first')}, {option('step')} and {switch('no-guard')} are for the allocations "
                f"that learn from labels, optimal-once and optimal-steps, not for {allocation}."
            )
        return None
    if allocation == "optimal-once" and request.step is not None:
        raise PlanError(
            "The allocation optimal-once hands out all labels after the first ones at once, so it has "
            f"no {option('step')}. Leave it out, or take optimal-steps."
        )
    return Tuning(first=request.first or FIRST, step=request.step or STEP, guard=request.guard)


def _unit_variance(axis: Axis, cut: Stratification, allocation: str) -> float:
    """The variance of the estimate times the labels, if the scores' doubts are right."""
    e = np.bincount(cut.bins, weights=axis.counts * believed_error(axis)) / cut.sizes
    weight = cut.sizes / cut.sizes.sum()
    spread = e * (1 - e)
    if allocation == "mass":
        return float((weight**2 * spread / cut.shares).sum())
    if allocation == "equal":
        return float(len(weight) * (weight**2 * spread).sum())
    if allocation == "proportional":
        return float((weight * spread).sum())
    return float((weight * np.sqrt(spread)).sum() ** 2)


def _strata(axis: Axis, cut: Stratification, summary: PoolSummary) -> tuple[EstimateStratum, ...]:
    return tuple(
        EstimateStratum(
            name=f"{_who(parts)} {k + 1}",
            items=sum(part.items for part in parts),
            parts=parts,
            prediction=parts[0].prediction if len({p.prediction for p in parts}) == 1 else None,
            mean_score=score if score is not None else _promised(parts, float(cut.doubt[k])),
            doubt=float(cut.doubt[k]),
        )
        for k, (parts, score) in enumerate(stratum_parts(axis, cut, summary))
    )


def _promised(parts: tuple[Part, ...], doubt: float) -> float | None:
    """The rate of positives that margins promise in a stratum of one predicted class."""
    sides = {part.prediction for part in parts}
    if len(sides) > 1:
        return None
    return 1 - doubt if sides == {True} else doubt


def _who(parts: tuple[Part, ...]) -> str:
    sides = {part.prediction for part in parts}
    return "both classes" if len(sides) > 1 else CELL[sides.pop()]


def _unscored_accuracy(request: EstimateRequest, summary: PoolSummary) -> EstimateDesign:
    """Without scores: the predicted classes, in proportion to their size."""
    if request.guarantee or request.stratifier:
        raise PlanError(
            "Strata for accuracy are cut on the scores, and the pool has none. Leave "
            f"{switch('guarantee')} and "
            f"{option('stratifier')} out, or register the pool with {option('score')}."
        )
    if request.budget is None and request.expect is None:
        raise PlanError(_unscored("accuracy"))
    sizes = {True: summary.predicted_positive, False: summary.predicted_negative}
    strata = tuple(
        EstimateStratum(
            name=CELL[side],
            items=size,
            parts=(Part(items=size, prediction=side),),
            prediction=side,
            mean_score=None,
            doubt=None,
        )
        for side, size in sizes.items()
        if size
    )
    width = float(ndtri((1 + request.confidence) / 2))
    spread = 0.25 if request.expect is None else request.expect * (1 - request.expect)

    def half(labels: int) -> float | None:
        return width * math.sqrt(spread / labels * max(1 - labels / summary.items, 0.0))

    labels = _labels(request, half, summary.items)
    return EstimateDesign(
        metric="accuracy",
        sampling="fixed",
        strata=strata,
        stratifier="prediction",
        allocation="proportional",
        confidence=request.confidence,
        labels=labels,
        within=half(labels),
        expected=request.expect,
        forecast_ratio=1.0,
    )


def _unscored(what: str) -> str:
    return (
        f"Without scores nothing is known about {what} before the first label, so the labels cannot "
        f"be predicted. Give {option('budget', 'N')}"
        + (f", or {option('expect')} with the accuracy you expect." if what == "accuracy" else ".")
    )


def _labels(request: EstimateRequest, half: Callable[[int], float | None], items: int) -> int:
    """The budget, or the fewest labels whose forecast is within what was asked for."""
    if request.budget is not None:
        return min(request.budget, items)
    if request.within is None:
        raise AssertionError("a request has a budget or a width")
    low, high = min(FEWEST, items), items
    first = half(low)
    if first is None:
        raise PlanError(
            f"The scores promise no positive at all, so give {option('budget', 'N')} instead."
        )
    while low < high:
        middle = (low + high) // 2
        if (half(middle) or 0.0) <= request.within:
            high = middle
        else:
            low = middle + 1
    return high
