"""Whether a plan got the part of its claim's risk that earlier plans had left."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from assaymark.certification.certificate.checks import Recorded
from assaymark.certification.certificate.words import account_words
from assaymark.certification.modes.account import alpha_of
from assaymark.errors import VerificationError
from assaymark.ledger.events import State, replay
from assaymark.records.certificate import Certificate, Check
from assaymark.records.decimals import complement, decimal_text
from assaymark.records.plan import FAMILY, JOINT, Plan, Stake

if TYPE_CHECKING:
    from assaymark.certification.planning.request import RiskRequest

ROUNDING = 1e-6  # of numbers that are computed again on another processor


def check_risk(certificate: Certificate, recorded: Recorded) -> Check:
    """The stake of the plan, computed again from the events before it was sealed."""
    from assaymark.certification.planning.stakes import stake_for  # the gate needs no planning

    plan = certificate.plan
    attempt = recorded.past.attempts[plan.number - 1]
    if plan.earlier:
        state = replay(recorded.entries[: attempt.sealed_at - 1])
    else:  # only whether there were plans on the claim matters, not what their labels said then
        state = State(pool=attempt.pool, attempts=recorded.past.attempts[: plan.number - 1])
    stake, stated = stake_for(state, plan.claim, _asked(state, plan))
    level = stake.level or complement(decimal_text(plan.confidence))
    whole = replace(stake, level=level), replace(plan.stake, level=plan.level)
    if stated != plan.confidence or not _agree(*whole):
        raise VerificationError(
            "The plan's field 'risk' does not follow from the plans on this claim that were sealed "
            "before it."
        )
    words = account_words(plan) or "Plan 1 on this claim, with all of its risk"
    detail = f"{words[0].lower()}{words[1:]}; other projects on the collection are not seen"
    return Check.ok("risk", detail)


def _asked(state: State, plan: Plan) -> "RiskRequest":
    from assaymark.certification.planning.request import RiskRequest

    account = plan.stake.account
    return RiskRequest(
        confidence=float(complement(decimal_text(alpha_of(plan)))),
        reserve=float(complement(plan.stake.share)),
        claim_only=plan.stake.claim_only,
        family=account == FAMILY,
        joint=account == JOINT,
        new_risk="/" in account
        and all(old.plan.stake.account != account for old in state.attempts),
        ends=not plan.kind.wagers,
        again=True,
    )


def _agree(recomputed: Stake, sealed: Stake) -> bool:
    numbers = ("level", "carried", "refutes")
    equal = all(_equal(getattr(recomputed, name), getattr(sealed, name)) for name in numbers)
    rest = ("account", "share", "claim_only", "earlier", "risk")
    return equal and all(getattr(recomputed, name) == getattr(sealed, name) for name in rest)


def _equal(recomputed: str | None, sealed: str | None) -> bool:
    if recomputed is None or sealed is None:
        return recomputed is sealed
    return math.isclose(float(recomputed), float(sealed), rel_tol=ROUNDING)
