"""Lock a claim file: seal its plan, and put its digest into the ledger and beside the file."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from assaymark import __version__
from assaymark.certification.calculators import read_claim
from assaymark.certification.sealing import Wish, seal_plan
from assaymark.claims.claim import Claim
from assaymark.errors import InputError, PlanError
from assaymark.files.places import SHARED, write_safely
from assaymark.hints import command
from assaymark.ledger.events import Attempt, ClaimLocked, Event
from assaymark.monitoring.claim_files import ClaimFile, read_claim_file
from assaymark.monitoring.lock_files import Lock, latest_lock, lock_of, read_lock, write_lock
from assaymark.pool import Progress, silent
from assaymark.pool.sources import file_difference, find_source, hash_files, is_elsewhere
from assaymark.project.folder import Project, collection_of, utc_now
from assaymark.project.place import is_project
from assaymark.project.registration import init
from assaymark.records.plan import Plan
from assaymark.records.pool import Columns


@dataclass(frozen=True, kw_only=True)
class Locked:
    """A lock, where it was written, and the plan it belongs to. `repeated` if it existed before."""

    lock: Lock
    path: Path
    claim: ClaimFile
    plan: Plan
    repeated: bool


def lock(
    path: Path,
    *,
    seed: str | None = None,
    progress: Progress = silent,
    now: Callable[[], str] = utc_now,
) -> Locked:
    """Make the project unless there is one, seal the plan, and lock the file to it.

    Repeating it with the same terms writes the same lock again, should the file have been lost.
    """
    claim = read_claim_file(path)
    planned = read_claim(claim.terms.claim)
    _refuse_expired(claim, now())
    project = Project(folder=claim.project, now=now)
    _begin(project, claim, progress)
    old = latest_lock(project.state(), claim.name)
    if old is None or not _same(old, claim):
        _refuse_unfinished(old, claim)
        _seal(project, claim, _wish(planned, claim, seed), old, progress)
    return _written(project, claim, repeated=old is not None and _same(old, claim))


def columns_of(claim: ClaimFile) -> Columns:
    """The columns of the pool, as `init` takes them."""
    pool = claim.terms.pool
    return Columns(
        id=pool.id,
        score=pool.score,
        prediction=pool.prediction,
        threshold=pool.threshold,
        text=pool.text,
        groups=None if pool.group is None else (pool.group,),
    )


def _refuse_expired(claim: ClaimFile, now: str) -> None:
    expires = claim.terms.expires
    if expires is not None and date.fromisoformat(expires) < date.fromisoformat(now[:10]):
        raise InputError(
            f"The claim file {str(claim.path)!r} expires on {expires}, and that day is past. Give a "
            "later date."
        )


def _begin(project: Project, claim: ClaimFile, progress: Progress) -> None:
    """Register the pool in a new project, or check that the project was made from this pool."""
    columns = columns_of(claim)
    if not is_project(project.folder) or project.state().pool is None:
        engine = "spark" if is_elsewhere(claim.pool) else "duckdb"
        init(
            project.folder,
            pool=claim.pool,
            columns=columns,
            engine=engine,
            progress=progress,
            now=project.now,
        )
        return
    registered = collection_of(project.state())
    fault = None if registered.columns == columns else "its columns are others"
    if fault is None and not is_elsewhere(claim.pool):
        fault = file_difference(hash_files(find_source(claim.pool), progress), registered)
    if fault is not None:
        raise InputError(
            f"The project {str(project.folder)!r} was made from another pool than the claim file "
            f"{str(claim.path)!r} names: {fault}. Name a new project folder in the claim file."
        )


def _same(old: Attempt, claim: ClaimFile) -> bool:
    assert old.lock is not None, "found by its lock"  # noqa: S101
    event = old.lock[1]
    return event.terms == claim.terms and event.classifier == claim.classifier


def _refuse_unfinished(old: Attempt | None, claim: ClaimFile) -> None:
    if old is not None and old.open:
        raise PlanError(
            f"The claim file {str(claim.path)!r} was changed after it was locked, and its plan "
            f"{old.plan.number} is still open. Undo the change; or give the plan up and lock again: "
            f"{command('plan', abandon='REASON', project=claim.project)}."
        )


def _wish(planned: Claim, claim: ClaimFile, seed: str | None) -> Wish:
    terms = claim.terms
    return Wish(
        claim=planned,
        mode=terms.mode,
        confidence=terms.confidence,
        budget=terms.budget,
        seed=seed,
        anew=True,
    )


def _seal(
    project: Project, claim: ClaimFile, wish: Wish, old: Attempt | None, progress: Progress
) -> None:
    def locked(plan: Plan) -> tuple[Event, ...]:
        event = ClaimLocked(
            plan=plan.number,
            name=claim.name,
            file=claim.digest,
            terms=claim.terms,
            classifier=claim.classifier,
            software=__version__,
            owner=claim.owner,
            replaces=old.lock[1].file if old and old.lock else _replaced(claim),
        )
        return (event,)

    seal_plan(project, wish, progress=progress, also=locked)


def _replaced(claim: ClaimFile) -> str | None:
    """The file of a lock in another project that this one takes the place of."""
    old = read_lock(claim.lock_path)
    return old.file if old else None


def _written(project: Project, claim: ClaimFile, *, repeated: bool) -> Locked:
    entries = project.ledger.entries()
    attempt = latest_lock(project.state(), claim.name)
    assert attempt is not None, "it was locked above"  # noqa: S101
    made = lock_of(attempt, entries)
    write_safely(claim.lock_path, write_lock(made), mode=SHARED)
    return Locked(
        lock=made, path=claim.lock_path, claim=claim, plan=attempt.plan, repeated=repeated
    )
