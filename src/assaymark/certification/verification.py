"""Recompute a certificate as a stranger would, and say what was and was not checked."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from assaymark.certification.certificate import (
    Recorded,
    account_words,
    check_chances,
    check_draws,
    check_form,
    check_ledger,
    check_numbers,
    check_risk,
    check_seed,
    check_tickets,
    check_training,
    history_of,
    population_in_words,
    read,
    read_recorded,
    statement_of,
    superseded_by,
)
from assaymark.certification.known_labels import check_known
from assaymark.certification.planning import check_sealed
from assaymark.certification.recorded_looks import check_last_look
from assaymark.certification.seeding import refuse_impossible_times
from assaymark.certification.signatures.signing import (
    check_signature,
    read_public_key,
    signature_path,
)
from assaymark.certification.signatures.witness import check_witnesses
from assaymark.claims.checks import choice
from assaymark.errors import AssaymarkError, InputError, VerificationError, message_of
from assaymark.hints import command, option
from assaymark.ledger.events import Entry, ReserveStored
from assaymark.ledger.head import lost_end
from assaymark.pool import Pool, Progress, silent
from assaymark.pool.reserve import tickets_digest
from assaymark.pool.sources import find_source
from assaymark.project.folder import Project, registered_pool
from assaymark.project.registration import fingerprint
from assaymark.records.certificate import Certificate, Check, Verification
from assaymark.records.plan import Plan
from assaymark.records.pool import ReservedItem
from assaymark.sampling.reserve import refuse_changed

if TYPE_CHECKING:
    from cryptography.x509 import Certificate as Authority

from assaymark.ledger.events import State, SurveyWork, set_aside, settings_of, training_of
from assaymark.pool.duckdb import DuckDBPool
from assaymark.pool.sources import is_elsewhere
from assaymark.project.folder import collection_of
from assaymark.records.pool import RegisteredPool

Outcome = Literal["verified", "verified in part", "consistent only", "failed"]
BREAKAGE = (TypeError, KeyError, ValueError, AttributeError, IndexError)


REQUIRABLE = ("pool", "witness", "signature")


@dataclass(frozen=True, kw_only=True)
class Brought:
    """What whoever verifies brings along, from elsewhere than the project.

    `heads` are witnesses (hashes, or the contents of witness files), `authorities` the certificates
    of time-stamp services, and `require` what must be at hand: pool, witness, signature. `envelope`
    is the signature, where it does not lie beside the certificate.
    """

    public_key: str | None = None
    heads: tuple[bytes, ...] = ()
    authorities: tuple["Authority", ...] = ()
    require: tuple[str, ...] = ()
    envelope: str | None = None

    def __post_init__(self) -> None:
        if self.public_key is not None:
            read_public_key(self.public_key)
        for name in self.require:
            choice("require", name, REQUIRABLE)

    def refuse_without_ledger(self, project: Project | None) -> None:
        """A witness speaks of a ledger, so it is nothing without one."""
        if self.heads and project is None:
            raise InputError(
                f"A witness needs the ledger too: name the project with {option('project', 'DIR')}."
            )


def verify(
    path: Path,
    *,
    project: Project | None = None,
    brought: Brought | None = None,
    progress: Progress = silent,
) -> Verification:
    """Everything that can be recomputed with what is at hand: certificate, ledger, pool, witnesses."""
    brought = brought or Brought()
    brought.refuse_without_ledger(project)
    text = certificate_text(path)
    checks: list[Check] = []
    said: Certificate | None = None
    try:
        said, data = read(text)
        brought = replace(brought, envelope=brought.envelope or envelope_beside(path))
        _run(said, data, text, project, brought, progress, checks)
    except VerificationError as error:
        checks.append(Check.failed("verification", error.message))
    status, missing = concluded(checks, project, brought)
    return Verification(
        status=status,
        statement=_worded(statement_of, said) or "",
        checks=tuple(checks),
        population=_worded(population_in_words, said),
        account=None if said is None else account_words(said.plan),
        history=_history(said),
        missing=missing,
    )


def _worded(
    words: Callable[[Certificate], str | None], certificate: Certificate | None
) -> str | None:
    """What the certificate says in words, as far as a tampered one says anything."""
    try:
        return None if certificate is None else words(certificate)
    except (AssaymarkError, *BREAKAGE):
        return None


def _history(certificate: Certificate | None) -> tuple[tuple[str, str], ...]:
    """How it came about, as far as a tampered one says anything."""
    try:
        return () if certificate is None else history_of(certificate)
    except (AssaymarkError, *BREAKAGE):
        return ()


def certificate_text(path: Path) -> str:
    """The text of a certificate's file; refused where there is none."""
    if not path.exists():
        raise InputError(
            f"There is no certificate at {str(path)!r}. One that is established is issued by "
            f"{command('certify')}."
        )
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"The certificate {str(path)!r} cannot be read: {why}.") from error


