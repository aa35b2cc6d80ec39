"""From a claim and a pool's summary to a plan that can be sealed."""

from dataclasses import dataclass

from assay.errors import InputError, PlanError
from assay.stats.metrics import binomial_test, domain, metric
from assay.stats.posterior import Belief, from_expectation, from_pilot
from assay.stats.power import Planner, elusion_floor, labels_needed, power_at
from assay.types.claim import Claim
from assay.types.plan import Expectation, Plan
from assay.types.pool import PoolSummary
from assay.types.record import Record
from assay.types.results import Size
from assay.types.strata import Stratum


@dataclass(frozen=True, kw_only=True)
class Forecast(Record):
    """What a claim will cost, before anything is bought."""

    claim: Claim
    reachable_power: float
    elusion_floor: float | None
    fixed: Size


def belief_of(expectation: Expectation) -> Belief:
    """What the expectation says about the classifier."""
    if expectation.pilot is not None:
        return from_pilot(expectation.pilot)
    if expectation.precision is None or expectation.recall is None or not expectation.prevalence:
        raise InputError(
            "Planning needs a pilot sample (--pilot TP,FP,FN,TN) or what you expect "
            "(--expect VALUE --prevalence SHARE)."
        )
    return from_expectation(
        precision=expectation.precision,
        recall=expectation.recall,
        prevalence=expectation.prevalence,
    )


def forecast(
    claim: Claim, expectation: Expectation, *, confidence: float = 0.95, power: float = 0.93
) -> Forecast:
    """How many labels the claim needs in each mode."""
    planner = Planner(claim=claim, belief=belief_of(expectation), confidence=confidence)
    return Forecast(
        claim=claim,
        reachable_power=planner.reachable(),
        elusion_floor=elusion_floor(planner),
        fixed=labels_needed(planner, power=power),
    )


def fixed_plan(
    claim: Claim,
    summary: PoolSummary,
    *,
    number: int,
    seed: str,
    confidence: float = 0.95,
    power: float = 0.93,
    budget: int | None = None,
    expectation: Expectation | None = None,
) -> Plan:
    """A plan that draws a set number of items at random and judges once.

    `budget` sets the number; without it the number follows from the expectation and the power.
    """
    _refuse_unprovable(claim, summary)
    strata = _domain_strata(claim, summary)
    size, reached = _size(claim, confidence, power, budget, expectation)
    items = strata[0].items
    census = size >= items
    return Plan(
        number=number,
        claim=claim,
        mode="fixed",
        design="census" if census else "simple",
        bound="exact",
        confidence=confidence,
        seed=seed,
        domain=domain(claim),
        strata=strata,
        size=items if census else size,
        power=None if census else reached,
        power_asked=None if budget else power,
        expectation=expectation,
    )


def _size(
    claim: Claim,
    confidence: float,
    power: float,
    budget: int | None,
    expectation: Expectation | None,
) -> tuple[int, float | None]:
    if expectation is None:
        if budget is None:
            raise PlanError(
                "A fixed plan needs to know how many labels to draw: give --budget N, or a pilot "
                "sample (--pilot TP,FP,FN,TN), or what you expect (--expect 0.8 --prevalence 0.03)."
            )
        return budget, None
    planner = Planner(claim=claim, belief=belief_of(expectation), confidence=confidence)
    if budget is not None:
        return budget, power_at(planner, budget)
    size = labels_needed(planner, power=power)
    if size.labels is None:
        raise PlanError(
            f"No number of labels gives this claim the chance you ask for: {size.reason}. Lower the "
            "target or the power, or give --budget N to try all the same."
        )
    return size.labels, size.power


def _refuse_unprovable(claim: Claim, summary: PoolSummary) -> None:
    if binomial_test(claim) is None:
        raise PlanError(
            f"{metric(claim.metric).title} has no exact bound for a fixed random sample: its items "
            "have three different gains, so no binomial law applies. Claim f1, or precision and "
            "recall one by one."
        )
    predicted = summary.predicted_positive + summary.predicted_negative
    if predicted == 0 and claim.metric != "prevalence":
        raise PlanError(
            f"A claim about {metric(claim.metric).title} needs predictions, and this pool has none. "
            "Run init again with --prediction COL or --threshold X."
        )


def _domain_strata(claim: Claim, summary: PoolSummary) -> tuple[Stratum, ...]:
    where = domain(claim)
    if where == "all":
        return (Stratum(items=summary.items),)
    prediction = where == "predicted positive"
    items = summary.predicted_positive if prediction else summary.predicted_negative
    if items == 0:
        raise PlanError(
            f"No item of the pool is {where}, so {metric(claim.metric).title} is undefined and "
            "cannot be claimed."
        )
    return (Stratum(items=items, prediction=prediction),)
