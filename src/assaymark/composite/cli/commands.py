"""Commands about claims of several rows: compare and cutoff."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from assaymark.composite.cli.shown import show_sealed
from assaymark.terminal.output import (
    confidence_option,
    json_option,
    progress_bar,
    project_option,
)

if TYPE_CHECKING:
    from assaymark.composite.planning.comparing import ComparisonRequest
    from assaymark.composite.planning.sealing import Terms
    from assaymark.records.pool import Columns


class Compared(TypedDict):
    """The options of compare that say what is compared."""

    a: str
    b: tuple[str, ...]
    metric: str
    margin: str | None
    score_a: str | None
    score_b: str | None
    positive: str | None
    only: str | None
    claim: str | None


def terms_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds what every claim of several rows is sealed with; the command gets it as `terms`.

    Where labels end (`--budget`) reads differently in each command, so it stays with them.
    """

    @wraps(command)
    def sealing(
        *,
        confidence: float,
        one_by_one: bool,
        new_risk: bool,
        family: bool,
        commit: tuple[str, ...],
        beacon: str | None,
        seed: str | None,
        budget: int | None,
        **others: object,
    ) -> None:
        from assaymark.composite.planning.sealing import Terms

        terms = Terms(
            confidence=confidence, seed=seed, lead="one" if one_by_one else "several", budget=budget,
            new_risk=new_risk, family=family, commit=commit, beacon=beacon,
        )  # fmt: skip
        command(terms=terms, **others)

    return _with_terms(sealing)


def _with_terms(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--seed", metavar="TEXT", help="Decides every draw (default: 128 random bits)."),
        click.option(
            "--beacon", metavar="NAME[:ROUND]",
            help="Take the seed from a public beacon's next value.",
        ),
        click.option(
            "--commit", multiple=True, metavar="HASH",
            help="Draw the seed jointly: the hash of the other side's part, or own for this side alone.",
        ),
        click.option(
            "--family", is_flag=True, help="Share one risk among all claims on the pool that say so."
        ),
        click.option(
            "--new-risk", is_flag=True,
            help="Start a second risk account for what was claimed before; what is stated covers both.",
        ),
        click.option(
            "--one-by-one", is_flag=True,
            help="Draw nothing ahead of the labels; for a single reviewer.",
        ),
        confidence_option,
    ):  # fmt: skip
        command = option(command)
    return command


@click.command()
@click.option("--pool", help="The file with both predictions, where the project is new.")
@click.option("--id", "id_column", metavar="COL", help="Unique id of an item, where it is new.")
@click.option(
    "--a", "a", required=True, metavar="COL", help="Predictions of the classifier in use."
)
@click.option(
    "--b", "b", required=True, multiple=True, metavar="COL",
    help="Predictions of the new one; repeatable: which of several are better.",
)  # fmt: skip
@click.option("--claim", metavar="WORDS", help="Words about a and b, in place of --metric.")
@click.option("--classes", is_flag=True, help="Predictions and labels are names of classes.")
@click.option("--class", "named", multiple=True, metavar="NAME", help="A class of the list.")
@click.option("--tags", is_flag=True, help="An item has any number of the classes, written a; b.")
@click.option("--group", "groups", multiple=True, metavar="COL", help="A column of groups.")
@click.option("--budget", type=click.IntRange(min=1), metavar="N", help="Labels to buy, no more.")
@click.option(
    "--metric", default="accuracy", show_default=True, help="Or recall, precision, f1, f2."
)
@click.option("--margin", metavar="X", help="Also prove: not worse by more than X; within X.")
@click.option("--score-a", metavar="COL", help="Scores of a; with --score-b.")
@click.option("--score-b", metavar="COL", help="Scores of b.")
@click.option("--text", multiple=True, metavar="COL", help="What people read to label; repeatable.")
@click.option("--positive", metavar="NAME", help="The value that means relevant, if it is not 1.")
@click.option("--only", metavar="WHICH", help="better or worse: one direction, with all the risk.")
@terms_options
@project_option
@json_option
def compare(
    pool: str | None,
    id_column: str | None,
    text: tuple[str, ...],
    classes: bool,
    named: tuple[str, ...],
    tags: bool,
    groups: tuple[str, ...],
    terms: "Terms",
    folder: Path,
    as_json: bool,
    **options: Unpack[Compared],
) -> None:
    """Seal whether classifier b is better than a on one pool; labels go where they differ.

    Then draw, label and look; the answer is better, worse, within the margin, or undecided.

    \b
    Example:
      assaymark compare --pool mails.csv --id id --a old --b new --text subject -p work
      assaymark compare --a old --b new --claim "f1 of b >= f1 of a - 0.01" -p work
    """
    from assaymark.composite.planning.comparing import ComparisonRequest, seal_comparison
    from assaymark.project.folder import Project
    from assaymark.project.registration import init, undone_if_refused
    from assaymark.records.pool import Columns

    wanted = ComparisonRequest(**options)
    new = _is_new(folder, pool, id_column)
    with progress_bar("compare") as progress, undone_if_refused(folder) if new else nullcontext():
        if new:
            columns = Columns(id=str(id_column), text=text, groups=groups or None)
            columns = _with_names(
                str(pool), columns, wanted, classes=classes, named=named, tags=tags
            )
            init(folder, pool=str(pool), columns=columns, progress=progress)
        sealed = seal_comparison(Project(folder=folder), wanted, terms)
    show_sealed(Project(folder=folder), sealed, as_json=as_json)


