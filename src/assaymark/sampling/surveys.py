"""What every survey shares: opening it, handing out its items blind, and counting its labels."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assaymark import __version__
from assaymark.errors import PlanError
from assaymark.files.batch import BatchRow, refuse_existing, write_batch
from assaymark.hints import command, option
from assaymark.ledger.events import (
    Renewed,
    State,
    SurveyDrawn,
    SurveyedItem,
    SurveyOpened,
    SurveyWork,
    live_surveys,
    training_of,
)
from assaymark.pool.reserve import load_texts
from assaymark.pool.tables import file_digest, write_table
from assaymark.project.batch_files import write_new_batch
from assaymark.project.folder import Project, Session
from assaymark.records.pool import PoolFile
from assaymark.records.survey import Cell, Survey
from assaymark.sampling.tickets import blind_order

Texts = Mapping[str, Mapping[str, str | None]]


@dataclass(frozen=True, kw_only=True)
class CellLabels:
    """What the labels of one cell say so far. Skipped items count as drawn and labelled."""

    name: str
    items: int
    drawn: int
    labelled: int
    positives: int
    skipped: int


@dataclass(frozen=True, kw_only=True)
class SurveyBatch:
    """What was handed out for a survey. `known` items carry a label from before.

    `held` items follow when the labels are there that their chances are computed from; reviewers
    differ about `disputed` ones that are written again.
    """

    survey: int
    number: int
    items: tuple[str, ...]
    known: int
    path: Path | None
    held: int = 0
    disputed: int = 0


def find_survey(state: State, purpose: str, settings: Mapping[str, Any]) -> SurveyWork | None:
    """The latest survey for this purpose with these settings."""
    matching = (
        work
        for work in reversed(state.surveys)
        if work.survey.purpose == purpose and work.survey.settings == dict(settings)
    )
    return next(matching, None)


def ended_by_next(before: Sequence[SurveyWork], deadline: int | None) -> int | None:
    """The number of the survey whose deadline the next opening is: this many openings after its own."""
    if deadline is None or len(before) < deadline:
        return None
    return before[-deadline].survey.number


def refuse_used_seed(state: State, seed: str | None) -> None:
    """Refuse a seed that chose items before; the ledger would be one that nobody can verify."""
    if seed in state.seeds:
        raise PlanError(
            f"The seed {seed!r} was used in this project before: the same items would be drawn again, "
            f"and their labels are known. Use another seed, or leave {option('seed')} out."
        )


def fresh_seed(state: State, asked: str | None) -> str:
    """The seed that was asked for, if it was never used; otherwise 128 random bits."""
    refuse_used_seed(state, asked)
    return asked or secrets.token_hex(16)


def open_survey(
    session: Session,
    purpose: str,
    seed: str,
    *,
    cells: Iterable[tuple[str, int]],
    text: tuple[str, ...],
    settings: Mapping[str, Any],
    source: str | None = None,
    files: tuple[PoolFile, ...] = (),
) -> SurveyWork:
    """Record the next survey. `cells` are names with the number of items they hold."""
    survey = Survey(
        number=len(session.state.surveys) + 1,
        purpose=purpose,
        seed=seed,
        cells=tuple(Cell(name=name, items=items) for name, items in cells),
        text=text,
        source=source,
        files=files,
        settings=dict(settings),
    )
    session.record(SurveyOpened(survey=survey, software=__version__))
    return SurveyWork(survey=survey, opened_at=0)


def hand_out(
    project: Project,
    session: Session,
    work: SurveyWork,
    items: Sequence[SurveyedItem],
    texts: Texts,
    *,
    output: Path | None,
    write: bool = True,
    renewed: Sequence[Renewed] = (),
) -> SurveyBatch:
    """Record a batch of a survey, keep its texts in the project and write it for the annotators.

    The order of the rows tells nothing about the cells. `renewed` are chances that begin in it.
    """
    if not items:
        raise PlanError("Every item of the cells that matter was drawn already: none is left.")
    survey, number = work.survey, work.batches + 1
    file = Path("reserve") / f"survey-{survey.number}-{number}.parquet"
    order = blind_order(survey.seed, [item.id for item in items])
    store_texts(project.folder / file, order, texts, survey.text)
    drawn = SurveyDrawn(
        survey=survey.number,
        batch=number,
        items=tuple(items),
        file=file.as_posix(),
        sha256=file_digest(project.folder / file),
        renewed=tuple(renewed) or None,
    )
    wanted = [item for item in order if not session.state.labelled(item)]
    path = output or project.folder / f"survey-{survey.number}-{number}.csv"
    if wanted and write:
        rows: list[BatchRow] = [
            {"id": item, "label": "", **_text_columns(texts, item)} for item in wanted
        ]
        name = f"survey {survey.number}, batch {number}"
        write_new_batch(project.folder, name, path, rows, survey.text)
    session.record(drawn)
    return SurveyBatch(
        survey=survey.number,
        number=number,
        items=tuple(wanted),
        known=len(order) - len(wanted),
        path=path if wanted and write else None,
    )


def before_freeze(state: State, work: SurveyWork) -> bool:
    """Whether a classifier was frozen after the survey began: its strata are those of another pool."""
    training = training_of(state)
    return bool(training and training.freezes and work.opened_at < training.freezes[-1].seq)


def open_items(state: State, work: SurveyWork) -> list[str]:
    """The items of a survey that were handed out and have no settled label yet."""
    return [item for item in work.order if not state.labelled(item)]


def write_again(
    project: Project, state: State, work: SurveyWork, *, output: Path | None = None
) -> SurveyBatch:
    """Write the items of a survey again that have no label yet. Records nothing."""
    wanted = open_items(state, work)
    if not wanted:
        raise PlanError(
            f"Every item of survey {work.survey.number} ({work.survey.purpose}) has its label. "
            f"Where the project stands: {command('status')}."
        )
    path = output or _unused(project, work)
    refuse_existing(path)
    texts: dict[str, dict[str, str]] = {}
    for file in work.files:
        texts |= load_texts(project.folder / file.file, wanted, work.survey.text)
    rows: list[BatchRow] = [
        {"id": item, "label": "", **_text_columns(texts, item)} for item in wanted
    ]
    write_batch(path, rows, work.survey.text)
    return SurveyBatch(
        survey=work.survey.number,
        number=work.batches,
        items=tuple(wanted),
        known=0,
        path=path,
        disputed=sum(map(state.disputed, wanted)),
    )


def pending_survey(project: Project, *, output: Path | None = None) -> SurveyBatch | None:
    """The open items of the latest survey that has some, where no plan is open; None otherwise."""
    state = project.state()
    if state.attempt is not None and state.attempt.open:
        return None
    waiting = (work for work in reversed(live_surveys(state)) if open_items(state, work))
    work = next(waiting, None)
    return None if work is None else write_again(project, state, work, output=output)


def _unused(project: Project, work: SurveyWork) -> Path:
    number = 1
    while (path := project.folder / f"survey-{work.survey.number}-pending-{number}.csv").exists():
        number += 1
    return path


def _text_columns(texts: Texts, item: str) -> dict[str, str]:
    return {name: text or "" for name, text in texts.get(item, {}).items()}


def store_texts(path: Path, ids: Sequence[str], texts: Texts, columns: Sequence[str]) -> None:
    """Keep the texts of these items in a file of the project."""
    table: dict[str, Any] = {"id": list(ids)}
    for number, column in enumerate(columns):
        table[f"text_{number}"] = [texts.get(item, {}).get(column) or "" for item in ids]
    path.parent.mkdir(exist_ok=True)
    write_table(path, table)


def cell_labels(state: State, work: SurveyWork) -> tuple[CellLabels, ...]:
    """What the labels say so far, cell by cell."""
    inside: list[list[str]] = [[] for _ in work.survey.cells]
    for item in work.order:
        inside[work.cells[item]].append(item)
    cells = []
    for cell, items in zip(work.survey.cells, inside, strict=True):
        labels = [state.label(item) for item in items if state.labelled(item)]
        cells.append(
            CellLabels(
                name=cell.name,
                items=cell.items,
                drawn=len(items),
                labelled=len(labels),
                positives=sum(label == 1 for label in labels),
                skipped=sum(label is None for label in labels),
            )
        )
    return tuple(cells)
