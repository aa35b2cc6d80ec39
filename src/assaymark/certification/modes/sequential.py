"""Verdicts of simple random samples that may be looked at: modes anytime and budget."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assaymark.certification.modes.labels_ahead import in_labels
from assaymark.certification.modes.prefix import Prefix, counted_label, labelled_prefix
from assaymark.certification.modes.words import ANYTIME, BUDGET, capped, refuted, sentence
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import binomial_test, metric
from assaymark.claims.results import Decision, Estimate, Interval, Verdict, shown
from assaymark.errors import PlanError
from assaymark.ledger.events import Attempt, State
from assaymark.records.plan import Plan
from assaymark.stats.methods import mixture_method, spending_method
from assaymark.stats.sequential.alpha_spending import (
    SpendingTest,
    crossing,
    spending_boundary,
    spending_test,
)
from assaymark.stats.sequential.beta_mixture import (
    MixtureTest,
    anytime_bound,
    evidence,
    mixture_boundary,
    mixture_test,
    outlook,
)
from assaymark.stats.sequential.stopping_boundary import Boundary
from assaymark.stats.sequential.walk_ahead import DrawsAhead, draws_ahead, items_ahead

FARTHEST = 6_000  # informative items that advice looks ahead to
FAR = 8  # times the informative items that evidence of this speed needs
STEP = 500


@dataclass(frozen=True, kw_only=True)
class Informative:
    """The informative draws of a prefix in order: True for a success of the claim.

    `places` are their positions among the draws, counted from 0.
    """

    wins: NDArray[np.bool_]
    draws: int
    places: NDArray[np.int64]

    @property
    def share(self) -> float:
        """Successes among them, with half a success and half a failure added."""
        return float((self.wins.sum() + 0.5) / (len(self.wins) + 1))

    @property
    def rate(self) -> float:
        """How many of the draws were informative."""
        return max(len(self.wins), 1) / max(self.draws, 1)


def informative_draws(claim: Claim, prefix: Prefix) -> Informative:
    """The draws that say something about the claim, as successes and failures."""
    test = binomial_test(claim)
    if test is None:
        raise PlanError(f"{metric(claim.metric).title} has no binomial form.")
    cells = {(True, 1): 0, (True, 0): 1, (False, 1): 2, (False, 0): 3}
    wins, places = [], []
    for place, (draw, answer) in enumerate(zip(prefix.drawn, prefix.answers, strict=True)):
        predicted = bool(draw.prediction)
        cell = cells[predicted, counted_label(claim, predicted=predicted, answer=answer)]
        if test.success[cell] or test.failure[cell]:
            wins.append(test.success[cell])
            places.append(place)
    return Informative(
        wins=np.array(wins, dtype=bool),
        draws=prefix.draws,
        places=np.array(places, dtype=np.int64),
    )


def judge_anytime(state: State, attempt: Attempt) -> Verdict:
    """What is established now, whenever one looks."""
    plan = attempt.plan
    prefix = labelled_prefix(state, attempt)
    informative = informative_draws(plan.claim, prefix)
    rule = mixture_method(plan.method)
    reached = anytime_bound(plan.claim, informative.wins, confidence=plan.tested_at, rule=rule)
    test = mixture_test(plan.claim, confidence=plan.tested_at, rule=rule)
    strength = evidence(test, informative.wins)
    decision: Decision = "continue"
    if reached.passed:
        decision = "pass"
    elif _refuted(plan, informative):
        decision = "fail"
    lower, value = plan.claim.side == "lower", capped(plan, reached.value)
    interval = Interval(
        low=value if lower else 0.0,
        high=1.0 if lower else value,
        confidence=plan.confidence,
        side=plan.claim.side,
        method="anytime",
        guaranteed=True,
    )
    estimate = estimate_of(plan, prefix, interval, ANYTIME)
    ahead = _anytime_ahead(plan, prefix, informative, test) if decision == "continue" else None
    return Verdict(
        decision=decision,
        claim=plan.claim,
        estimate=estimate,
        labels_expected=prefix.labels if decision != "continue" else _total(prefix, ahead),
        labels_ahead=None if ahead is None else (ahead.low, ahead.high),
        waiting=prefix.waiting,
        skipped=prefix.skipped,
        census=False,
        e_value=math.exp(min(strength.best, 700.0)),
        log_wealth=strength.log_evidence,
        advice=_futility(test, informative) if decision == "continue" else None,
        reason=refuted(plan.claim, estimate, plan.confidence)
        if decision == "fail"
        else sentence(plan.claim, estimate, decision),
    )


def _refuted(plan: Plan, informative: Informative) -> bool:
    """Whether the mirrored claim is established at its own level, which the plan fixed."""
    if plan.refutation is None:
        return False
    mirror = replace(plan.claim, side="upper" if plan.claim.side == "lower" else "lower")
    rule = mixture_method(plan.method)
    return anytime_bound(mirror, ~informative.wins, confidence=plan.refutation, rule=rule).passed


def _futility(test: MixtureTest, informative: Informative) -> str | None:
    """That going on is probably a waste; advice only, which can lose a pass but never gain one."""
    count = len(informative.wins)
    if count < 50 or informative.share > test.null_share:
        return None
    wins = int(informative.wins.sum())
    ahead = outlook(test, successes=wins, failures=count - wins, budget=min(3 * count, FARTHEST))
    if not ahead.hopeless:
        return None
    return (
        f"with three times these labels the chance to pass would be {100 * ahead.chance:.1f}%: "
        "consider stopping"
    )


def _total(prefix: Prefix, ahead: DrawsAhead | None) -> int | None:
    return None if ahead is None else prefix.labels + ahead.middle


def _anytime_ahead(
    plan: Plan, prefix: Prefix, informative: Informative, test: MixtureTest
) -> DrawsAhead | None:
    """The labels that an anytime plan still takes, if it passes; None where it does not look so."""
    count, share, null = len(informative.wins), informative.share, test.null_share
    if share <= null or count == 0:
        return None
    horizon = anytime_horizon(test, share=share, count=count)
    return _walk_ahead(plan, prefix, informative, mixture_boundary(test, horizon))


def anytime_horizon(test: MixtureTest, *, share: float, count: int) -> int:
    """How many informative items are looked ahead to, after a number of them with this share of successes."""
    null = test.null_share
    speed = share * math.log(share / null) + (1 - share) * math.log((1 - share) / (1 - null))
    far = min(math.ceil(FAR * test.log_threshold / speed) + 50, FARTHEST)
    return STEP * math.ceil((count + far) / STEP)  # one boundary for many looks


def _walk_ahead(
    plan: Plan, prefix: Prefix, informative: Informative, boundary: Boundary
) -> DrawsAhead | None:
    wins, count = int(informative.wins.sum()), len(informative.wins)
    ahead = items_ahead(boundary, successes=wins, failures=count - wins)
    if ahead is None:
        return None
    most = None if plan.size is None else max(plan.size - prefix.draws, 0)
    draws = draws_ahead(ahead, rate=informative.rate, most=most)
    if draws is None:
        return None
    return in_labels(draws, items=plan.items, labels=prefix.labels)


def spending_test_of(plan: Plan) -> SpendingTest:
    """The test that a budget plan seals."""
    rule = spending_method(plan.method)
    return spending_test(
        plan.claim,
        confidence=plan.tested_at,
        planned=plan.informative or 0,
        look_every=rule.look_every,
        rounding=rule.rounding,
    )


def judge_budget(state: State, attempt: Attempt) -> Verdict:
    """Whether the path crossed the sealed boundary at any of its sealed looks so far.

    This mode proves the claim or nothing: its bound is the target once passed, and vacuous before.
    """
    plan = attempt.plan
    if plan.informative is None or plan.size is None:
        raise PlanError(f"Plan {plan.number} seals no budget.")
    prefix = labelled_prefix(state, attempt)
    informative = informative_draws(plan.claim, prefix)
    test = spending_test_of(plan)
    crossed = crossing(test, informative.wins[: plan.informative])
    spent = len(informative.wins) >= plan.informative or prefix.draws >= plan.size
    decision: Decision = "pass" if crossed.passed else "fail" if spent else "continue"
    lower = plan.claim.side == "lower"
    interval = Interval(
        low=plan.claim.target if lower and crossed.passed else 0.0,
        high=plan.claim.target if not lower and crossed.passed else 1.0,
        confidence=plan.confidence,
        side=plan.claim.side,
        method="budget",
        guaranteed=True,
    )
    estimate = estimate_of(plan, prefix, interval, BUDGET)
    ahead = None
    if decision == "continue" and informative.share > test.null_share:
        ahead = _walk_ahead(plan, prefix, informative, spending_boundary(test))
    return Verdict(
        decision=decision,
        claim=plan.claim,
        estimate=estimate,
        labels_expected=_total(prefix, ahead) if ahead else plan.size,
        labels_ahead=None if ahead is None else (ahead.low, ahead.high),
        waiting=prefix.waiting,
        skipped=prefix.skipped,
        census=False,
        reason=_budget_sentence(plan, estimate, decision, len(informative.wins)),
    )


def _budget_sentence(plan: Plan, estimate: Estimate, decision: Decision, informative: int) -> str:
    word = "at least" if plan.claim.side == "lower" else "at most"
    if decision == "pass":
        return sentence(plan.claim, estimate, decision)
    point = "nothing yet" if estimate.point is None else shown(estimate.point)
    tested = min(informative, plan.informative or informative)  # draws beyond them are not judged
    state = "the budget is spent without proof" if decision == "fail" else "not proved so far"
    return (
        f"{estimate.title} {word} {plan.claim.target:g}: {state} after {tested:,} of the "
        f"{plan.informative:,} items planned that can count for or against the claim "
        f"({estimate.labels:,} labels in all). The sample itself shows {point}."
    )


def estimate_of(
    plan: Plan, prefix: Prefix, interval: Interval, assumptions: tuple[str, ...]
) -> Estimate:
    """The estimate behind a verdict of a simple random sample."""
    ratio = metric(plan.claim.metric)
    point = ratio.value(prefix.counts.cells)
    return Estimate(
        metric=ratio.name,
        title=ratio.title,
        point=point,
        reason=None if point is not None else "no labelled item yet counts for or against it",
        interval=interval,
        labels=prefix.labels,
        draws=prefix.draws,
        design=plan.design,
        counts=prefix.counts,
        assumptions=assumptions,
    )
