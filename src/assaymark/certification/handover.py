"""What a reader may see without a look: the last recorded verdict, and the certificate's file."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from assaymark.certification.certificate import read, statement_of
from assaymark.certification.modes.words import closed_because
from assaymark.claims.results import percent
from assaymark.errors import AssaymarkError
from assaymark.ledger.events import State
from assaymark.project.folder import Project


@dataclass(frozen=True, kw_only=True)
class OnRecord:
    """Where the latest plan, or the review, stands by what is recorded. `certificate` is its hash.

    What the latest look `established` waits for its certificate.
    """

    claim: str | None
    confidence: str | None
    outcome: str
    final: bool
    looks: int
    labels: int | None
    low: float | None
    high: float | None
    time: str | None
    certificate: str | None
    reason: str | None
    kind: Literal["plan", "review", "claim"] = "plan"
    established: bool = False


def on_record(state: State) -> OnRecord:
    """The last look and the outcome of the latest plan."""
    attempt = state.attempt
    last = attempt.looks[-1] if attempt is not None and attempt.looks else None
    return OnRecord(
        claim=str(attempt.plan.claim) if attempt else None,
        confidence=percent(attempt.plan.confidence) if attempt else None,
        outcome=attempt.outcome if attempt else "no plan",
        final=attempt is not None and not attempt.open,
        looks=len(attempt.looks) if attempt else 0,
        labels=last.event.labels if last else None,
        low=last.event.low if last else None,
        high=last.event.high if last else None,
        time=last.time if last else None,
        certificate=attempt.certificate.event.certificate
        if attempt and attempt.certificate
        else None,
        reason=closed_because(attempt) if attempt and attempt.closed else None,
        established=last is not None and last.event.decision == "pass",
    )


def certificate_file(project: Project, expected: str | None) -> bytes | None:
    """The certificate's file, if it is the recorded one; None where it is missing or another."""
    return recorded_file(project, expected, lambda text: read(text.decode("utf-8"))[0].digest)


def recorded_file(
    project: Project, expected: str | None, digest: Callable[[bytes], str | None]
) -> bytes | None:
    """The project's certificate, of any kind, if this is its digest; None where it is not, or missing."""
    path = project.folder / "certificate.json"
    if expected is None or not path.is_file():
        return None
    text = path.read_bytes()
    try:
        return text if digest(text) == expected else None
    except (AssaymarkError, ValueError, AttributeError):
        return None


def certificate_statement(text: bytes | None) -> str | None:
    """What the certificate says was proved, in its own sentence."""
    return None if text is None else statement_of(read(text.decode("utf-8"))[0])
