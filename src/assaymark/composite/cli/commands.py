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
            help="Take the seed from the next value of a public beacon.",
        ),
        click.option(
            "--commit", multiple=True, metavar="HASH",
            help=
                "Draw the seed jointly with the other side: the hash of its part, or 'own' for "
                "this side alone.",
        ),
        click.option(
            "--family", is_flag=True, help=
                "Share one risk of error among all claims on the pool that have this option."
        ),
        click.option(
            "--new-risk", is_flag=True,
            help=
                "Claim again what was claimed before, with a second risk of error; what is "
                "stated covers both.",
        ),
        click.option(
            "--one-by-one", is_flag=True,
            help=
                "Hand out one item at a time, each chosen from all labels so far; for a single "
                "reviewer.",
        ),
        confidence_option,
    ):  # fmt: skip
        command = option(command)
    return command


@click.command()
@click.option("--pool", help="The file with both predictions; only for a new project.")
@click.option(
    "--id",
    "id_column",
    metavar="COL",
    help="Column with the unique id of an item; only for a new project.",
)
@click.option(
    "--a",
    "a",
    required=True,
    metavar="COL",
    help="Column with the predictions of classifier a, the one in use.",
)
@click.option(
    "--b", "b", required=True, multiple=True, metavar="COL",
    help=
        "Column with the predictions of classifier b, the new one; repeatable, to ask which of "
        "several are better.",
)  # fmt: skip
@click.option(
    "--claim", metavar="WORDS", help="A claim about a and b in words, in place of --metric."
)
@click.option("--classes", is_flag=True, help="Predictions and labels are names of classes.")
@click.option(
    "--class", "named", multiple=True, metavar="NAME", help="A class of the list; repeatable."
)
@click.option("--tags", is_flag=True, help="An item has any number of the classes, written a; b.")
@click.option(
    "--group",
    "groups",
    multiple=True,
    metavar="COL",
    help="Column that says which group an item is in; repeatable.",
)
@click.option("--budget", type=click.IntRange(min=1), metavar="N", help="The most labels to buy.")
@click.option(
    "--metric", default="accuracy", show_default=True, help="Or recall, precision, f1, f2."
)
@click.option(
    "--margin",
    metavar="X",
    help="Also prove that b is not worse than a by more than X, or that they differ by at most X.",
)
@click.option("--score-a", metavar="COL", help="Column with the scores of a; needs --score-b.")
@click.option("--score-b", metavar="COL", help="Column with the scores of b; needs --score-a.")
@click.option(
    "--text",
    multiple=True,
    metavar="COL",
    help="Column that people read to label an item; repeatable.",
)
@click.option("--positive", metavar="NAME", help="The value that means relevant, if it is not 1.")
@click.option(
    "--only",
    metavar="WHICH",
    help="'better' or 'worse': prove this direction alone, with the whole risk of error.",
)
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
        raise click.UsageError("A new project needs its pool: add --pool FILE --id COL.")
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
@click.option("--start", metavar="X", help="The first cut-off to test; easier ones are left out.")
@click.option(
    "--budget", type=click.IntRange(min=1), metavar="N",
    help="Label N random items and judge once, when all N labels are there.",
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
