"""What a stranger can check of a certificate: by itself, and with the ledger it names."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assaymark.certification.certificate.issue import (
    document,
    issue,
    items_used,
    write,
)
from assaymark.certification.certificate.words import account_words, estimate_of
from assaymark.certification.modes.account import alpha_of
from assaymark.certification.modes.words import capped, reaches
from assaymark.claims.results import counted
from assaymark.errors import VerificationError
from assaymark.ledger.events import (
    CertificateIssued,
    Entry,
    State,
    check_chain,
    check_story,
    replay,
)
from assaymark.records.certificate import Certificate, Check
from assaymark.records.decimals import complement, decimal_text
from assaymark.records.plan import FAMILY, JOINT, Plan, Stake
from assaymark.stats.binomial_bounds import bound
from assaymark.stats.methods import exact_method

if TYPE_CHECKING:
    from assaymark.certification.planning.request import RiskRequest


def check_form(certificate: Certificate, data: dict[str, Any], text: str) -> Check:
    """The certificate's own hash, and that it is written in the one canonical way."""
    where = first_difference(data, document(certificate))
    if where:
        raise VerificationError(
            f"The certificate was changed: its field '{where}' does not match its contents."
        )
    if text != write(certificate):
        raise VerificationError(
            "The certificate was changed: it is not written the way assaymark writes it "
            "(canonical JSON)."
        )
    return Check.ok("certificate", "well-formed, and its hash fits its contents")


