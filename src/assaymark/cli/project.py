"""The command init: register a pool and begin a project."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.hints import command, for_command_line
from assaymark.records.pool import Columns
from assaymark.terminal.options import CONNECTION, JSON, argument, option, with_options
from assaymark.terminal.output import (
    DIRECTORY,
    advise,
    headline,
    progress_bar,
    quoted,
    rows,
    show_json,
    warn,
)

if TYPE_CHECKING:
    pass


@click.command()
@with_options
def init(
    folder: Path = argument(type=DIRECTORY),
    pool: str = option(
        ".parquet, .csv[.gz], .jsonl, .xlsx, .dat (Concordance), .ris, .nbib, a folder, a glob, or a table."
    ),
    id_columns: tuple[str, ...] = option(
        "Unique id of an item; repeat it where several columns make the id.",
        "--id",
        metavar="COL",
        required=True,
    ),
    score: str | None = option("The classifier's score, in any range.", metavar="COL"),
    prediction: str | None = option(
        "The classifier's 0/1 prediction, or its class.", metavar="COL"
    ),
    threshold: float | None = option("Predicted positive if score >= X.", metavar="X"),
    text: tuple[str, ...] = option("What people read to label; repeatable.", metavar="COL"),
    groups: tuple[str, ...] = option(
        "A column of groups, to claim of every group.", "--group", metavar="COL"
    ),
    positive: str | None = option("The value that means relevant, if it is not 1.", metavar="NAME"),
    classes: bool = option("Predictions and labels are names of classes."),
    named: tuple[str, ...] = option(
        "A class; repeatable (default: those that are predicted; with --classes besides them).",
        "--class",
        metavar="NAME",
    ),
    tags: bool = option("An item has any number of the classes, written a; b."),
    probabilities: tuple[str, ...] = option(
        "The probability of a class, in place of --prediction; one for each class.",
        "--probability",
        metavar="CLASS=COL",
    ),
    engine: str = option("duckdb or spark: what reads it.", default="duckdb"),
    connection: str | None = CONNECTION,
    ledger: str = option(
        "Or postgresql://user@host/database[#name], for several servers at once.",
        default="ledger.sqlite",
    ),
    as_json: bool = JSON,
) -> None:
    """Register a pool and begin a project in FOLDER.

    \b
    Example:
      assaymark init work --pool scores.csv --id id --score score --threshold 0.5 --text body
      assaymark init work --pool lake.scored --id id --score score --threshold 0.5 --engine spark
      assaymark init work --pool mails.csv --id id --prediction topic --classes --text body
    """
    from assaymark.pool.joined_ids import joined_name
    from assaymark.project.foreign_pools import readable_pool
    from assaymark.project.registration import init as run
    from assaymark.project.registration import missing_columns, refuse_used

    refuse_used(folder)
    columns = Columns(
        id=joined_name(id_columns),
        score=score,
        prediction=prediction,
        threshold=threshold,
        text=text,
        groups=groups or None,
        positive=positive,
    )
    with readable_pool(pool, folder) as source:
        columns = _with_names(
            source,
            columns,
            classes=classes,
            named=named,
            tags=tags,
            probabilities=probabilities,
            engine=engine,
        )
        with progress_bar("init") as progress:
            registered = run(
                folder,
                pool=source,
                columns=columns,
                engine=engine,
                connection=connection,
                ledger=ledger,
                progress=progress,
            )
    summary = registered.summary
    if as_json:
        show_json(
            {
                "project": str(folder),
                "items": summary.items,
                "predicted_positive": summary.predicted_positive,
                "predicted_negative": summary.predicted_negative,
                "score_low": summary.score_low,
                "score_high": summary.score_high,
                "fingerprint": registered.fingerprint,
                "classes": list(columns.tags or columns.classes or ()),
                "tags": columns.tags is not None,
                "missing": list(missing_columns(columns)),
            }
        )
        return
    headline(f"{summary.items:,} items registered in {folder}")
    lines = [("checksum of the collection", registered.fingerprint[:16] + "…")]
    if columns.predicts:
        flagged = summary.predicted_positive
        lines.insert(
            0, ("flagged by the classifier", f"{flagged:,} ({flagged / summary.items:.1%})")
        )
    if summary.score_low is not None:
        lines.insert(0, ("scores", f"{summary.score_low:g} to {summary.score_high:g}"))
    if listed := columns.tags or columns.classes:
        more = ", …" if len(listed) > 5 else ""
        kind = "labels" if columns.tags else "classes"
        lines.insert(0, (kind, f"{len(listed):,}: {', '.join(listed[:5])}{more}"))
    rows(lines)
    for missing in missing_columns(columns):
        warn(missing)
    place = quoted(folder)
    if columns.text and not (columns.classes or columns.predicts or columns.score):
        budget = _budget(summary.items)
        advise(f'grow a classifier: assaymark train "f1 >= 0.75" --budget {budget} -p {place}')
        return
    claim = for_command_line(command("plan", columns.example_claim))
    advise(f"say what you want to prove, such as: {claim} -p {place}")


def _budget(items: int) -> int:
    """Labels to advise for a training: a quarter of the collection, and no more than anybody buys."""
    return min(3000, max(50, items // 4 // 50 * 50))


def _with_names(
    pool: str,
    columns: Columns,
    *,
    classes: bool,
    named: tuple[str, ...],
    tags: bool,
    probabilities: tuple[str, ...],
    engine: str,
) -> Columns:
    """The columns with the names of classes or of the two verdicts."""
    from assaymark.project.class_names import (
        with_classes,
        with_probabilities,
        with_tags,
        with_verdicts,
    )

    if tags and (classes or probabilities):
        raise click.UsageError(
            "An item has one class (--classes, --probability) or any number of labels (--tags): give "
            "one of them. Labels are predicted by one column, written a; b: --prediction COL."
        )
    if probabilities:
        return with_probabilities(columns, probabilities)
    if not classes and not named and not tags:
        return with_verdicts(pool, columns) if engine == "duckdb" else columns
    if columns.prediction is None:
        raise click.UsageError("Classes are predicted: add --prediction COL.")
    by = (columns.prediction,)
    if tags:
        return with_tags(pool, columns, predicted_by=by, named=named, engine=engine)
    return with_classes(
        pool, columns, predicted_by=by, named=named, and_predicted=classes, engine=engine
    )
