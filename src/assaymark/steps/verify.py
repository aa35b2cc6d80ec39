"""Recompute a certificate as a stranger would, and say what was and was not checked."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from assaymark.certificate import (
    check_chances,
    check_draws,
    check_form,
    check_ledger,
    check_numbers,
    check_tickets,
    check_training,
    read,
    superseded_by,
)
from assaymark.errors import AssaymarkError, InputError, VerificationError
from assaymark.events import Entry, ReserveStored, replay
from assaymark.plan import check_sealed
from assaymark.pool import Pool, Progress, silent
from assaymark.pool.reserve import tickets_digest
from assaymark.pool.sources import find_source
from assaymark.steps.init import fingerprint
from assaymark.steps.project import Project, registered_pool
from assaymark.steps.reserve import refuse_changed, reserve_limits
from assaymark.steps.signing import check_signature
from assaymark.steps.training_check import check_scored_items
from assaymark.types.certificate import Certificate, Check, Verification
from assaymark.types.plan import Plan
from assaymark.types.pool import ReservedItem

BREAKAGE = (TypeError, KeyError, ValueError, AttributeError, IndexError)


@dataclass(frozen=True, kw_only=True)
class _Said:
    """What the certificate states, as far as it could be read."""

    statement: str = ""
    population: str | None = None


def verify(
    path: Path,
    *,
    project: Project | None = None,
    public_key: str | None = None,
    progress: Progress = silent,
) -> Verification:
    """Everything that can be recomputed with what is at hand: certificate, ledger, pool."""
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"The certificate {str(path)!r} cannot be read: {why}.") from error
    checks: list[Check] = []
    said = _Said()
    try:
        certificate, data = read(text)
        said = _Said(statement=certificate.statement, population=certificate.population)
        entries = project.ledger.entries() if project else None
        if entries is not None:
            checks += _guarded(lambda: check_ledger(certificate, entries), "ledger")
        checks += _guarded(lambda: [check_form(certificate, data, text)], "certificate")
        signature = data.get("signature")
        checks.append(check_signature(certificate, signature, expected=public_key))
        if entries is None or certificate.plan.mode == "fixed":  # otherwise the replay did it
            checks += _guarded(lambda: [check_numbers(certificate)], "numbers")
        if project is None or entries is None:
            checks.append(_unchecked("ledger", "no project was named (-p DIR)"))
            checks.append(_unchecked("draw", "it needs the ledger and the pool"))
            # a hash that anybody can recompute proves nothing; a demanded signature does
            proved = public_key is not None
            return _answer("verified" if proved else "consistent", said, checks)
        checks += _guarded(lambda: _training(project, certificate, entries, progress), "training")
        checks += _guarded(lambda: _draws(project, certificate, entries, progress), "draw")
        changed = superseded_by(certificate, entries)
    except VerificationError as error:
        failed = Check(name="verification", outcome="failed", detail=str(error))
        return _answer("failed", said, [*checks, failed])
    if changed is not None:
        detail = f"a label it rests on was changed by event {changed}; look at the verdict anew"
        checks.append(Check(name="labels", outcome="failed", detail=f"superseded: {detail}"))
        return _answer("superseded", said, checks)
    checks.append(
        Check(name="labels", outcome="ok", detail="no label it rests on was changed later")
    )
    return _answer("verified", said, checks)


def _guarded(run: Callable[[], list[Check]], name: str) -> list[Check]:
    """Values of the wrong kind in a tampered certificate fail the check, not the program."""
    try:
        return run()
    except VerificationError:
        raise
    except (AssaymarkError, *BREAKAGE) as error:
        raise VerificationError(f"The {name} cannot be recomputed: {error}") from error


def _draws(
    project: Project, certificate: Certificate, entries: list[Entry], progress: Progress
) -> list[Check]:
    state = replay(entries[: certificate.ledger.events])  # a later classifier has another pool
    registered = registered_pool(state)
    check_sealed(certificate.plan, registered.summary)
    if registered.fingerprint != fingerprint(
        registered.files, registered.summary, registered.columns
    ):
        raise VerificationError("The pool's fingerprint in the ledger is not that of its parts.")
    chances = check_chances(certificate, entries)
    if project.pool_at is not None:
        find_source(project.pool_at)  # whoever names a place expects the pool there
    if not project.has_pool(registered):
        where = project.pool_path(registered)
        missing = _unchecked("pool", f"it is not at hand (looked for {where})")
        return [chances, check_tickets(certificate, entries), missing]
    try:
        pool = project.pool(registered)
    except AssaymarkError as error:
        raise VerificationError(f"The pool changed after init: {error}") from error
    try:
        refuse_changed(pool, registered, progress)
        if pool.summary(progress) != registered.summary:
            raise VerificationError("The pool's summary in the ledger is not that of its files.")
        stored = state.attempts[certificate.plan.number - 1].reserves
        items = _reserved(pool, certificate.plan, stored, progress)
    finally:
        pool.close()
    return [
        Check(name="pool", outcome="ok", detail="files and summary are those that were registered"),
        chances,
        check_draws(certificate, entries, items),
    ]


def _training(
    project: Project, certificate: Certificate, entries: list[Entry], progress: Progress
) -> list[Check]:
    """What the ledger says of the training, and the scored items where they are at hand."""
    found = check_training(certificate, entries)
    if found is None:
        return []
    state = replay(entries[: certificate.ledger.events])
    told = check_scored_items(project, state, progress)
    return [replace(found, detail=f"{found.detail}; {told}")]


def _reserved(
    pool: Pool, plan: Plan, stored: list[ReserveStored], progress: Progress
) -> list[ReservedItem]:
    """The plan's tickets drawn from the pool again, part by part as they were stored."""
    found: list[ReservedItem] = []
    for part in stored:
        last = {item.stratum: item.ticket for item in found}
        items = pool.reserve(
            plan.seed,
            strata=plan.strata,
            limits=reserve_limits(plan),
            after=[last.get(k, "") for k in range(len(plan.strata))],
            progress=progress,
        )
        if tickets_digest(items) != part.tickets:
            raise VerificationError(
                "The tickets of the pool are not those that were drawn from (event ReserveStored)."
            )
        found += items
    return found


def _unchecked(name: str, detail: str) -> Check:
    return Check(name=name, outcome="not checked", detail=detail)


def _answer(status: str, said: _Said, checks: list[Check]) -> Verification:
    return Verification(
        status=status,  # type: ignore[arg-type]
        statement=said.statement,
        checks=tuple(checks),
        population=said.population,
    )
