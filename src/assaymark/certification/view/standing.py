"""How strong the evidence is, and how strong it must be."""

from assaymark.certification.modes import mode_of
from assaymark.certification.modes.mode import EvidenceNow
from assaymark.certification.modes.prefix import Prefix
from assaymark.claims.results import Verdict
from assaymark.ledger.events import Attempt


def evidence_now(attempt: Attempt, prefix: Prefix, verdict: Verdict) -> EvidenceNow | None:
    """The wealth of an anytime plan, or the boundary of a budget plan; None for a single look."""
    return None if verdict.census else mode_of(attempt.plan).evidence(attempt, prefix, verdict)
