"""How much of a shared risk a claim of several rows gets, and the confidence that is stated then."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from assaymark.claims.language.tree import Threshold
from assaymark.composite.sealed import SealedClaim, annotated
from assaymark.composite.shared_risk.account import (
    LEAST,
    carried_by,
    closed_claims,
    earlier_claims,
    sharers,
    touches,
)
from assaymark.composite.shared_risk.risk import CLAIM, FAMILY, JOINT, ClaimRisk
from assaymark.composite.shared_risk.subjects import (
    Subject,
    is_about_registered,
    on_one_scale,
    subjects_of,
)
from assaymark.composite.work import ClaimWork, claim_works
from assaymark.errors import PlanError
from assaymark.hints import switch
from assaymark.ledger.events import State
from assaymark.records.decimals import complement, decimal_text
from assaymark.stats.risk_account import joint_seed_level


@dataclass(frozen=True, kw_only=True)
class AskedRisk:
    """Whether a second account is asked for, or one account for all claims on the pool.

    Claims whose seed is drawn `joint`ly have levels of their own, and no account.
    """

    new_risk: bool = False
    family: bool = False
    joint: bool = False


def with_risk(state: State, sealed: SealedClaim, asked: AskedRisk) -> SealedClaim:
    """The claim with its part of the risk. Refused where earlier claims left nothing of it."""
    subjects = subjects_of(sealed)
    sealed = annotated(sealed, level=whole_level(sealed))
    if asked.joint:
        return _joint(state, sealed, subjects)
    account = FAMILY if asked.family else _account(state, subjects, new=asked.new_risk)
    mates = sharers(state, subjects, account)
    shares = _shares(sealed, subjects, mates)
    risk = ClaimRisk(account=account, others=_others(state, sealed, subjects, account))
    sealed = annotated(sealed, risk=risk)
    if mates:
        earlier = earlier_claims(state, mates)
        carried = carried_by(sealed, closed_claims(state, earlier), shares=shares)
        sealed = annotated(sealed, risk=replace(risk, carried=carried, earlier=earlier))
        _refuse_used_up(sealed)
    return _with_confidence_left(sealed)


def _joint(state: State, sealed: SealedClaim, subjects: Sequence[Subject]) -> SealedClaim:
    """A level of its own: somebody who knows labels and seed could close a claim by what is to come."""
    number = 1 + len(sharers(state, subjects, JOINT))
    others = _others(state, sealed, subjects, JOINT)
    level = round(joint_seed_level(sealed.level, number), 12)
    if level < LEAST:
        raise PlanError(
            f"Earlier claims with joint seeds used up the risk of error of '{sealed.claim}'."
        )
    risk = ClaimRisk(account=JOINT, others=others, number=number)
    return _with_confidence_left(annotated(sealed, level=level, risk=risk))


def _with_confidence_left(sealed: SealedClaim) -> SealedClaim:
    if sealed.stated <= 0:
        raise PlanError(
            f"The risks used on '{sealed.claim}' add up to 1 or more: no confidence is left."
        )
    return sealed


def _account(state: State, subjects: Sequence[Subject], *, new: bool) -> str:
    """The latest account of these subjects, or the next where a new one is asked for."""
    names = [
        work.sealed.risk.account
        for work in claim_works(state)
        if work.sealed.risk.account not in (FAMILY, JOINT)
        and touches(subjects, subjects_of(work.sealed))
    ]
    if new and not names:
        raise PlanError(
            f"{switch('new-risk')} is for a claim on something that was claimed before, and this was "
            "not. Leave it out."
        )
    number = max((int(name.partition("/")[2] or 1) for name in names), default=1) + new
    return CLAIM if number == 1 else f"{CLAIM}/{number}"


def _others(
    state: State, sealed: SealedClaim, subjects: Sequence[Subject], account: str
) -> tuple[str, ...]:
    """The largest risk used in every further account on these subjects, plans of one row among them."""
    largest: dict[str, float] = {}
    for work in claim_works(state):
        name = work.sealed.risk.account
        if name != account and touches(subjects, subjects_of(work.sealed)):
            largest[name] = max(largest.get(name, 0.0), 1 - work.sealed.confidence)
    metrics = registered_metrics(sealed)
    for attempt in state.attempts:
        plan = attempt.plan
        metric, _, _ = on_one_scale(plan.claim.metric, plan.claim.side, plan.claim.target)
        if attempt.pool is state.pool and metric in metrics:
            name = f"plan {plan.stake.account}"
            risk = float(plan.stake.risk or complement(decimal_text(plan.confidence)))
            largest[name] = max(largest.get(name, 0.0), risk)
    return tuple(decimal_text(round(largest[name], 12)) for name in sorted(largest))


def registered_metrics(sealed: SealedClaim) -> set[str]:
    """The metrics of the project's own classifier, on the whole pool, that the claim speaks of."""
    return {
        on_one_scale(leaf.figure.metric, leaf.side, float(leaf.target))[0]
        for leaf in sealed.statements[0].tree.parts
        if isinstance(leaf, Threshold) and is_about_registered(sealed, leaf)
    }


