"""What readers of a result may see of a claim of several rows: what is recorded, without a look."""

import json

from assaymark.certification.handover import OnRecord, recorded_file
from assaymark.claims.canonical import digest, read_json
from assaymark.claims.results import percent
from assaymark.composite.look_facts import read_look, written
from assaymark.composite.wording import sealed_words, statement
from assaymark.composite.work import current_claim
from assaymark.ledger.events import State
from assaymark.project.folder import Project


def claim_on_record(state: State) -> OnRecord | None:
    """The current claim and its latest certificate; None where the project has none."""
    work = current_claim(state)
    if work is None:
        return None
    last, issued = work.last_look, work.reports("certificate")
    return OnRecord(
        claim=sealed_words(work.sealed),
        confidence=percent(work.sealed.stated),
        outcome="certified" if issued else "open" if work.open else "failed",
        final=bool(issued) or not work.open,
        looks=len(work.reports("look")),
        labels=last.facts.labels if last else None,
        low=None,
        high=None,
        time=last.time if last else None,
        certificate=issued[-1].facts["hash"] if issued else None,
        reason=statement(last.facts) if last else None,
        kind="claim",
        established=work.established,
    )


def claim_file(project: Project, expected: str | None) -> bytes | None:
    """The certificate's file, if it is the recorded one; None where it is missing or another."""
    return recorded_file(project, expected, _digest)


def _digest(text: bytes) -> str | None:
    """The digest of a certificate that is written as ours are; None of another."""
    facts = read_json(text)
    facts.pop("hash", None)
    return digest(facts) if written(facts).encode() == text else None


def claim_statement(text: bytes | None) -> str | None:
    """What the certificate says was proved, in a sentence."""
    return None if text is None else statement(read_look(json.loads(text)["result"]))