def envelope_beside(path: Path) -> str | None:
    """The signature beside the certificate; None where there is none."""
    beside = signature_path(path)
    return certificate_text(beside) if beside.is_file() else None


def _run(
    certificate: Certificate,
    data: dict[str, Any],
    text: str,
    project: Project | None,
    brought: Brought,
    progress: Progress,
    checks: list[Check],
) -> None:
    """Add to `checks` what was found; raises at the first thing that is wrong."""
    recorded = None
    if project is not None:
        whole = whole_ledger(project)
        recorded = _guarded(lambda: read_recorded(certificate, whole), "ledger")
        checks += _guarded(partial(check_ledger, certificate, recorded), "ledger")
        checks += _guarded(partial(_last_look, recorded), "looks")
    checks += _guarded(lambda: [check_form(certificate, data, text)], "certificate")
    checks.append(check_signature(text, brought.envelope, expected=brought.public_key))
    entries = () if recorded is None else recorded.entries
    _guarded(lambda: refuse_impossible_times(certificate.plan, entries), "seed")
    checks += _guarded(lambda: [check_seed(certificate)], "seed")
    if recorded is None or certificate.plan.kind.judged_once:  # otherwise the replay did it
        checks += _guarded(lambda: [check_numbers(certificate)], "numbers")
    if project is None or recorded is None:
        checks.append(Check.unchecked("ledger", "no project was named"))
        checks.append(Check.unchecked("draw", "it needs the ledger and the pool"))
        return
    checks += _guarded(lambda: [check_risk(certificate, recorded)], "risk")
    checks += _guarded(lambda: _training(project, certificate, recorded, progress), "training")
    checks += _guarded(lambda: _draws(project, certificate, recorded, progress), "draw")
    checks += _guarded(lambda: [_witnesses(certificate, recorded, brought)], "witness")
    checks.append(_labels(certificate, recorded))


def _last_look(recorded: Recorded) -> list[Check]:
    look = check_last_look(recorded.entries, recorded.past)
    return [] if look is None else [look]


def whole_ledger(project: Project) -> list[Entry]:
    """The events, none of which may be missing at the end."""
    ledger = project.ledger
    kept = ledger.remembered()  # before the entries, which may grow meanwhile
    entries = ledger.entries()
    if fault := lost_end(entries, kept):
        raise VerificationError(f"The ledger is not whole: {fault}.")
    return entries


def _witnesses(certificate: Certificate, recorded: Recorded, brought: Brought) -> Check:
    sealed = recorded.past.attempts[certificate.plan.number - 1].sealed_at
    return check_witnesses(
        brought.heads, recorded.entries, sealed=sealed, trusted=brought.authorities
    )


def _labels(certificate: Certificate, recorded: Recorded) -> Check:
    later = recorded.entries[certificate.ledger.events :]
    changed = superseded_by(certificate, recorded.past, later)
    if changed is None:
        return Check.ok("labels", "no label it depends on was changed later")
    detail = f"a label it depends on was changed by event {changed}; look at the verdict again"
    return Check.failed("labels", f"superseded: {detail}")


def concluded(
    checks: list[Check], project: Project | None, brought: Brought
) -> tuple[Outcome, tuple[str, ...]]:
    """How it ended, and what could not be checked; what is required and missing fails a check of its own.

    A hash that anybody can recompute proves nothing.
    """
    good = {check.name for check in checks if check.outcome == "ok"}
    missing = tuple(name for name in REQUIRABLE if name not in good)
    if lacking := [name for name in brought.require if name in missing]:
        sentence = f"not at hand: {', '.join(lacking)}"
        checks.append(Check.failed("required", sentence))
    if project is None:
        missing = ("ledger", *missing)
    if any(check.outcome == "failed" for check in checks):
        return "failed", missing
    if project is None:
        return ("verified in part" if "signature" in good else "consistent only"), missing
    return ("verified in part" if {"pool", "witness"} & set(missing) else "verified"), missing


Fact = TypeVar("Fact")


def _guarded(run: Callable[[], Fact], name: str) -> Fact:
    """Values of the wrong kind in a tampered certificate fail the check, not the program."""
    try:
        return run()
    except VerificationError:
        raise
    except (AssaymarkError, *BREAKAGE) as error:
        raise VerificationError(f"The {name} cannot be recomputed: {message_of(error)}") from error


