"""Certificates issued from replayed events, written and read in one canonical way."""

from collections import Counter
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from assaymark.certification.modes import judge, labelled_prefix
from assaymark.certification.modes.account import Left, left_for, sharers, wealth_of
from assaymark.certification.modes.prefix import changed_since
from assaymark.certification.modes.tallies import tallied, tallies_of
from assaymark.claims.canonical import canonical, read_json
from assaymark.claims.record import restored
from assaymark.claims.results import Verdict, counted
from assaymark.errors import InputError, PlanError, VerificationError
from assaymark.ledger.events import (
    Attempt,
    ClaimLocked,
    Stamped,
    State,
    training_of,
)
from assaymark.ledger.events import population_of as trained_population
from assaymark.records.certificate import (
    FORMAT,
    Account,
    Annotator,
    Certificate,
    EarlierAttempt,
    LabelNote,
    LedgerSeal,
    LookSeen,
    PoolSeal,
    Population,
    RowLook,
    StratumCount,
    WitnessNote,
    refuse_other_number,
)
from assaymark.records.claim_terms import LockNote
from assaymark.records.decimals import decimal_text, rounded_down

DIGITS = 6  # of wealth that is shown: processors differ in the last ones


def issue(
    state: State, *, plan: int, issued: str, software: str, bound: bool = False
) -> Certificate:
    """The certificate of a plan as things stand. Refused unless its claim is established.

    With `bound` it certifies the bound as it stands, which the same risk covers.
    """
    attempt = state.attempts[plan - 1]
    verdict = judge(state, attempt)
    _refuse_changed(state, attempt)
    if verdict.decision != "pass" and not bound:
        raise PlanError(f"There is nothing to certify. {verdict}")
    pool, head = state.pool, state.head
    if pool is None or head is None:
        raise PlanError("No pool is registered in this ledger.")
    used = items_used(state, attempt, census=verdict.census)
    return Certificate(
        software=software,
        issued=issued,
        plan=replace(attempt.plan, power=None, expected_labels=None),
        rows=rows_of(verdict),
        census=verdict.census,
        labels=verdict.estimate.labels,
        draws=verdict.estimate.draws,
        tallies=tallies_of(state, attempt, verdict),
        account=_account(state, attempt),
        strata=_strata(state, attempt, verdict),
        looks=looks_of(attempt),
        annotators=_annotators(state, used),
        corrections=_notes(state, used),
        skipped=tuple(sorted(item for item in used if state.label(item) is None)),
        earlier=_earlier(state, attempt),
        pool=PoolSeal(
            source=pool.source,
            items=pool.summary.items,
            cells=tuple(replace(cell, histogram=None) for cell in pool.summary.to_shape().cells),
            fingerprint=pool.fingerprint,
        ),
        ledger=LedgerSeal(events=head.seq, head=head.hash),
        population=population_of(state, attempt),
        witnesses=_witnesses(state),
        classifiers=pool.classifiers,
        expires=attempt.plan.expires,
        lock=lock_note(attempt.lock),
        bound=bound_as_it_stands(verdict) if bound else None,
        changed=len(attempt.changed) or None,
        known=len(used & attempt.answered) or None,
    )


def _refuse_changed(state: State, attempt: Attempt) -> None:
    """Labels that left the strata at the seal are part of the proof as they were then."""
    changed = changed_since(state, attempt)
    if changed:
        raise PlanError(
            f"{counted(len(changed), 'label')} known when plan {attempt.plan.number} was sealed "
            f"{'was' if len(changed) == 1 else 'were'} changed since (the first is that of item "
            f"{changed[0]!r}), so what the plan took from the known labels no longer holds. Seal "
            "a new plan."
        )


def bound_as_it_stands(verdict: Verdict) -> str:
    """The bound as a target with four digits, on the safe side. Refused where nothing is proven."""
    interval, lower = verdict.estimate.interval, verdict.claim.side == "lower"
    digits = Decimal(repr(interval.low if lower else interval.high))
    way = ROUND_FLOOR if lower else ROUND_CEILING
    target = float(digits.quantize(Decimal("0.0001"), rounding=way))
    if not 0 < target < 1:
        raise PlanError(f"There is no bound to certify yet. {verdict}")
    return decimal_text(target)


def lock_note(lock: Stamped[ClaimLocked] | None) -> LockNote | None:
    """What a certificate says of the lock of its claim file."""
    if lock is None:
        return None
    event = lock.event
    return LockNote(
        event=lock.seq,
        name=event.name,
        file=event.file,
        classifier=event.classifier,
        expires=event.terms.expires,
        owner=event.owner,
    )


def rows_of(verdict: Verdict) -> tuple[RowLook, ...]:
    """The verdict on each row of the claim, as it is stored."""
    interval = verdict.estimate.interval
    row = RowLook(
        decision=verdict.decision,
        low=interval.low,
        high=interval.high,
        log_wealth=verdict.log_wealth,
    )
    return (row,)


def _earlier(state: State, attempt: Attempt) -> tuple[EarlierAttempt, ...]:
    """Every earlier plan; of those that shared the risk also what they left for this claim."""
    shared = {left.plan: left for left in _left(state, attempt)}
    attempts = []
    for old in state.attempts[: attempt.plan.number - 1]:
        earlier, left = as_earlier(old), shared.get(old.plan.number)
        if left is not None:
            earlier = replace(
                earlier,
                mode=old.plan.mode,
                pending=left.pending,
                wealth=rounded_down(left.wealth, DIGITS),
                factor=rounded_down(left.factor, DIGITS),
            )
        attempts.append(earlier)
    return tuple(attempts)


