"""Issue the certificate of an established claim."""

from dataclasses import dataclass
from pathlib import Path

from assaymark import __version__
from assaymark.certification.certificate import (
    account_words,
    issue,
    population_in_words,
    statement_of,
    superseded_by,
    write,
)
from assaymark.certification.certificate.dsse import check_subject, open_envelope
from assaymark.certification.certificate.issue import bound_as_it_stands
from assaymark.certification.modes import judge
from assaymark.certification.modes.words import closed_because
from assaymark.certification.signatures.signing import Signer, signature_path
from assaymark.claims.pictures import InSentence
from assaymark.errors import AssaymarkError, InputError, VerificationError
from assaymark.files.places import SHARED, write_safely
from assaymark.hints import command, switch
from assaymark.ledger.events import Attempt, CertificateIssued, Entry, State, replay
from assaymark.project.folder import Project, latest_attempt
from assaymark.records.certificate import Certificate

ISSUED = CertificateIssued.__name__


class NotEstablishedError(AssaymarkError):
    """The claim is not established: there is nothing to certify."""

    exit_code = 1


@dataclass(frozen=True, kw_only=True)
class Issued(InSentence):
    """A certificate and where it was written."""

    certificate: Certificate
    path: Path
    hash: str
    head: str

    @property
    def statement(self) -> str:
        """What is certified, in one sentence."""
        return statement_of(self.certificate)

    @property
    def account(self) -> str | None:
        """Which plan on its claim it is of, and what the confidence covers; None for a first plan."""
        return account_words(self.certificate.plan)

    @property
    def population(self) -> str | None:
        """What the claim is about, where its classifier was trained in the project."""
        return population_in_words(self.certificate)

    def __str__(self) -> str:
        return f"Certified: {self.statement} Written to {self.path}."


def certify(
    project: Project,
    *,
    output: Path | None = None,
    signer: Signer | None = None,
    bound: bool = False,
) -> Issued:
    """Issue the certificate, record its hash, then write the file.

    Repeating it writes the same certificate again, should the file have been lost. With `bound` it
    certifies what is proven, be it less than was claimed: that costs no risk and needs no new plan.
    """
    try:
        path = certificate_path(project, output, Certificate.kind)
    except InputError:
        latest_attempt(project.state())  # of a review, say that it is one
        raise
    certificate, head = _recorded(project, bound=bound)
    write_certificate(path, write(certificate), signer)
    return Issued(certificate=certificate, path=path, hash=certificate.digest, head=head)


def certificate_path(project: Project, output: Path | None, kind: str) -> Path:
    """Where a certificate of this kind goes; refused where something else would be lost."""
    path = output or project.folder / "certificate.json"
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder. Name a file, such as certificate.json.")
    if path.exists() and f'"{kind}"'.encode() not in path.read_bytes():
        raise InputError(
            f"{str(path)!r} exists and is not a certificate of this kind. Choose another name."
        )
    return path


def write_certificate(path: Path, text: str, signer: Signer | None) -> None:
    """Write a certificate for everybody to read, and beside it the signature where it is signed."""
    if signer is None:
        _drop_stale_signature(signature_path(path), text)
    write_safely(path, text, mode=SHARED)
    if signer is not None:
        write_safely(signature_path(path), signer.sign(text, name=path.name), mode=SHARED)


def _drop_stale_signature(path: Path, text: str) -> None:
    """Remove the signature of an earlier certificate, which would not fit the one written now."""
    if not path.is_file():
        return
    envelope = open_envelope(path.read_text(encoding="utf-8"))
    try:
        check_subject(envelope, text)
    except VerificationError:
        path.unlink()


def _recorded(project: Project, *, bound: bool) -> tuple[Certificate, str]:
    """The certificate of the latest plan and the hash of the event that issued it, now or before."""
    with project.writing() as session:
        if latest_attempt(session.state).certificate is None:
            session.time = project.now()
            certificate = _issued(session.state, session.time, bound=bound)
            session.record(
                CertificateIssued(
                    plan=certificate.plan.number,
                    certificate=certificate.digest,
                    software=__version__,
                    bound=certificate.bound,
                )
            )
        elif bound and latest_attempt(session.state).bound is None:
            raise NotEstablishedError(
                f"Plan {latest_attempt(session.state).plan.number} has a certificate of its claim "
                f"already, which states its bound too. Leave {switch('bound')} out to write it again."
            )
    if session.added:
        return certificate, session.added[0].hash
    return _reissued(project.ledger.entries())


def _reissued(entries: list[Entry]) -> tuple[Certificate, str]:
    """The certificate that the latest plan already has, from the events before it."""
    issued = max(place for place, entry in enumerate(entries) if entry.kind == ISSUED)
    past, event = replay(entries[:issued]), entries[issued].event
    certificate = issue(
        past,
        plan=event.plan,
        issued=entries[issued].time,
        software=event.software,
        bound=event.bound is not None,
    )
    if event.certificate != certificate.digest:
        raise VerificationError(
            "The recorded certificate was issued on another kind of processor, and this one gives "
            "other last digits. Use the file that was written then."
        )
    changed = superseded_by(certificate, past, entries[issued:])
    if changed is not None:
        raise NotEstablishedError(
            f"The certificate of plan {event.plan} is superseded: event {changed} changed a label it "
            "depends on. Look at the verdict, and seal a new plan for a new claim."
        )
    return certificate, entries[issued].hash


def _issued(state: State, now: str, *, bound: bool) -> Certificate:
    attempt = latest_attempt(state)
    if not bound:
        _refuse_closed(state)
    try:
        return issue(state, plan=attempt.plan.number, issued=now, software=__version__, bound=bound)
    except AssaymarkError as error:
        raise NotEstablishedError(error.message) from error


def _refuse_closed(state: State) -> None:
    attempt = latest_attempt(state)
    if attempt.closed is not None:
        raise NotEstablishedError(
            f"Plan {attempt.plan.number} is closed ({attempt.outcome_word}): "
            f"{closed_because(attempt).rstrip('.')}. No certificate is issued{_less(state, attempt)}."
        )


def _less(state: State, attempt: Attempt) -> str:
    """That less than was claimed can be certified, where anything is proven."""
    try:
        bound_as_it_stands(judge(state, attempt))
    except AssaymarkError:
        return ", and nothing useful is proven"
    return f"; what is proven can still be certified as it stands: {command('certify', bound=True)}"
