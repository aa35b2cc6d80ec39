"""What the gate reads of one claim: its file, its lock, its ledger and its certificate."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assaymark.certification.certificate import (
    check_form,
    check_replay,
    issue,
    issuing_event,
    read,
    recomputed,
    write,
)
from assaymark.claims.canonical import read_json
from assaymark.claims.record import stored
from assaymark.errors import AssaymarkError, InputError, VerificationError, message_of
from assaymark.hints import command
from assaymark.ledger.events import (
    KINDS,
    Attempt,
    CertificateIssued,
    ClaimLocked,
    Entry,
    State,
    check_story,
    replay,
)
from assaymark.ledger.head import lost_end
from assaymark.monitoring.claim_files import ClaimFile
from assaymark.monitoring.lock_files import Lock, Sealed, latest_lock, lock_of, read_lock
from assaymark.project.folder import Project
from assaymark.project.place import is_project
from assaymark.records.certificate import CLAIM_KIND, FORMAT, Certificate

if TYPE_CHECKING:
    from assaymark.composite.issuing import ClaimCertificate
    from assaymark.composite.work import ClaimWork


CERTIFICATE = "certificate.json"
BREAKAGE = (TypeError, KeyError, ValueError, AttributeError, IndexError)


@dataclass(frozen=True, kw_only=True)
class Story:
    """A ledger whose order is right: its events, and the state after them.

    `certified` are the states that certificates were issued from, by the number of events.
    """

    entries: list[Entry]
    state: State
    certified: dict[int, State]

    def after(self, events: int) -> State:
        """The state after this many events. It must not be moved on."""
        return self.certified.get(events) or replay(self.entries[:events])


@dataclass(frozen=True, kw_only=True)
class _Agreed:
    """A locked claim whose lock, ledger and certificate agree with each other."""

    ledger: Story
    locked: ClaimLocked

    @property
    def entries(self) -> list[Entry]:
        """All events of the ledger."""
        return self.ledger.entries

    @property
    def state(self) -> State:
        """Where the project stands after them."""
        return self.ledger.state


@dataclass(frozen=True, kw_only=True)
class PlanEvidence(_Agreed):
    """That for one figure: its plan and its certificate."""

    attempt: Attempt
    certificate: Certificate | None


@dataclass(frozen=True, kw_only=True)
class SeveralEvidence(_Agreed):
    """That for a claim of several parts: its survey and its certificate."""

    work: "ClaimWork"
    certificate: "ClaimCertificate | None"


Evidence = PlanEvidence | SeveralEvidence


def read_evidence(claim: ClaimFile) -> Evidence | None:
    """The evidence for the claim; None where it was never locked.

    Raises VerificationError with the reason where anything was tampered with.
    """
    lock = read_lock(claim.lock_path)
    if not is_project(claim.project):
        _refuse_lost_ledger(claim, lock)
        return None
    ledger = _story(_entries(claim.project))
    sealed = latest_lock(ledger.state, claim.name)
    if lock is None and sealed is None:
        return None
    locked = _agreed(claim, lock, sealed, ledger.entries)
    assert sealed is not None, "agreed upon above"  # noqa: S101
    _refuse_edited(claim, locked)
    filed = _filed(claim.project / CERTIFICATE, ledger)
    if isinstance(sealed, Attempt):
        certificate = _certificate(filed, sealed, ledger)
        if sealed.outcome == "failed":
            from assaymark.certification.recorded_looks import (
                check_end,
            )  # other claims start faster

            check_end(ledger.entries, sealed)
        return PlanEvidence(ledger=ledger, locked=locked, attempt=sealed, certificate=certificate)
    from assaymark.composite.work import ClaimWork  # claims of one figure need none

    work = ClaimWork(survey=sealed)
    several = _of_several(filed, work, ledger.entries)
    return SeveralEvidence(ledger=ledger, locked=locked, work=work, certificate=several)


def _story(entries: list[Entry]) -> Story:
    """The events, each taken into account once."""
    state, certified, done = State(), dict[int, State](), 0
    for number, entry in enumerate(entries):
        if entry.kind == CertificateIssued.__name__:
            state = check_story(entries[done:number], state)
            certified[number], done = state.copy(), number
    return Story(entries=entries, state=check_story(entries[done:], state), certified=certified)


def _refuse_lost_ledger(claim: ClaimFile, lock: Lock | None) -> None:
    if (claim.project / CERTIFICATE).exists():
        raise VerificationError(
            f"{claim.folder!r} holds a certificate without the ledger that it follows from"
        )
    if lock is not None:
        raise VerificationError(
            f"{claim.lock_path.name!r} names event {lock.event} of a ledger that is not at "
            f"{claim.folder!r}"
        )


def _entries(folder: Path) -> list[Entry]:
    ledger = Project(folder=folder).ledger
    kept = ledger.remembered()  # before the entries, which may grow meanwhile
    entries = ledger.entries()
    if fault := lost_end(entries, kept):
        raise VerificationError(fault)
    unknown = next((entry.kind for entry in entries if entry.kind not in KINDS), None)
    if unknown is not None:
        raise InputError(
            f"The ledger in {str(folder)!r} holds an event of kind '{unknown}', which this version of "
            "assaymark does not know. Install a newer assaymark to read it."
        )
    return entries


def _agreed(
    claim: ClaimFile, lock: Lock | None, sealed: Sealed | None, entries: list[Entry]
) -> ClaimLocked:
    """The event of the lock, on which the file beside the claim and the ledger agree."""
    name = claim.lock_path.name
    if sealed is None or sealed.lock is None:
        raise VerificationError(
            f"{name!r} exists, but the ledger in {claim.folder!r} holds no lock of a claim "
            f"named {claim.name!r}"
        )
    seq, event = sealed.lock.seq, sealed.lock.event
    if lock is None:
        raise VerificationError(
            f"{name!r} is missing, and the ledger holds that lock as event {seq}; {command('lock')} "
            "writes it again"
        )
    facts = lock_of(sealed, entries)
    for field in ("event", "hash", "name", "file", "plan", "survey"):
        if getattr(lock, field) != getattr(facts, field):
            raise VerificationError(
                f"the field '{field}' of {name!r} is not that of the lock in the ledger (event {seq})"
            )
    return event


def _refuse_edited(claim: ClaimFile, locked: ClaimLocked) -> None:
    before, now = stored(locked.terms), stored(claim.terms)
    for name in sorted({*before, *now}):
        if name == "pool":
            continue
        _refuse_other(name, before.get(name), now.get(name))
    pools = before["pool"], now["pool"]
    for name in sorted({*pools[0], *pools[1]}):
        _refuse_other(f"pool.{name}", pools[0].get(name), pools[1].get(name))


def _refuse_other(name: str, before: object, now: object) -> None:
    if before != now:
        was = "missing" if before is None else repr(before)
        is_now = "missing" if now is None else repr(now)
        raise VerificationError(f"'{name}' was {was} when the file was locked, and is {is_now} now")


def _certificate(
    filed: "Certificate | ClaimCertificate | None", attempt: Attempt, ledger: Story
) -> Certificate | None:
    """The certificate of the plan, recomputed from the ledger."""
    if attempt.certificate is None or attempt.bound is not None:  # less than was locked, or more
        return None
    if isinstance(filed, Certificate) and filed.plan.number == attempt.plan.number:
        return filed
    seq, issued = attempt.certificate.seq, attempt.certificate.event
    try:
        return issue(
            ledger.after(seq - 1),
            plan=issued.plan,
            issued=attempt.certificate.time,
            software=issued.software,
        )
    except AssaymarkError as error:
        raise VerificationError(
            f"the certificate of event {seq} does not follow from the ledger: {error.message}"
        ) from error


def _of_several(
    filed: "Certificate | ClaimCertificate | None", work: "ClaimWork", entries: list[Entry]
) -> "ClaimCertificate | None":
    """The certificate of a claim of several parts, recomputed from the ledger."""
    from assaymark.monitoring.several_parts import (  # others need none of it
        latest_certificate,
        refuse_other_end,
    )

    document = None if isinstance(filed, Certificate) else filed
    try:
        _ = work.sealed  # what cannot be read is refused here
        refuse_other_end(work, entries)
        return latest_certificate(work, document, entries)
    except VerificationError:
        raise
    except (AssaymarkError, *BREAKAGE) as error:
        raise VerificationError(
            f"the certificate does not follow from the ledger: {message_of(error)}"
        ) from error


def _filed(path: Path, ledger: Story) -> "Certificate | ClaimCertificate | None":
    """The certificate in the project: it must follow from the ledger, whichever plan it is of."""
    if not path.exists():
        return None
    try:
        text = path.read_bytes().decode("utf-8")
        if CLAIM_KIND in text:
            from assaymark.monitoring.several_parts import filed_certificate

            return filed_certificate(path, ledger.entries)
        _refuse_newer(path, text)
        certificate, data = read(text)
        if not _follows(certificate, text, ledger):  # these say where it differs
            check_replay(certificate, ledger.entries, ledger.after(certificate.ledger.events))
            check_form(certificate, data, text)
        return certificate
    except (VerificationError, InputError):
        raise
    except (AssaymarkError, OSError, *BREAKAGE) as error:
        raise VerificationError(
            f"the certificate {path.name!r} cannot be used: {message_of(error)}"
        ) from error


def _follows(certificate: Certificate, text: str, ledger: Story) -> bool:
    """Whether the file is, to the byte, what the ledger gives and what its event recorded."""
    event = issuing_event(certificate, ledger.entries)
    again = recomputed(certificate, ledger.entries, ledger.after(certificate.ledger.events))
    return text == write(again) and event.certificate == again.digest


def _refuse_newer(path: Path, text: str) -> None:
    try:
        number = read_json(text).get("format")
    except (ValueError, AttributeError):
        return
    if isinstance(number, int) and number > FORMAT:
        raise InputError(
            f"The certificate {str(path)!r} has format {number}, and this version of assaymark reads "
            f"format {FORMAT}. Install a newer assaymark to read it."
        )
