"""Commands about claims of several rows: compare and cutoff."""

from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assaymark.composite.cli.shown import show_sealed
from assaymark.terminal.options import CONFIDENCE, FOLDER, JSON, argument, option, with_options
from assaymark.terminal.output import (
    progress_bar,
)

if TYPE_CHECKING:
    from assaymark.composite.planning.comparing import ComparisonRequest
    from assaymark.composite.planning.sealing import Terms
    from assaymark.records.pool import Columns


@dataclass(frozen=True, kw_only=True)
class NewPool:
    """The options of compare that a new project is made from."""

    pool: str | None = option("The file with both predictions; only for a new project.")
    id_column: str | None = option(
        "Column with the unique id of an item; only for a new project.", "--id", metavar="COL"
    )
    text: tuple[str, ...] = option(
        "Column that people read to label an item; repeatable.", metavar="COL"
    )
    groups: tuple[str, ...] = option(
        "Column that says which group an item is in; repeatable.", "--group", metavar="COL"
    )
    classes: bool = option("Predictions and labels are names of classes.")
    named: tuple[str, ...] = option("A class of the list; repeatable.", "--class", metavar="NAME")
    tags: bool = option("An item has any number of the classes, written a; b.")


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The options of compare that say what is compared."""

    a: str = option("Column with the predictions of classifier a, the one in use.", metavar="COL")
    b: tuple[str, ...] = option(
        "Column with the predictions of classifier b, the new one; repeatable, to ask which of "
        "several are better.",
        metavar="COL",
        required=True,
    )
    claim: str | None = option(
        "A claim about a and b in words, in place of --metric.", metavar="WORDS"
    )
    metric: str = option("Or recall, precision, f1, f2.", default="accuracy")
    margin: str | None = option(
        "Also prove that b is not worse than a by more than X, or that they differ by at most X.",
        metavar="X",
    )
    score_a: str | None = option("Column with the scores of a; needs --score-b.", metavar="COL")
    score_b: str | None = option("Column with the scores of b; needs --score-a.", metavar="COL")
    positive: str | None = option("The value that means relevant, if it is not 1.", metavar="NAME")
    only: str | None = option(
        "'better' or 'worse': prove this direction alone, with the whole risk of error.",
        metavar="WHICH",
    )


@dataclass(frozen=True, kw_only=True)
class Sealing:
    """What every claim of several rows is sealed with.

    Where labels end (`--budget`) reads differently in each command, so it stays with them.
    """

    confidence: float = CONFIDENCE
    one_by_one: bool = option(
        "Hand out one item at a time, each chosen from all labels so far; for a single reviewer."
    )
    new_risk: bool = option(
        "Claim again what was claimed before, with a second risk of error; what is stated covers both."
    )
    family: bool = option(
        "Share one risk of error among all claims on the pool that have this option."
    )
    commit: tuple[str, ...] = option(
        "Draw the seed jointly with the other side: the hash of its part, or 'own' for this side "
        "alone.",
        metavar="HASH",
    )
    beacon: str | None = option(
        "Take the seed from the next value of a public beacon.", metavar="NAME[:ROUND]"
    )
    seed: str | None = option("Decides every draw (default: 128 random bits).", metavar="TEXT")

    def terms(self, budget: int | None) -> "Terms":
        """The terms that end at this number of labels, if at any."""
        from assaymark.composite.planning.sealing import Terms

        values = {**vars(self), "lead": "one" if self.one_by_one else "several", "budget": budget}
        del values["one_by_one"]
        return Terms(**values)


@click.command()
@with_options
def compare(
    *,
    new: NewPool,
    compared: Compared,
    budget: int | None = option("The most labels to buy.", least=1, metavar="N"),
    sealing: Sealing,
    folder: Path = FOLDER,
    as_json: bool = JSON,
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

    wanted = ComparisonRequest(**vars(compared))
    begins = _is_new(folder, new)
    made = undone_if_refused(folder) if begins else nullcontext()
    with progress_bar("compare") as progress, made:
        if begins:
            columns = Columns(id=str(new.id_column), text=new.text, groups=new.groups or None)
            columns = _with_names(columns, wanted, new)
            init(folder, pool=str(new.pool), columns=columns, progress=progress)
        sealed = seal_comparison(Project(folder=folder), wanted, sealing.terms(budget))
    show_sealed(Project(folder=folder), sealed, as_json=as_json)


def _is_new(folder: Path, new: NewPool) -> bool:
    """Whether the project has to be made first."""
    from assaymark.project.place import is_project

    if is_project(folder):
        if new.pool is not None:
            _refuse_other_pool(folder, new.pool)
        return False
    if new.pool is None or new.id_column is None:
        raise click.UsageError("A new project needs its pool: add --pool FILE --id COL.")
    return True


def _with_names(columns: "Columns", request: "ComparisonRequest", new: NewPool) -> "Columns":
    """The columns with the names of classes or verdicts; a list holds what any of them predicts."""
    from assaymark.project.class_names import compared_columns

    return compared_columns(
        str(new.pool),
        replace(columns, positive=request.positive),
        predicted_by=(request.a, *request.b),
        classes=new.classes,
        named=new.named,
        tags=new.tags,
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
@with_options
def cutoff(
    *,
    claim: str = argument(),
    at: tuple[str, ...] = option("A cut-off to consider; repeatable.", metavar="X"),
    start: str | None = option("The first cut-off to test; easier ones are left out.", metavar="X"),
    budget: int | None = option(
        "Label N random items and judge once, when all N labels are there.", least=1, metavar="N"
    ),
    sealing: Sealing,
    folder: Path = FOLDER,
    as_json: bool = JSON,
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
    sealed = seal_cutoff(project, claim, sealing.terms(budget), at=at, start=start)
    show_sealed(project, sealed, as_json=as_json)