def _left(state: State, attempt: Attempt) -> tuple[Left, ...]:
    plan = attempt.plan
    if not plan.earlier:
        return ()
    mates = sharers(state, plan.claim, plan.stake.account, before=plan.number)
    return left_for(state, mates, plan.claim)


def _after(state: State, attempt: Attempt) -> str | None:
    """The wealth of the account for this claim once the plan is closed, where plans share it."""
    plan = attempt.plan
    if plan.stake.carried is None:
        return None
    mates = sharers(state, plan.claim, plan.stake.account, before=plan.number)
    return rounded_down(wealth_of(left_for(state, [*mates, attempt], plan.claim)), DIGITS)


def _account(state: State, attempt: Attempt) -> Account:
    risk = attempt.plan.to_shape().risk
    return Account(
        name=risk.account,
        confidence=risk.confidence,
        level=risk.level,
        share=risk.share,
        earlier=risk.earlier,
        before=risk.carried,
        after=_after(state, attempt),
        risk=risk.risk,
    )


def _witnesses(state: State) -> tuple[WitnessNote, ...] | None:
    notes = tuple(
        WitnessNote(event=one.seq, form=one.event.form, head=one.event.head, by=one.event.by)
        for one in state.witnesses
    )
    return notes or None


def population_of(state: State, attempt: Attempt) -> Population | None:
    """What the claim is about, where its classifier was trained in the project."""
    work = training_of(state)
    if work is None:
        return None
    earlier = [frozen.event for frozen in work.freezes if frozen.seq < attempt.sealed_at]
    return trained_population(work, earlier[-1]) if earlier else None


def items_used(state: State, attempt: Attempt, *, census: bool) -> set[str]:
    """The items whose labels the verdict depends on."""
    if census:
        return {item for item in state.predictions if state.labelled(item)}
    return {draw.id for draw in attempt.draws[: labelled_prefix(state, attempt).draws]}


def _strata(state: State, attempt: Attempt, verdict: Verdict) -> tuple[StratumCount, ...]:
    if verdict.census:
        return ()
    draws = attempt.draws[: labelled_prefix(state, attempt).draws]
    counts = []
    for number, stratum in enumerate(attempt.plan.strata):
        inside = [draw for draw in draws if draw.stratum == number]
        tallies = tallied((draw.cell, state.label(draw.id)) for draw in inside)
        counts.append(
            StratumCount(stratum=number, items=stratum.items, draws=len(inside), tallies=tallies)
        )
    return tuple(counts)


def _annotators(state: State, items: set[str]) -> tuple[Annotator, ...]:
    names = Counter(name for item in items for name in state.answers.of(item))
    return tuple(Annotator(name=name, labels=names[name]) for name in sorted(names))


def _notes(state: State, items: set[str]) -> tuple[LabelNote, ...]:
    return tuple(
        LabelNote(event=change.seq, kind=change.event.kind, item=change.event.item)
        for change in state.changed_answers
        if change.event.item in items
    )


def looks_of(attempt: Attempt) -> tuple[LookSeen, ...]:
    """Every look at the plan, as a reader sees it."""
    return tuple(
        LookSeen(
            event=look.seq,
            time=look.time,
            decision=look.event.decision,
            low=look.event.low,
            high=look.event.high,
            labels=look.event.labels,
        )
        for look in attempt.looks
    )


def as_earlier(attempt: Attempt) -> EarlierAttempt:
    """The plan as later ones list it."""
    return EarlierAttempt(
        plan=attempt.plan.number,
        claim=attempt.plan.claim,
        confidence=attempt.plan.confidence,
        method=attempt.plan.method,
        outcome=attempt.outcome,
        looks=len(attempt.looks),
        draws=len(attempt.draws),
        reason=attempt.closed.reason if attempt.closed else None,
        note=attempt.closed.note if attempt.closed else None,
    )


def write(certificate: Certificate) -> str:
    """The certificate as canonical JSON text with its own hash."""
    return canonical(document(certificate)) + "\n"


def document(certificate: Certificate) -> dict[str, Any]:
    """The certificate as it is written: its facts, and their hash."""
    return {**certificate.sealed(), "hash": certificate.digest}


def read(text: str) -> tuple[Certificate, dict[str, Any]]:
    """The certificate in this text, and its plain values as they stand there."""
    try:
        data = read_json(text)
    except ValueError as error:
        raise VerificationError(f"The certificate is not readable JSON: {error}.") from error
    if not isinstance(data, dict) or data.get("kind") != "assaymark certificate":
        raise VerificationError(
            "This file is not an assaymark certificate (its 'kind' says otherwise)."
        )
    refuse_other_number(data, "format", FORMAT)
    try:
        body = {key: value for key, value in data.items() if key != "hash"}
        return restored(Certificate, body), data
    except (TypeError, KeyError, ValueError, AttributeError, ArithmeticError, InputError) as error:
        raise VerificationError(
            f"The certificate was changed: a field is unusable ({error})."
        ) from error
