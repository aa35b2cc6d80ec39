"""What a plan leaves to later ones on the same claim: the wealth of its rows when it was closed.

Each mode leaves what its own test is worth as a bet. Only the draws that were labelled when the plan
was closed count; what was drawn and not labelled counts as the worst label. Corrections count.
"""

import math
from dataclasses import replace

import numpy as np

from assaymark.certification.modes.fixed import exact_bound
from assaymark.certification.modes.guided_rows import row_test_of
from assaymark.certification.modes.prefix import Prefix, counts_of, labelled_prefix
from assaymark.certification.modes.score_guided import weighted_draws, weighted_test_of
from assaymark.certification.modes.sequential import informative_draws, spending_test_of
from assaymark.certification.modes.words import capped
from assaymark.ledger.events import Attempt, State
from assaymark.records.plan import Plan
from assaymark.stats.betting.standing import row_wealth as betting_row_wealth
from assaymark.stats.methods import mixture_method
from assaymark.stats.risk_account import (
    ClosedPlan,
    ClosedRow,
    Side,
    at_closing,
    hardness,
)
from assaymark.stats.score_guided.bound import RowWealth, row_wealth
from assaymark.stats.sequential.alpha_spending import crossing
from assaymark.stats.sequential.beta_mixture import (
    anytime_bound,
    evidence,
    evidence_at,
    lower_share,
    mixture_test,
)
from assaymark.stats.sequential.stopping_boundary import null_share_of

ROWS = 64  # targets up to the one asked for, where every number is a row
MOST_LOG = 600.0

Rows = tuple[ClosedRow, ...]


def closing_prefix(state: State, attempt: Attempt) -> Prefix:
    """The labelled prefix as it was when the plan was closed, with the labels as they are now."""
    prefix = labelled_prefix(state, attempt)
    end = prefix.draws if attempt.settled is None else min(prefix.draws, attempt.settled)
    if end == prefix.draws:
        return prefix
    drawn, answers = prefix.drawn[:end], prefix.answers[:end]
    pairs = zip((bool(draw.prediction) for draw in drawn), answers, strict=True)
    return replace(
        prefix, drawn=drawn, answers=answers, counts=counts_of(attempt.plan.claim, pairs)
    )


def closed_plan(state: State, attempt: Attempt, *, side: Side, target: float) -> ClosedPlan:
    """The rows of this plan that matter to a row of a later one, on the plan's own metric.

    On the side of its claim these are the targets that the plan could state; on the other side the
    claim's target alone, which the plan could declare false.
    """
    plan = attempt.plan
    share = float(plan.stake.share)
    if not attempt.draws or plan.kind.whole:
        return ClosedPlan(side=side, rows=(), share=share)
    prefix = closing_prefix(state, attempt)
    if side == plan.claim.side:
        rows = _rows(attempt, prefix, target)
    elif plan.kind.wagers:
        rows = (_guided_mirror if plan.kind.guided else _mixture_mirror)(attempt, prefix)
    else:
        rows = ()  # nothing is ever stated there
    return ClosedPlan(side=side, rows=rows, share=share)


def _rows(attempt: Attempt, prefix: Prefix, target: float) -> Rows:
    """What the plan's own test is worth on the side of its claim."""
    kind = attempt.plan.kind
    if kind.guided:
        return _guided(attempt, prefix)
    if kind.wagers:
        return _mixture(attempt, prefix, target)
    return _exact(attempt, prefix) if kind.judged_once else _claim_row(attempt, prefix)


def passed_when_closed(state: State, attempt: Attempt) -> bool:
    """Whether a plan that states its claim alone had passed."""
    prefix = closing_prefix(state, attempt)
    return bool(_claim_row(attempt, prefix)[0].wealth)


def _level(plan: Plan) -> float:
    return float(plan.level)


def _held(attempt: Attempt, prefix: Prefix) -> tuple[RowWealth, float, float]:
    """The wealth of every row of a score-guided plan, and what passes and what refutes."""
    plan, draws = attempt.plan, weighted_draws(attempt, prefix)
    if plan.lead is None:
        first = weighted_test_of(plan)
        return row_wealth(first, draws), first.log_needed, first.log_doubt_needed
    test = row_test_of(plan)
    return betting_row_wealth(test, draws), test.test.log_needed, test.test.log_doubt_needed


def _guided(attempt: Attempt, prefix: Prefix) -> Rows:
    held, needed, _ = _held(attempt, prefix)
    return tuple(
        _closed_row(attempt, target, log, needed)
        for target, log in zip(held.targets, held.log, strict=True)
    )


