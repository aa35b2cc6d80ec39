"""Begin a project from a table: register it, and take the first step towards what is asked."""

import contextlib
import re
import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assaymark.claims.ratio_metrics import parse_claim
from assaymark.composite.drawing import draw_for_claim
from assaymark.composite.planning.comparing import ComparisonRequest, seal_comparison
from assaymark.composite.planning.sealing import Terms
from assaymark.errors import InputError
from assaymark.estimation.planning import EstimateRequest
from assaymark.estimation.survey import draw_estimate, open_estimate
from assaymark.labelling.settings import Settings, write_settings
from assaymark.pool.named_files import TooManyNamesError
from assaymark.pool.preview import Table
from assaymark.project.attachments import FOLDER, Attachments, unclear_names
from assaymark.project.class_names import with_classes, with_verdicts
from assaymark.project.folder import Project
from assaymark.project.place import is_project
from assaymark.project.registration import init
from assaymark.records.pool import Columns
from assaymark.reviewing.handing import next_items
from assaymark.reviewing.starting import Start, start
from assaymark.training.freeze import train_on
from assaymark.training.settings import TrainingRequest
from assaymark.triaging.survey import LabelRequest, draw_labels
from assaymark.web.numbers import count_of, share_of

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
FIRST_RECORDS = 50
RESERVED = {"tables"}


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """What somebody asked for: the table, its columns, the purpose and the numbers it needs.

    `attachments` are pictures and PDFs that were uploaded beside the table. `screened` is a table of
    decisions that were made in another tool; with `classes` the classifier's decisions are names of
    classes.
    """

    table: Path
    title: str
    columns: Columns
    purpose: str
    asked: Mapping[str, Any]
    screened: Path | None = None
    attachments: Attachments | None = None
    classes: bool = False


def begin(home: Path, beginning: Beginning) -> tuple[str, str]:
    """Make the project; its folder's name and the page to go on with. All of it or nothing."""
    if beginning.purpose not in PURPOSES:
        raise InputError("Choose what you want to find out.")
    name = free_name(home, beginning.title)
    folder = home / name
    try:
        page = PURPOSES[beginning.purpose](folder, str(beginning.table), beginning)
        _attach(folder, beginning)
        write_settings(folder, Settings(title=beginning.title.strip()[:80]))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return name, page


def _attach(folder: Path, beginning: Beginning) -> None:
    """Give the project the files that were uploaded beside its table."""
    if beginning.attachments is None or not beginning.attachments.begun:
        return
    unclear: Collection[str] = ()
    with Table(beginning.table) as table, contextlib.suppress(TooManyNamesError):
        unclear = unclear_names(table.file_names(beginning.columns.text))
    beginning.attachments.copy_to(folder / FOLDER, without=unclear)


def free_name(home: Path, title: str) -> str:
    """A folder for a project of this title that is not taken yet.

    >>> free_name(Path("/nowhere"), "Tickets about refunds")
    'tickets-about-refunds'
    """
    stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:50] or "project"
    number, name = 1, stem
    while (home / name).exists() or name in RESERVED:
        number += 1
        name = f"{stem}-{number}"
    return name


def projects_in(home: Path) -> dict[str, Path]:
    """The projects that lie in this folder, by the names of their folders."""
    return {
        path.name: path
        for path in sorted(home.iterdir())
        if NAME.fullmatch(path.name) and path.is_dir() and is_project(path)
    }


def columns_for(purpose: str, columns: Columns) -> Columns:
    """The columns that must be in order for this purpose; what is wrong with another one stops nothing."""
    if purpose in ("compare", "review", "train"):
        return Columns(id=columns.id, text=columns.text)
    return columns


def _registered(folder: Path, pool: str, columns: Columns) -> Project:
    init(folder, pool=pool, columns=with_verdicts(pool, columns))
    return Project(folder=folder)


def _prove(folder: Path, pool: str, beginning: Beginning) -> str:
    _registered(folder, pool, _named(pool, beginning))
    return "/plan"


def _named(pool: str, beginning: Beginning) -> Columns:
    """The columns, with the classes that are predicted where decisions are names of classes."""
    columns = beginning.columns
    if not beginning.classes or columns.prediction is None:
        return columns
    return with_classes(pool, columns, predicted_by=[columns.prediction])


def _estimate(folder: Path, pool: str, beginning: Beginning) -> str:
    budget = count_of(beginning.asked, "budget")
    within = None if budget is not None else share_of(beginning.asked, "within")
    metric = str(beginning.asked.get("metric") or "accuracy")
    asked = EstimateRequest(metric=metric, within=within, budget=budget)
    project = _registered(folder, pool, _named(pool, beginning))
    open_estimate(project, asked)
    draw_estimate(project, write=False)
    return "/watch"


def _compare(folder: Path, pool: str, beginning: Beginning) -> str:
    a, b = str(beginning.asked.get("a") or ""), str(beginning.asked.get("b") or "")
    if not a or not b:
        raise InputError("Choose the two columns of predictions to compare.")
    metric = str(beginning.asked.get("metric") or "accuracy")
    positive = str(beginning.asked.get("positive") or "") or None
    asked = ComparisonRequest(a=a, b=(b,), metric=metric, positive=positive)
    project = _registered(folder, pool, columns_for("compare", beginning.columns))
    seal_comparison(project, asked, Terms())
    draw_for_claim(project, write=False)
    return "/watch"


def _review(folder: Path, pool: str, beginning: Beginning) -> str:
    recall = share_of(beginning.asked, "target") or 0.9
    columns = beginning.columns
    terms, known = (_listed(beginning.asked, name) for name in ("terms", "known"))
    asked = Start(
        pool=pool,
        id=columns.id,
        text=columns.text,
        recall=f"{recall:g}",
        score=columns.score,
        terms=terms,
        known=known or None,
        screened=() if beginning.screened is None else (str(beginning.screened),),
        decisions="open",
        twice=f"{share_of(beginning.asked, 'twice') or 0:g}",
    )
    start(folder, asked)
    next_items(Project(folder=folder), count=FIRST_RECORDS, write=False)
    return "/review"


def _listed(asked: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """What somebody typed with commas between."""
    return tuple(part.strip() for part in str(asked.get(name) or "").split(",") if part.strip())


def _triage(folder: Path, pool: str, beginning: Beginning) -> str:
    target, labels = share_of(beginning.asked, "target"), count_of(beginning.asked, "budget")
    if target is None or labels is None:
        raise InputError(
            "Say how accurate automatic decisions must be, and how many labels to buy."
        )
    asked = LabelRequest(target=target, labels=labels)
    project = _registered(folder, pool, beginning.columns)
    draw_labels(project, asked)
    return "/watch"


def _train(folder: Path, pool: str, beginning: Beginning) -> str:
    target, budget = share_of(beginning.asked, "target"), count_of(beginning.asked, "budget")
    if target is None:
        raise InputError("Say what the classifier should reach, such as 75 %.")
    metric = str(beginning.asked.get("metric") or "f1")
    asked = TrainingRequest(claim=parse_claim(f"{metric} >= {target:g}"), budget=budget)
    if not beginning.columns.text:
        raise InputError("A classifier learns from texts: choose at least one text column.")
    columns = columns_for("train", beginning.columns)
    train_on(_registered(folder, pool, columns), asked, write=False)
    return "/watch"


PURPOSES: dict[str, Callable[[Path, str, Beginning], str]] = {
    "prove": _prove,
    "estimate": _estimate,
    "compare": _compare,
    "review": _review,
    "triage": _triage,
    "train": _train,
}
"""What somebody wants to find out -> the first steps towards it, and the page they lead to."""
