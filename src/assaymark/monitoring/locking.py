"""Lock a claim file: seal its plan, and put its digest into the ledger and beside the file."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from assaymark import __version__
from assaymark.certification.certificate.words import known_words
from assaymark.certification.sealing import PlanRequest, seal_plan
from assaymark.claims.pictures import InSentence
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.composite.work import ClaimWork
from assaymark.errors import InputError, PlanError
from assaymark.files.places import SHARED, write_safely
from assaymark.hints import command
from assaymark.ledger.events import Attempt, ClaimLocked
from assaymark.monitoring.claim_files import ClaimFile, read_claim_file
from assaymark.monitoring.lock_files import (
    Lock,
    Sealed,
    latest_lock,
    lock_of,
    read_lock,
    write_lock,
)
from assaymark.monitoring.several_parts import (
    expected_labels,
    is_of_several,
    refuse_terms,
    seal_several,
)
from assaymark.pool import Progress, silent
from assaymark.pool.joined_ids import parts_of_name
from assaymark.pool.sources import file_difference, find_source, hash_files, is_elsewhere
from assaymark.project.class_names import (
    compared_columns,
    with_classes,
    with_tags,
    with_verdicts,
)
from assaymark.project.folder import Project, collection_of, utc_now
from assaymark.project.place import is_project
from assaymark.project.registration import init, undone_if_refused
from assaymark.records.pool import Columns, PoolFile


@dataclass(frozen=True, kw_only=True)
class Locked(InSentence):
    """A lock, where it was written, and the labels to expect. `repeated` if it existed before.

    `known` says what becomes of labels that were there already, where there are any.
    """

    lock: Lock
    path: Path
    claim: ClaimFile
    expected_labels: int | None
    known: str | None
    repeated: bool

    def __str__(self) -> str:
        word = "Locked before" if self.repeated else "Locked"
        return f"{word}: {self.lock.name} ({self.claim.terms.claim}). Written to {self.path}."


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
    request = None if is_of_several(claim.terms) else _plan_request(claim, seed)
    if request is None:
        refuse_terms(claim.terms)
    _refuse_expired(claim, now())
    project = Project(folder=claim.project, now=now)
    new = not is_project(project.folder)
    with undone_if_refused(project.folder) if new else nullcontext():
        _begin(project, claim, progress)
        old = latest_lock(project.state(), claim.name)
        repeated = old is not None and _same(old, claim) and not _given_up(old)
        if not repeated:
            _refuse_unfinished(old, claim)
            _seal(project, claim, request, seed, old, progress)
    return _written(project, claim, repeated=repeated)


def _columns(claim: ClaimFile, engine: str) -> Columns:
    """The columns of the pool, as `init` and `compare` take them."""
    pool = claim.terms.pool
    groups = (pool.group,) if isinstance(pool.group, str) else pool.group
    compared = tuple(name for name in (pool.a, pool.b) if name)
    columns = Columns(
        id=pool.id,
        score=pool.score,
        prediction=pool.prediction,
        threshold=pool.threshold,
        text=pool.text,
        groups=groups or None,
        positive=pool.positive,
    )
    named = next((names for names in (pool.tags, pool.classes) if isinstance(names, tuple)), ())
    tags, classes = bool(pool.tags), pool.classes is True
    if compared:
        return compared_columns(
            claim.pool, columns, predicted_by=compared, classes=classes, named=named, tags=tags,
            engine=engine,
        )  # fmt: skip
    if not tags and not pool.classes:
        return with_verdicts(claim.pool, columns, engine=engine)
    if columns.prediction is None:
        raise InputError("Classes are predicted: name the column 'prediction' in the table [pool].")
    by, of_names = (columns.prediction,), with_tags if tags else with_classes
    return of_names(claim.pool, columns, predicted_by=by, named=named, engine=engine)


def _refuse_expired(claim: ClaimFile, now: str) -> None:
    expires = claim.terms.expires
    if expires is not None and date.fromisoformat(expires) < date.fromisoformat(now[:10]):
        raise InputError(
            f"The claim file {str(claim.path)!r} expires on {expires}, and that day is past. Give a "
            "later date."
        )


def _begin(project: Project, claim: ClaimFile, progress: Progress) -> None:
    """Register the pool in a new project, or check that the project was made from this pool."""
    engine = "spark" if is_elsewhere(claim.pool) else "duckdb"
    columns = _columns(claim, engine)
    if not is_project(project.folder) or project.state().pool is None:
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
        files = registered.files if _copied(claim) is None else _copied_from(project, claim)
        fault = file_difference(hash_files(find_source(claim.pool), progress), files)
    if fault is not None:
        raise InputError(
            f"The project {str(project.folder)!r} was made from another pool than the claim file "
            f"{str(claim.path)!r} names: {fault}. Name a new project folder in the claim file."
        )


def _copied(claim: ClaimFile) -> tuple[PoolFile, ...] | None:
    """The files that the project's pool is a copy of, where several columns make the id."""
    if parts_of_name(claim.terms.pool.id) is None:
        return None
    return hash_files(find_source(claim.pool), silent)


