"""Register a pool and begin a project."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from assaymark import __version__
from assaymark.claims.canonical import digest
from assaymark.claims.record import stored
from assaymark.errors import AssaymarkError, InputError
from assaymark.hints import option
from assaymark.ledger.events import Event, PoolRegistered
from assaymark.ledger.head import settle_heads
from assaymark.pool import Progress, open_pool, silent
from assaymark.pool.joined_ids import parts_of_name, with_joined_ids
from assaymark.pool.sources import is_elsewhere, settle
from assaymark.project.folder import Project, utc_now
from assaymark.project.place import (
    LEDGER,
    is_project,
    ledger_of,
    named_ledger,
    private_folder,
    remember_ledger,
)
from assaymark.records.pool import Columns, PoolFile, PoolSummary, RegisteredPool


def missing_columns(columns: Columns) -> tuple[str, ...]:
    """What this project cannot do because a column or the cut-off was not named, in sentences."""
    columns_missing = []
    if not columns.text:
        columns_missing.append(
            "No text column was named, so batches hold ids only and the page has nothing to show. If "
            f"people read here, begin again in a new folder with {option('text', 'COL')}."
        )
    if columns.score and not columns.predicts and not columns.classes:
        columns_missing.append(
            "Scores without a cut-off predict nothing, so only prevalence can be claimed. To claim "
            f"recall, precision or F1, begin again in a new folder with {option('threshold', 'X')}."
        )
    return tuple(columns_missing)


def init(
    folder: Path,
    *,
    pool: str,
    columns: Columns,
    engine: str = "duckdb",
    connection: object = None,
    ledger: str = LEDGER,
    also: Sequence[Event] = (),
    progress: Progress = silent,
    now: Callable[[], str] = utc_now,
) -> RegisteredPool:
    """Read and check the pool, and make the project's ledger. Repeatable until it succeeds.

    The ledger is a file of the project, or postgresql://user@host/database[#name]. The engine spark
    reads tables too; `connection` is what the engine understands and is not stored.
    Where several columns make the id (`joined_name`), the project keeps a copy of the pool with it.
    `also` are events that become durable together with the pool, or not at all.
    """
    refuse_used(folder)
    named_ledger(ledger, folder)  # an address that cannot be is refused before the pool is read
    pool = settle(pool, engine)
    if parts_of_name(columns.id):
        private_folder(folder)
    with with_joined_ids(pool, columns.id, folder, engine=engine) as source:
        registered = _registered(folder, source, columns, engine, connection, progress)
    private_folder(folder)
    store = named_ledger(ledger, folder)
    store.create()
    if store.entries():
        raise InputError(
            f"The ledger {store.address!r} is in use by another project. Choose another name for "
            f"this one: {option('ledger', 'postgresql://…/database#name')}."
        )
    remember_ledger(folder, store)
    with Project(folder=folder, now=now).writing() as session:
        if session.state.pool is not None:
            raise InputError(_used(folder))
        session.record(PoolRegistered(pool=registered, software=__version__))
        session.record(*also)
    return registered


def _registered(
    folder: Path,
    pool: str,
    columns: Columns,
    engine: str,
    connection: object,
    progress: Progress,
) -> RegisteredPool:
    opened = open_pool(pool, columns, engine=engine, connection=connection)
    try:
        summary = opened.summary(progress)
        files = opened.files(progress)
    finally:
        opened.close()
    return RegisteredPool(
        source=_source(folder, pool),
        engine=engine,
        columns=columns,
        summary=summary,
        files=files,
        fingerprint=fingerprint(files, summary, columns),
    )


def fingerprint(files: tuple[PoolFile, ...], summary: PoolSummary, columns: Columns) -> str:
    """What identifies a pool: its bytes, what was counted in it, and which column means what."""
    return digest([stored(files), stored(summary), stored(columns)])


@contextmanager
def undone_if_refused(folder: Path) -> Iterator[None]:
    """Where a step is refused that begins a project and goes on, nothing of the project is left."""
    before = set(folder.iterdir()) if folder.is_dir() else None
    try:
        yield
    except AssaymarkError:
        settle_heads()
        for path in set(folder.iterdir() if folder.is_dir() else ()) - (before or set()):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if before is None and folder.is_dir():
            folder.rmdir()
        raise


def refuse_used(folder: Path) -> None:
    """Refuse a folder that is a project already."""
    if is_project(folder) and ledger_of(folder).entries():
        raise InputError(_used(folder))


def _used(folder: Path) -> str:
    return (
        f"{str(folder)!r} already is an assaymark project. Work on it with "
        f"{option('project', folder)}, or choose "
        "another folder."
    )


def _source(folder: Path, pool: str) -> str:
    """The pool relative to the project, in it or beside it, so that both can be moved."""
    if is_elsewhere(pool):
        return pool
    path, home = Path(pool).expanduser().absolute(), folder.absolute()
    if path.is_relative_to(home):
        return path.relative_to(home).as_posix()
    if path.is_relative_to(home.parent):
        return path.relative_to(home.parent).as_posix().join(("../", ""))
    return path.as_posix()
