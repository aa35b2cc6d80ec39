"""Triage: thresholds from labels, routing, labels to order, their number, and the audit over time."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.claims.results import counted, percent, shown
from assaymark.terminal.options import CONNECTION, ENGINE, JSON, option, with_options
from assaymark.terminal.output import (
    DIRECTORY,
    WholeSentences,
    advise,
    headline,
    progress_bar,
    project_of_environment,
    quoted,
    remembered_project,
    rows,
    show_json,
)
from assaymark.triaging.cli.audit import audit
from assaymark.triaging.cli.label_orders import draw_wanted, size_needed
from assaymark.triaging.triage import RULES

if TYPE_CHECKING:
    from assaymark.triaging.triage import Triage
    from assaymark.triaging.triage_answer import TriageAnswer


@dataclass(frozen=True, kw_only=True)
class TriageOptions:
    """The options of the command triage."""

    dev: str | None = option("Development items with scores and labels.", metavar="FILE")
    score: str | None = option("The score, in any range; higher means relevant.", metavar="COL")
    label: str | None = option("The label: 1 relevant, 0 not.", metavar="COL")
    target: float | None = option("Wanted accuracy of automated decisions.")
    delta: float = option("Risk of a broken promise.", default=0.1)
    rule: str = option(f"One of {', '.join(RULES)}; see above.", default="certified")
    pool: str | None = option(
        "Unlabelled items; they place the regions to be tried.", metavar="FILE"
    )
    id_column: str | None = option("Id in both files; needed with --pool.", "--id", metavar="COL")
    train: str | None = option("Other scores and labels, to calibrate with.", metavar="FILE")
    calibrator: str = option("platt, beta, isotonic or none.", default="platt")
    seed: int = option("Which labels calibrate.", default=42)
    utility: str = option("What each outcome is worth.", default="1,-1,-1,1", metavar="TP,FP,FN,TN")
    costs: str = option("What each kind of error costs.", default="1,1", metavar="MISS,ALARM")
    plot: Path | None = option("Write the yield plot: .svg or .png.")
    output: Path | None = option("Write the thresholds as a JSON file.", "-o")
    folder: Path | None = option(
        "Judge the labels that assaymark triage draw asked for in this project.",
        "-p",
        "--project",
        type=DIRECTORY,
        callback=remembered_project,
    )
    as_json: bool = JSON


@click.group(cls=WholeSentences, invoke_without_command=True)
@with_options
@click.pass_context
def triage(context: click.Context, options: TriageOptions) -> None:
    """Automate what is safe and send the rest to people, at a guaranteed accuracy.

    Finds two cut-offs: accept from the upper one, reject up to the lower one, review between.

    \b
    Rules, each with its own promise:
      certified  the accuracy of automated decisions is at least the target
      precision  accepted items are relevant, rejected ones irrelevant, each to the target
      sides      at most 1 - target of each class is decided wrongly
      empirical  no promise: the best cut-offs on the labels themselves

    \b
    Examples:
      assaymark triage --dev dev.csv --score score --label label --target 0.9 -o cuts.json
      assaymark triage --dev dev.csv --score score --label label --target 0.9 --pool pool.csv --id id
      assaymark triage -p work -o cuts.json
      assaymark triage route --thresholds cuts.json --pool pool.csv --id id -o routed
    """
    if context.invoked_subcommand is not None:
        return
    dev = options.dev
    folder = options.folder or (None if dev else project_of_environment())
    if (folder is None) == (dev is None):
        raise click.UsageError(
            "Give --dev FILE with labelled scores, or -p DIR to judge the labels drawn there."
        )
    from assaymark.files.places import KEPT, refuse_existing
    from assaymark.triaging.files import (
        refuse_plot,
        write_plot,
        write_thresholds,
    )
    from assaymark.triaging.triage_answer import plain_answer

    output, plot = options.output, options.plot
    for path in (output, plot):
        if path is not None:
            refuse_existing(path, because=KEPT)
    if plot is not None:  # before anything is written: all files appear, or none
        refuse_plot(plot)
    answer = _from_project(folder) if folder is not None else _from_files(options)
    if output is not None:
        write_thresholds(output, answer.thresholds)
    if plot is not None:
        write_plot(plot, answer.result)
    if options.as_json:
        show_json(plain_answer(answer))
    else:
        _show(answer, options, folder)
    if not answer.triage.certified and answer.triage.rule != "empirical":
        context.exit(1)


def _from_project(folder: Path) -> "TriageAnswer":
    from assaymark.project.folder import Project
    from assaymark.triaging.survey import judge_labels

    return judge_labels(Project(folder=folder))


def _from_files(options: TriageOptions) -> "TriageAnswer":
    from assaymark.triaging.thresholds import find_thresholds
    from assaymark.triaging.triage_answer import TriageQuestion

    dev, score, label, target = (
        options.dev,
        options.score,
        options.label,
        options.target,
    )
    if dev is None or score is None or label is None or target is None:
        asked = {"--score": score, "--label": label, "--target": target}
        missing = ", ".join(name for name, value in asked.items() if value is None)
        raise click.UsageError(f"Also needed: {missing}.")
    utility = _numbers("--utility", options.utility, 4)
    costs = _numbers("--costs", options.costs, 2)
    question = TriageQuestion(
        dev=dev,
        score=score,
        label=label,
        target=target,
        delta=options.delta,
        rule=options.rule,
        pool=options.pool,
        id=options.id_column,
        train=options.train,
        calibrator=options.calibrator,
        seed=options.seed,
        weights=(utility[0], utility[1], utility[2], utility[3]),
        costs=(costs[0], costs[1]),
    )
    with progress_bar("triage") as progress:
        progress("reading scores and labels", None)
        return find_thresholds(question)


def _numbers(name: str, text: str, size: int) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != size:
        raise click.UsageError(f"{name} takes {size} numbers with commas, got {text!r}.")
    return numbers


def _show(answer: "TriageAnswer", options: TriageOptions, folder: Path | None) -> None:
    output, plot = options.output, options.plot
    triage, thresholds = answer.triage, answer.thresholds
    usable = triage.certified or triage.rule == "empirical"
    tone = "good" if triage.certified else "wait" if usable else "bad"
    headline(triage.promise, tone)
    if usable:
        of = "the pool" if answer.counted_on == "pool" else "the labelled items"
        rows(
            [
                ("cut-offs", str(triage.cutoffs)),
                ("automated", f"{percent(round(thresholds.automated_share, 4))} of {of}"),
                ("on the labels", _accuracy_words(triage)),
                ("precision", f"accepted {_side(triage.tally.precision_accept)}, rejected "
                              f"{_side(triage.tally.precision_reject)}"),
                ("error rates", f"{_side(triage.tally.type_1)} of the irrelevant items accepted (type I), "
                                f"{_side(triage.tally.type_2)} of the relevant ones rejected (type II)"),
                ("labels", f"{triage.labels:,}, target {triage.target:g}, risk {triage.delta:g}"),
                ("where from", thresholds.placed_by),
            ]
        )  # fmt: skip
    if answer.weighed is not None and usable:
        cost = shown(answer.weighed.detection_cost)
        rows([("utility", f"{answer.weighed.utility:g} on the labels; detection cost {cost}")])
    for path, name in ((output, "thresholds"), (plot, "yield plot")):
        if path is not None:
            rows([(name, str(path))])
    if usable and output is not None:
        advise(f"assaymark triage route --thresholds {quoted(output)} {_to_route(folder, options)}")
    elif usable and folder is not None:
        advise(f"assaymark triage -o {quoted(folder / 'thresholds.json')} -p {quoted(folder)}")
    elif usable:
        advise("the same with -o thresholds.json, to route items with these cut-offs")
    elif triage.needed:
        advise(
            f"label about {triage.needed:,} items in all, or ask for less than {triage.target:g}"
        )


def _to_route(folder: Path | None, options: TriageOptions) -> str:
    """The items to route: the project's own pool, or the one that the command named."""
    pool, column = options.pool or "FILE", options.id_column or "COL"
    routed = Path("routed")
    if folder is not None:
        from assaymark.project.folder import Project, registered_pool

        project = Project(folder=folder)
        registered = registered_pool(project.state())
        pool, column = project.pool_path(registered), registered.columns.id
        routed = folder / routed
    return f"--pool {quoted(pool)} --id {quoted(column)} -o {quoted(routed)}"


