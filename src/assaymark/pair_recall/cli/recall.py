"""The command for recall from classifiers that overlap: recall."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from assaymark.claims.record import plain
from assaymark.claims.results import counted, percent, rounded, shown
from assaymark.terminal.batches import show_batch
from assaymark.terminal.options import CONFIDENCE, CONNECTION, ENGINE, JSON, option, with_options
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
    warn,
)

if TYPE_CHECKING:
    from assaymark.pair_recall.overlap import OverlapEstimate, RecallRange
    from assaymark.pair_recall.recall import RecallAnswer, RecallRequest

READ = click.Path(exists=True, dir_okay=False, path_type=Path)
Number = TypeVar("Number", int, float)


def numbers(text: str, names: str, kind: Callable[[str], Number]) -> list[Number]:
    """Numbers separated by commas, as many as there are names."""
    parts = text.split(",")
    try:
        values = [kind(part) for part in parts]
    except ValueError:
        values = []
    if len(values) != len(names.split(",")):
        raise click.UsageError(f"Expected {names}, got {text!r}.")
    return values


@dataclass(frozen=True, kw_only=True)
class RecallOptions:
    """The options of the command recall."""

    pool: str | None = option("The collection; with -p the project's own.", metavar="FILE")
    id_column: str | None = option("Unique id of an item.", "--id", metavar="COL")
    first: str = option("0/1 column of a classifier.", "--a", metavar="COL")
    second: str = option("0/1 column of another one.", "--b", metavar="COL")
    third: str | None = option("A third one: pairs may then be dependent.", "--c", metavar="COL")
    text: tuple[str, ...] = option("What people read to label; repeatable.", metavar="COL")
    draw: int | None = option("Write a batch of N items.", least=1, metavar="N")
    elusion: int = option(
        "Add N items that no classifier flags to the batch.",
        default=0,
        least=0,
        metavar="N",
        show_default=False,
    )
    target: str = option(
        "Whose recall the labels shall be best for: both (all of them), a, b or c.",
        "--for",
        default="both",
    )
    output: Path | None = option("Where to write the batch.", "-o")
    labels: Path | None = option("Labels of the batch: id,label.", type=READ)
    outside: bool = option("Labels outside are a random sample too.")
    delta: str | None = option(
        "How dependent the classifiers may be; 1 is "
        "independent. Default: as measured on pairs of the KIND, else 0.85,1.25.",
        metavar="LOW,HIGH",
    )
    confidence: float = CONFIDENCE
    within: float = option("Wanted half-width.", default=0.05)
    kind: str | None = option("How the pair was built, for its warnings.", "--pair", metavar="KIND")
    another: str | None = option(
        "A further classifier: items flagged, labels of them, positives.",
        "--new",
        metavar="FLAGGED,LABELS,POSITIVES",
    )
    seed: str | None = option("Decides the draw (random with -p).", metavar="TEXT")
    folder: Path | None = option(
        "Record batches and results.",
        "-p",
        "--project",
        type=DIRECTORY,
        callback=remembered_project,
    )
    engine: str = ENGINE
    connection: str | None = CONNECTION
    as_json: bool = JSON


@click.command()
@with_options
def recall(*, options: RecallOptions) -> None:
    """How much of a rare topic two classifiers find, from how their findings overlap.

    Draw a batch over the cells (found by both, by one only), label it, and ask again. The range with
    dependence is about the recall, and no guarantee; the other one is sampling error alone.

    KIND is one of columns, vocabulary, halves, jaccard, tversky, overlap, pmi, ngrams, signals.

    \b
    Examples:
      assaymark recall --pool t.parquet --id id --a seed --b neighbours --text text --draw 300 -o b.csv
      assaymark recall --pool t.parquet --id id --a seed --b neighbours --labels b.csv
      assaymark recall --a seed --b neighbours --draw 300 --elusion 200 -p work
      assaymark recall --a seed --b neighbours -p work
    """
    request = _request(options)
    folder = options.folder
    if options.pool is None:
        folder = folder or project_of_environment()
    if folder is not None:
        _in_project(request, folder, options)
        return
    if options.pool is None or options.id_column is None:
        raise click.UsageError("Give --pool FILE and --id COL, or a project with -p DIR.")
    where = Place(
        pool=options.pool,
        id_column=options.id_column,
        engine=options.engine,
        connection=options.connection,
    )
    if options.draw is not None:
        if options.labels is not None:
            raise click.UsageError("Give either --draw or --labels, not both.")
        _draw(request, where, options.draw, options)
    elif options.labels is not None:
        _from_labels(request, where, options.labels, options)
    else:
        raise click.UsageError("Give --draw N to get a batch, or --labels FILE to get the answer.")


def _request(options: RecallOptions) -> "RecallRequest":
    from assaymark.pair_recall.overlap import CellSample, DeltaBand
    from assaymark.pair_recall.recall import RecallRequest

    band = new = None
    if options.delta is not None:
        low, high = numbers(options.delta, "LOW,HIGH", float)
        band = DeltaBand(low=low, high=high)
    if options.another is not None:
        flagged, known, positives = numbers(options.another, "FLAGGED,LABELS,POSITIVES", int)
        new = CellSample(items=flagged, labels=known, positives=positives)
    columns = (options.first, options.second, options.third)
    return RecallRequest(
        flags=tuple(name for name in columns if name is not None),
        confidence=options.confidence,
        band=band,
        within=options.within,
        target=options.target,
        pair=options.kind,
        another=new,
    )


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the items are, and what reads them."""

    pool: str
    id_column: str
    engine: str
    connection: str | None

    def __str__(self) -> str:
        options = f"--pool {quoted(self.pool)} --id {quoted(self.id_column)}"
        return options if self.engine == "duckdb" else f"{options} --engine {quoted(self.engine)}"


