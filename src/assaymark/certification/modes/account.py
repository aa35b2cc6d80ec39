"""The risk that all plans about one claim on one pool share: what is left of it, and who used it.

An account belongs to a pool, its classifier, a metric and a direction. Its wealth starts at 1, and
every plan hands on what its bets left (`stats/risk_account.py` says why that keeps one level).
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assaymark.certification.modes.closed_rows import (
    closed_plan,
    closing_prefix,
    passed_when_closed,
)
from assaymark.certification.modes.sequential import spending_test_of
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import binomial_test
from assaymark.errors import PlanError
from assaymark.hints import command
from assaymark.ledger.events import Attempt, State
from assaymark.records.decimals import complement, decimal_text, rounded_down
from assaymark.records.plan import FAMILY, JOINT, Plan
from assaymark.stats.binomial_bounds import pass_counts
from assaymark.stats.risk_account import Side, carried, claim_only_factor, hardness, plan_level
from assaymark.stats.sequential.alpha_spending import items_to_pass
from assaymark.stats.sequential.stopping_boundary import null_share_of
from assaymark.stats.special import bdtrc

OTHER: dict[str, Side] = {"lower": "upper", "upper": "lower"}


@dataclass(frozen=True, kw_only=True)
class Left:
    """What one earlier plan left for a claim: E of the row used, and F, by which wealth is multiplied.

    `pending` draws had no label when it was closed.
    """

    plan: int
    wealth: float
    factor: float
    pending: int


def on_metric(claim: Claim, name: str) -> tuple[Side, float] | None:
    """The claim as a row of another metric that says the same; None where there is none.

    >>> on_metric(Claim(metric="npv", side="lower", target=0.75), "elusion")
    ('upper', 0.25)
    """
    side, target = claim.side, claim.target
    if claim.metric == name:
        return side, target
    if (claim.metric, name) == ("jaccard", "f1"):
        return side, 2 * target / (1 + target)
    if (claim.metric, name) == ("f1", "jaccard"):
        return side, target / (2 - target)
    if {claim.metric, name} == {"npv", "elusion"}:
        return OTHER[side], 1 - target
    return None


def sharers(
    state: State, claim: Claim, account: str, *, before: int | None = None
) -> list[Attempt]:
    """The plans that shared the account of this claim so far, in order."""
    earlier = state.attempts if before is None else state.attempts[: before - 1]
    pool = state.pool if before is None else state.attempts[before - 1].pool
    return [
        old
        for old in earlier
        if old.pool is pool
        and old.plan.stake.account == account
        and (account == FAMILY or _counts(old.plan, claim))
    ]


def _counts(plan: Plan, claim: Claim) -> bool:
    """Whether the plan can state anything on the claim's side of its metric."""
    row = on_metric(claim, plan.claim.metric)
    return row is not None and (row[0] == plan.claim.side or plan.kind.wagers)


def left_for(
    state: State, attempts: Sequence[Attempt], claim: Claim, *, refuting: bool = False
) -> tuple[Left, ...]:
    """What each of these plans left for the claim, in order.

    `refuting`: the claim is what a refutation would state. Across the metrics of a family only the
    least of a plan's rows counts, and never more than 1: which of them is false is not known.
    """
    parts: list[Left] = []
    wealth = 1.0
    for attempt in attempts:
        factor = _factor(state, attempt, claim, wealth, refuting=refuting)
        share = float(attempt.plan.stake.share)
        parts.append(
            Left(
                plan=attempt.plan.number,
                wealth=max(0.0, (factor - (1 - share)) / share),
                factor=factor,
                pending=len(attempt.draws) - closing_prefix(state, attempt).draws,
            )
        )
        wealth *= factor
    return tuple(parts)


def wealth_of(left: Sequence[Left]) -> float:
    """The wealth of the account after these plans."""
    wealth = 1.0
    for one in left:
        wealth *= one.factor
    return wealth


def _factor(
    state: State, attempt: Attempt, claim: Claim, wealth: float, *, refuting: bool
) -> float:
    plan, row = attempt.plan, on_metric(claim, attempt.plan.claim.metric)
    same_side = row is not None and (row[0] == plan.claim.side) != refuting
    if plan.stake.account == FAMILY and not same_side:
        return _least(state, attempt, refuting=refuting)
    if row is None:
        return 1.0
    side, target = row
    easier = side == plan.claim.side and hardness(target, side) < hardness(plan.claim.target, side)
    if easier and attempt.draws and states_claim_only(plan):
        value = _claim_only(state, attempt, target, wealth)
        if value is not None:
            return value
    return carried(
        [closed_plan(state, attempt, side=side, target=target)], target=target, side=side
    )


