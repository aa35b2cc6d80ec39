"""Whether this machine and this project are fit for work: what a few passes over the pool can tell."""

import importlib.metadata
import platform
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from assaymark import __version__
from assaymark.certification.recorded_looks import check_looks, looks_in_words
from assaymark.claims.results import counted
from assaymark.errors import AssaymarkError
from assaymark.files.tools import READERS, WRITERS
from assaymark.hints import command
from assaymark.learners.documents import LEARNERS
from assaymark.ledger import ENDING, LEDGERS
from assaymark.ledger.events import Entry, State, check_story, replay
from assaymark.ledger.head import lost_end
from assaymark.pool import ENGINES, Progress, silent
from assaymark.pool.tables import file_digest
from assaymark.project.folder import Project, collection_of
from assaymark.project.place import is_project
from assaymark.records.certificate import Check
from assaymark.sampling.reserve import refuse_changed
from assaymark.training.stats.stopping_policy import POLICIES

NEEDED = ("numpy", "scipy", "duckdb", "click", "rich", "cryptography")
END = "end of the ledger"
ITEMS = "items of estimates"
NO_HEAD = (
    "no ledger.head that can be read lies beside it, as where the file was copied alone: labels at "
    f"its end may be missing, and nobody could tell. Copy a project with {command('backup')}, never the file"
)
LEAST_FREE = 200_000_000  # bytes; below that a reserve or a batch may not fit


def check(folder: Path, *, progress: Progress = silent) -> tuple[Check, ...]:
    """The environment, and the project in this folder if there is one."""
    checks = [_python(), _packages(), _duckdb(), _spark(), *_plugins(), _disk(folder)]
    if not is_project(folder):
        checks.append(
            Check.unchecked("project", f"{str(folder)!r} is not a project; name one with -p")
        )
        return tuple(checks)
    project = Project(folder=folder)
    ledger_checks, entries = _ledger(project)
    checks += ledger_checks
    if entries is not None:
        state = replay(entries)
        if any(work.survey.purpose == "estimate" and work.order for work in state.surveys):
            checks += _estimates(project, entries, progress)
        checks += _looks(entries, state)
        checks.append(_guarded("stored files", lambda: _files(project, state)))
        checks.append(_guarded("pool", lambda: _pool(project, state, progress)))
    return tuple(checks)


def _plugins() -> list[Check]:
    """What other packages add, where any does; one that was refused is named with the reason."""
    registries = (READERS, WRITERS, LEARNERS, POLICIES, ENGINES, LEDGERS)
    added = sorted({f"{one.group}: {name}" for one in registries for name in one.plugged})
    refused = sorted(
        {f"{one.group}: {name} ({why})" for one in registries for name, why in one.refused.items()}
    )
    if refused:
        return [Check.failed("plug-ins", f"refused {'; '.join(refused)}")]
    return [Check.ok("plug-ins", ", ".join(added))] if added else []


def _guarded(name: str, run: Callable[[], Check]) -> Check:
    try:
        return run()
    except AssaymarkError as error:
        return Check.failed(name, error.message)


def _python() -> Check:
    return Check.ok(
        "assaymark", f"{__version__} on Python {sys.version.split()[0]}, {platform.system()}"
    )


def _packages() -> Check:
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in NEEDED)
    return Check.ok("packages", versions)


def _duckdb() -> Check:
    from assaymark.pool.duckdb import connect

    connection = connect()
    answer = connection.execute("SELECT sha256('s:1')").fetchall()[0][0]
    connection.close()
    if not answer.startswith("1b25f38c"):
        return Check.failed(
            "DuckDB", "it computes other tickets than assaymark; install another version"
        )
    return Check.ok("DuckDB", "computes the same tickets as assaymark")


def _spark() -> Check:
    try:
        version = importlib.metadata.version("pyspark")
    except importlib.metadata.PackageNotFoundError:
        return Check.unchecked("Spark", "pyspark is not installed: pip install 'assaymark[spark]'")
    return Check.ok("Spark", f"pyspark {version} is installed")


def _disk(folder: Path) -> Check:
    there = next(path for path in [folder.absolute(), *folder.absolute().parents] if path.exists())
    free = shutil.disk_usage(there).free
    said = f"{free / 1e9:,.1f} GB free"
    return Check.ok("disk", said) if free > LEAST_FREE else Check.failed("disk", f"only {said}")


