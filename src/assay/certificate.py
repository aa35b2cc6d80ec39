"""Certificates: issued from replayed events, verified by doing it again and comparing."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from assay.draw import Draw, simple_draw, ticket, weighted_draws
from assay.errors import PlanError, VerificationError
from assay.events import (
    Attempt,
    CertificateIssued,
    Entry,
    LabelAdjudicated,
    LabelCorrected,
    State,
    check_chain,
    read_event,
    replay,
)
from assay.evidence import judge, labelled_prefix, tally
from assay.evidence.words import census_sentence, sentence
from assay.stats.fixed import bound
from assay.types.canonical import canonical, digest
from assay.types.certificate import (
    Annotator,
    Certificate,
    Check,
    EarlierAttempt,
    LabelNote,
    LedgerSeal,
    LookSeen,
    PoolSeal,
    StratumCount,
)
from assay.types.plan import Plan
from assay.types.pool import ReservedItem
from assay.types.results import Verdict


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
    used = _used(state, attempt, verdict)
    return Certificate(
        software=software,
        issued=issued,
        statement=verdict.reason,
        plan=attempt.plan,
        verdict=verdict,
        strata=_strata(state, attempt, verdict),
        looks=tuple(
            LookSeen(
                event=seq,
                time=time,
                decision=look.decision,
                low=look.low,
                high=look.high,
                labels=look.labels,
            )
            for seq, time, look in attempt.looks
        ),
        annotators=_annotators(state, used),
        corrections=_notes(state, used),
        skipped=tuple(sorted(item for item in used if state.label(item) is None)),
        earlier=tuple(_earlier(old) for old in state.attempts[: plan - 1]),
        pool=PoolSeal(
            source=pool.source,
            items=pool.summary.items,
            predicted_positive=pool.summary.predicted_positive,
            predicted_negative=pool.summary.predicted_negative,
            fingerprint=pool.fingerprint,
        ),
        ledger=LedgerSeal(events=head.seq, head=head.hash),
    )


def _used(state: State, attempt: Attempt, verdict: Verdict) -> set[str]:
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


def _earlier(attempt: Attempt) -> EarlierAttempt:
    return EarlierAttempt(
        plan=attempt.plan.number,
        claim=attempt.plan.claim,
        confidence=attempt.plan.confidence,
        outcome=attempt.outcome,
        looks=len(attempt.looks),
        draws=len(attempt.draws),
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
    if not isinstance(data, dict) or data.get("kind") != "assay certificate":
        raise VerificationError(
            "This file is not an assay certificate (its 'kind' says otherwise)."
        )
    schema = data.get("schema")
    if not isinstance(schema, int) or schema > Certificate.schema:
        raise VerificationError(
            f"The certificate has schema {schema!r}, and this version of assay reads schemas up to "
            f"{Certificate.schema}. Install a newer assay to verify it."
        )
    try:
        body = {key: value for key, value in data.items() if key not in ("hash", "signature")}
        return Certificate.from_dict(body), data
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise VerificationError(
            f"The certificate was changed: a field is unusable ({error})."
        ) from error


def check_form(certificate: Certificate, data: dict[str, Any], text: str) -> Check:
    """The certificate's own hash, and that it is written in the one canonical way."""
    signature = data.get("signature")
    stated = {**certificate.sealed(), "hash": certificate_hash(certificate)}
    where = first_difference({k: v for k, v in data.items() if k != "signature"}, stated)
    if where:
        raise VerificationError(
            f"The certificate was changed: its field '{where}' does not match its contents."
        )
    if text != write(certificate, signature):
        raise VerificationError("The certificate was changed: it is not in canonical form.")
    return _ok("certificate", "well-formed, and its hash fits its contents")


def certificate_hash(certificate: Certificate) -> str:
    """The hash that the ledger keeps of a certificate."""
    return digest(certificate.sealed())


def check_numbers(certificate: Certificate) -> Check:
    """The bound, the verdict and the statement, recomputed from the certificate's own counts."""
    verdict, plan = certificate.verdict, certificate.plan
    words = census_sentence if verdict.census else sentence
    said = words(plan.claim, verdict.estimate, verdict.decision)
    if verdict.decision != "pass" or {certificate.statement, verdict.reason} != {said}:
        raise VerificationError(
            "The certificate's field 'statement' does not follow from its own verdict."
        )
    if verdict.census:
        return _ok("numbers", "a census: the metric of the stated counts is exact")
    if plan.mode != "fixed":
        detail = "this mode needs the labels in order, which the ledger has"
        return Check(name="numbers", outcome="not checked", detail=detail)
    counts = verdict.estimate.counts
    if counts is None:
        raise VerificationError(
            "The certificate states no counts, so its bound cannot be recomputed."
        )
    again = bound(
        plan.claim.metric,
        counts,
        design="simple",
        confidence=plan.confidence,
        side=plan.claim.side,
        method=plan.bound,
    )
    name = "low" if plan.claim.side == "lower" else "high"
    stated, actual = getattr(verdict.estimate.interval, name), getattr(again.interval, name)
    if abs(stated - actual) > 1e-9:
        raise VerificationError(
            f"The certificate's bound '{name}' is {stated!r}, but its counts give {actual!r}."
        )
    return _ok("numbers", "bound and verdict follow from the stated counts")