def _guided_mirror(attempt: Attempt, prefix: Prefix) -> Rows:
    held, _, needed = _held(attempt, prefix)
    return (_closed_row(attempt, attempt.plan.claim.target, held.log_doubt, needed),)


def _closed_row(
    attempt: Attempt,
    target: float,
    log: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    needed: float,
) -> ClosedRow:
    crossed = np.flatnonzero(log >= needed)
    wealth = at_closing(
        np.exp(np.minimum(log, MOST_LOG)).tolist(),
        labelled=len(log),
        drawn=len(attempt.draws),
        passed_at=int(crossed[0]) + 1 if crossed.size else None,
    )
    return ClosedRow(target=target, wealth=wealth)


def _mixture(attempt: Attempt, prefix: Prefix, target: float) -> Rows:
    """Every target is a row: those up to the one asked for, or up to the hardest that is stated."""
    plan = attempt.plan
    claim, rule = plan.claim, mixture_method(plan.method)
    test = mixture_test(claim, confidence=plan.tested_at, rule=rule)
    wins = informative_draws(claim, prefix).wins
    pending = len(attempt.draws) - prefix.draws
    easiest = 0.0 if claim.side == "lower" else 1.0
    end = capped(plan, target)
    targets = np.linspace(easiest, end, ROWS + 1)[1:]
    shares = np.array([null_share_of(replace(claim, target=float(t))) for t in targets])
    successes = int(wins.sum())
    last = evidence_at(test, successes, len(wins) - successes + pending, shares)
    proved = shares <= lower_share(test, wins)
    logs = np.where(proved, test.log_threshold, np.minimum(last, test.log_threshold))
    return tuple(
        ClosedRow(target=float(t), wealth=math.exp(log))
        for t, log in zip(targets, logs, strict=True)
    )


def _mixture_mirror(attempt: Attempt, prefix: Prefix) -> Rows:
    plan = attempt.plan
    if plan.refutation is None:
        return (ClosedRow(target=plan.claim.target, wealth=0.0),)
    other: Side = "upper" if plan.claim.side == "lower" else "lower"
    mirror, rule = replace(plan.claim, side=other), mixture_method(plan.method)
    wins = ~informative_draws(plan.claim, prefix).wins
    test = mixture_test(mirror, confidence=plan.refutation, rule=rule)
    if anytime_bound(mirror, wins, confidence=plan.refutation, rule=rule).passed:
        log = test.log_threshold
    else:
        pending = np.zeros(len(attempt.draws) - prefix.draws, dtype=bool)
        log = evidence(test, np.concatenate([wins, pending])).log_evidence
    return (ClosedRow(target=plan.claim.target, wealth=math.exp(min(log, MOST_LOG))),)


def _exact(attempt: Attempt, prefix: Prefix) -> Rows:
    """One over the level up to the bound, and nothing beyond it; nothing at all if never judged."""
    plan = attempt.plan
    if plan.stake.claim_only:
        return _claim_row(attempt, prefix)
    easiest = 0.0 if plan.claim.side == "lower" else 1.0
    reached = (
        capped(plan, fixed_bound(plan, prefix)) if prefix.draws >= (plan.size or 0) else easiest
    )
    beyond = math.nextafter(reached, 1 - easiest)
    rows = [] if reached == easiest else [ClosedRow(target=reached, wealth=1 / _level(plan))]
    if (
        hardness(reached, plan.claim.side) < hardness(plan.claim.target, plan.claim.side)
        or not plan.capped
    ):
        rows.append(ClosedRow(target=beyond, wealth=0.0))
    return tuple(rows)


def fixed_bound(plan: Plan, prefix: Prefix) -> float:
    """The exact bound of a plan that is judged once, on the side of its claim."""
    interval = exact_bound(plan, prefix).interval
    return interval.low if plan.claim.side == "lower" else interval.high


def _claim_row(attempt: Attempt, prefix: Prefix) -> Rows:
    """The row of a plan that states its claim or nothing."""
    plan = attempt.plan
    if not plan.kind.judged_once:
        wins = informative_draws(plan.claim, prefix).wins[: plan.informative]
        passed = crossing(spending_test_of(plan), wins).passed
    else:
        reached = hardness(fixed_bound(plan, prefix), plan.claim.side)
        enough = prefix.draws >= (plan.size or 0)
        passed = enough and reached >= hardness(plan.claim.target, plan.claim.side)
    return (ClosedRow(target=plan.claim.target, wealth=1 / _level(plan) if passed else 0.0),)
