"""Keeping projects safe and moving them: check, backup, restore, move, join."""

from collections.abc import Sequence
from pathlib import Path

import click

from assaymark.claims.record import plain
from assaymark.claims.results import counted
from assaymark.records.certificate import Check
from assaymark.terminal.output import (
    FILE,
    advise,
    headline,
    json_option,
    progress_bar,
    project_option,
    quoted,
    rows,
    show_json,
)

MARKS = {"ok": "✓", "failed": "✗", "not checked": "–"}
LEDGER_HELP = "postgresql://user@host/database[#name], or ledger.sqlite for a file of the project."


@click.command()
@project_option
@json_option
@click.pass_context
def check(context: click.Context, folder: Path, as_json: bool) -> None:
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
@click.option(
    "-o", "--output", type=FILE,
    default=Path("backup.assaymark.tar.gz"), show_default=True, help="The archive to write.",
)  # fmt: skip
@project_option
@json_option
def backup(output: Path, folder: Path, as_json: bool) -> None:
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
@click.argument("archive", type=FILE)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--ledger", default="ledger.sqlite", show_default=True, help=LEDGER_HELP)
@json_option
def restore(archive: Path, folder: Path, ledger: str, as_json: bool) -> None:
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
@click.option("--ledger", required=True, help=LEDGER_HELP)
@project_option
@json_option
def move(ledger: str, folder: Path, as_json: bool) -> None:
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
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--ledger", required=True, help="postgresql://user@host/database#name")
@click.option("--pool", help="Where the pool lies on this machine.")
@json_option
def join(folder: Path, ledger: str, pool: str | None, as_json: bool) -> None:
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
