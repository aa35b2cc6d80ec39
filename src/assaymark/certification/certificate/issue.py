"""Certificates issued from replayed events, written and read in one canonical way."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from assaymark.certification.modes import judge, labelled_prefix, tally
from assaymark.claims.canonical import canonical, digest
from assaymark.claims.results import Verdict
from assaymark.errors import PlanError, VerificationError
from assaymark.ledger.events import (
    Attempt,
    Entry,
    LabelAdjudicated,
    LabelCorrected,
    State,
    replay,
    training_of,
)
from assaymark.records.certificate import (
    Annotator,
    Certificate,
    EarlierAttempt,
    LabelNote,
    LedgerSeal,
    LookSeen,
    PoolSeal,
    StratumCount,
    WitnessNote,
)


def issue(entries: Sequence[Entry], *, plan: int, issued: str, software: str) -> Certificate:
    """The certificate of a plan after these events. Refused unless its claim is established."""
    state = replay(entries)
    attempt = state.attempts[plan - 1]
    verdict = judge(state, attempt)
    if verdict.decision != "pass":
        raise PlanError(f"There is nothing to certify. {verdict}")
    pool, head = state.pool, entries[-1]
    if pool is None:
        raise PlanError("No pool is registered in this ledger.")
    used = items_used(state, attempt, verdict)
    return Certificate(
        software=software,
        issued=issued,
        statement=verdict.reason,
        plan=attempt.plan,
        verdict=verdict,
        strata=_strata(state, attempt, verdict),
        looks=looks_of(attempt),
        annotators=_annotators(state, used),
        corrections=_notes(state, used),
        skipped=tuple(sorted(item for item in used if state.label(item) is None)),
        earlier=tuple(as_earlier(old) for old in state.attempts[: plan - 1]),
        pool=PoolSeal(
            source=pool.source,
            items=pool.summary.items,
            predicted_positive=pool.summary.predicted_positive,
            predicted_negative=pool.summary.predicted_negative,
            fingerprint=pool.fingerprint,
        ),
        ledger=LedgerSeal(events=head.seq, head=head.hash),
        population=population_of(state, attempt),
        witnesses=tuple(
            WitnessNote(event=seq, form=event.form, head=event.head, by=event.by)
            for seq, event in state.witnesses
        ),
    )


def population_of(state: State, attempt: Attempt) -> str | None:
    """What the claim is about, in a sentence, where its classifier was trained in the project."""
    work = training_of(state)
    earlier = [event for seq, _, event in work.freezes if seq < attempt.sealed_at] if work else []
    return earlier[-1].sentence if earlier else None


def items_used(state: State, attempt: Attempt, verdict: Verdict) -> set[str]:
    """The items whose labels the verdict rests on."""
    if verdict.census:
        return {item for item in state.predictions if state.labelled(item)}
    return {draw.id for draw in attempt.draws[: labelled_prefix(state, attempt).draws]}


def _strata(state: State, attempt: Attempt, verdict: Verdict) -> tuple[StratumCount, ...]:
    if verdict.census and verdict.estimate.counts is not None:
        whole = StratumCount(
            stratum=attempt.plan.domain,
            items=attempt.plan.items,
            draws=verdict.estimate.draws,
            counts=verdict.estimate.counts,
        )
        return (whole,)
    draws = attempt.draws[: labelled_prefix(state, attempt).draws]
    found = []
    for number, stratum in enumerate(attempt.plan.strata):
        items = [draw.id for draw in draws if draw.stratum == number]
        counts = tally(state, attempt.plan.claim, items)
        found.append(
            StratumCount(stratum=str(stratum), items=stratum.items, draws=len(items), counts=counts)
        )
    return tuple(found)


def _annotators(state: State, items: set[str]) -> tuple[Annotator, ...]:
    names = Counter(name for item in items for name in state.answers.get(item, {}))
    return tuple(Annotator(name=name, labels=names[name]) for name in sorted(names))


def _notes(state: State, items: set[str]) -> tuple[LabelNote, ...]:
    events: list[tuple[int, LabelCorrected | LabelAdjudicated]]
    events = [*state.corrections, *state.adjudications]
    return tuple(
        LabelNote(event=seq, kind=event.kind, item=event.item)
        for seq, event in sorted(events, key=lambda pair: pair[0])
        if event.item in items
    )


def looks_of(attempt: Attempt) -> tuple[LookSeen, ...]:
    """Every look at the plan, as a reader sees it."""
    return tuple(
        LookSeen(
            event=seq,
            time=time,
            decision=look.decision,
            low=look.low,
            high=look.high,
            labels=look.labels,
        )
        for seq, time, look in attempt.looks
    )


def as_earlier(attempt: Attempt) -> EarlierAttempt:
    """The plan as later ones list it."""
    return EarlierAttempt(
        plan=attempt.plan.number,
        claim=attempt.plan.claim,
        confidence=attempt.plan.confidence,
        outcome=attempt.outcome,
        looks=len(attempt.looks),
        draws=len(attempt.draws),
        reason=attempt.closed.reason if attempt.closed else None,
    )


def write(certificate: Certificate, signature: dict[str, str] | None = None) -> str:
    """The certificate as canonical JSON text with its own hash, and a signature if there is one."""
    body = certificate.sealed()
    sealed = {**body, "hash": digest(body)}
    return canonical({**sealed, "signature": signature} if signature else sealed) + "\n"


def read(text: str) -> tuple[Certificate, dict[str, Any]]:
    """The certificate in this text, and its plain values as they stand there."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise VerificationError(f"The certificate is not readable JSON: {error}.") from error
    if not isinstance(data, dict) or data.get("kind") != "assaymark certificate":
        raise VerificationError(
            "This file is not an assaymark certificate (its 'kind' says otherwise)."
        )
    schema = data.get("schema")
    if not isinstance(schema, int) or schema > Certificate.schema:
        raise VerificationError(
            f"The certificate has schema {schema!r}, and this version of assaymark reads schemas up to "
            f"{Certificate.schema}. Install a newer assaymark to verify it."
        )
    try:
        body = {key: value for key, value in data.items() if key not in ("hash", "signature")}
        return Certificate.from_dict(body), data
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise VerificationError(
            f"The certificate was changed: a field is unusable ({error})."
        ) from error


def certificate_hash(certificate: Certificate) -> str:
    """The hash that the ledger keeps of a certificate."""
    return digest(certificate.sealed())
