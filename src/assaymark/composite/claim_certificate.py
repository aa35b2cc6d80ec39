"""What the certificate of a claim of several parts says, for rooms that judge by it or export it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assaymark.claims.record import restored
from assaymark.composite.look_facts import LookFacts, read_look
from assaymark.records.certificate import LedgerSeal
from assaymark.records.claim_terms import LockNote


@dataclass(frozen=True, kw_only=True)
class ClaimCertificate:
    """The certified look, the survey it is of, and the fingerprint of its pool."""

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
