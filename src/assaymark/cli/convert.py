"""Command: make a pool of what another tool wrote."""

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.errors import InputError
from assaymark.terminal.options import JSON, argument, option, with_options
from assaymark.terminal.output import (
    advise,
    headline,
    quoted,
    rows,
    say,
    show_json,
)

if TYPE_CHECKING:
    from assaymark.files.tool_output.rows import ConvertedPool

FORMS = ("auto", "inspect", "promptfoo", "eval-jsonl", "splink", "sarif", "alerts")


@click.command()
@with_options
def convert(
    file: Path = argument(),
    output: Path = option("The pool to write: .jsonl or .csv.", "-o"),
    form: str = option("What wrote FILE.", "--from", default="auto", type=click.Choice(FORMS)),
    scorer: str | None = option("Which of several scorers in an Inspect log.", metavar="NAME"),
    epoch: int | None = option("Which of several epochs.", metavar="N"),
    prompt: int | None = option("Which of several prompts in promptfoo's output.", metavar="N"),
    threshold: float | None = option("A judge's number from which it passes.", metavar="X"),
    id_column: str | None = option("The field with the id.", "--id", metavar="COL"),
    verdict: str | None = option("The field with the verdict or score.", metavar="COL"),
    rule: str | None = option("For alerts: the column with the rule, or one rule.", metavar="COL"),
    leave_out_unscored: bool = option("Answers without a score are left out."),
    as_json: bool = JSON,
) -> None:
    """Turn a judge's log, Splink's pairs or the alerts of detection rules into a pool.

    Judges: the column 'fails' is 1 where the judge says that an answer fails, so that recall is its catch
    rate. Pairs: both records stand side by side on the page. Alerts: one group for each rule.

    \b
    Examples:
      assaymark convert logs/run.eval -o answers.jsonl
      assaymark convert predictions.parquet -o pairs.jsonl
      assaymark convert alerts.sarif -o alerts.csv
    """
    from assaymark.files.places import SHARED, refuse_existing, write_safely
    from assaymark.files.tool_output import Choices
    from assaymark.files.tool_output import convert as run

    if output.suffix.lower() not in (".jsonl", ".csv"):
        raise InputError(f"The pool is written as .jsonl or .csv, got {output.name!r}.")
    refuse_existing(output)
    choices = Choices(
        scorer=scorer,
        epoch=epoch,
        prompt=prompt,
        id=id_column,
        verdict=verdict,
        rule=rule,
        threshold=threshold,
        leave_out_unscored=leave_out_unscored,
    )
    pool = run(file, form, choices)
    write_safely(output, _as_text(pool.rows, output.suffix.lower()), mode=SHARED)
    words = _init(pool, output)
    if as_json:
        show_json({"path": str(output), "items": len(pool.rows), "columns": list(pool.rows[0]),
                   "remarks": list(pool.remarks), "init": words})  # fmt: skip
        return
    headline(f"{len(pool.rows):,} items", "good")
    rows([("file", str(output)), ("columns", ", ".join(pool.rows[0]))])
    for remark in pool.remarks:
        say(f"  {remark}")
    advise(words)


def _as_text(table: tuple[dict[str, object], ...], ending: str) -> str:
    if ending == ".jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table)
    _refuse_formulas(table)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(table[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return stream.getvalue()


def _refuse_formulas(table: tuple[dict[str, object], ...]) -> None:
    """Refuse text that a spreadsheet would run: a pool keeps its texts and ids as they are."""
    from assaymark.files.formats.delimited import guard

    for number, row in enumerate(table, 1):
        for name, value in row.items():
            if isinstance(value, str) and guard(value) != value:
                raise InputError(
                    f"Item {number:,} has a {name} that a spreadsheet would run as a formula "
                    f"({value[:40]!r}). Write .jsonl instead, which no spreadsheet opens."
                )


def _init(pool: "ConvertedPool", output: Path) -> str:
    words = ["assaymark init work --pool", quoted(output), "--id", pool.id]
    if pool.prediction:
        words += ["--prediction", pool.prediction]
    if pool.score:
        words += ["--score", pool.score]
        words += [] if pool.prediction else ["--threshold 0.9"]
    words += [f"--text {quoted(name)}" for name in pool.text]
    words += ["--group", pool.group] if pool.group else []
    return " ".join(words)
