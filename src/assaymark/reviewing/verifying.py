"""Recompute the certificate of a review: ledger, tickets, sets drawn from, wealth and bound."""

from collections.abc import Iterator
from pathlib import Path

from assaymark.certification.signatures.signing import check_signature
from assaymark.certification.signatures.witness import check_witnesses
from assaymark.certification.verification import (
    Brought,
    certificate_text,
    concluded,
    envelope_beside,
    whole_ledger,
)
from assaymark.claims.results import counted
from assaymark.errors import AssaymarkError, VerificationError
from assaymark.ledger.events import (
    Entry,
    ReviewDrawn,
    ReviewWork,
    State,
    check_story,
    replay,
)
from assaymark.pool import Progress, silent
from assaymark.pool.duckdb import DuckDBPool
from assaymark.project.folder import Project, collection_of
from assaymark.records.certificate import Check, Verification
from assaymark.records.seeds import commitment_of
from assaymark.reviewing.certificate import (
    ReviewCertificate,
    built,
    certificate_digest,
    read_certificate,
)
from assaymark.reviewing.standing import account_of, confidence_of, target_of, the_review
from assaymark.reviewing.stats import draw_batch, is_certified, set_digest
from assaymark.sampling.reserve import refuse_changed


def verify_review(
    path: Path,
    *,
    project: Project | None = None,
    brought: Brought | None = None,
    progress: Progress = silent,
) -> Verification:
    """Everything that can be recomputed with what is at hand: certificate, ledger, pool, witnesses."""
    brought = brought or Brought()
    brought.refuse_without_ledger(project)
    checks: list[Check] = []
    statement = ""
    try:
        text = certificate_text(path)
        certificate = read_certificate(text)
        statement = str(certificate)
        envelope = brought.envelope or envelope_beside(path)
        checks.append(check_signature(text, envelope, expected=brought.public_key))
        checks += _evidence(project, certificate, brought, progress)
    except AssaymarkError as error:
        checks.append(Check.failed("verification", error.message))
    status, missing = concluded(checks, project, brought)
    return Verification(status=status, statement=statement, checks=tuple(checks), missing=missing)


def _evidence(
    project: Project | None, certificate: ReviewCertificate, brought: Brought, progress: Progress
) -> Iterator[Check]:
    """What ledger and pool say, one by one; raises at the first thing that is wrong."""
    if project is None:
        yield Check.unchecked("ledger", "no project was named")
        return
    entries = whole_ledger(project)
    yield _ledger(certificate, entries)
    yield _numbers(certificate, entries)
    yield from _draws(project, certificate, entries, progress)
    opened = the_review(replay(entries)).opened_at
    yield check_witnesses(brought.heads, entries, sealed=opened, trusted=brought.authorities)
    yield _labels(entries)


def _ledger(certificate: ReviewCertificate, entries: list[Entry]) -> Check:
    check_story(entries)
    if (
        len(entries) < certificate.events
        or entries[certificate.events - 1].hash != certificate.head
    ):
        raise VerificationError("The ledger is not the one that the certificate names.")
    work = the_review(replay(entries))
    recorded = {issued.event.certificate for issued in work.certificates}
    if certificate_digest(certificate) not in recorded:
        raise VerificationError("The certificate is not the one that the ledger records.")
    return Check.ok("ledger", f"{counted(len(entries), 'event')}, chained and in a possible order")


def _numbers(certificate: ReviewCertificate, entries: list[Entry]) -> Check:
    again = built(
        entries[: certificate.events],
        issued=certificate.issued,
        software=certificate.software,
        secrets=certificate.secrets,
    )
    if again != certificate:
        raise VerificationError("The labels in the ledger give other numbers than the certificate.")
    return Check.ok("bound", f"n, F, wealth and the bound of {certificate.bound:,} recomputed")


def _draws(
    project: Project, certificate: ReviewCertificate, entries: list[Entry], progress: Progress
) -> Iterator[Check]:
    for secret, committed in zip(certificate.secrets, certificate.commitments, strict=False):
        if commitment_of(secret) != committed:
            raise VerificationError("A secret is not the one that was committed to.")
    ids = _ids(project, replay(entries), progress)
    if ids is None:
        yield Check.unchecked("pool", "it is not at hand")
        yield Check.unchecked("draws", "they need the pool")
        return
    yield Check.ok("pool", "files are those that were registered")
    number = 0
    state = State()
    for entry in entries[: certificate.events]:
        event = entry.event
        if isinstance(event, ReviewDrawn) and event.route == "random":
            _batch(state, event, ids, certificate.secrets)
            number += len(event.items)
        state.apply(event, entry)
    sentence = (
        f"{counted(number, 'random draw')}, each batch from all unread records by its tickets"
    )
    yield Check.ok("draws", sentence)


def _batch(state: State, event: ReviewDrawn, ids: list[str], secrets: tuple[str, ...]) -> None:
    work: ReviewWork = the_review(state)
    work.settle(state)
    inside = [item for item in ids if item not in work.outside]
    if event.n != len(inside) or event.digest != set_digest(inside):
        raise VerificationError(f"Batch {event.batch} was not drawn from all unread records.")
    secret = secrets[len(work.commitments) - 1]
    if tuple(draw_batch(secret, event.batch, inside, len(event.items))) != event.items:
        raise VerificationError(f"Batch {event.batch} does not hold the lowest tickets.")


def _ids(project: Project, state: State, progress: Progress) -> list[str] | None:
    collection = collection_of(state)
    if not project.has_pool(collection):
        return None
    pool = DuckDBPool(project.pool_path(collection), collection.columns)
    try:
        refuse_changed(pool, collection, progress)
        ids = [str(row[0]) for row in pool.select("SELECT id FROM pool")]
    finally:
        pool.close()
    if set_digest(ids) != the_review(state).opened.ids:
        raise VerificationError("The ids of the pool are not those that the review began with.")
    return ids


def _labels(entries: list[Entry]) -> Check:
    """Whether the certificate still stands with the labels of today."""
    state = replay(entries)
    work = the_review(state)
    standing = account_of(state, work).standing
    if is_certified(standing, target_of(work), confidence_of(work)):
        return Check.ok("labels", "the labels of today give it as well")
    detail = "superseded: with labels that were changed later the target is not certified"
    return Check.failed("labels", detail)
