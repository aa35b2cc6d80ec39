"""The command that hands a result over: report."""

from pathlib import Path

import click

from assaymark.hints import command
from assaymark.terminal.options import FOLDER, JSON, option, with_options
from assaymark.terminal.output import (
    advise,
    headline,
    progress_bar,
    quoted,
    rows,
    show_json,
)


@click.command()
@with_options
def report(
    output: Path | None = option(
        "Where to write: .html or .pdf (default: report.html in the project).", "-o"
    ),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Write the report: the verdict first, then how it was found and how to check it.

    One file that needs no network and prints well. It shows the verdict, so for an open plan it
    counts as a look and is recorded. An existing file is never written over.

    \b
    Examples:
      assaymark report -p work
      assaymark report -o report.pdf -p work
    """
    from assaymark.overview.first_page import verdict_of
    from assaymark.overview.report import write_report
    from assaymark.overview.status import status
    from assaymark.overview.survey_sections import headline as headline_of
    from assaymark.project.folder import Project

    if any(entry.kind == "ReviewOpened" for entry in Project(folder=folder).ledger.entries()):
        _review(folder, output, as_json=as_json)
        return
    with progress_bar("report") as progress:
        progress("writing", None)
        written = write_report(Project(folder=folder), output=output)
    proof, (tone, word) = written.dossier.proof, headline_of(written.dossier)
    verdict = f"{word}. {verdict_of(written.dossier)}"
    if as_json:
        show_json(
            {
                "path": str(written.path),
                "form": written.form,
                "tone": tone,
                "verdict": verdict,
                "claim": None if written.dossier.claim is None else str(written.dossier.claim),
                "head": proof.head,
                "certificate": proof.certificate,
            }
        )
        return
    headline(f"Report written to {written.path}")
    rows([("verdict", verdict), ("ledger", proof.head)])
    if proof.certificate:
        _hand_over(folder)
    elif (step := status(Project(folder=folder)).advice) != command("report"):
        advise(step)  # a project that has come to its end has none


def _review(folder: Path, output: Path | None, *, as_json: bool) -> None:
    """The report of a project that is a review."""
    from assaymark.overview.review_reports import write_review_report
    from assaymark.project.folder import Project
    from assaymark.reviewing.wording import verdict

    with progress_bar("report") as progress:
        progress("writing", None)
        written = write_review_report(Project(folder=folder), output=output)
    sentence = verdict(written.status)
    if as_json:
        show_json(
            {
                "path": str(written.path),
                "form": written.form,
                "tone": "pass" if written.status.decision == "stop" else "not yet",
                "verdict": sentence,
                "head": written.head,
                "certificate": written.certificate,
            }
        )
        return
    headline(f"Report written to {written.path}")
    rows([("verdict", sentence), ("ledger", written.head)])
    if written.status.issued:
        _hand_over(folder)
    else:
        advise(f"assaymark review status -p {quoted(folder)}")


def _hand_over(folder: Path) -> None:
    certificate = quoted(folder / "certificate.json")
    advise(
        f"hand it over with the certificate; check: assaymark verify {certificate} -p {quoted(folder)}"
    )
