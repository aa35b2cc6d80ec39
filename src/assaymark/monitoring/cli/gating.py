"""Commands: lock a claim file, and gate a release on a folder of them."""

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.claims.record import plain
from assaymark.claims.results import percent
from assaymark.errors import InputError
from assaymark.hints import for_command_line
from assaymark.terminal.options import JSON, argument, option, with_options
from assaymark.terminal.output import (
    advise,
    headline,
    progress_bar,
    quoted,
    rows,
    say,
    show_json,
)

if TYPE_CHECKING:
    from assaymark.monitoring.gate import Gate

TONES = {
    "certified": "good",
    "undecided": "wait",
    "stale": "wait",
    "refuted": "bad",
    "tampered": "bad",
}


@click.command()
@with_options
def lock(
    file: Path = argument(),
    seed: str | None = option("Decides every draw (default: 128 random bits).", metavar="TEXT"),
    as_json: bool = JSON,
) -> None:
    """Seal the plan of a claim file, and put the file's digest into the ledger and beside it.

    The project that the file names is made if there is none. What the file says about the claim, the
    pool, the confidence and the expiry cannot change afterwards without the gate saying so.

    \b
    Example:
      assaymark lock claims/toxicity.toml
    """
    from assaymark.monitoring.locking import lock as run

    with progress_bar("lock") as progress:
        locked = run(file, seed=seed, progress=progress)
    claim, facts = locked.claim, locked.lock
    folder = claim.folder
    if as_json:
        show_json(
            {
                **plain(facts),
                "lock": str(locked.path),
                "project": folder,
                "claim": claim.terms.claim,
                "expires": claim.terms.expires,
                "expected_labels": locked.expected_labels,
                "known": locked.known,
                "repeated": locked.repeated,
            }
        )
        return
    headline(f"{'Already locked' if locked.repeated else 'Locked'}: {claim.name}", "good")
    rows(
        [
            ("claim", f"{claim.terms.claim} with {percent(claim.terms.confidence)} confidence"),
            ("project", folder),
            ("lock", str(locked.path)),
            ("event", f"{facts.event}, hash {facts.hash[:16]}…"),
            *([("known", locked.known)] if locked.known else []),
        ]
    )
    advise(f"assaymark draw -p {quoted(folder)}")


@click.command()
@with_options
@click.pass_context
def gate(
    context: click.Context,
    place: Path = argument(type=click.Path(exists=True, path_type=Path), metavar="CLAIMS"),
    today: str | None = option("The day to judge for (default: today, in UTC).", metavar="DATE"),
    junit_file: Path | None = option("Write JUnit XML.", "--junit", metavar="FILE"),
    sarif_file: Path | None = option("Write SARIF 2.1.0.", "--sarif", metavar="FILE"),
    markdown_file: Path | None = option(
        "Write a summary for a pull request.", "--markdown", metavar="FILE"
    ),
    as_json: bool = JSON,
) -> None:
    """Whether every claim of a folder is certified today; the exit code says so.

    Reads claim files, ledgers, certificates and the bytes of the pool. No model is run, no network is
    used and nothing is recorded: the same ledger and the same date give the same answer.

    \b
    Exit code: 0 certified, 1 refuted, 4 undecided, 5 stale, 6 tampered.
    Of several claims the gravest counts: tampered, refuted, stale, undecided.

    \b
    Examples:
      assaymark gate claims/
      assaymark gate claims/ --today 2027-06-30 --junit gate.xml --markdown gate.md
    """
    from datetime import UTC, datetime

    from assaymark.monitoring.claim_files import read_date
    from assaymark.monitoring.gate import gate as run

    day = datetime.now(UTC).date() if today is None else read_date("today", today)
    result = run(place, today=day, processes=os.cpu_count() or 1)
    _write(result, {"junit": junit_file, "sarif": sarif_file, "markdown": markdown_file})
    if as_json:
        show_json(plain(result))
    else:
        _show(result)
    context.exit(result.exit_code)


def _write(gate: "Gate", files: dict[str, Path | None]) -> None:
    from assaymark.files.places import SHARED, write_safely

    for name, path in files.items():
        if path is None:
            continue
        if not path.parent.is_dir():
            raise InputError(
                f"There is no folder {str(path.parent)!r} to write {path.name!r} into."
            )
        write_safely(path, for_command_line(_writer(name)(gate)), mode=SHARED)


def _writer(name: str) -> Callable[["Gate"], str]:
    """The writer of this format; a gate that writes no file loads none."""
    writer: Callable[[Gate], str] = getattr(
        import_module(f"assaymark.monitoring.formats.{name}"), name
    )
    return writer


def _show(gate: "Gate") -> None:
    headline(f"Gate on {gate.today}: {gate.outcome}", TONES[gate.outcome])
    names = max(len(claim.name) for claim in gate.claims)
    words = max(len(claim.outcome) for claim in gate.claims)
    for claim in gate.claims:
        until = f", until {claim.expires}" if claim.expires else ""
        say(f"  {claim.name:<{names}}  {claim.outcome:<{words}}  {claim.claim}{until}")
        say(f"  {'':<{names}}  {'':<{words}}  {claim.reason}")
