"""The audit of triage over time, on the command line."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.claims.results import counted, digits, percent, rounded
from assaymark.terminal.batches import show_batch
from assaymark.terminal.options import FOLDER, JSON, option, with_options
from assaymark.terminal.output import (
    advise,
    headline,
    progress_bar,
    quoted,
    rows,
    show_json,
)

if TYPE_CHECKING:
    from assaymark.triaging.audit_account import Opening
    from assaymark.triaging.audit_result import Alarm


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """The options of the command audit."""

    thresholds: Path | None = option("What assaymark triage -o wrote; needed to draw.")
    batch: str | None = option("A later batch of scored items to draw from.", metavar="FILE")
    id_column: str | None = option("Unique id of an item.", "--id", metavar="COL")
    score: str | None = option("The score (default: the thresholds' own column).", metavar="COL")
    text: tuple[str, ...] = option("What people read to label; repeatable.", metavar="COL")
    count: int | None = option("Items to hand out.", "--draw", least=1, metavar="N")
    seed: str | None = option("Decides the draw (default: 128 random bits).", metavar="TEXT")
    alarm: "Alarm | None" = option(
        "As for assaymark sentinel start; every-batch: each by itself. Sealed first (default: ever).",
        type=click.Choice(["ever", "yearly", "average", "every-batch"]),
    )
    confidence: float | None = option(
        "How sure alarm and bounds are to be, sealed (default: 0.95)."
    )
    window: int | None = option(
        "Fewest items that the alarm looks at together, sealed (default: four first batches).",
        least=1,
        metavar="ITEMS",
    )
    year: int | None = option(
        "Batches a year, for the alarm yearly, sealed (default: 52).", least=1, metavar="BATCHES"
    )
    largest: int | None = option(
        "Automated items of the largest batch you expect, sealed (default: a quarter more than the first).",
        least=1,
        metavar="ITEMS",
    )
    deadline: int | None = option(
        "Later batches until a draw without an answer counts as unclear, sealed (default: 4).",
        least=1,
        metavar="BATCHES",
    )
    output: Path | None = option("Where to write: .csv or .jsonl.", "-o")
    folder: Path = FOLDER
    as_json: bool = JSON


@click.command()
@with_options
def audit(options: AuditOptions) -> None:
    """Is the promise still kept? Draw automated items of later batches, and judge their labels.

    With --batch: hands out N random automated items; the first batch seals the alarm. Without:
    judges all labels so far. The alarm holds however often you look, for the promise as it says.

    \b
    Examples:
      assaymark triage audit --thresholds cuts.json --batch may.parquet --id id --draw 50 -p work
      assaymark label work/survey-1-1.csv -p work
      assaymark triage audit -p work
    """
    if options.batch is None:
        _judge(options)
        return
    thresholds, id_column, count = options.thresholds, options.id_column, options.count
    if thresholds is None or id_column is None or count is None:
        asked = {"--thresholds": thresholds, "--id": id_column, "--draw": count}
        missing = ", ".join(name for name, value in asked.items() if value is None)
        raise click.UsageError(f"To draw from a batch, also give {missing}.")
    from assaymark.pool.scored import ScoreColumns
    from assaymark.project.folder import Project
    from assaymark.triaging.audit import draw_audit
    from assaymark.triaging.files import read_thresholds

    known = read_thresholds(thresholds)
    folder = options.folder
    columns = ScoreColumns(score=options.score or known.score, id=id_column, text=options.text)
    with progress_bar("audit") as progress:
        batch = draw_audit(
            Project(folder=folder),
            known,
            batch=options.batch,
            columns=columns,
            count=count,
            opening=_opening(options),
            seed=options.seed,
            output=options.output,
            progress=progress,
        )
    if options.as_json:
        names = ("survey", "items", "known", "path")
        show_json({name: getattr(batch, name) for name in names})
        return
    title = counted(len(batch.items), "automated item")
    show_batch(batch, title, folder, then="triage audit")


def _opening(options: AuditOptions) -> "Opening":
    from assaymark.triaging.audit_account import Opening

    return Opening(
        alarm=options.alarm,
        confidence=options.confidence,
        window=options.window,
        year=options.year,
        largest=options.largest,
        deadline=options.deadline,
    )


def _judge(options: AuditOptions) -> None:
    from assaymark.project.folder import Project
    from assaymark.triaging.audit import judge_batches

    folder = options.folder
    answer = judge_batches(Project(folder=folder), opening=_opening(options))
    result = answer.audit
    if options.as_json:
        show_json(answer.result())
    else:
        headline(str(result), {"kept": "good", "open": "wait", "broken": "bad"}[result.decision])
        lines = [
            ("right", f"{result.estimate} of all automated items so far, each batch by its size"),
            ("lower bound", f"{rounded(result.low)} on that, unclear items counted as wrong"),
        ]
        lines += [
            (batch.name, f"{percent(round(batch.automated_share, 4))} of {batch.items:,} items automated; "
                         f"{batch.right:,} of {counted(batch.draws, 'draw')} right"
                         f"{f', {batch.unclear:,} unclear' if batch.unclear else ''}")
            for batch in answer.batches
        ]  # fmt: skip
        lines.append((f"alarm '{result.alarm}'", f"silent while, {result.null}"))
        lines.append(
            (
                "evidence",
                f"{digits(result.evidence)} at its highest; the alarm goes off at {digits(result.needed)}",
            )
        )
        lines += [("warning", text) for text in result.warnings]
        if answer.missing:
            lines.append(("without label", f"{answer.missing:,}; {answer.waiting:,} labels wait"))
        if answer.late:
            lines.append(
                ("too late", f"{counted(answer.late, 'answer')} after the deadline, not counted")
            )
        rows(lines)
        if result.decision == "broken":
            advise("send everything to people, label new development items and set new thresholds")
        elif answer.missing:
            advise(
                f"label the items that are out, then ask again: assaymark triage audit -p {quoted(folder)}"
            )
        else:
            advise(
                "draw from the next batch: assaymark triage audit --thresholds FILE --batch FILE …"
            )
    if result.decision == "broken":
        click.get_current_context().exit(1)
