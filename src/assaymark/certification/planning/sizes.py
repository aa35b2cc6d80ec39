"""How many labels a plan of each mode takes, and the chance that they are enough."""

import math
from dataclasses import replace
from functools import lru_cache

from assaymark.certification.planning.belief import belief_in_pool
from assaymark.certification.planning.forecast import forecast
from assaymark.certification.planning.forecast_words import hopeful_value
from assaymark.certification.planning.guided_forecast import (
    GuidedClaim,
    ceiling_forecast,
    weighted_forecast,
)
from assaymark.certification.planning.request import PlanRequest
from assaymark.certification.planning.simple_forecast import (
    Course,
    budget_forecast,
    chance_within,
    course_of,
)
from assaymark.certification.planning.strata import scores_are_shares
from assaymark.claims.results import ModeForecast
from assaymark.errors import PlanError
from assaymark.hints import option
from assaymark.records.modes import CENSUS
from assaymark.records.plan import Expectation, Plan
from assaymark.records.pool import PoolSummary
from assaymark.stats.beta_posterior import Belief
from assaymark.stats.distinct_items import distinct_items, mean_labels
from assaymark.stats.sample_size import Planner, labels_needed, power_at
from assaymark.stats.score_guided.supermartingale import FEWEST_LABELS
from assaymark.stats.sequential.alpha_spending import spending_boundary, spending_test
from assaymark.stats.sequential.stopping_boundary import Stopping, stopping


def sized(plan: Plan, request: PlanRequest, summary: PoolSummary) -> Plan:
    """The plan with its size filled in."""
    if plan.kind.judged_once:
        return _fixed(plan, request, summary)
    if plan.kind.has_ceiling:
        return _ceiling(plan, request, summary)
    if plan.kind.promise:
        return _budget(plan, request, summary)
    return _anytime(plan, request, summary)


def _fixed(plan: Plan, request: PlanRequest, summary: PoolSummary) -> Plan:
    size, reached = _fixed_size(plan, request, summary)
    items = plan.items
    if size >= items:
        return replace(
            plan,
            design=CENSUS.design,
            method=CENSUS.method,
            size=items,
            expected_labels=plan.to_buy(items),
        )
    asked = None if request.budget else request.power
    buy = plan.to_buy(distinct_items(size, items))
    return replace(plan, size=size, power=reached, power_asked=asked, expected_labels=buy)


def _fixed_size(plan: Plan, request: PlanRequest, summary: PoolSummary) -> tuple[int, float | None]:
    if request.expectation is None:
        if request.budget is None:
            raise PlanError(
                "A fixed plan needs to know how many labels to draw: give "
                f"{option('budget', 'N')}, or a pilot "
                f"sample ({option('pilot', 'TP,FP,FN,TN')}), or what you expect ({_expected(plan)})."
            )
        return request.budget, None
    planner = _planner(plan, request.expectation, summary)
    if request.budget is not None:
        return request.budget, power_at(planner, request.budget)
    size = labels_needed(planner, power=request.power)
    if size.labels is None:
        raise PlanError(
            f"No number of labels gives this claim the chance to pass that you ask for: {size.reason}. "
            f"Lower the target or the power, or give {option('budget', 'N')} to try anyway."
        )
    return size.labels, size.power


def _expected(plan: Plan) -> str:
    """An expectation that would be taken, for sentences that ask for one."""
    return option("expect", hopeful_value(plan.claim) or "VALUE")


def _planner(plan: Plan, expectation: Expectation, summary: PoolSummary) -> Planner:
    belief = belief_in_pool(expectation, summary)
    return Planner(claim=plan.claim, belief=belief, confidence=plan.tested_at)


def _budget(plan: Plan, request: PlanRequest, summary: PoolSummary) -> Plan:
    if request.expectation is None:
        raise PlanError(
            "Where a budget plan ends depends on how good the classifier is: give a pilot sample "
            f"({option('pilot', 'TP,FP,FN,TN')}) or what you expect ({_expected(plan)})."
        )
    planner = _planner(plan, request.expectation, summary)
    course = course_of(planner, request.expectation, items=plan.items)
    if course.rate == 0:
        raise PlanError(
            "If the classifier is as expected, no item counts for or against the claim, so no "
            "number of labels decides it."
        )
    if request.budget is not None:
        return _at_budget(plan, course, request.budget)
    size = labels_needed(planner, power=request.power)
    if course.share <= planner.test.null_share or size.labels is None:
        raise PlanError(
            f"No budget gives this claim the chance to pass that you ask for: "
            f"{size.reason or 'the claim is not expected to hold'}. Lower the target or "
            f"the power, or give {option('budget', 'N')} to try anyway."
        )
    forecast = budget_forecast(planner, course, size, request.power)
    return replace(
        plan,
        size=forecast.labels,
        informative=math.ceil(forecast.informative or 1),
        power=forecast.power,
        power_asked=request.power,
        expected_labels=plan.to_buy(forecast.expected or 0),
    )