def check_numbers(certificate: Certificate) -> Check:
    """The bound and the verdict, recomputed from the certificate's own counts."""
    plan, row = certificate.plan, certificate.rows[0]
    estimate = estimate_of(certificate)
    established = row.decision == "pass" or certificate.bound is not None
    if not established or not reaches(certificate.claim, estimate.interval):
        raise VerificationError("The certificate's own bound does not establish its claim.")
    if certificate.census:
        if estimate.point is None or not row.low == row.high == estimate.point:
            raise VerificationError("The certificate's counts do not give the value it states.")
        return Check.ok("numbers", "every item was labelled, and the counts give the stated value")
    if not plan.kind.judged_once or estimate.counts is None:
        detail = "a plan of this mode needs the order of the labels, which only the ledger holds"
        return Check.unchecked("numbers", detail)
    again = bound(
        plan.claim.metric,
        estimate.counts,
        design="simple",
        confidence=plan.tested_at,
        side=plan.claim.side,
        method=exact_method(plan.method).bound,
    )
    name = "low" if plan.claim.side == "lower" else "high"
    stated, actual = getattr(row, name), capped(plan, getattr(again.interval, name))
    if plan.stake.claim_only and reaches(plan.claim, again.interval):
        actual = plan.claim.target
    if abs(stated - actual) > 1e-9:
        raise VerificationError(
            f"The certificate's bound '{name}' is {stated!r}, but its counts give {actual!r}."
        )
    return Check.ok("numbers", "bound and verdict follow from the stated counts")


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A ledger whose chain and order are right: the state that was certified, and that of now."""

    entries: Sequence[Entry]
    past: State
    now: State


def read_recorded(certificate: Certificate, entries: Sequence[Entry]) -> Recorded:
    """The ledger, read once; refused where its chain is broken or its order impossible."""
    check_chain(entries)
    number = certificate.ledger.events if _inside(certificate, entries) else 0
    past = check_story(entries[:number])
    now = check_story(entries[number:], past.copy())
    return Recorded(entries=entries, past=past, now=now)


def check_ledger(certificate: Certificate, recorded: Recorded) -> list[Check]:
    """What was read, and every field of the certificate recomputed from it."""
    number = len(recorded.entries)
    sentence = "unbroken; whether it was rewritten as a whole only a hash lodged outside can tell"
    chain = Check.ok("chain", f"{counted(number, 'event')}, {sentence}")
    return [chain, check_replay(certificate, recorded.entries, recorded.past)]


def _inside(certificate: Certificate, entries: Sequence[Entry]) -> bool:
    number = certificate.ledger.events
    return type(number) is int and 1 <= number < len(entries)


def check_replay(certificate: Certificate, entries: Sequence[Entry], past: State) -> Check:
    """Every field of the certificate recomputed from the state after the events that it names."""
    again, event = recomputed(certificate, entries, past), issuing_event(certificate, entries)
    # the same canonical text has the same fields; to find one that differs takes longer
    same = again.digest == certificate.digest
    where = None if same else first_difference(certificate.sealed(), again.sealed())
    if where:
        raise VerificationError(
            f"The certificate's field '{where}' does not follow from the ledger it names."
        )
    if event.certificate != certificate.digest:
        raise VerificationError(
            f"Event {certificate.ledger.events + 1} records a different certificate than this one "
            "(the hashes differ)."
        )
    return Check.ok("replay", "counts, bound and verdict recomputed from the events")


def recomputed(certificate: Certificate, entries: Sequence[Entry], past: State) -> Certificate:
    """What the certificate should be, from the state after the events that it names."""
    event = issuing_event(certificate, entries)
    return issue(
        past,
        plan=event.plan,
        issued=entries[certificate.ledger.events].time,
        software=event.software,
        bound=event.bound is not None,
    )


def issuing_event(certificate: Certificate, entries: Sequence[Entry]) -> CertificateIssued:
    """The event that recorded the certificate, right after the head that it names."""
    seal = certificate.ledger
    if not _inside(certificate, entries) or entries[seal.events - 1].hash != seal.head:
        raise VerificationError(
            f"This ledger is not the one certified: its event {seal.events} is missing or differs "
            "from the certificate's field 'ledger.head'."
        )
    issued = entries[seal.events]
    event = issued.event
    if not isinstance(event, CertificateIssued):
        raise VerificationError(
            f"Event {issued.seq} should record that the certificate was issued, but is {issued.kind}."
        )
    return event


CLOSE = 1e-8  # processors differ in the last digits of sums and logarithms, never by more


def first_difference(left: Any, right: Any, path: str = "") -> str | None:
    """The path of the first field in which two plain values differ.

    Numbers are compared by value (1.0 is written 1); computed ones may differ in their last digits
    from one processor to another.
    """
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted({*left, *right}):
            difference = first_difference(
                left.get(key), right.get(key), f"{path}.{key}" if path else key
            )
            if difference:
                return difference
        return None
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        pairs = enumerate(zip(left, right, strict=True))
        differences = (first_difference(a, b, f"{path}[{i}]") for i, (a, b) in pairs)
        return next((difference for difference in differences if difference), None)
    if isinstance(left, float) or isinstance(right, float):
        return None if _close(left, right) else path
    return None if left == right and type(left) is type(right) else path


def _close(left: Any, right: Any) -> bool:
    numbers = all(type(value) in (int, float) for value in (left, right))
    return numbers and math.isclose(left, right, rel_tol=CLOSE, abs_tol=CLOSE)


def superseded_by(certificate: Certificate, past: State, entries: Sequence[Entry]) -> int | None:
    """The first event after that past which changed a label the certificate depends on."""
    state = past.copy()
    attempt = state.attempts[certificate.plan.number - 1]
    used = items_used(state, attempt, census=certificate.census) | attempt.before.keys()
    for number in certificate.plan.earlier:  # what they left is part of the proof
        used |= items_used(state, state.attempts[number - 1], census=False)
    labels = {item: state.label(item) for item in used}
    for entry in entries:
        event = entry.event
        state.apply(event, entry)
        item = getattr(event, "item", None)
        if item in labels and (not state.labelled(item) or state.label(item) != labels[item]):
            return entry.seq
    return None


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
    words = account_words(plan) or "Plan 1 on this claim, with the whole risk of error"
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