def _shares(
    sealed: SealedClaim, subjects: Sequence[Subject], mates: Sequence[ClaimWork]
) -> list[str]:
    """The share of the risk behind each part: a comparison's two directions share it."""
    return [_share(sealed, subject, mates) for subject in subjects]


def _share(sealed: SealedClaim, subject: Subject, mates: Sequence[ClaimWork]) -> str:
    used = max((_used(work.sealed, subject.opposite) for work in mates), default=0.0)
    both_ways = sealed.kind == "comparison" and sealed.only is None
    room = 1.0 - used
    if room < (0.5 if both_ways else 1e-9):
        raise PlanError(
            "An earlier claim used the whole risk of error of this comparison for the other "
            f"direction, so nothing is left for this one. {switch('new-risk')} opens a second "
            "account, whose certificates state the confidence of both together."
        )
    return "1" if both_ways or room == 1 else decimal_text(room)


def _used(sealed: SealedClaim, key: str | None) -> float:
    """The share of its risk that a claim put on this direction of a comparison."""
    carried = sealed.risk.carried
    half = 0.5 if sealed.kind == "comparison" and sealed.only is None else 1.0
    shares = [
        half * (float(carried[number].share) if carried else 1.0)
        for number, subject in enumerate(subjects_of(sealed))
        if key is not None and subject.key == key
    ]
    return max(shares, default=0.0)


def _refuse_used_up(sealed: SealedClaim) -> None:
    if any(float(one.proof) <= LEAST for one in sealed.risk.carried):
        raise PlanError(
            f"Earlier claims used up the risk of error of '{sealed.claim}', so this one could "
            "prove nothing by a sample. Label every item of the earlier claim, claim something "
            f"easier, or open a second account with {switch('new-risk')}, whose certificates "
            "state the confidence of all accounts together."
        )


CHAINED = ("accuracy", "precision")
"""Metrics whose gaps at every offset live on the same items, so that bounds cost nothing."""


def whole_level(sealed: SealedClaim) -> float:
    """The risk of a statement where nothing but the claim's confidence bounds it."""
    alpha = 1.0 - sealed.confidence
    if sealed.kind != "comparison":
        return round(alpha, 12)
    metric = sealed.statements[0].tree.parts[0].figure.metric
    return level_of_comparison(alpha, metric, sealed.margin, sealed.only)


def level_of_comparison(
    alpha: float, metric: str, margin: Fraction | None, only: str | None
) -> float:
    """The risk of a single statement: both directions share `alpha`.

    So do "better" and "not worse by more than the margin" of one direction, where no chain makes
    the one wait for the other.
    """
    one = only is not None and (margin is None or metric in CHAINED)
    return round(alpha if one else alpha / 2, 12)
