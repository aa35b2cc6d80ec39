"""The audit of triage over time, on the command line."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assaymark.claims.results import counted, percent, rounded
from assaymark.terminal.output import (
    advise,
    headline,
    json_option,
    progress_bar,
    project_option,
    quoted,
    rows,
    show_json,
)

if TYPE_CHECKING:
    from assaymark.triaging.audit_account import Opening

OUTPUT = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.option("--thresholds", type=OUTPUT, help="What assaymark triage -o wrote; needed to draw.")
@click.option("--batch", metavar="FILE", help="A later batch of scored items to draw from.")
@click.option("--id", "id_column", metavar="COL", help="Unique id of an item.")
@click.option("--score", metavar="COL", help="The score (default: the thresholds' own column).")
@click.option("--text", multiple=True, metavar="COL", help="What people read to label; repeatable.")
@click.option("--draw", "count", type=click.IntRange(min=1), metavar="N", help="Items to hand out.")
@click.option("--seed", metavar="TEXT", help="Decides the draw (default: 128 random bits).")
@click.option(
    "--alarm",
    type=click.Choice(["ever", "yearly", "average", "every-batch"]),
    help="What may ring it, sealed with the first batch (default: ever).",
)
@click.option("--confidence", type=float, help="Of alarm and bounds, sealed (default: 0.95).")
@click.option(
    "--window",
    type=click.IntRange(min=1),
    metavar="ITEMS",
    help="Fewest items that the alarm looks at together, sealed (default: four first batches).",
)
@click.option(
    "--year",
    type=click.IntRange(min=1),
    metavar="BATCHES",
    help="Batches a year, for the alarm yearly, sealed (default: 52).",
)
@click.option(
    "--largest",
    type=click.IntRange(min=1),
    metavar="ITEMS",
    help="Automated items of the largest batch you expect, sealed (default: a quarter more than the first).",
)
@click.option("-o", "--output", type=OUTPUT, help="Where to write: .csv or .jsonl.")
@project_option
@json_option
def audit(**options: Any) -> None:
    """Is the promise still kept? Draw automated items of later batches, and judge their labels.

    With --batch: hands out N random automated items; the first batch seals the alarm. Without:
    judges all labels so far. The alarm holds however often you look, for the promise as it says.

    \b
    Examples:
      assaymark triage audit --thresholds cuts.json --batch may.parquet --id id --draw 50 -p work
      assaymark label work/survey-1-1.csv -p work
      assaymark triage audit -p work
    """
    if options["batch"] is None:
        _judge(options)
        return
    missing = [f"--{name}" for name in ("thresholds", "id", "draw")
               if options[{"id": "id_column", "draw": "count"}.get(name, name)] is None]  # fmt: skip
    if missing:
        raise click.UsageError(f"To draw from a batch, also give {', '.join(missing)}.")
    from assaymark.pool.scored import ScoreColumns
    from assaymark.project.folder import Project
    from assaymark.triaging.audit import draw_audit
    from assaymark.triaging.files import read_thresholds

    known = read_thresholds(options["thresholds"])
    folder = options["folder"]
    columns = ScoreColumns(
        score=options["score"] or known.score, id=options["id_column"], text=options["text"]
    )
    with progress_bar("audit") as progress:
        batch = draw_audit(
            Project(folder=folder),
            known,
            batch=options["batch"],
            columns=columns,
            count=options["count"],
            opening=_opening(options),
            seed=options["seed"],
            output=options["output"],
            progress=progress,
        )
    if options["as_json"]:
        path = None if batch.path is None else str(batch.path)
        show_json(
            {"survey": batch.survey, "items": list(batch.items), "known": batch.known, "path": path}
        )
        return
    headline(f"{counted(len(batch.items), 'automated item')} to label")
    rows([("file", str(batch.path) if batch.path else "none: every item has a label already")])
    then = f"assaymark triage audit -p {quoted(folder)}"
    advise(f"fill in the column 'label', then: assaymark label {batch.path} -p {quoted(folder)}, and "
           f"{then}" if batch.path else then)  # fmt: skip


def _opening(options: dict[str, Any]) -> "Opening":
    from assaymark.triaging.audit_account import Opening

    names = ("alarm", "confidence", "window", "year", "largest")
    return Opening(**{name: options[name] for name in names})


def _judge(options: dict[str, Any]) -> None:
    from assaymark.project.folder import Project
    from assaymark.triaging.audit import judge_batches

    folder = options["folder"]
    answer = judge_batches(Project(folder=folder), opening=_opening(options))
    found = answer.found
    if options["as_json"]:
        show_json(answer.result())
    else:
        headline(str(found), {"kept": "good", "open": "wait", "broken": "bad"}[found.decision])
        lines = [
            ("right", f"{found.estimate} of all automated items so far, each batch by its size"),
            ("lower bound", f"{rounded(found.low)} on that, unclear items counted as wrong"),
        ]
        lines += [
            (batch.name, f"{percent(round(batch.automated_share, 4))} of {batch.items:,} items automated; "
                         f"{batch.right:,} of {counted(batch.draws, 'draw')} right"
                         f"{f', {batch.unclear:,} unclear' if batch.unclear else ''}")
            for batch in answer.batches
        ]  # fmt: skip
        lines.append((f"alarm '{found.alarm}'", f"silent while, {found.null}"))
        lines.append(
            ("evidence", f"{found.evidence:.3g} at most so far; it rings at {found.needed:g}")
        )
        lines += [("warning", text) for text in found.warnings]
        if answer.missing:
            lines.append(("without label", f"{answer.missing:,}; {answer.waiting:,} labels wait"))
        rows(lines)
        if found.decision == "broken":
            advise("send everything to people, label new development items and set new thresholds")
        elif answer.missing:
            advise(
                f"label the items that are out, then ask again: assaymark triage audit -p {quoted(folder)}"
            )
        else:
            advise(
                "draw from the next batch: assaymark triage audit --thresholds FILE --batch FILE …"
            )
    if found.decision == "broken":
        click.get_current_context().exit(1)
