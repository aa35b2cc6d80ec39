"""Commands that hand items out and take labels in: draw, label."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.claims.record import plain
from assaymark.claims.results import counted
from assaymark.composite.cli.steps import claiming_now, draw_now
from assaymark.estimation.cli.estimate import draw_for_estimate, estimating_now, show_survey_batch
from assaymark.terminal.batches import show_batch
from assaymark.terminal.options import CONNECTION, FOLDER, JSON, argument, option, with_options
from assaymark.terminal.output import (
    advise,
    asks,
    confirmed,
    headline,
    quoted,
    rows,
    say,
    show_blocking,
    show_json,
)

if TYPE_CHECKING:
    from assaymark.certification.drawing import Batch
    from assaymark.files.spelling import Names
    from assaymark.project.folder import Project


@click.command()
@with_options
def draw(
    count: int | None = argument(),
    output: Path | None = option(
        "Where to write: .csv, .jsonl, .xlsx, .parquet, .json (Label Studio) or .ris.",
        "-o",
        type=click.Path(path_type=Path),
    ),
    form: str = option(
        "auto (by the ending), csv, jsonl, xlsx, parquet, label-studio, asreview, ris, prodigy or "
        "concordance.",
        "--format",
        default="auto",
    ),
    pending: bool = option("Write drawn items without a label again."),
    anyway: bool = option("Draw although undecided items keep labels from counting."),
    connection: str | None = CONNECTION,
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Hand out the next COUNT items to label (default: what a fixed plan needs, or a good batch).

    The file holds ids and texts, never scores or predictions.

    \b
    Examples:
      assaymark draw 200 -o batch.csv -p work
      assaymark draw 200 -o tasks.json --format label-studio -p work
    """
    from assaymark.certification.drawing import draw_batch, draw_pending
    from assaymark.project.folder import Project
    from assaymark.sampling.surveys import pending_survey

    project = Project(folder=folder, connection=connection, resumes=True)
    if pending and count is not None:
        raise click.UsageError("--pending writes all open items; leave the number out.")
    if estimating_now(project):
        draw_for_estimate(project, count, output, pending=pending, as_json=as_json)
        return
    if pending and (waiting := pending_survey(project, output=output)) is not None:
        show_survey_batch(waiting, project.folder, as_json=as_json, pending=True)
        return
    if not pending and not anyway:
        _ask_about_blocking(project)
    if not pending and claiming_now(project):
        draw_now(project, count, output, as_json=as_json)
        return
    batch = (
        draw_pending(project, output=output, form=form)
        if pending
        else draw_batch(project, count=count, output=output, form=form)
    )
    _show_drawn(batch, folder, pending=pending, as_json=as_json)


def _ask_about_blocking(project: "Project") -> None:
    """Items that hold up the work are named before more are drawn; somebody at the terminal decides."""
    from assaymark.errors import PlanError
    from assaymark.labelling.blocking import blocking_items, draw_question

    blocking = blocking_items(project.state())
    if blocking is None:
        return
    if not asks():
        raise PlanError(draw_question(blocking))
    say(f"  {blocking.sentence}", tone="wait")
    if not confirmed("New items will not count either until then. Draw more anyway?"):
        advise(blocking.remedy)
        raise click.exceptions.Exit(0)


def _show_drawn(batch: "Batch", folder: Path, *, pending: bool, as_json: bool) -> None:
    if as_json:
        show_json(plain(batch))
        return
    title = "Open items" if pending else f"Batch {batch.number}"
    lines = []
    if batch.repeats:
        lines.append(
            ("drawn again", f"{counted(batch.repeats, 'draw')} of items drawn before: free")
        )
    if batch.held:
        lines.append(("held back", f"{batch.held:,} of those asked for, until these have labels"))
    if batch.to_label is not None:
        lines.append(("after these", f"{counted(batch.to_label, 'more item')} to label at most"))
    if batch.disputed:
        lines.append(("reviewers differ", counted(batch.disputed, "item")))
    show_batch(
        batch,
        f"{title}: {counted(len(batch.items), 'item')}",
        folder,
        lines=lines,
        fill=batch.fill,
        flags=" --adjudicate" if batch.disputed else "",
        done="look",
    )