def _accuracy_words(triage: "Triage") -> str:
    tally = triage.tally
    return (
        f"{shown(tally.accuracy)} right: {counted(tally.errors, 'error')} in {tally.automated:,} "
        f"automated (tp {tally.tp}, fp {tally.fp}, fn {tally.fn}, tn {tally.tn})"
    )


def _side(value: float | None) -> str:
    return "–" if value is None else shown(value)


@triage.command()
@with_options
def route(
    thresholds: Path = option("What assaymark triage -o wrote."),
    pool: str = option("The items to route.", metavar="FILE"),
    id_column: str = option("Unique id of an item.", "--id", metavar="COL"),
    score: str | None = option("The score (default: the thresholds' own column).", metavar="COL"),
    output: Path = option(
        "A new folder for accept.parquet, review.parquet and reject.parquet.",
        "-o",
        type=DIRECTORY,
    ),
    engine: str = ENGINE,
    connection: str | None = CONNECTION,
    as_json: bool = JSON,
) -> None:
    """Split a pool into accept, review and reject: three parquet files, whole or not at all.

    Spark's executors write three folders of parquet files instead.

    \b
    Example:
      assaymark triage route --thresholds cuts.json --pool pool.parquet --id id -o routed
    """
    from assaymark.pool.scored import ScoreColumns
    from assaymark.triaging.files import read_thresholds, route_pool

    known = read_thresholds(thresholds)
    columns = ScoreColumns(score=score or known.score, id=id_column)
    with progress_bar("route") as progress:
        routed = route_pool(
            known,
            pool=pool,
            columns=columns,
            folder=output,
            engine=engine,
            connection=connection,
            progress=progress,
        )
    if as_json:
        show_json(
            {
                "accept": routed.accept,
                "review": routed.review,
                "reject": routed.reject,
                "yield": routed.automated_share,
                "promise": known.promise,
                "folder": str(output),
            }
        )
        return
    headline(str(routed), "good" if known.certified else "wait")
    share = (
        f"{percent(round(routed.automated_share, 4))}; {percent(round(known.automated_share, 4))}"
    )
    rows(
        [
            ("automated", f"{share} when the thresholds were set"),
            ("promise", known.promise),
            ("written to", str(output)),
        ]
    )
    advise(
        f"audit later batches: assaymark triage audit --thresholds {quoted(thresholds)} --batch FILE "
        f"--id {quoted(id_column)} --draw 50 -p DIR"
    )


for command in (draw_wanted, size_needed, audit):
    triage.add_command(command)
