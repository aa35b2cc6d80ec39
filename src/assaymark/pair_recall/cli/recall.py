"""The command for recall from classifiers that overlap: recall."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assaymark.claims.record import plain
from assaymark.claims.results import counted, percent, rounded, shown
from assaymark.terminal.output import (
    advise,
    engine_option,
    headline,
    json_option,
    progress_bar,
    project_of_environment,
    quoted,
    rows,
    say,
    show_json,
    warn,
)

if TYPE_CHECKING:
    from assaymark.pair_recall.recall import RecallWish

READ = click.Path(exists=True, dir_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


def numbers(text: str, names: str, kind: type = float) -> list[Any]:
    """Numbers separated by commas, as many as there are names."""
    parts = text.split(",")
    try:
        found = [kind(part) for part in parts]
    except ValueError:
        found = []
    if len(found) != len(names.split(",")):
        raise click.UsageError(f"Expected {names}, got {text!r}.")
    return found


@click.command()
@click.option("--pool", metavar="FILE", help="The collection; with -p the project's own.")
@click.option("--id", "id_column", metavar="COL", help="Unique id of an item.")
@click.option("--a", "first", required=True, metavar="COL", help="0/1 column of a classifier.")
@click.option("--b", "second", required=True, metavar="COL", help="0/1 column of another one.")
@click.option("--c", "third", metavar="COL", help="A third one: pairs may then be dependent.")
@click.option("--text", multiple=True, metavar="COL", help="What people read to label; repeatable.")
@click.option("--draw", type=click.IntRange(min=1), metavar="N", help="Write a batch of N items.")
@click.option(
    "--elusion",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Add N items that no classifier flags to the batch.",
)
@click.option(
    "--for",
    "target",
    default="both",
    show_default=True,
    help="Share the batch out for: both (all recalls), a, b or c.",
)
@click.option("-o", "--output", type=FILE, help="Where to write the batch.")
@click.option("--labels", type=READ, help="Labels of the batch: id,label.")
@click.option("--outside", is_flag=True, help="Labels outside are a random sample too.")
@click.option("--delta", metavar="LOW,HIGH", help="How dependent the classifiers may be; 1 is "
              "independent. Default: as measured on pairs of the KIND, else 0.85,1.25.")  # fmt: skip
@click.option("--confidence", default=0.95, show_default=True, type=float)
@click.option("--within", default=0.05, show_default=True, type=float, help="Wanted half-width.")
@click.option("--pair", "kind", metavar="KIND", help="How the pair was built, for its warnings.")
@click.option("--new", "another", metavar="FLAGGED,LABELS,POSITIVES",
              help="A further classifier: items flagged, labels of them, positives.")  # fmt: skip
@click.option("--seed", metavar="TEXT", help="Decides the draw (random with -p).")
@click.option("-p", "--project", "folder", type=FOLDER, help="Keep batches and results on record.")
@engine_option
@json_option
def recall(
    pool: str | None,
    id_column: str | None,
    first: str,
    second: str,
    third: str | None,
    text: tuple[str, ...],
    draw: int | None,
    elusion: int,
    target: str,
    output: Path | None,
    labels: Path | None,
    outside: bool,
    delta: str | None,
    confidence: float,
    within: float,
    kind: str | None,
    another: str | None,
    seed: str | None,
    folder: Path | None,
    engine: str,
    connection: str | None,
    as_json: bool,
) -> None:
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
    from assaymark.pair_recall.overlap import CellSample, DeltaBand
    from assaymark.pair_recall.recall import RecallWish

    band = None
    if delta is not None:
        low, high = numbers(delta, "LOW,HIGH")
        band = DeltaBand(low=low, high=high)
    new = None
    if another is not None:
        flagged, known, positives = numbers(another, "FLAGGED,LABELS,POSITIVES", int)
        new = CellSample(items=flagged, labels=known, positives=positives)
    wish = RecallWish(
        flags=tuple(name for name in (first, second, third) if name is not None),
        confidence=confidence,
        band=band,
        within=within,
        target=target,
        pair=kind,
        another=new,
    )
    if pool is None:
        folder = folder or project_of_environment()
    if folder is not None:
        _in_project(wish, folder, pool, labels, draw, elusion, seed, output, connection, as_json)
    elif pool is None or id_column is None:
        raise click.UsageError("Give --pool FILE and --id COL, or a project with -p DIR.")
    elif draw is not None:
        if labels is not None:
            raise click.UsageError("Give either --draw or --labels, not both.")
        where = Place(pool=pool, id_column=id_column, engine=engine, connection=connection)
        _draw(wish, where, text, draw, elusion, seed, output, as_json)
    elif labels is not None:
        where = Place(pool=pool, id_column=id_column, engine=engine, connection=connection)
        _from_labels(wish, where, labels, seed, as_json, outside=outside)
    else:
        raise click.UsageError("Give --draw N to get a batch, or --labels FILE to get the answer.")


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the items are, and what reads them."""

    pool: str
    id_column: str
    engine: str
    connection: str | None

    def __str__(self) -> str:
        told = f"--pool {quoted(self.pool)} --id {quoted(self.id_column)}"
        return told if self.engine == "duckdb" else f"{told} --engine {quoted(self.engine)}"