def check_ledger(certificate: Certificate, entries: Sequence[Entry]) -> list[Check]:
    """The chain, the certificate's place in it, and every field recomputed from the events."""
    check_chain(entries)
    checks = [_ok("chain", f"{len(entries):,} events, none changed, missing or out of place")]
    seal = certificate.ledger
    inside = isinstance(seal.events, int) and 1 <= seal.events < len(entries)
    if not inside or entries[seal.events - 1].hash != seal.head:
        raise VerificationError(
            f"This ledger is not the one certified: its event {seal.events} is missing or differs "
            "from the certificate's field 'ledger.head'."
        )
    issued = entries[seal.events]
    event = read_event(issued.kind, issued.body)
    if not isinstance(event, CertificateIssued):
        raise VerificationError(
            f"Event {issued.seq} should record that the certificate was issued, but is {issued.kind}."
        )
    again = issue(
        entries[: seal.events], plan=event.plan, issued=issued.time, software=event.software
    )
    where = first_difference(certificate.sealed(), again.sealed())
    if where:
        raise VerificationError(
            f"The certificate's field '{where}' does not follow from the ledger it names."
        )
    if event.certificate != certificate_hash(certificate):
        raise VerificationError(
            f"Event {issued.seq} records another certificate than this one (its hash differs)."
        )
    checks.append(_ok("replay", "counts, bound and verdict recomputed from the events"))
    return checks


def first_difference(left: Any, right: Any, path: str = "") -> str | None:
    """The path of the first field in which two plain values differ."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted({*left, *right}):
            found = first_difference(
                left.get(key), right.get(key), f"{path}.{key}" if path else key
            )
            if found:
                return found
        return None
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        pairs = enumerate(zip(left, right, strict=True))
        found_in = (first_difference(a, b, f"{path}[{i}]") for i, (a, b) in pairs)
        return next((found for found in found_in if found), None)
    return None if left == right else path


def superseded_by(certificate: Certificate, entries: Sequence[Entry]) -> int | None:
    """The first later event that changed a label the certificate rests on."""
    state = replay(entries[: certificate.ledger.events])
    used = _used(state, state.attempts[certificate.plan.number - 1], certificate.verdict)
    labels = {item: state.label(item) for item in used}
    for entry in entries[certificate.ledger.events :]:
        event = read_event(entry.kind, entry.body)
        state.apply(event, entry)
        item = getattr(event, "item", None)
        if item in labels and (not state.labelled(item) or state.label(item) != labels[item]):
            return entry.seq
    return None


def check_draws(
    certificate: Certificate, entries: Sequence[Entry], items: Sequence[ReservedItem]
) -> Check:
    """The draws, recomputed from the seed, the stored chances and the pool's tickets."""
    plan = certificate.plan
    attempt = replay(entries[: certificate.ledger.events]).attempts[plan.number - 1]
    queues: list[list[ReservedItem]] = [[] for _ in plan.strata]
    for item in items:
        queues[item.stratum].append(item)
    known: list[ReservedItem] = []
    taken = [0] * len(plan.strata)
    for draw, chances in zip(attempt.draws, attempt.sampling, strict=True):
        step = _expected(plan, chances, taken, draw.draw)
        item = known[step.place] if step.repeat else queues[step.stratum][step.place]
        if (item.id, item.prediction, step.repeat) != (draw.id, draw.prediction, draw.repeat):
            raise VerificationError(
                f"Draw {draw.draw} is item {draw.id!r} (predicted {draw.prediction}), but the seed "
                f"and the pool give {item.id!r} (predicted {item.prediction}): the draw was not made "
                "as the plan says."
            )
        if not step.repeat:
            known.append(item)
            taken[step.stratum] += 1
    return _ok(
        "draw", f"{len(known):,} items drawn as the seed says, lowest tickets of the pool first"
    )


def _expected(plan: Plan, chances: Sequence[float], taken: Sequence[int], number: int) -> Draw:
    if plan.design == "census":
        return Draw(number=number, place=taken[0])
    if plan.design == "simple":
        return simple_draw(plan.seed, domain=plan.items, number=number, known=taken[0])
    sizes = [stratum.items for stratum in plan.strata]
    return weighted_draws(plan.seed, sampling=chances, sizes=sizes, taken=taken, new=1)[0]


def check_tickets(certificate: Certificate, entries: Sequence[Entry]) -> Check:
    """Without the pool: the drawn items stand in the order of their tickets."""
    state = replay(entries[: certificate.ledger.events])
    plan = certificate.plan
    draws = state.attempts[plan.number - 1].draws
    for k in range(len(plan.strata)):
        mine = [draw.id for draw in draws if draw.stratum == k and not draw.repeat]
        tickets = [ticket(plan.seed, item) for item in mine]
        if tickets != sorted(tickets):
            raise VerificationError("The drawn items do not stand in the order of their tickets.")
    return Check(
        name="draw",
        outcome="not checked",
        detail="the pool is not at hand: items are in ticket order, but whether lower tickets were "
        "passed over was not checked",
    )


def _ok(name: str, detail: str) -> Check:
    return Check(name=name, outcome="ok", detail=detail)
