"""Keeping projects safe and moving them: check, backup, restore, move, join."""

from collections.abc import Sequence
from pathlib import Path

import click

from assaymark.claims.record import plain
from assaymark.claims.results import counted
from assaymark.records.certificate import Check
from assaymark.terminal.options import FOLDER, JSON, argument, option, with_options
from assaymark.terminal.output import (
    DIRECTORY,
    advise,
    headline,
    progress_bar,
    quoted,
    rows,
    show_json,
)

MARKS = {"ok": "✓", "failed": "✗", "not checked": "–"}
LEDGER_HELP = "postgresql://user@host/database[#name], or ledger.sqlite for a file of the project."


@click.command()
@with_options
@click.pass_context
def check(
    context: click.Context,
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Whether this machine and this project are fit for work: versions, engines, ledger, pool.

    Exit code 1 if anything is wrong.

    \b
    Example:
      assaymark check -p work
    """
    from assaymark.overview.check import check as run

    with progress_bar("check") as progress:
        checks = run(folder, progress=progress)
    failed = [one for one in checks if one.outcome == "failed"]
    if as_json:
        show_json({"ok": not failed, "checks": [plain(one) for one in checks]})
    else:
        headline(_summed_up(checks), "bad" if failed else "good")
        rows([(f"{MARKS[one.outcome]} {one.name}", one.detail) for one in checks])
    context.exit(1 if failed else 0)


def _summed_up(checks: Sequence[Check]) -> str:
    from assaymark.overview.check import END

    if any(one.outcome == "failed" for one in checks):
        return "Something is wrong."
    unknown = any(one.name == END for one in checks)
    return (
        "Nothing is wrong that can be seen; see the end of the ledger." if unknown else "All well."
    )


@click.command()
@with_options
def backup(
    output: Path = option("The archive to write.", "-o", default=Path("backup.assaymark.tar.gz")),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Write ledger and files of a project to one archive (not the pool).

    \b
    Example:
      assaymark backup -o monday.tar.gz -p work
    """
    from assaymark.project.backup import backup as run
    from assaymark.project.folder import Project

    done = run(Project(folder=folder), output)
    if as_json:
        show_json({**plain(done), "path": str(done.path)})
        return
    headline(f"Backed up: {counted(done.events, 'event')} and {counted(done.files, 'file')}")
    rows([("archive", str(done.path)), ("head of the ledger", done.head)])
    advise(f"keep it on another disk; to get it back: assaymark restore {quoted(done.path)} DIR")


@click.command()
@with_options
def restore(
    archive: Path = argument(),
    folder: Path = argument(type=DIRECTORY),
    ledger: str = option(LEDGER_HELP, default="ledger.sqlite"),
    as_json: bool = JSON,
) -> None:
    """Restore the project in ARCHIVE to FOLDER, after everything in it was checked.

    \b
    Example:
      assaymark restore monday.tar.gz work-again
    """
    from assaymark.project.restore import restore as run

    done = run(archive, folder, ledger=ledger)
    if as_json:
        show_json({**plain(done), "path": str(folder)})
        return
    headline(f"Restored: {counted(done.events, 'event')} and {counted(done.files, 'file')}", "good")
    rows([("project", str(folder)), ("head of the ledger", done.head)])
    advise(f"assaymark check -p {quoted(folder)}")


@click.command()
@with_options
def move(
    ledger: str = option(LEDGER_HELP),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Take the project's ledger to PostgreSQL or back. Its chain and its head stay the same.

    \b
    Example:
      assaymark move --ledger postgresql://assaymark@db.example.org/reviews -p work
    """
    from assaymark.project.folder import Project
    from assaymark.project.move import move_ledger

    done = move_ledger(Project(folder=folder), ledger)
    if as_json:
        show_json(plain(done))
        return
    headline(f"Moved: {counted(done.events, 'event')}, same chain", "good")
    rows([("from", done.before), ("to", done.now), ("head of the ledger", done.head)])
    advise(f"assaymark check -p {quoted(folder)}")


@click.command()
@with_options
def join(
    folder: Path = argument(type=DIRECTORY),
    ledger: str = option("postgresql://user@host/database#name"),
    pool: str | None = option("Where the pool lies on this machine."),
    as_json: bool = JSON,
) -> None:
    """Make a project folder on this machine for a ledger that others work on already.

    \b
    Example:
      assaymark join work --ledger postgresql://assaymark@db.example.org/reviews#tickets --pool s.parquet
    """
    from assaymark.overview.status import status
    from assaymark.project.move import join as run

    project = run(folder, ledger=ledger, pool=pool)
    summary = status(project)
    if as_json:
        show_json({"project": str(folder), "ledger": project.ledger.address, **plain(summary)})
        return
    headline(f"Joined. {summary.summary}", "good")
    rows([("project", str(folder)), ("ledger", project.ledger.address)])
    advise(f"assaymark check -p {quoted(folder)}")
