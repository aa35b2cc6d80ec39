"""Issue the certificate of a claim of several rows: facts that a stranger recomputes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assaymark import __version__
from assaymark.certification.certificate.issue import lock_note
from assaymark.certification.issuing import NotEstablishedError, certificate_path, write_certificate
from assaymark.certification.signatures.signing import Signer
from assaymark.claims.canonical import canonical, digest
from assaymark.claims.pictures import InSentence
from assaymark.claims.record import restored, stored
from assaymark.composite.course import outcome, renewals
from assaymark.composite.look_facts import LookFacts, read_look, written
from assaymark.composite.looks import judge_claim
from assaymark.composite.shared_risk.account import at_present, closed_claims, earlier_claims
from assaymark.composite.wording import is_established, statement
from assaymark.composite.work import ClaimWork, claim_works, required_claim
from assaymark.errors import VerificationError
from assaymark.ledger.events import Entry, State, SurveyReported, replay
from assaymark.project.folder import Project, registered_pool
from assaymark.records.certificate import CLAIM_KIND, LedgerSeal
from assaymark.records.claim_terms import LockNote
from assaymark.records.decimals import decimal_text, rounded_down

KIND, FORMAT = CLAIM_KIND, 1


@dataclass(frozen=True, kw_only=True)
class ClaimCertificate:
    """What a certificate says to rooms that judge by it or export it; `pool` is a fingerprint."""

    claim: str
    confidence: float
    look: LookFacts
    survey: int
    pool: str
    ledger: LedgerSeal
    lock: LockNote | None
    issued: str
    software: str


def certificate_of(facts: Mapping[str, Any]) -> ClaimCertificate:
    """The certificate that holds these facts."""
    return ClaimCertificate(
        claim=facts["claim"],
        confidence=float(facts["confidence"]),
        look=read_look(facts["result"]),
        survey=facts["survey"],
        pool=facts["pool"],
        ledger=restored(LedgerSeal, facts["ledger"]),
        lock=restored(LockNote, facts.get("lock")),
        issued=facts["issued"],
        software=facts["software"],
    )


@dataclass(frozen=True, kw_only=True)
class ClaimIssued(InSentence):
    """A certificate and where it was written."""

    facts: dict[str, Any]
    path: Path
    hash: str
    head: str

    def __str__(self) -> str:
        return f"Certified: {self.statement} Written to {self.path}."

    @property
    def statement(self) -> str:
        """What is certified, in one sentence."""
        return statement(read_look(self.facts["result"]))


def certify_claim(
    project: Project, *, output: Path | None = None, signer: Signer | None = None
) -> ClaimIssued:
    """Issue the certificate, record its hash, then write the file, signed by `signer` if given.

    Repeating it writes the same certificate again, unless a label it depends on was changed.
    """
    path = certificate_path(project, output, KIND)
    with project.ledger.writing() as writer:
        entries = writer.entries
        work = required_claim(replay(entries))
        issued = work.reports("certificate")
        extended = work.sealed.kind == "cut-off" and issued and _went_on(entries, issued[-1].seq)
        if issued and not extended:
            last = issued[-1]
            facts = certificate_facts(entries[: last.seq - 1], work.number, issued=last.time)
            _refuse_superseded(entries, last.seq, facts, last.facts["hash"])
        else:
            facts = certificate_facts(entries, work.number, issued=project.now())
            event = SurveyReported(
                survey=work.number,
                labels=int(facts["result"]["labels"]),
                result={"event": "certificate", "hash": digest(facts)},
            )
            writer.append([event], time=facts["issued"])
        head = writer.entries[facts["ledger"]["events"]].hash
    write_certificate(path, written(facts), signer)
    return ClaimIssued(facts=facts, path=path, hash=digest(facts), head=head)


def _went_on(entries: list[Entry], seq: int) -> bool:
    """Whether labels came after the last certificate of a ladder."""
    return replay(entries).labels_at > seq


def _refuse_superseded(entries: list[Entry], seq: int, facts: dict[str, Any], said: str) -> None:
    if digest(facts) != said:
        raise VerificationError(
            "The recorded certificate was issued by another version or kind of processor, and this "
            "one gives other digits. Use the file that was written then."
        )
    draws = facts["result"]["draws"]
    changed = changed_after(entries, seq, survey=facts["survey"], draws=draws)
    if changed is not None:
        raise NotEstablishedError(
            f"The certificate is superseded: event {changed} changed a label it depends on."
        )


def changed_after(entries: list[Entry], seq: int, *, survey: int, draws: int) -> int | None:
    """The first event after the certificate that changed a label it depends on."""
    state = replay(entries)
    order = state.surveys[survey - 1].order[:draws]
    items = set(order)
    changes = (one.seq for one in state.changed_answers if one.event.item in items)
    return next((at for at in changes if at > seq), None)


def certificate_facts(entries: list[Entry], survey: int, *, issued: str) -> dict[str, Any]:
    """Everything the certificate says, from the events alone."""
    state = replay(entries)
    work = ClaimWork(survey=state.surveys[survey - 1])
    verdict = judge_claim(state, work)
    sealed = work.sealed
    if not is_established(verdict.look):
        raise NotEstablishedError(
            f"There is nothing to certify: {statement(verdict.look)} No certificate is issued."
        )
    last, lock = entries[-1], lock_note(work.survey.lock)
    facts = {
        "kind": KIND,
        "format": FORMAT,
        "claim": sealed.claim,
        "confidence": sealed.stated,
        "level": sealed.level,
        "result": verdict.result,
        "survey": survey,
        "seed": work.seed,
        "seal": digest(sealed.to_settings()),
        "rows": list(sealed.digests),
        "account": account_facts(state, work),
        "pool": registered_pool(state).fingerprint,
        "claims_sealed": [w.sealed.claim for w in claim_works(state)],
        "lock": None if lock is None else stored(lock),
        "plans_sealed": [str(attempt.plan.claim) for attempt in state.attempts],
        "corrected_after_use": corrected_after_use(state, work),
        "ledger": {"events": last.seq, "head": last.hash},
        "issued": issued,
        "software": __version__,
    }
    plain: dict[str, Any] = json.loads(canonical(_present(facts)))
    return plain


def account_facts(state: State, work: ClaimWork) -> dict[str, Any]:
    """The risk that the claim shares: what earlier claims left, and what this one leaves. Decimal text.

    Per part: `before`, what it started from; `after`, what the account holds now; and for every
    earlier claim of the account the factors of its parts.
    """
    risk, confidence = work.sealed.risk, work.sealed.confidence
    own_claim = earlier_claims(state, [work])
    (now,) = closed_claims(state, own_claim)
    before = [float(one.proof) for one in at_present(state, work).risk.carried] or [1.0] * len(
        now.parts
    )
    return {
        "name": risk.account,
        "confidence": decimal_text(confidence),
        "others": list(risk.others),
        "claim": max(risk.number, len(risk.earlier) + 1),
        "before": [rounded_down(wealth, 12) for wealth in before],
        "after": [
            rounded_down(wealth * part.proof, 6)
            for wealth, part in zip(before, now.parts, strict=True)
        ],
        "earlier": [
            {
                "survey": at.survey,
                "claim": closed.work.sealed.claim,
                "draws": at.draws,
                "pending": at.draws - at.settled,
                "wealth": [rounded_down(part.proof, 6) for part in closed.parts],
            }
            for at, closed in zip(risk.earlier, closed_claims(state, risk.earlier), strict=True)
        ],
    }


def _present(value: Any) -> Any:
    """Without absent fields."""
    if isinstance(value, dict):
        return {k: _present(v) for k, v in value.items() if v is not None}
    return [_present(v) for v in value] if isinstance(value, list) else value


def corrected_after_use(state: State, work: ClaimWork) -> int:
    """How many labels were changed after they had entered chances."""
    used = renewals(work)
    first: dict[int, int] = {}
    for renewal in used:
        for place, sign in enumerate(renewal.outcomes):
            first.setdefault(place, sign)
    items = work.survey.order[: len(used[-1].outcomes)] if used else []
    return sum(first[place] != outcome(state, work, item) for place, item in enumerate(items))
