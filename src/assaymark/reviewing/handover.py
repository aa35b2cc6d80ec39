"""What readers of a result may see of a review: its recorded certificate, and nothing that runs."""

from assaymark.certification.handover import OnRecord, recorded_file
from assaymark.claims.results import percent
from assaymark.ledger.events import State, review_of
from assaymark.project.folder import Project
from assaymark.reviewing.certificate import certificate_digest, read_certificate
from assaymark.reviewing.standing import confidence_of, target_of


def review_on_record(state: State) -> OnRecord | None:
    """The review and its latest certificate; None where the project has no review."""
    work = review_of(state)
    if work is None:
        return None
    last = work.certificates[-1] if work.certificates else None
    return OnRecord(
        claim=f"Recall of at least {percent(float(target_of(work)))} in a review of "
        f"{work.opened.items:,} records",
        confidence=percent(float(confidence_of(work))),
        outcome="certified" if last else "open",
        final=last is not None,
        looks=len(work.certificates),
        labels=None,
        low=None,
        high=None,
        time=last.time if last else None,
        certificate=last.event.certificate if last else None,
        reason=None,
        kind="review",
    )


def review_file(project: Project, expected: str | None) -> bytes | None:
    """The certificate's file, if it is the recorded one; None where it is missing or another."""
    return recorded_file(
        project, expected, lambda text: certificate_digest(read_certificate(text.decode("utf-8")))
    )


def review_statement(text: bytes | None) -> str | None:
    """What the certificate says was proved, in its own sentence."""
    return None if text is None else str(read_certificate(text.decode("utf-8")))
