"""Issue the certificate of an established claim."""

from dataclasses import dataclass
from pathlib import Path

from assaymark import __version__
from assaymark.certification.certificate import (
    account_words,
    certificate_hash,
    issue,
    population_in_words,
    statement_of,
    superseded_by,
    write,
)
from assaymark.certification.certificate.dsse import check_subject, open_envelope
from assaymark.certification.modes.closing import closed_because
from assaymark.certification.signing import Signer, signature_path
from assaymark.errors import AssaymarkError, InputError, VerificationError
from assaymark.files.places import SHARED, write_safely
from assaymark.ledger.events import CertificateIssued, Entry, State, read_event, replay
from assaymark.project.folder import Project, latest_attempt
from assaymark.records.certificate import Certificate


class NotEstablishedError(AssaymarkError):
    """The claim is not established: there is nothing to certify."""

    exit_code = 1


@dataclass(frozen=True, kw_only=True)
class Issued:
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
    path = output or project.folder / "certificate.json"
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder. Name a file: -o certificate.json.")
    if path.exists() and b'"kind":"assaymark certificate"' not in path.read_bytes():
        raise InputError(
            f"{str(path)!r} exists and is no certificate. Choose another name with -o."
        )
    with project.ledger.writing() as writer:
        certificate = _reissued(writer.entries)
        if certificate is None:
            certificate = _issued(writer.entries, project.now(), bound=bound)
            event = CertificateIssued(
                plan=certificate.plan.number,
                certificate=certificate_hash(certificate),
                software=__version__,
                bound=certificate.bound,
            )
            writer.append([event], time=certificate.issued)
        elif bound and certificate.bound is None:
            raise NotEstablishedError(
                f"Plan {certificate.plan.number} has a certificate of its claim already, which states its "
                "bound too. Leave --bound out to write it again."
            )
        _refuse_other(certificate, writer.entries)
        changed = superseded_by(certificate, writer.entries)
        if changed is not None:
            raise NotEstablishedError(
                f"The certificate of plan {certificate.plan.number} is superseded: event {changed} "
                "changed a label it rests on. Look at the verdict, and seal a new plan for a new claim."
            )
        head = writer.entries[certificate.ledger.events].hash  # of the event that issued it
    text = write(certificate)
    if signer is None:
        _drop_stale(signature_path(path), text)
    write_safely(path, text, mode=SHARED)
    if signer is not None:
        write_safely(signature_path(path), signer.sign(text, name=path.name), mode=SHARED)
    return Issued(certificate=certificate, path=path, hash=certificate_hash(certificate), head=head)


def _drop_stale(path: Path, text: str) -> None:
    """Remove the signature of an earlier certificate, which would not fit the one written now."""
    if not path.is_file():
        return
    envelope = open_envelope(path.read_text(encoding="utf-8"))
    try:
        check_subject(envelope, text)
    except VerificationError:
        path.unlink()


def _reissued(entries: list[Entry]) -> Certificate | None:
    """The certificate that the latest plan already has, from the events before it."""
    attempt = latest_attempt(replay(entries))
    if attempt.certificate is None:
        return None
    seq, time, _ = attempt.certificate
    return issue(
        entries[: seq - 1],
        plan=attempt.plan.number,
        issued=time,
        software=_software(entries, seq),
        bound=attempt.bound is not None,
    )


def _refuse_other(certificate: Certificate, entries: list[Entry]) -> None:
    """Refuse to write a certificate that differs from the one on record, if only in last digits."""
    recorded = latest_attempt(replay(entries)).certificate
    if recorded is not None and recorded[2] != certificate_hash(certificate):
        raise VerificationError(
            "The certificate on record was issued on another kind of processor, and this one gives "
            "other last digits. Use the file that was written then."
        )


def _software(entries: list[Entry], seq: int) -> str:
    event: CertificateIssued = read_event(entries[seq - 1].kind, entries[seq - 1].body)
    return event.software


def _issued(entries: list[Entry], now: str, *, bound: bool) -> Certificate:
    state = replay(entries)
    number = latest_attempt(state).plan.number
    if not bound:
        _refuse_closed(state)
    try:
        return issue(entries, plan=number, issued=now, software=__version__, bound=bound)
    except AssaymarkError as error:
        raise NotEstablishedError(str(error)) from error


def _refuse_closed(state: State) -> None:
    attempt = latest_attempt(state)
    if attempt.closed is not None:
        raise NotEstablishedError(
            f"Plan {attempt.plan.number} is closed ({attempt.closed.outcome}): "
            f"{closed_because(attempt).rstrip('.')}. No certificate is issued; what is proven all the same "
            "can be certified as it stands: assaymark certify --bound."
        )
