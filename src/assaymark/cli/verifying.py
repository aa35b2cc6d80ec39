"""The command verify: recompute a certificate, and read a sample of its labels again."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.claims.record import plain
from assaymark.terminal.options import CONNECTION, JSON, argument, option, with_options
from assaymark.terminal.output import (
    DIRECTORY,
    advise,
    headline,
    progress_bar,
    project_of_environment,
    quoted,
    remembered_project,
    rows,
    say,
    show_json,
)

if TYPE_CHECKING:
    from assaymark.project.folder import Project
    from assaymark.records.certificate import Verification

MARKS = {"ok": "✓", "failed": "✗", "not checked": "–"}


@click.command()
@with_options
@click.pass_context
def verify(
    context: click.Context,
    certificate: Path = argument(),
    folder: Path | None = option(
        "Project whose ledger and pool to recompute from (default: the certificate's folder, else "
        "$ASSAYMARK_PROJECT).",
        "-p",
        "--project",
        type=DIRECTORY,
        callback=remembered_project,
    ),
    pool: str | None = option("Where the pool lies now, if it was moved.", metavar="PATH"),
    public_key: str | None = option(
        "Demand a signature by this key (64 hex digits).", metavar="HEX"
    ),
    heads: tuple[str, ...] = option(
        "A head of the ledger that you were given earlier. Repeatable.", "--head", metavar="HASH"
    ),
    files: tuple[Path, ...] = option(
        "A file with such a head: a text, a time stamp (RFC 3161), a git commit. Repeatable.",
        "--witness",
    ),
    tsa: Path | None = option("Certificates (PEM) of time-stamp services that you trust."),
    require: str | None = option(
        "Exit code 1 unless these were checked: pool, witness, signature (with commas between).",
        metavar="NAMES",
    ),
    sample: int | None = option(
        "Write N of its labelled items, without labels, to read again.", least=1, metavar="N"
    ),
    output: Path | None = option("Where --sample writes (default: again.csv).", "-o"),
    reread: Path | None = option(
        "Read that file back, labelled, and say how far the labels agree.", metavar="FILE"
    ),
    connection: str | None = CONNECTION,
    as_json: bool = JSON,
) -> None:
    """Recompute a certificate from the ledger, and from the pool if it is at hand.

    It writes nothing into the project. The answer is "Verified"; "Verified in part", where pool or
    witness are not at hand; or "Not verified", where only the certificate was given (--json:
    "consistent only") or a check failed (--json: "failed"). Exit code 1 if not verified, which
    includes that something named by --require is missing.

    \b
    Examples:
      assaymark verify certificate.json -p work
      assaymark verify certificate.json -p work --pool /archive/scores.parquet --head 3f0c…
      assaymark verify certificate.json -p work --require pool,witness
      assaymark verify certificate.json -p work --sample 20 -o again.csv
      assaymark verify certificate.json -p work --reread again.csv
    """
    from assaymark.certification.signatures.timestamp import read_certificates
    from assaymark.certification.verification import Brought
    from assaymark.overview.certificates import verify_certificate
    from assaymark.project.folder import Project
    from assaymark.project.place import is_project

    if folder is None and is_project(certificate.parent):
        folder = certificate.parent
    folder = folder or project_of_environment()
    if pool is not None and folder is None:
        raise click.UsageError("--pool needs the ledger too: name the project with -p DIR.")
    project = Project(folder=folder, pool_at=pool, connection=connection) if folder else None
    if sample is not None or reread is not None:
        _reread(project, certificate, sample, output, reread, as_json=as_json)
        return
    brought = Brought(
        public_key=public_key,
        # an empty name is refused as any other: a variable that was not set must not require nothing
        require=() if require is None else tuple(name.strip() for name in require.split(",")),
        heads=_witnesses(heads, files),
        authorities=read_certificates(tsa) if tsa else (),
    )
    with progress_bar("verify") as progress:
        result = verify_certificate(
            certificate, project=project, brought=brought, progress=progress
        )
    if as_json:
        show_json(plain(result))
    else:
        _show_verification(result)
    context.exit(1 if result.status in ("failed", "consistent only") else 0)


def _witnesses(heads: tuple[str, ...], files: tuple[Path, ...]) -> tuple[bytes, ...]:
    from assaymark.certification.signatures.witness import read_head_hash, read_witness

    hashes = [read_head_hash(head).encode() for head in heads]
    return (*hashes, *(read_witness(file) for file in files))


def _in_a_row(names: list[str]) -> str:
    """The names with commas and a last "and"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""


def _show_verification(result: "Verification") -> None:
    lacking = [f"no {name}" for name in result.missing if name != "signature"]
    headline(
        {
            "verified": "Verified.",
            "verified in part": f"Verified in part: {_in_a_row(lacking)} at hand.",
            "consistent only": "Not verified: only the certificate was given. Add the project folder: "
            "-p DIR",
            "failed": _failure(result),
        }[result.status],
        {"verified": "good", "failed": "bad"}.get(result.status, "wait"),
    )
    rows([(f"{MARKS[check.outcome]} {check.name}", check.detail) for check in result.checks])
    if result.statement and result.status.startswith("verified"):
        say(f"  {result.statement}")
        if result.account:
            say(f"  {result.account}.")
        if result.population:
            say(f"  {result.population}")
        if result.history:
            say("How it came about:")
            rows(list(result.history))


def _failure(result: "Verification") -> str:
    """The first line where a check failed."""
    failed = [check for check in result.checks if check.outcome == "failed"]
    if any(check.detail.startswith("superseded") for check in failed):
        return "Not verified: superseded, a label changed after the certificate was issued."
    if [check.name for check in failed] == ["required"]:
        return f"Not verified: required, but {failed[0].detail}."
    return "Not verified."


def _reread(
    project: "Project | None",
    certificate: Path,
    sample: int | None,
    output: Path | None,
    reread: Path | None,
    *,
    as_json: bool,
) -> None:
    """Labels for the other side to read again, and how far they agree; the ledger stays as it is."""
    from assaymark.certification.rereading import read_reread, write_reread

    if project is None:
        raise click.UsageError("The labels are in the ledger: name the project with -p DIR.")
    if (sample is None) is (reread is None):
        raise click.UsageError(
            "Give either --sample N to write a file, or --reread FILE to read it."
        )
    if reread is not None:
        agreement = read_reread(project, certificate, reread)
        if as_json:
            show_json({**plain(agreement), "sentence": str(agreement)})
            return
        headline(f"Read again: {agreement}.")
        if agreement.differing:
            rows([("labelled differently", ", ".join(agreement.differing[:10]))])
        return
    output = output or Path("again.csv")
    written = write_reread(project, certificate, sample or 0, output=output)
    if as_json:
        show_json(plain(written))
        return
    headline(
        f"{written.items:,} of {written.labels:,} labelled items to read again, chosen at random"
    )
    rows([("file", written.path)])
    advise(
        f"fill in the column 'label', then: assaymark verify {quoted(certificate)} "
        f"-p {quoted(project.folder)} --reread {quoted(output)}"
    )
