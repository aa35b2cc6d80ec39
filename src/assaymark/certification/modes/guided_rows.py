"""Verdicts of score-guided plans on rows (method number 2), with or without a ceiling."""

import math

from assaymark.certification.modes.prefix import Prefix, labelled_prefix
from assaymark.certification.modes.score_guided import (
    evidence_ahead,
    expected_in_all,
    guided_estimate,
    known_cells,
    test_strata,
    weighted_draws,
)
from assaymark.certification.modes.words import (
    budget_spent,
    looks_false,
    out_of_reach,
    refuted,
    sentence,
)
from assaymark.claims.results import Decision, Estimate, Verdict, shown
from assaymark.ledger.events import Attempt, State
from assaymark.records.plan import Plan
from assaymark.stats.betting.binary import BinaryTest, binary_test
from assaymark.stats.betting.standing import ClaimStanding, standing
from assaymark.stats.methods import row_method


def row_test_of(plan: Plan) -> BinaryTest:
    """The test that a score-guided plan on rows seals."""
    method, level = row_method(plan.method), float(plan.level)
    refutes = float(plan.refutes)
    return binary_test(
        plan.claim,
        test_strata(plan),
        level=level,
        ceiling=plan.size,
        refutes=None if refutes == level else refutes,
        staked=None if plan.staked is None else float(plan.staked),
        capped=bool(plan.earlier),
        known=known_cells(plan),
        recipe=method.recipe,
        steps=method.ladder,
    )


def judge_rows(state: State, attempt: Attempt, assumptions: tuple[str, ...]) -> Verdict:
    """What is established now, whenever one looks; at its ceiling a plan ends."""
    plan, prefix = attempt.plan, labelled_prefix(state, attempt)
    draws = weighted_draws(attempt, prefix)
    now = standing(row_test_of(plan), draws)
    estimate = guided_estimate(plan, prefix, draws, now.bound, assumptions)
    decision = decision_of(plan, prefix, now)
    ahead = evidence_ahead(plan, prefix, now.log_wealth, now.path.test.log_needed, decision)
    return Verdict(
        decision=decision,
        claim=plan.claim,
        estimate=estimate,
        labels_expected=expected_in_all(prefix, ahead, decision),
        labels_ahead=None if ahead is None or plan.size is not None else (ahead.low, ahead.high),
        waiting=prefix.waiting,
        skipped=prefix.skipped,
        census=False,
        e_value=math.exp(min(now.evidence, 700.0)),
        log_wealth=float(now.log_wealth[-1]) if prefix.draws else 0.0,
        reason=_reason(plan, estimate, decision, now),
        refuted=now.decision == "fail",
        doubt=_doubt(plan, estimate, decision, now),
    )


def decision_of(plan: Plan, prefix: Prefix, now: ClaimStanding) -> Decision:
    """The decision on the claim; a plan whose ceiling is reached without one has failed."""
    spent = plan.size is not None and prefix.draws >= plan.size
    return "fail" if now.decision == "continue" and spent else now.decision


def _doubt(plan: Plan, estimate: Estimate, decision: Decision, now: ClaimStanding) -> str | None:
    """That the open claim looks false; said of a first plan alone, whose labels bore no look before."""
    if decision != "continue" or plan.earlier or not estimate.is_behind(plan.claim):
        return None
    if not now.doubted:
        return None
    return looks_false("the claim", f"{estimate.title} would be {shown(estimate.point)}")


def _reason(plan: Plan, estimate: Estimate, decision: Decision, now: ClaimStanding) -> str:
    if now.decision == "fail":
        return refuted(plan.claim, estimate, plan.confidence)
    if decision == "fail":
        return budget_spent(plan.claim, estimate)
    if now.ruling.decision == "unreachable":
        return out_of_reach(plan.claim, estimate)
    return sentence(plan.claim, estimate, decision)