def _draws(
    project: Project, certificate: Certificate, recorded: Recorded, progress: Progress
) -> list[Check]:
    state = recorded.past  # a later classifier has another pool
    registered = registered_pool(state)
    check_sealed(certificate.plan, registered.summary)
    if registered.fingerprint != fingerprint(
        registered.files, registered.summary, registered.columns
    ):
        raise VerificationError(
            "The checksum of the collection in the ledger does not follow from the checksums of "
            "its parts."
        )
    chances = check_chances(certificate, recorded.entries)
    if project.pool_at is not None:
        find_source(project.pool_at)  # whoever names a place expects the pool there
    if not project.has_pool(registered):
        where = project.pool_path(registered)
        missing = Check.unchecked("pool", f"it is not at hand (looked for {where})")
        return [chances, check_tickets(certificate, state), missing]
    try:
        pool = project.pool(registered)
    except AssaymarkError as error:
        raise VerificationError(f"The pool changed after init: {error.message}") from error
    try:
        refuse_changed(pool, registered, progress)
        if pool.summary(progress) != registered.summary:
            raise VerificationError("The pool's summary in the ledger is not that of its files.")
        attempt = state.attempts[certificate.plan.number - 1]
        items = _reserved(pool, certificate.plan, attempt.reserves, progress)
    finally:
        pool.close()
    known = check_known(project, state, attempt)
    return [
        Check.ok("pool", "files and summary are those that were registered"),
        *([] if known is None else [Check.ok("known", known)]),
        chances,
        check_draws(certificate, state, items),
    ]


def _training(
    project: Project, certificate: Certificate, recorded: Recorded, progress: Progress
) -> list[Check]:
    """What the ledger says of the training, and the scored items where they are at hand."""
    separation = check_training(certificate, recorded.past, recorded.now)
    if separation is None:
        return []
    scored = check_scored_items(project, recorded.past, progress)
    return [replace(separation, detail=f"{separation.detail}; {scored}")]


def _reserved(
    pool: Pool, plan: Plan, stored: list[ReserveStored], progress: Progress
) -> list[ReservedItem]:
    """The plan's tickets drawn from the pool again, in one pass, and compared part by part."""
    limits = [sum(part.limits[k] for part in stored) for k in range(len(plan.strata))]
    items = pool.reserve(plan.seed, strata=plan.strata, limits=limits, progress=progress)
    queues: list[list[ReservedItem]] = [[] for _ in plan.strata]
    for item in items:
        queues[item.stratum].append(item)
    start = [0] * len(plan.strata)
    for part in stored:
        stop = [at + limit for at, limit in zip(start, part.limits, strict=True)]
        drawn = [item for k, queue in enumerate(queues) for item in queue[start[k] : stop[k]]]
        if tickets_digest(drawn) != part.tickets:
            raise VerificationError(
                "The tickets of the pool are not those that were drawn from (event ReserveStored)."
            )
        start = stop
    return items


def check_scored_items(project: Project, state: State, progress: Progress) -> str:
    """What was found, in words; raises where an item is in the wrong part."""
    work, scored = training_of(state), registered_pool(state)
    if work is None or not project.has_pool(scored):
        return f"the scored file is not at hand (looked for {project.pool_path(scored)})"
    progress("comparing the scored items with the training", None)
    inside = _ids(project, scored)
    both = next((item for item in work.cells if item in inside), None)
    if both is not None:
        raise VerificationError(
            f"Item {both!r} was handed out for training and is in the scored file {scored.source!r}."
        )
    return _compared(project, state, work, inside, progress)


def _compared(
    project: Project, state: State, work: SurveyWork, inside: set[str], progress: Progress
) -> str:
    settings, collection = settings_of(work), collection_of(state)
    kept = settings.population == "future"
    if kept and not all(set_aside(settings, item) for item in inside):
        raise VerificationError(
            "The scored file holds items that the random draw did not set aside."
        )
    sentence = f"the scored file holds none of them among its {len(inside):,} items"
    if is_elsewhere(collection.source) or not project.has_pool(collection):
        return f"{sentence}, but the collection is not at hand"
    whole = _ids(project, collection, progress)
    due = {i for i in whole if set_aside(settings, i)} if kept else whole - work.cells.keys()
    if due != inside:
        raise VerificationError(
            "The scored file is not the collection without its training items: "
            f"{len(due - inside):,} are missing and {len(inside - due):,} do not belong there."
        )
    rest = "every item that was set aside" if kept else "every other one of the collection"
    return f"{sentence} and {rest}"


def _ids(project: Project, pool: RegisteredPool, progress: Progress | None = None) -> set[str]:
    opened = DuckDBPool(project.pool_path(pool), pool.columns)
    try:
        if progress is not None:
            refuse_changed(opened, pool, progress)
        return {row[0] for row in opened.select("SELECT id FROM pool")}
    finally:
        opened.close()