def _least(state: State, attempt: Attempt, *, refuting: bool) -> float:
    """The least factor of the rows that the plan can state, and never more than 1."""
    claim = attempt.plan.claim
    side = OTHER[claim.side] if refuting else claim.side
    closed = closed_plan(state, attempt, side=side, target=claim.target)
    hardest = hardness(claim.target, side)
    rows = [factor for target, factor in closed.factors() if hardness(target, side) <= hardest]
    return min([1.0, *rows])


def states_claim_only(plan: Plan) -> bool:
    """Whether the plan proves its claim or nothing: no bound beside it."""
    return plan.stake.claim_only or not (plan.kind.wagers or plan.kind.judged_once)


def _claim_only(state: State, attempt: Attempt, target: float, wealth: float) -> float | None:
    """What a plan without a bound leaves for an easier target; None where that is unknown."""
    plan = attempt.plan
    risk = alpha_of(plan)
    chance = _chance_to_pass(state, attempt, target)
    if chance is None or wealth <= 0 or risk * wealth >= 1:
        return None
    if chance <= 0:
        return 1.0
    passed = passed_when_closed(state, attempt)
    return claim_only_factor(passed=passed, chance=chance, risk=risk, wealth=wealth)


def _chance_to_pass(state: State, attempt: Attempt, target: float) -> float | None:
    """The chance that the plan passes if the truth lies at this target."""
    plan = attempt.plan
    share = null_share_of(replace(plan.claim, target=target))
    if not plan.kind.judged_once:
        return float(items_to_pass(spending_test_of(plan), share=share).passes)
    test, size = binomial_test(plan.claim), plan.size or 0
    if test is None:
        return None
    prefix = closing_prefix(state, attempt)
    # precision and the like: every draw is informative; otherwise their number must be known
    items = size if plan.domain != "all" else test.tally(prefix.counts)[1]
    if plan.domain == "all" and prefix.draws < size:
        return None
    least = int(pass_counts(test.null_share, items, float(plan.level))[items])
    return 0.0 if least > items else float(bdtrc(least - 1, items, share)) if least else 1.0


def alpha_of(plan: Plan) -> float:
    """The risk of the plan's account."""
    return float(plan.stake.risk or complement(decimal_text(plan.confidence)))


def level_now(state: State, attempt: Attempt) -> float:
    """The level that what is left of the account allows this plan, with the labels as they are now."""
    plan = attempt.plan
    mates = sharers(state, plan.claim, plan.stake.account, before=plan.number)
    return level_of(
        wealth_of(left_for(state, mates, plan.claim)),
        risk=alpha_of(plan),
        share=float(plan.stake.share),
        ends=not plan.kind.wagers,
    )


def level_of(wealth: float, *, risk: float, share: float, ends: bool) -> float:
    """The level of a plan that starts from this wealth; one that ends never runs above the risk."""
    level = plan_level(risk=risk, wealth=wealth, share=share)
    return min(level, risk) if ends else level


def at_present(state: State, attempt: Attempt) -> Attempt:
    """The attempt at the level that is left now, after corrections in earlier plans on the claim.

    A plan that ends has its size from its level, so with less left it is superseded.
    """
    plan = attempt.plan
    if not plan.earlier or plan.stake.account == JOINT:
        return attempt
    now, sealed = level_now(state, attempt), float(plan.level)
    if now >= sealed * (1 - 1e-6):
        return attempt
    if plan.kind.promise:
        raise PlanError(
            f"Plan {plan.number} is superseded: labels of an earlier plan on this claim were "
            f"changed, so less of their shared risk of error is left ({now:.3g}) than this plan "
            f"was sealed with ({sealed:.3g}). Close it ({command('plan', abandon='REASON')}) and "
            "seal a new plan."
        )
    lower = rounded_down(max(now, LEAST))
    changed = copy.copy(attempt)
    changed.plan = replace(plan, stake=replace(plan.stake, level=lower), staked=plan.level)
    return changed


LEAST = 1e-9
"""The least level that a plan is sealed at: below it, numbers near 1 lose their last digits."""