def _draw(request: "RecallRequest", where: Place, count: int, options: RecallOptions) -> None:
    from assaymark.pair_recall.files import SEED, draw_for_recall

    with progress_bar("recall") as progress:
        batch = draw_for_recall(
            where.pool,
            request,
            id_column=where.id_column,
            text=options.text,
            count=count,
            outside=options.elusion,
            seed=options.seed or SEED,
            output=options.output or Path("recall-batch.csv"),
            engine=where.engine,
            connection=where.connection,
            progress=progress,
        )
    if options.as_json:
        show_json(
            {
                "items": list(batch.items),
                "cells": batch.cells,
                "sizes": batch.sizes,
                "seed": batch.seed,
                "file": str(batch.path),
            }
        )
        return
    headline(f"{counted(len(batch.items), 'item')} to label in {batch.path}")
    rows([(words(name), f"{n:,} of {batch.sizes[name]:,}") for name, n in batch.cells.items()])
    flags = _named(request)
    seed_option = "" if options.seed is None else f" --seed {quoted(options.seed)}"
    seed_option += "" if request.pair is None else f" --pair {quoted(request.pair)}"
    advise(
        f"fill in its label column, then assaymark recall {where} {flags} "
        f"--labels {quoted(batch.path)}{seed_option}"
    )


def _from_labels(
    request: "RecallRequest", where: Place, labels: Path, options: RecallOptions
) -> None:
    from assaymark.pair_recall.files import SEED, recall_from_files

    with progress_bar("recall") as progress:
        answer = recall_from_files(
            where.pool,
            request,
            id_column=where.id_column,
            labels=labels,
            seed=options.seed or SEED,
            outside=options.outside,
            engine=where.engine,
            connection=where.connection,
            progress=progress,
        )
    _show(answer, options.as_json)