def _looks(entries: Sequence[Entry], state: State) -> list[Check]:
    """What status, gate and reports repeat: every look at plans, the last at each claim of several parts."""
    try:
        looks, claims = check_looks(entries), 0
        if any(work.survey.purpose == "claim" for work in state.surveys):
            from assaymark.composite.verification import check_last_looks  # plans need none of it

            claims = check_last_looks(entries)
    except AssaymarkError as error:
        return [Check.failed("looks", error.message)]
    return [Check.ok("looks", looks_in_words(looks, claims))] if looks or claims else []


def _estimates(project: Project, entries: Sequence[Entry], progress: Progress) -> list[Check]:
    """Draws of estimates: parts from the seed and the labels known at the time, items from the pool."""
    from assaymark.estimation.verification import (  # others need no statistics
        Redrawn,
        redraw_estimates,
        redraw_items,
    )

    try:
        again = redraw_estimates(entries)
    except AssaymarkError as error:
        return [Check.failed("estimates", error.message)]

    def items(again: Redrawn) -> Check:
        away = [pool for _, pool in again.estimates if not project.has_pool(pool)]
        if away:
            return Check.unchecked(
                ITEMS, f"{project.pool_path(away[0])!r} is not there, and only it can tell"
            )
        items = sum(redraw_items(project, work, pool, progress) for work, pool in again.estimates)
        return Check.ok(
            ITEMS, f"all {items:,} recomputed from the seed and the pool, none passed over"
        )

    return [_parts(again.draws, again.renewals), _guarded(ITEMS, lambda: items(again))]


def _parts(draws: int, renewals: int) -> Check:
    if not draws:
        return Check.unchecked(
            "estimates", "how many items come from each part was not left to the seed"
        )
    renewed = f", chances at {counted(renewals, 'renewal')} from the labels" if renewals else ""
    return Check.ok(
        "estimates", f"the parts of {counted(draws, 'draw')} recomputed from the seed{renewed}"
    )


def _ledger(project: Project) -> tuple[list[Check], list[Entry] | None]:
    try:
        ledger = project.ledger
        kept = ledger.remembered()  # before the entries, which may grow meanwhile
        entries = ledger.entries()
        check_story(entries)
    except AssaymarkError as error:
        return [Check.failed("ledger", error.message)], None
    if fault := lost_end(entries, kept):
        return [Check.failed("ledger", fault)], None
    head = entries[-1].hash[:12] if entries else "none"
    sentence = f"{ledger.address}: {len(entries):,} events, chain and order right, head {head}…"
    checks = [Check.ok("ledger", sentence)]
    if kept is None and entries and ledger.address.endswith(ENDING):
        checks.append(Check.unchecked(END, NO_HEAD))
    return checks, entries


def _files(project: Project, state: State) -> Check:
    stored = [(r.file, r.sha256) for attempt in state.attempts for r in attempt.reserves]
    stored += [(drawn.file, drawn.sha256) for work in state.surveys for drawn in work.files]
    stored += [
        (frozen.event.pool.source, file.sha256)
        for work in state.surveys
        for frozen in work.freezes
        for file in frozen.event.pool.files
    ]
    missing = [name for name, _ in stored if not (project.folder / name).exists()]
    if missing:
        return Check.failed("stored files", f"{missing[0]!r} is missing; restore it from a backup")
    changed = [name for name, sha in stored if file_digest(project.folder / name) != sha]
    if changed:
        return Check.failed("stored files", f"{changed[0]!r} was changed; restore it from a backup")
    return Check.ok("stored files", f"{len(stored)} as the ledger says")


def _pool(project: Project, state: State, progress: Progress) -> Check:
    registered = collection_of(state)
    where = project.pool_path(registered)
    if not project.has_pool(registered):
        return Check.failed("pool", f"{where!r} is not there; draws from the reserve still work")
    pool = project.pool(registered)
    try:
        refuse_changed(pool, registered, progress)
    finally:
        pool.close()
    return Check.ok("pool", f"{registered.summary.items:,} items, unchanged since init")