def _is_new(folder: Path, pool: str | None, id_column: str | None) -> bool:
    """Whether the project has to be made first."""
    from assaymark.project.place import is_project

    if is_project(folder):
        if pool is not None:
            _refuse_other_pool(folder, pool)
        return False
    if pool is None or id_column is None:
        raise click.UsageError("A new project needs its pool: --pool FILE --id COL.")
    return True


def _with_names(
    pool: str,
    columns: "Columns",
    request: "ComparisonRequest",
    *,
    classes: bool,
    named: tuple[str, ...],
    tags: bool,
) -> "Columns":
    """The columns with the names of classes or verdicts; a list holds what any of them predicts."""
    from assaymark.project.class_names import compared_columns

    return compared_columns(
        pool,
        replace(columns, positive=request.positive),
        predicted_by=(request.a, *request.b),
        classes=classes,
        named=named,
        tags=tags,
    )


def _refuse_other_pool(folder: Path, pool: str) -> None:
    from assaymark.project.folder import Project, registered_pool

    project = Project(folder=folder)
    here = project.pool_path(registered_pool(project.state()))
    if Path(pool).resolve() != Path(here).resolve():
        raise click.UsageError(
            f"The project's pool is {here!r}, not {pool!r}: two classifiers are compared on one pool. "
            "Put both predictions into one file, and leave --pool out or name a new project."
        )


@click.command()
@click.argument("claim")
@click.option("--at", multiple=True, metavar="X", help="A cut-off to consider; repeatable.")
@click.option("--start", metavar="X", help="Where the ladder starts; easier cut-offs are left out.")
@click.option(
    "--budget", type=click.IntRange(min=1), metavar="N",
    help="Promise N random labels and judge once, when all are there: the fixed walk.",
)  # fmt: skip
@terms_options
@project_option
@json_option
def cutoff(
    claim: str,
    at: tuple[str, ...],
    start: str | None,
    terms: "Terms",
    folder: Path,
    as_json: bool,
) -> None:
    """Seal a ladder of cut-offs on the score; the best one that labels prove may be chosen.

    Recall is walked from the lowest cut-off up, precision from the highest down. Without a budget
    you may look whenever you like and go on to better cut-offs.

    \b
    Example:
      assaymark cutoff "recall >= 0.95" -p work
      assaymark cutoff "precision >= 0.9" --budget 600 -p work
    """
    from assaymark.composite.planning.cutting import seal_cutoff
    from assaymark.project.folder import Project

    project = Project(folder=folder)
    sealed = seal_cutoff(project, claim, terms, at=at, start=start)
    show_sealed(project, sealed, as_json=as_json)
