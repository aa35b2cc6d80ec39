"""The certificate of a review: facts from which anybody with the ledger can recompute the bound."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from assaymark import __version__
from assaymark.certification.issuing import NotEstablishedError, certificate_path, write_certificate
from assaymark.certification.signatures.signing import Signer
from assaymark.claims.canonical import canonical, digest, read_json
from assaymark.claims.pictures import InSentence
from assaymark.claims.record import Record, plain
from assaymark.claims.results import counted, percent
from assaymark.errors import VerificationError
from assaymark.ledger.events import (
    Entry,
    ReviewCertified,
    ReviewWork,
    SecretRevealed,
    State,
    replay,
)
from assaymark.project.folder import Project, collection_of
from assaymark.records.certificate import refuse_other_number
from assaymark.reviewing.secret import read_secret
from assaymark.reviewing.standing import account_of, confidence_of, target_of, the_review
from assaymark.reviewing.stats import is_certified, row_of_target, upper_bound
from assaymark.reviewing.wording import rounded_down

KIND = "assaymark review certificate"


@dataclass(frozen=True, kw_only=True)
class ReviewCertificate(Record):
    """At least `target` of all relevant records are among those found, with this confidence.

    `bound` is the largest number of relevant records that is not refuted, `row` the smallest one that
    would miss the target. `events` and `head` name the ledger that it was computed from, `secrets`
    those behind the draws; the share `twice` was read by two people.
    """

    kind: Literal["assaymark review certificate"] = "assaymark review certificate"
    software: str
    issued: str
    method: str
    source: str
    fingerprint: str
    items: int
    merged: int
    target: str
    confidence: str
    decisions: str
    twice: str
    known: int
    directed: int
    random: int
    evidence: int
    found: int
    unclear: int
    unread: int
    bound: int
    row: int
    corrections: int
    commitments: tuple[str, ...]
    secrets: tuple[str, ...]
    events: int
    head: str

    def __str__(self) -> str:
        return (
            f"At least {percent(float(Fraction(self.target)))} of all relevant records in this pool of "
            f"{self.items:,} are among the {self.found:,} found; at most {self.bound - self.found:,} are "
            f"missed ({percent(float(Fraction(self.confidence)))} confidence, valid at any look; "
            f"{self.directed:,} directed and {self.random:,} random labels)."
        )


@dataclass(frozen=True, kw_only=True)
class IssuedReview(InSentence):
    """A certificate of a review and where it was written."""

    certificate: ReviewCertificate
    path: Path
    hash: str
    head: str

    def __str__(self) -> str:
        return f"Certified: {self.certificate} Written to {self.path}."


def built(
    entries: list[Entry], *, issued: str, software: str, secrets: tuple[str, ...]
) -> ReviewCertificate:
    """The certificate that these events give; refused where the target is not certified."""
    state = replay(entries)
    work = the_review(state)
    account = account_of(state, work)
    standing, target, confidence = account.standing, target_of(work), confidence_of(work)
    if not is_certified(standing, target, confidence):
        raise NotEstablishedError(_why_not(state, work))
    pool, head = collection_of(state), entries[-1]
    return ReviewCertificate(
        software=software,
        issued=issued,
        method=work.opened.method,
        source=pool.source,
        fingerprint=pool.fingerprint,
        items=work.opened.items,
        merged=work.opened.merged,
        target=work.opened.target,
        confidence=work.opened.confidence,
        decisions=work.opened.decisions,
        twice=work.opened.twice,
        known=len(work.known),
        directed=account.directed,
        random=account.random,
        evidence=standing.draws.count,
        found=standing.found,
        unclear=standing.unclear,
        unread=standing.unread,
        bound=upper_bound(standing, confidence),
        row=row_of_target(standing.found, target),
        corrections=len(state.corrections),
        commitments=tuple(work.commitments),
        secrets=secrets,
        events=head.seq,
        head=head.hash,
    )


def _why_not(state: State, work: ReviewWork) -> str:
    account = account_of(state, work)
    standing = account.standing
    if not standing.found:
        return "No relevant record was found yet, and without one nothing can be certified."
    bound = upper_bound(standing, confidence_of(work))
    return (
        f"The target is not reached: {standing.found:,} relevant records are found and up to "
        f"{bound - standing.found:,} may be missing, so recall is at least "
        f"{rounded_down(standing.found / bound)}, and {work.opened.target} was wanted. Go on with "
        f"{counted(standing.unread, 'unread record')} left."
    )


def certify_review(
    project: Project, *, output: Path | None = None, signer: Signer | None = None
) -> IssuedReview:
    """Issue the certificate and reveal the secret, so that everybody can check the draws.

    Going on needs a new secret, which the next handout makes. Repeating writes the same file again.
    """
    path = certificate_path(project, output, KIND)
    with project.ledger.writing() as writer:
        state = replay(writer.entries)
        work = the_review(state)
        certificate = _reissued(writer.entries, work)
        if certificate is None:
            now = project.now()
            secret = read_secret(project.folder, work) if work.drawable else None
            secrets = (*work.secrets, secret) if secret else tuple(work.secrets)
            certificate = built(
                list(writer.entries), issued=now, software=__version__, secrets=secrets
            )
            revealed = (
                [SecretRevealed(review=1, number=len(work.commitments), secret=secret)]
                if secret
                else []
            )
            event = ReviewCertified(
                review=1,
                target=certificate.target,
                found=certificate.found,
                bound=certificate.bound,
                certificate=certificate_digest(certificate),
                software=__version__,
            )
            writer.append([*revealed, event], time=now)
        head = writer.entries[-1].hash
    write_certificate(path, canonical(certificate.to_dict()) + "\n", signer)
    return IssuedReview(
        certificate=certificate, path=path, hash=certificate_digest(certificate), head=head
    )


def certificate_digest(certificate: ReviewCertificate) -> str:
    """SHA-256 of the certificate's canonical JSON."""
    return digest(certificate.to_dict())


def _reissued(entries: list[Entry], work: ReviewWork) -> ReviewCertificate | None:
    """The recorded certificate, where nothing happened since."""
    if not work.certificates or work.certificates[-1].seq != len(entries):
        return None
    last = work.certificates[-1]
    seq = last.seq
    before = seq - 2 if entries[seq - 2].kind == "SecretRevealed" else seq - 1
    return built(
        entries[:before],
        issued=last.time,
        software=last.event.software,
        secrets=tuple(work.secrets),
    )


def read_certificate(text: str) -> ReviewCertificate:
    """The certificate in a file."""
    try:
        data: dict[str, Any] = read_json(text)
        refuse_other_number(data, "schema", ReviewCertificate.schema)
        certificate = ReviewCertificate.from_dict(data)
        same = plain(certificate) == {key: value for key, value in data.items() if key != "schema"}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise VerificationError(f"The certificate cannot be read: {error}.") from error
    if not same or certificate.kind != KIND:
        raise VerificationError("The certificate is not as it was written: fields differ.")
    return certificate


def is_review_certificate(path: Path) -> bool:
    """Whether the file is the certificate of a review."""
    try:
        return KIND.encode() in path.read_bytes()[:100_000]
    except OSError:
        return False
