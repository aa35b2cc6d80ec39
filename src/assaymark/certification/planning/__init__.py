"""From a claim and a pool's summary to a plan that can be sealed."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from assaymark.certification.planning.belief import belief_in_pool, belief_of, from_scores
from assaymark.certification.planning.forecast import (
    Course,
    budget_forecast,
    ceiling_forecast,
    chance_within,
    course_of,
    forecast,
    weighted_forecast,
)
from assaymark.certification.planning.rows import compiled, constants_of
from assaymark.certification.planning.sealed import check_sealed
from assaymark.certification.planning.stakes import RiskRequest, little_left, stake_for
from assaymark.certification.planning.strata import domain_strata, guided_strata, scores_are_shares
from assaymark.claims.checks import open_share
from assaymark.claims.claim import Claim
from assaymark.claims.defaults import POWER
from assaymark.claims.ratio_metrics import binomial_test, metric
from assaymark.claims.results import ModeForecast
from assaymark.errors import InputError, PlanError
from assaymark.hints import option, switch
from assaymark.records.plan import DESIGNS, MODES, Expectation, Plan, Stake
from assaymark.records.pool import PoolSummary
from assaymark.records.seeds import SeedSource
from assaymark.stats.beta_posterior import Belief
from assaymark.stats.methods import fits, lead_of, method_name
from assaymark.stats.sample_size import Planner, labels_needed, power_at
from assaymark.stats.score_guided.supermartingale import FEWEST_LABELS
from assaymark.stats.sequential.alpha_spending import spending_boundary, spending_test
from assaymark.stats.sequential.stopping_boundary import stopping

__all__ = [
    "PlanRequest",
    "belief_of",
    "check_sealed",
    "expected_labels",
    "forecast",
    "from_scores",
    "guided_strata",
    "little_left",
    "make_plan",
    "other_margins",
    "scores_are_shares",
    "stake_for",
    "weighted_forecast",
]


@dataclass(frozen=True, kw_only=True)
class PlanRequest:
    """What the user asks of a plan. Without a mode or design the usual one is taken.

    `one_by_one` is for a single annotator: a score-guided plan is then drawn without a lead. `method`
    names an earlier method, to compare with; otherwise it is the one of new plans.
    `anyway` seals a claim that looks false, or that says the classifier is bad.
    """

    claim: Claim
    mode: str | None = None
    design: str | None = None
    confidence: float = 0.95
    power: float = POWER
    budget: int | None = None
    expectation: Expectation | None = None
    seed: str | None = None
    reserve: float = 0.0
    claim_only: bool = False
    new_risk: bool = False
    family: bool = False
    commit: tuple[str, ...] = ()
    beacon: str | None = None
    again: bool = False
    one_by_one: bool = False
    method: str | None = None
    anyway: bool = False

    def __post_init__(self) -> None:
        """Score-guided is the name of a mode; plans store it as anytime with the design weighted."""
        guided = ("score-guided", "weighted")
        if self.design == "score-guided":
            object.__setattr__(self, "design", "weighted")
        if self.mode in guided and self.design in (None, "weighted"):
            object.__setattr__(self, "mode", "anytime")
            object.__setattr__(self, "design", "weighted")
        ways = [self.seed is not None, bool(self.commit), self.beacon is not None]
        if sum(ways) > 1:
            raise InputError(
                f"A seed comes from one place: {option('seed')}, {option('commit', 'HASH')} or "
                f"{option('beacon', 'NAME')}."
            )

    @property
    def is_shared(self) -> bool:
        """Whether no single side chooses the seed."""
        return self.beacon is not None or any(text != "own" for text in self.commit)

    @property
    def asked(self) -> RiskRequest:
        """What it asks of the risk."""
        return RiskRequest(
            confidence=self.confidence,
            reserve=self.reserve,
            claim_only=self.claim_only,
            new_risk=self.new_risk,
            ends=self.mode in ("fixed", "budget") and self.design != "weighted",
            again=self.again,
            family=self.family,
            joint=self.is_shared,
        )


def make_plan(
    request: PlanRequest,
    summary: PoolSummary,
    *,
    number: int,
    seed: str,
    stake: Stake | None = None,
    source: SeedSource | None = None,
    know: Callable[[Plan], Plan] = lambda plan: plan,
) -> Plan:
    """The plan that the request asks for, at its part of the risk (default: all of it).

    Refused where its promise could not be kept. The confidence of the request is the one stated.
    `know` adds the labels that are known before the seal: its size follows from what is left.
    """
    mode, design = _routed(request, summary)
    _refuse_unprovable(request.claim, summary, design)
    _refuse_needless(request, mode)
    open_share("power", request.power)
    rows = compiled(request.claim, summary)
    method = _method(request, mode, design)
    plan = Plan(
        number=number,
        claim=request.claim,
        mode=mode,  # type: ignore[arg-type]
        design=design,  # type: ignore[arg-type]
        method=method,
        confidence=open_share("confidence", request.confidence),
        seed=seed,
        source=source or SeedSource(),
        rows=rows.digest,
        constants=constants_of(rows),
        strata=guided_strata(request.claim, summary, method=method)
        if design == "weighted"
        else domain_strata(request.claim, summary),
        expectation=request.expectation,
        lead=lead_of(method, one_by_one=request.one_by_one),
        stake=Stake() if stake is None else stake,
    )
    fill = {"fixed": _fixed, "budget": _budget, "anytime": _anytime}[mode]
    return fill(know(plan), request, summary)


def _method(request: PlanRequest, mode: str, design: str) -> str:
    if request.method is None:
        return method_name(mode, design)
    if not fits(request.method, mode, design):
        raise InputError(
            f"The method {request.method!r} does not fit mode {mode!r} and its design."
        )
    return request.method


def _routed(request: PlanRequest, summary: PoolSummary) -> tuple[str, str]:
    """The mode and design asked for, or the usual ones; refused in combinations without a proof."""
    if request.mode is not None and request.mode not in MODES:
        raise InputError(
            f"'mode' must be one of score-guided, {', '.join(MODES)}, got {request.mode!r}."
        )
    if request.design is not None and request.design not in DESIGNS:
        raise InputError(f"'design' must be score-guided or simple, got {request.design!r}.")
    if request.mode == "fixed" and request.design == "weighted":
        raise PlanError(
            "A score-guided plan is judged on the way, so it has no mode 'fixed'. Take "
            f"{option('mode', 'score-guided')} or {option('mode', 'budget')} with it, or leave "
            f"{option('design')} out."
        )
    if request.mode in ("fixed", "budget"):
        return request.mode, request.design or "simple"
    if request.budget is not None:
        raise PlanError(
            f"{option('budget')} belongs to a mode that promises one: add "
            f"{option('mode', 'fixed')} (judged once, at the end) "
            f"or {option('mode', 'budget')} (judged on the way, ends at the budget)."
        )
    predicts = summary.predicted_positive + summary.predicted_negative > 0
    return "anytime", request.design or ("weighted" if predicts else "simple")


def refuse_unpredicted(claim: Claim, summary: PoolSummary) -> None:
    """Refuse a claim about a classifier where the pool has no predictions."""
    predicted = summary.predicted_positive + summary.predicted_negative
    if predicted == 0 and claim.metric != "prevalence":
        raise PlanError(
            f"A claim about {metric(claim.metric).title} needs predictions, and this pool has "
            f"none. Register it in a new folder with {option('prediction', 'COL')}, or "
            f"{option('score', 'COL')} {option('threshold', 'X')}."
        )


def _refuse_unprovable(claim: Claim, summary: PoolSummary, design: str) -> None:
    refuse_unpredicted(claim, summary)
    if summary.predicted_positive + summary.predicted_negative == 0 and design == "weighted":
        raise PlanError("Score-guided sampling needs predictions, and this pool has none.")
    if binomial_test(claim) is None and design != "weighted":
        raise PlanError(
            f"{metric(claim.metric).title} has no exact bound for a simple random sample: its items "
            "have three different gains, so no binomial law applies. Use "
            f"{option('mode', 'score-guided')}."
        )


def _refuse_needless(request: PlanRequest, mode: str) -> None:
    if request.claim_only and mode == "anytime":
        raise PlanError(
            f"{switch('claim-only')} is for plans that are judged at a number of draws: one that you may "
            "look at whenever you like proves its bound on the way. Leave it out, or add "
            f"{option('mode', 'fixed')}."
        )


def _fixed(plan: Plan, request: PlanRequest, summary: PoolSummary) -> Plan:
    size, reached = _fixed_size(plan, request, summary)
    items = plan.items
    if size >= items:
        return replace(
            plan,
            design="census",
            method=method_name("fixed", "census"),
            size=items,
            expected_labels=plan.to_buy(items),
        )
    asked = None if request.budget else request.power
    buy = plan.to_buy(size)
    return replace(plan, size=size, power=reached, power_asked=asked, expected_labels=buy)


def _fixed_size(plan: Plan, request: PlanRequest, summary: PoolSummary) -> tuple[int, float | None]:
    if request.expectation is None:
        if request.budget is None:
            raise PlanError(
                "A fixed plan needs to know how many labels to draw: give "
                f"{option('budget', 'N')}, or a pilot "
                f"sample ({option('pilot', 'TP,FP,FN,TN')}), or what you expect ({option('expect', 0.8)})."
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


def _planner(plan: Plan, expectation: Expectation, summary: PoolSummary) -> Planner:
    belief = belief_in_pool(expectation, summary)
    return Planner(claim=plan.claim, belief=belief, confidence=plan.tested_at)


def _budget(plan: Plan, request: PlanRequest, summary: PoolSummary) -> Plan:
    if plan.kind.guided:
        return _ceiling(plan, request, summary)
    if request.expectation is None:
        raise PlanError(
            "A budget plan spreads its risk over the informative items it expects: give a pilot "
            f"sample ({option('pilot', 'TP,FP,FN,TN')}) or what you expect ({option('expect', 0.8)})."
        )
    planner = _planner(plan, request.expectation, summary)
    course = course_of(planner, request.expectation)
    if course.rate == 0:
        raise PlanError("No item would be informative under this expectation.")
    if request.budget is not None:
        return _given_budget(plan, course, request.budget)
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
                f"what you expect ({option('expect', 0.8)}), a pilot sample "
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
    guided = _guided_forecast(plan, belief)
    return ceiling_forecast(
        guided, confidence=plan.tested_at, power=request.power, items=plan.items, most=most
    )


def _guided_forecast(plan: Plan, belief: Belief | None) -> ModeForecast:
    return weighted_forecast(
        plan.claim, plan.strata, belief, confidence=plan.tested_at, known=plan.known_in_strata
    )


def other_margins(plan: Plan, summary: PoolSummary) -> tuple[tuple[float, float], ...]:
    """Chances to pass of a plan with a ceiling if the margin is so many times the expected one."""
    if not (plan.kind.guided and plan.kind.promise) or plan.expectation is None:
        return ()
    request = PlanRequest(claim=plan.claim, expectation=plan.expectation)
    return _ceiling_forecast(plan, request, summary, most=plan.size).if_margin


def _given_budget(plan: Plan, course: Course, labels: int) -> Plan:
    planned = max(1, round(labels * course.rate))
    test = spending_test(plan.claim, confidence=plan.tested_at, planned=planned)
    stop = stopping(spending_boundary(test), course.law)
    return replace(
        plan,
        size=labels,
        informative=planned,
        power=chance_within(stop, course.rate, labels),
        expected_labels=plan.to_buy(min(labels, stop.mean_items / course.rate)),
    )


@lru_cache(maxsize=16)
def expected_labels(plan: Plan, summary: PoolSummary) -> int | None:
    """About how many labels an anytime plan will count, forecast again from what it was told.

    None where nothing is known; plans of the other modes seal their size. Draws that known labels
    answer count like those that somebody is asked about.
    """
    if plan.kind.promise and not (plan.kind.guided and plan.expectation):
        return plan.size
    power = plan.power_asked or PlanRequest.power
    request = PlanRequest(claim=plan.claim, power=power, expectation=plan.expectation)
    if plan.kind.promise:
        mean = _ceiling_forecast(plan, request, summary, most=plan.size).expected
        return plan.size if mean is None else math.ceil(mean)
    counted = plan if plan.kind.guided else replace(plan, known=None)
    return _anytime(counted, request, summary).expected_labels


def _anytime(plan: Plan, request: PlanRequest, summary: PoolSummary) -> Plan:
    expectation = request.expectation
    belief = belief_in_pool(expectation, summary) if expectation else None
    if plan.kind.guided:
        usable = belief is not None or scores_are_shares(summary)
        expected = _guided_forecast(plan, belief).expected if usable else None
    elif expectation is not None:
        modes = forecast(
            plan.claim, expectation, confidence=plan.tested_at, power=request.power, summary=summary
        ).modes
        draws = modes["anytime"].expected
        expected = None if draws is None else plan.to_buy(draws)
    else:
        expected = None
    return replace(plan, expected_labels=None if expected is None else math.ceil(expected))
