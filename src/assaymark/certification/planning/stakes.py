"""How much of a shared risk a new plan gets, and the confidence that is stated then."""

from collections.abc import Sequence
from dataclasses import replace

from assaymark.certification.modes.account import (
    LEAST,
    OTHER,
    alpha_of,
    left_for,
    level_of,
    on_metric,
    sharers,
    wealth_of,
)
from assaymark.certification.planning.request import RiskRequest
from assaymark.claims.checks import open_share
from assaymark.claims.claim import Claim
from assaymark.errors import InputError, PlanError
from assaymark.hints import command, switch
from assaymark.ledger.events import Attempt, State, SurveyWork
from assaymark.records.decimals import complement, decimal_text, rounded_down
from assaymark.records.plan import CLAIM, FAMILY, JOINT, Stake
from assaymark.stats.risk_account import joint_confidence, joint_seed_level

NEARLY_ALL = 1 - 1e-6
ONE_SCALE = {"jaccard": "f1", "npv": "elusion"}


def stake_for(state: State, claim: Claim, asked: RiskRequest) -> tuple[Stake, float]:
    """The stake of a plan sealed now, and the confidence of all plans on its claim together."""
    risk = complement(decimal_text(open_share("confidence", asked.confidence)))
    if asked.joint:
        return _joint(state, claim, risk)
    account = FAMILY if asked.family else _account(state, claim, new=asked.new_risk)
    mates = sharers(state, claim, account)
    stated = _stated(state, claim, account, float(risk))
    share = _share(asked.reserve)
    whole = Stake(account=account, share=share, claim_only=asked.claim_only)
    if stated != asked.confidence:
        whole = replace(whole, risk=risk, level=risk)
    if not mates and share == "1":
        return whole, stated
    wealth = wealth_of(left_for(state, mates, claim))
    level = level_of(wealth, risk=float(risk), share=float(share), ends=asked.ends)
    if asked.again and level >= NEARLY_ALL:
        level = float(risk)
    _refuse_useless(claim, mates, level)
    stake = replace(
        whole,
        level=rounded_down(level),
        carried=rounded_down(wealth, 12) if mates else None,
        earlier=tuple(old.plan.number for old in mates),
        refutes=_refutes(state, claim, account, float(risk), float(share)),
    )
    return stake, stated


def _joint(state: State, claim: Claim, risk: str) -> tuple[Stake, float]:
    """A level of its own: somebody who knows labels and seed could close a plan by what is to come."""
    number = 1 + sum(old.plan.stake.account == JOINT for old in _mates(state, claim, either=True))
    level = rounded_down(joint_seed_level(float(risk), number))
    if float(level) < LEAST:
        raise PlanError(f'Earlier plans with joint seeds used up the risk of error of "{claim}".')
    stated = _stated(state, claim, JOINT, float(risk))
    whole = Stake(account=JOINT, level=level, refutes=level)
    known = complement(decimal_text(stated)) != risk
    return (replace(whole, risk=risk) if known else whole), stated


def _share(reserve: float) -> str:
    if not 0 <= reserve < 1:
        raise InputError(
            f"'reserve' is the part of the risk that is kept for a later plan: at least 0 and below 1, "
            f"got {reserve!r}."
        )
    return complement(decimal_text(reserve))


def _refutes(state: State, claim: Claim, account: str, risk: float, share: float) -> str | None:
    """The level of a refutation, which counts in the other direction; None where it is the risk."""
    mirror = replace(claim, side=OTHER[claim.side])
    left = left_for(state, sharers(state, mirror, account), mirror, refuting=True)
    level = level_of(wealth_of(left), risk=risk, share=share, ends=True)
    if level >= risk:
        return None
    return rounded_down(level) if level >= LEAST else "0"


def _mates(state: State, claim: Claim, *, either: bool = False) -> list[Attempt]:
    """Every earlier plan on the claim, whatever its account; with `either`, in both directions."""
    attempts = [old for old in state.attempts if old.pool is state.pool]
    return [
        old
        for old in attempts
        if (row := on_metric(claim, old.plan.claim.metric))
        and (either or row[0] == old.plan.claim.side)
    ]