@click.command()
@with_options
def label(
    file: Path | None = argument(),
    annotator: str = option("Whose labels they are.", default="reviewer"),
    overdue: float | None = option(
        "Instead of FILE: count drawn items without an answer for DAYS days as cannot tell.",
        metavar="DAYS",
    ),
    yes: bool = option("With --overdue: do it without asking."),
    correct: bool = option("Let annotators change their own earlier labels."),
    adjudicate: bool = option("Decide items on which reviewers differ."),
    form: str = option(
        "auto (by what it holds), csv, jsonl, xlsx, parquet, label-studio, asreview, ris, prodigy or "
        "concordance.",
        "--format",
        default="auto",
    ),
    id_column: str | None = option("The column of ids, where not called id.", metavar="NAME"),
    label_column: str | None = option(
        "The column of labels, where not called label.", metavar="NAME"
    ),
    relevant: tuple[str, ...] = option("Another name for relevant.", metavar="NAME"),
    irrelevant: tuple[str, ...] = option("Another name for not relevant.", metavar="NAME"),
    unclear: tuple[str, ...] = option("Another name for cannot tell.", metavar="NAME"),
    restore_zeros: bool = option("Put back zeros that a spreadsheet removed."),
    known: bool = option(
        "Labels from elsewhere, before a plan: knowledge that no draw has to buy again."
    ),
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Record the labels in FILE: all of them, or none if any row is malformed.

    Columns id and label (and annotator, time), or what Label Studio, ASReview, Prodigy, Rayyan or
    EndNote (RIS) and Concordance (DAT) export. Text is UTF-8, UTF-16 or Windows-1252.
    An item that waits for a reviewer who is away can be counted as cannot tell with --overdue: that
    counts against the claim, and lets the labels drawn after it count.

    Label 1/0, true/false, yes/no, relevant/irrelevant, included/excluded, ja/nein, oui/non, the names
    on the buttons of the page, or ? for cannot tell; an empty label is left out. Items that were not
    drawn are left out too. Labels that exist before any plan enter with --known: of items that nobody
    drew, they count as certain and prove nothing about the others.

    \b
    Examples:
      assaymark label batch.csv --annotator kim -p work
      assaymark label export.json --relevant Spam --irrelevant Ham -p work
      assaymark label --overdue 14 --annotator lead -p work
      assaymark label screened-last-year.csv --known -p work
    """
    from assaymark.files.spelling import label_names
    from assaymark.labelling.recording import label_file
    from assaymark.project.folder import Project

    if (file is None) is (overdue is None):
        raise click.UsageError("Name the file with the labels, or give --overdue DAYS.")
    if file is None:
        _count_overdue(Project(folder=folder), overdue or 0.0, annotator, yes=yes, as_json=as_json)
        return
    names = label_names(
        relevant=relevant,
        irrelevant=irrelevant,
        unclear=unclear,
        id_column=id_column,
        label_column=label_column,
    )
    if known:
        _take_known(
            file, folder, form, names, as_json=as_json, plain_file=not (correct or adjudicate)
        )
        return
    done = label_file(
        Project(folder=folder, resumes=True),
        file,
        annotator=annotator,
        form=form,
        names=names,
        correct=correct,
        adjudicate=adjudicate,
        restore_zeros=restore_zeros,
    )
    if as_json:
        show_json(plain(done))
        return
    total = done.recorded + done.skipped + done.corrected + done.adjudicated
    headline(f"{counted(total, 'answer')} recorded")
    words = {
        "recorded": "labels",
        "skipped": "cannot tell",
        "corrected": "corrections",
        "adjudicated": "decided between reviewers",
        "unchanged": "already recorded",
        "not_drawn": "not drawn, left out",
        "empty": "still empty",
        "disputed": "reviewers differ",
        "missing": "drawn, without label",
    }
    lines = [(text, f"{getattr(done, key):,}") for key, text in words.items() if getattr(done, key)]
    rows(lines)
    if done.blocking is not None:
        show_blocking(done.blocking)
    elif done.disputed:
        advise(f"decide them in a file: assaymark draw --pending -p {quoted(folder)}")
    elif done.closed:
        advise(f"assaymark status -p {quoted(folder)}")
    elif done.missing:
        advise(f"label the rest; to write them again: {done.again}")
    elif done.to_draw:
        advise(f"assaymark draw -p {quoted(folder)}")
    else:
        advise(done.ask)


def _take_known(
    file: Path, folder: Path, form: str, names: "Names", *, as_json: bool, plain_file: bool
) -> None:
    """Take labels from elsewhere in, before a plan."""
    from assaymark.labelling.known import known_file
    from assaymark.project.folder import Project

    if not plain_file:
        raise click.UsageError(
            "--known takes labels in as they are: leave --correct and --adjudicate out."
        )
    taken = known_file(Project(folder=folder, resumes=True), file, form=form, names=names)
    if as_json:
        show_json(plain(taken))
        return
    headline(f"{counted(taken.recorded, 'known label')} taken in")
    words = {"unchanged": "known before", "unclear": "cannot tell, left out", "empty": "empty"}
    rows([(text, f"{getattr(taken, key):,}") for key, text in words.items() if getattr(taken, key)])
    if taken.strangers:
        shown = ", ".join(taken.strangers[:3]) + (", …" if len(taken.strangers) > 3 else "")
        rows([("not in the collection, left out", f"{len(taken.strangers):,} ({shown})")])
    advise(f'assaymark plan "recall >= 0.8" -p {quoted(folder)}')


def _count_overdue(
    project: "Project", days: float, annotator: str, *, yes: bool, as_json: bool
) -> None:
    """Count items whose reviewer is away as "cannot tell", after saying what that costs."""
    from assaymark.labelling.overdue import AGAINST, count_as_unclear, overdue

    late = overdue(project, days)
    if late.items and not yes:
        if as_json or not asks():
            raise click.UsageError(f"{late.cost} To do it, add --yes.")
        if not confirmed(f"{late.cost} Do it?"):
            raise click.exceptions.Exit(0)
    done = count_as_unclear(project, days, annotator=annotator)
    if as_json:
        show_json(plain(done))
        return
    headline(f"{counted(len(done.items), 'item')} counted as cannot tell: each is {done.effect}")
    rows([("items", ", ".join(done.items[:5]) + (", …" if len(done.items) > 5 else ""))])
    if done.undecided:
        say(
            f"  {counted(done.undecided, 'item')} on which reviewers differ still wait for a decision"
        )
    look = "look" if done.effect == AGAINST else "review status"
    advise(f"assaymark {look} -p {quoted(project.folder)}")