def _draw(
    wish: "RecallWish",
    where: Place,
    text: tuple[str, ...],
    draw: int,
    elusion: int,
    seed: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    from assaymark.pair_recall.files import SEED, draw_for_recall

    with progress_bar("recall") as progress:
        batch = draw_for_recall(
            where.pool,
            wish,
            id_column=where.id_column,
            text=text,
            count=draw,
            outside=elusion,
            seed=seed or SEED,
            output=output or Path("recall-batch.csv"),
            engine=where.engine,
            connection=where.connection,
            progress=progress,
        )
    if as_json:
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
    flags = " ".join(
        f"--{letter} {quoted(column)}" for letter, column in zip("abc", wish.flags, strict=False)
    )
    given = "" if seed is None else f" --seed {quoted(seed)}"
    given += "" if wish.pair is None else f" --pair {quoted(wish.pair)}"
    advise(
        f"fill in its label column, then assaymark recall {where} {flags} "
        f"--labels {quoted(batch.path)}{given}"
    )


def _from_labels(
    wish: "RecallWish",
    where: Place,
    labels: Path,
    seed: str | None,
    as_json: bool,
    *,
    outside: bool,
) -> None:
    from assaymark.pair_recall.files import SEED, recall_from_files
    from assaymark.pair_recall.recall import answer_json

    with progress_bar("recall") as progress:
        answer = recall_from_files(
            where.pool,
            wish,
            id_column=where.id_column,
            labels=labels,
            seed=seed or SEED,
            outside=outside,
            engine=where.engine,
            connection=where.connection,
            progress=progress,
        )
    _show(answer_json(answer), as_json)


def _in_project(
    wish: "RecallWish",
    folder: Path,
    pool: str | None,
    labels: Path | None,
    draw: int | None,
    elusion: int,
    seed: str | None,
    output: Path | None,
    connection: str | None,
    as_json: bool,
) -> None:
    from assaymark.pair_recall.recall import answer_json
    from assaymark.pair_recall.survey import draw_recall_survey, recall_of_survey
    from assaymark.project.folder import Project

    if pool is not None or labels is not None:
        raise click.UsageError(
            "A project has its own pool, and its labels come by assaymark label FILE -p DIR: leave "
            "--pool and --labels out."
        )
    project = Project(folder=folder, connection=connection)  # the engine is the project's own
    if draw is None:
        _show(answer_json(recall_of_survey(project, wish)), as_json)
        return
    with progress_bar("recall") as progress:
        batch = draw_recall_survey(
            project,
            wish,
            count=draw,
            outside=elusion,
            seed=seed,
            output=output,
            progress=progress,
        )
    if as_json:
        show_json(plain(batch) | {"path": str(batch.path) if batch.path else None})
        return
    headline(f"{counted(len(batch.items), 'item')} to label" + _where(batch.path))
    if batch.known:
        rows([("labelled before", f"{batch.known:,}")])
    if batch.path:
        advise(f"assaymark label {quoted(batch.path)} -p {quoted(folder)}, when it is filled in")


def _where(path: Path | None) -> str:
    return f" in {path}" if path else ""


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


def _show(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        show_json(result)
        return
    letters = [letter for letter in "abc" if letter in result]
    first = result["a"]
    headline(
        f"{first['column']} finds {rounded(first['band_low'])} to "
        f"{rounded(first['band_high'], up=True)} of the positive items, about {shown(first['recall'])}"
    )
    say(f"  {'':<14}{'recall':>8}  {'sampling alone':>16}  {'with dependence':>16}")
    for letter in letters:
        _line(result[letter]["column"], result[letter])
    if result["new"]:
        _line("further one", result["new"])
    say()
    spread = result["positives_range"]
    told = [
        (
            "positive items",
            f"about {result['positives']:,.0f} of {result['items']:,} (sampling {spread['low']:,.0f} "
            f"to {spread['high']:,.0f}, with dependence {spread['band_low']:,.0f} to "
            f"{spread['band_high']:,.0f})",
        ),
        ("labels", f"{result['labels']:,}; sampling at {percent(result['confidence'])} confidence"),
        ("dependence", _dependence(result)),
        (
            "without a pair",
            f"{result['cost']['unbiased']:,} random labels for ± {result['cost']['half_width']:g}; in "
            f"error terms at δ1 = {result['cost']['delta']:g} the pair {_saving(result['cost'])}",
        ),
    ]
    if result["chao"] is not None:
        told.insert(1, ("at least", f"{result['chao']:,.0f} positive items (Chao's bound)"))
    rows(told)
    say(f"  {result['assumptions'][-1]}")
    for warning in result["warnings"]:
        warn(warning)
    advise(result["advice"]["sentence"])


def _saving(cost: dict[str, Any]) -> str:
    factor = cost["honest_saving"]
    return f"saves a factor of {factor:,.0f}" if factor >= 1.5 else "saves nothing"


def _line(name: str, found: dict[str, Any]) -> None:
    inner = f"{rounded(found['low'])}–{rounded(found['high'], up=True)}"
    outer = f"{rounded(found['band_low'])}–{rounded(found['band_high'], up=True)}"
    say(f"  {name[:13]:<14}{shown(found['recall']):>8}  {inner:>16}  {outer:>16}")


def _dependence(result: dict[str, Any]) -> str:
    low, high = result["delta_band"]
    said = f"δ1 taken to lie in {low:g} to {high:g}"
    if result["delta1"]:
        known = result["delta1"]
        ends = "" if known["low"] is None else f" ({known['low']:.2f} to {known['high']:.2f})"
        said += f"; measured {known['point']:.2f}{ends}"
    if result["feasible"]:
        said += f"; below {result['feasible']['low']:.2f} it is impossible"
    return said


COMMANDS = (recall,)