def _in_project(request: "RecallRequest", folder: Path, options: RecallOptions) -> None:
    from assaymark.pair_recall.survey import draw_recall_survey, recall_of_survey
    from assaymark.project.folder import Project

    if options.pool is not None or options.labels is not None:
        raise click.UsageError(
            "A project has its own pool, and its labels come by assaymark label FILE -p DIR: leave "
            "--pool and --labels out."
        )
    project = Project(
        folder=folder, connection=options.connection
    )  # the engine is the project's own
    if options.draw is None:
        _show(recall_of_survey(project, request), options.as_json)
        return
    with progress_bar("recall") as progress:
        batch = draw_recall_survey(
            project,
            request,
            count=options.draw,
            outside=options.elusion,
            seed=options.seed,
            output=options.output,
            progress=progress,
        )
    if options.as_json:
        show_json(plain(batch))
        return
    title = counted(len(batch.items), "item")
    show_batch(batch, title, folder, then=f"recall {_named(request)}")


def _named(request: "RecallRequest") -> str:
    """The classifiers as they are typed."""
    pairs = zip("abc", request.flags, strict=False)
    return " ".join(f"--{letter} {quoted(column)}" for letter, column in pairs)


WORDS = {"11": "found by both", "10": "by a only", "01": "by b only", "00": "by neither"}


def words(cell: str) -> str:
    """A cell as people say it."""
    if len(cell) == 2:
        return WORDS[cell]
    who = [letter for letter, bit in zip("abc", cell, strict=True) if bit == "1"]
    return (
        f"by {' and '.join(who)} only"
        if 0 < len(who) < 3
        else ("by none", "by all three")[bool(who)]
    )


def _show(answer: "RecallAnswer", as_json: bool) -> None:
    from assaymark.pair_recall.recall import answer_json

    if as_json:
        show_json(answer_json(answer))
        return
    estimate, cost = answer.estimate, answer.cost
    recalls = list(zip(answer.request.flags, estimate.recalls, strict=True))
    column, first = recalls[0]
    headline(
        f"{column} finds {rounded(first.band_low)} to {rounded(first.band_high, up=True)} of the "
        f"positive items, about {shown(first.recall)}"
    )
    say(f"  {'':<14}{'recall':>8}  {'sampling alone':>16}  {'with dependence':>16}")
    for name, recall in recalls:
        _line(name, recall)
    if answer.another:
        _line("further one", answer.another)
    say()
    positives, items = estimate.positives, sum(cell.items for cell in answer.cells.values())
    lines = [
        (
            "positive items",
            f"about {positives.point:,.0f} of {items:,} (sampling {positives.low:,.0f} "
            f"to {positives.high:,.0f}, with dependence {positives.band_low:,.0f} to "
            f"{positives.band_high:,.0f})",
        ),
        ("labels", f"{estimate.labels:,}; sampling at {percent(estimate.confidence)} confidence"),
        ("dependence", _dependence(estimate)),
        (
            "without a pair",
            f"{cost.unbiased:,} random labels for ± {cost.half_width:g}; in error terms at "
            f"δ1 = {cost.delta:g} the pair {_saving(cost.honest_saving)}",
        ),
    ]
    if estimate.chao is not None:
        lines.insert(1, ("at least", f"{estimate.chao:,.0f} positive items (Chao's bound)"))
    rows(lines)
    say(f"  {answer.assumptions[-1]}")
    for warning in answer.warnings:
        warn(warning)
    advise(answer.advice.sentence)


def _saving(factor: float) -> str:
    return f"saves a factor of {factor:,.0f}" if factor >= 1.5 else "saves nothing"


def _line(name: str, recall: "RecallRange") -> None:
    inner = f"{rounded(recall.low)}–{rounded(recall.high, up=True)}"
    outer = f"{rounded(recall.band_low)}–{rounded(recall.band_high, up=True)}"
    say(f"  {name[:13]:<14}{shown(recall.recall):>8}  {inner:>16}  {outer:>16}")


def _dependence(estimate: "OverlapEstimate") -> str:
    text = f"δ1 taken to lie in {estimate.band.low:g} to {estimate.band.high:g}"
    if (delta := estimate.delta1) is not None:
        ends = "" if delta.low is None else f" ({delta.low:.2f} to {delta.high:.2f})"
        text += f"; measured {delta.point:.2f}{ends}"
    if estimate.feasible:
        text += f"; below {estimate.feasible.low:.2f} it is impossible"
    return text