def _ceiling(plan: Plan, request: PlanRequest, summary: PoolSummary) -> Plan:
    """A score-guided plan that ends at a sealed number of labels."""
    if request.budget is not None and request.budget < min(FEWEST_LABELS, plan.items):
        raise PlanError(
            f"No score-guided plan is certified with fewer than {FEWEST_LABELS} labels, and its budget "
            f"is {request.budget}."
        )
    if request.expectation is None:
        if request.budget is None:
            raise PlanError(
                "Where a score-guided plan ends depends on how far the truth lies above the target: give "
                f"what you expect ({_expected(plan)}), a pilot sample "
                f"({option('pilot', 'TP,FP,FN,TN')}), or the number of labels ({option('budget', 'N')})."
            )
        return replace(plan, size=min(request.budget, plan.items))
    forecast = _ceiling_forecast(plan, request, summary, most=request.budget)
    if forecast.labels is None and request.budget is None:
        raise PlanError(
            f"No budget gives this claim the chance you ask for: {forecast.reason}. Lower the target, or "
            f"give {option('budget', 'N')} to try anyway."
        )
    return replace(
        plan,
        size=forecast.labels or min(request.budget or plan.items, plan.items),
        power=forecast.power,
        power_asked=None if request.budget else request.power,
        expected_labels=None if forecast.expected is None else math.ceil(forecast.expected),
    )


def _ceiling_forecast(
    plan: Plan, request: PlanRequest, summary: PoolSummary, *, most: int | None
) -> ModeForecast:
    belief = belief_in_pool(request.expectation, summary) if request.expectation else None
    return ceiling_forecast(_guided(plan, belief), power=request.power, most=most)


def _guided(plan: Plan, belief: Belief | None) -> GuidedClaim:
    return GuidedClaim(
        claim=plan.claim,
        strata=plan.strata,
        belief=belief,
        confidence=plan.tested_at,
        known=plan.known_in_strata,
    )


def other_margins(plan: Plan, summary: PoolSummary) -> tuple[tuple[float, float], ...]:
    """Chances to pass of a plan with a ceiling if the margin is this many times the expected one."""
    if not plan.kind.has_ceiling or plan.expectation is None:
        return ()
    request = PlanRequest(claim=plan.claim, expectation=plan.expectation)
    return _ceiling_forecast(plan, request, summary, most=plan.size).if_margin


def _at_budget(plan: Plan, course: Course, draws: int) -> Plan:
    filled = replace(plan, size=draws, informative=max(1, round(draws * course.rate)))
    stop = _spending(filled, course)
    return replace(
        filled,
        power=chance_within(stop, course.rate, draws),
        expected_labels=plan.to_buy(_budget_labels(filled, course, stop)),
    )


def _spending(plan: Plan, course: Course) -> Stopping:
    """When a budget plan passes, in informative items."""
    planned = plan.informative or 1
    test = spending_test(plan.claim, confidence=plan.tested_at, planned=planned)
    return stopping(spending_boundary(test), course.law)


def _budget_labels(plan: Plan, course: Course, stop: Stopping) -> float:
    """Labels on average of a budget plan: those of its walk, and never more than its draws give."""
    most = distinct_items(plan.size or 0, plan.items)
    return min(most, mean_labels(stop, rate=course.rate, items=plan.items))


@lru_cache(maxsize=16)
def expected_labels(plan: Plan, summary: PoolSummary) -> int | None:
    """About how many labels a plan will count, forecast again from what was expected.

    None where nothing is known. Draws that known labels answer count like those that somebody is
    asked about; an item that is drawn again counts once.
    """
    if plan.kind.promise and not plan.kind.guided:
        return math.ceil(_simple_labels(plan, summary) - 1e-9)
    if plan.kind.promise and plan.expectation is None:
        return plan.size
    power = plan.power_asked or PlanRequest.power
    request = PlanRequest(claim=plan.claim, power=power, expectation=plan.expectation)
    if plan.kind.promise:
        mean = _ceiling_forecast(plan, request, summary, most=plan.size).expected
        return plan.size if mean is None else math.ceil(mean)
    counted = plan if plan.kind.guided else replace(plan, known=None)
    return _anytime(counted, request, summary).expected_labels


def _simple_labels(plan: Plan, summary: PoolSummary) -> float:
    """Labels on average of a simple plan that seals its number of draws."""
    size = plan.size or 0
    if plan.kind.whole:
        return size
    if plan.informative is None or plan.expectation is None:
        return distinct_items(size, plan.items)
    planner = _planner(plan, plan.expectation, summary)
    course = course_of(planner, plan.expectation, items=plan.items)
    if course.rate == 0:
        return distinct_items(size, plan.items)
    return _budget_labels(plan, course, _spending(plan, course))


def _anytime(plan: Plan, request: PlanRequest, summary: PoolSummary) -> Plan:
    expectation = request.expectation
    belief = belief_in_pool(expectation, summary) if expectation else None
    if plan.kind.guided:
        usable = belief is not None or scores_are_shares(summary)
        expected = weighted_forecast(_guided(plan, belief)).expected if usable else None
    elif expectation is not None:
        modes = forecast(
            plan.claim, expectation, confidence=plan.tested_at, power=request.power, summary=summary
        ).modes
        labels = modes["anytime"].expected
        expected = None if labels is None else plan.to_buy(labels)
    else:
        expected = None
    return replace(plan, expected_labels=None if expected is None else math.ceil(expected))