def _account(state: State, claim: Claim, *, new: bool) -> str:
    """The account that is used: the latest one of the claim, or the next where a new one is asked for."""
    names = [old.plan.stake.account for old in _mates(state, claim)]
    numbers = [int(name.partition("/")[2] or 1) for name in names if name.split("/")[0] == CLAIM]
    if new and not numbers:
        raise PlanError(
            f'{switch("new-risk")} is for a claim that was planned before, and "{claim}" was not. Leave '
            "it out."
        )
    number = max(numbers, default=1) + new
    return CLAIM if number == 1 else f"{CLAIM}/{number}"


def _stated(state: State, claim: Claim, account: str, risk: float) -> float:
    """One minus the sum, over the accounts of the claim, of the largest risk used."""
    largest = {account: risk, **_several_risks(state, claim)}
    for old in _mates(state, claim):
        name = old.plan.stake.account
        largest[name] = max(largest.get(name, 0.0), alpha_of(old.plan))
    if len(largest) == 1:
        return float(complement(decimal_text(risk)))
    stated = round(joint_confidence(largest.values()), 12)
    if stated <= 0:
        raise PlanError(
            f'The risks used on "{claim}" add up to {sum(largest.values()):g}: no confidence is left.'
        )
    return stated


def _refuse_useless(claim: Claim, mates: Sequence[Attempt], level: float) -> None:
    number = len(mates) + 1
    if level >= NEARLY_ALL:
        issued = [old.plan.number for old in mates if old.certificate is not None]
        where = f"Certify what stands: {command('certify', bound=True)}."
        if issued:
            where = f"The certificate of plan {issued[-1]} states what is proven."
        raise PlanError(
            f'"{claim}" is proven already by earlier plans on it, so a new plan has nothing to prove. '
            f"{where}"
        )
    if level < LEAST:
        raise PlanError(
            f'Earlier plans on "{claim}" used up its risk of error, so this one (plan {number} on it) could '
            f"prove nothing. {when_little_is_left()}"
        )


def when_little_is_left() -> str:
    """What can be done when earlier plans left little of the risk, in one sentence."""
    return (
        "What you can do, the cheapest first: certify the bound as it stands "
        f"({command('certify', bound=True)}); label every item; claim something easier; use a better "
        f"classifier in a new project; or open a second account with {switch('new-risk')}, whose "
        "certificates state the confidence of all accounts together."
    )


def little_left(stake: Stake) -> str | None:
    """Advice for a plan whose level is less than a tenth of the risk; None where enough is left."""
    if stake.carried is None or float(stake.carried) >= 0.1:
        return None
    return (
        f"Earlier plans left {float(stake.carried):.2g} of the risk, so this one takes more labels. "
        f"{when_little_is_left()}"
    )


def _several_risks(state: State, claim: Claim) -> dict[str, float]:
    """The largest risk of every account of claims of several parts that speak of the claim's metric.

    Only parts about the project's classifier on the whole pool do. Such claims keep accounts of
    their own, so what is stated covers both.
    """
    largest: dict[str, float] = {}
    freezes = [frozen.seq for work in state.surveys for frozen in work.freezes]
    for work in state.surveys:
        if work.survey.purpose != "claim" or work.opened_at < max(freezes, default=0):
            continue
        if _scale(claim.metric) in _metrics(work):
            settings = work.survey.settings
            name = f"several {settings['risk']['account']}"
            risk = round(1 - float(settings["confidence"]), 12)
            largest[name] = max(largest.get(name, 0.0), risk)
    return largest


def _scale(metric: str) -> str:
    return ONE_SCALE.get(metric, metric)


def _metrics(work: SurveyWork) -> set[str]:
    """The metrics of the project's own classifier, on the whole pool, that the claim speaks of."""
    settings = work.survey.settings
    if settings["kind"] != "conjunction" or settings["names"] != ["classifier"]:
        return set()
    tree = settings["statements"][0]["tree"]
    if tree.get("every") or settings["columns"]["classes"]:
        return set()
    parts = [part for part in tree["parts"] if part["kind"] == "threshold"]
    return {_scale(part["figure"]["metric"]) for part in parts if not part["figure"].get("names")}