def _copied_from(project: Project, claim: ClaimFile) -> tuple[PoolFile, ...]:
    old = latest_lock(project.state(), claim.name)
    return (old.lock.event.made_from if old and old.lock else None) or ()


def _same(old: Sealed, claim: ClaimFile) -> bool:
    assert old.lock is not None, "found by its lock"  # noqa: S101
    event = old.lock.event
    return event.terms == claim.terms and event.classifier == claim.classifier


def _given_up(old: Sealed) -> bool:
    """Whether somebody gave its plan up, so that the same terms need another one."""
    if isinstance(old, Attempt):
        return old.outcome == "abandoned"
    return bool(ClaimWork(survey=old).reports("abandoned"))


def _refuse_unfinished(old: Sealed | None, claim: ClaimFile) -> None:
    if old is None:
        return
    if old.open if isinstance(old, Attempt) else ClaimWork(survey=old).open:
        sealed = f"plan {old.plan.number}" if isinstance(old, Attempt) else "plan"
        raise PlanError(
            f"The claim file {str(claim.path)!r} was changed after it was locked, and its {sealed} "
            f"is still open. Undo the change; or give the plan up and lock again: "
            f"{command('plan', abandon='REASON', project=claim.project)}."
        )


def _plan_request(claim: ClaimFile, seed: str | None) -> PlanRequest:
    terms = claim.terms
    return PlanRequest(
        claim=parse_claim(terms.claim),
        mode=terms.mode,
        confidence=terms.confidence,
        budget=terms.budget,
        seed=seed,
        again=True,
    )


def _seal(
    project: Project,
    claim: ClaimFile,
    request: PlanRequest | None,
    seed: str | None,
    old: Sealed | None,
    progress: Progress,
) -> None:
    def locked(*, plan: int | None = None, survey: int | None = None) -> ClaimLocked:
        return ClaimLocked(
            plan=plan,
            survey=survey,
            name=claim.name,
            file=claim.digest,
            terms=claim.terms,
            classifier=claim.classifier,
            software=__version__,
            owner=claim.owner,
            replaces=old.lock.event.file if old and old.lock else _replaced(claim),
            made_from=_copied(claim),
        )

    if request is None:
        seal_several(project, claim.terms, seed, lambda number: locked(survey=number))
    else:
        seal_plan(
            project, request, progress=progress, also=lambda plan: (locked(plan=plan.number),)
        )


def _replaced(claim: ClaimFile) -> str | None:
    """The file of a lock in another project that this one takes the place of."""
    old = read_lock(claim.lock_path)
    return old.file if old else None


def _written(project: Project, claim: ClaimFile, *, repeated: bool) -> Locked:
    entries = project.ledger.entries()
    sealed = latest_lock(project.state(), claim.name)
    assert sealed is not None, "it was locked above"  # noqa: S101
    made = lock_of(sealed, entries)
    write_safely(claim.lock_path, write_lock(made), mode=SHARED)
    return Locked(
        lock=made,
        path=claim.lock_path,
        claim=claim,
        expected_labels=_expected(sealed),
        known=known_words(sealed.plan) if isinstance(sealed, Attempt) else None,
        repeated=repeated,
    )


def _expected(sealed: Sealed) -> int | None:
    if isinstance(sealed, Attempt):
        return sealed.plan.expected_labels
    return expected_labels(ClaimWork(survey=sealed).sealed)
