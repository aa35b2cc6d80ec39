"""Train a classifier on labels of the project: hand items out, refit, be advised, hand out more."""

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.pictures import html_answer
from assaymark.claims.record import plain
from assaymark.claims.results import counted
from assaymark.errors import InputError, PlanError
from assaymark.hints import command
from assaymark.learners.active_selection import ChosenRow, next_rows
from assaymark.ledger.events import (
    State,
    SurveyedItem,
    SurveyWork,
    TrainingChanged,
    is_frozen,
    labels_digest,
    set_aside,
    settings_of,
    training_labels,
    training_of,
)
from assaymark.pool import Progress, silent
from assaymark.project.folder import Project, Session, collection_of
from assaymark.project.purpose import refuse_review
from assaymark.records.training import CELLS, Advice, TrainingSettings
from assaymark.sampling.surveys import (
    SurveyBatch,
    fresh_seed,
    hand_out,
    open_survey,
    refuse_used_seed,
)
from assaymark.training.material import Material, open_material, refuse_untrainable_pool
from assaymark.training.refit import Refit, refit_on
from assaymark.training.settings import (
    TrainingRequest,
    changed_settings,
    changes,
    first_settings,
)
from assaymark.training.summary import TrainingSummary, training_summary


@dataclass(frozen=True, kw_only=True)
class Trained:
    """What one round of training did. `summary` is where the training stands now.

    `reason` says why no model could be trained, or why nothing was handed out; `changed` names the
    settings that this round recorded with another value.
    """

    summary: TrainingSummary
    batch: SurveyBatch | None
    begun: bool
    refitted: bool
    advice: Advice | None
    reason: str | None
    changed: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join(filter(None, (self.summary.sentence, self.reason)))

    def _repr_html_(self) -> str:
        rows = [("labels", f"{self.summary.labels:,}"), ("relevant", f"{self.summary.positives:,}")]
        return html_answer(str(self), rows, None)


@dataclass(frozen=True, kw_only=True)
class Where:
    """Where a batch is written, if at all: people who label on the page need no file."""

    output: Path | None
    write: bool


def train(
    project: Project,
    request: TrainingRequest,
    *,
    output: Path | None = None,
    write: bool = True,
    progress: Progress = silent,
) -> Trained:
    """One round: refit on all training labels, record the model, hand out the next items.

    The first round seals the aim and the population and hands out random items.
    """
    state = project.state()
    refuse_closed(state)
    work = training_of(state)
    if work is None:
        return _begin(project, state, request, output=output, progress=progress)
    before = settings_of(work)
    settings = changed_settings(before, request, labels=len(training_labels(state, work)))
    revision = revision_of(work)
    with open_material(
        project, collection_of(state), settings.learner, progress=progress
    ) as material:
        refit = refit_on(state, work, settings, material, progress=progress)
        with project.writing() as session:
            work = _same_work(session.state, revision)
            if labels_digest(training_labels(session.state, work)) != refit.digest:
                # labels came in meanwhile; now nobody can write
                refit = refit_on(session.state, work, settings, material, progress=progress)
            if settings != work.training:
                session.record(TrainingChanged(survey=work.survey.number, settings=settings))
            if refit.event is not None:
                session.record(refit.event)
            chosen, reason = next_items(session.state, work, settings, refit, material, request)
            where = Where(output=output, write=write)
            batch = _hand(project, session, work, chosen, material, where) if chosen else None
    after = project.state()
    return Trained(
        summary=training_summary(after, after.surveys[work.survey.number - 1]),
        batch=batch,
        begun=False,
        refitted=refit.event is not None,
        advice=refit.advice,
        reason=" ".join(text for text in (refit.reason, reason) if text) or None,
        changed=changes(before, settings),
    )


def training_now(project: Project) -> TrainingSummary:
    """Where the training stands. Fits nothing and records nothing."""
    state = project.state()
    return training_summary(state, required(state))


def required(state: State) -> SurveyWork:
    """The training of the project; refused where there is none."""
    work = training_of(state)
    if work is None:
        raise PlanError(
            f"This project has no training yet. Begin one: {command('train', 'f1 >= 0.75', budget=3000)}."
        )
    return work


def refuse_closed(state: State) -> None:
    """Refuse to train while a plan is open or a classifier is frozen."""
    attempt = state.attempt
    if attempt is not None and attempt.open:
        raise PlanError(
            f'Training is over while plan {attempt.plan.number} ("{attempt.plan.claim}") is open: its '
            f"labels must not train what they judge. Go on with {command('draw')}, label and look; when the "
            f"plan has ended ({command('plan', abandon='REASON')} gives it up), training can go on."
        )
    if is_frozen(state):
        raise PlanError(
            "Training is over: the classifier is frozen, and its certification plan is not sealed "
            f"yet. Seal it: {command('train', stop=True)}."
        )


def revision_of(work: SurveyWork) -> tuple[object, ...]:
    """What another round of training would have changed."""
    return len(work.models), work.batches, work.training


def _same_work(state: State, revision: tuple[object, ...]) -> SurveyWork:
    refuse_closed(state)
    work = required(state)
    if revision_of(work) != revision:
        raise PlanError(
            f"Another training step ran at the same moment, and this one recorded nothing. See what the "
            f"other one said: {command('train', status=True)}."
        )
    return work


def _begin(
    project: Project,
    state: State,
    request: TrainingRequest,
    *,
    output: Path | None,
    progress: Progress,
) -> Trained:
    refuse_review(state)
    settings = first_settings(request)
    collection = collection_of(state)
    refuse_untrainable_pool(collection)
    refuse_used_seed(state, request.seed)  # before the texts are read
    with open_material(project, collection, settings.learner, progress=progress) as material:
        free = len(material.ids)
        if settings.population == "future":
            free -= sum(set_aside(settings, item) for item in material.ids)
        with project.writing() as session:
            refuse_closed(session.state)
            if training_of(session.state) is not None:
                raise PlanError(
                    f"Another process began this training at the same moment. See where it "
                    f"stands: {command('train', status=True)}."
                )
            work = open_survey(
                session,
                "training",
                fresh_seed(session.state, request.seed),
                cells=[(name, free) for name in CELLS],
                text=collection.columns.text,
                settings={"training": plain(settings)},
            )
            work.training = settings
            nothing = Refit(digest="", study=None, advice=None, event=None)
            chosen, _ = next_items(session.state, work, settings, nothing, material, request)
            if not chosen:
                raise PlanError(
                    "No item of the collection is left to train on: earlier plans drew them all."
                )
            batch = _hand(
                project, session, work, chosen, material, Where(output=output, write=True)
            )
    after = project.state()
    return Trained(
        summary=training_summary(after, after.surveys[-1]),
        batch=batch,
        begun=True,
        refitted=False,
        advice=None,
        reason=None,
    )


def _hand(
    project: Project,
    session: Session,
    work: SurveyWork,
    chosen: Sequence[ChosenRow],
    material: Material,
    where: "Where",
) -> SurveyBatch:
    items = [
        SurveyedItem(
            id=str(material.ids[one.row]), cell=CELLS.index("random" if one.random else "active")
        )
        for one in chosen
    ]
    texts = material.pool.texts([item.id for item in items])
    return hand_out(project, session, work, items, texts, output=where.output, write=where.write)


FIRST, STEP = 50, 20


def next_items(
    state: State,
    work: SurveyWork,
    settings: TrainingSettings,
    refit: Refit,
    material: Material,
    request: TrainingRequest,
) -> tuple[tuple[ChosenRow, ...], str | None]:
    """The rows to hand out next, or why there are none."""
    taken = material.marked([*state.claimed, *work.order])
    if settings.population == "future":
        taken |= material.certified(work)
    if request.seeds is not None:
        return _seeds(request.seeds, material, taken, work), None
    insist = request.batch is not None if request.insist is None else request.insist
    waiting = sum(not state.labelled(item) for item in work.order)
    if waiting and not insist:
        differ = sum(state.disputed(item) for item in work.order)
        why = f" ({differ:,} because reviewers differ)" if differ else ""
        return (), (
            f"{counted(waiting, 'item')} that training handed out "
            f"{'waits' if waiting == 1 else 'wait'} for a label{why}, so no more were handed out."
        )
    if refit.advice is not None and refit.advice.action != "train" and not insist:
        return (), None
    number = _how_many(settings, work, refit)
    if number < 1:
        return (), "The budget is used up, so no more items were handed out."
    chosen = next_rows(
        material.order(work.survey.seed),
        taken,
        number=number,
        sampling=settings.sampling,
        scores=refit.study.scores if refit.study else refit.hunch,
        threshold=refit.study.look.threshold if refit.study else 0.5,
    )
    if not chosen:
        return (), "No item of the collection is left that training may take."
    return chosen, None


def _how_many(settings: TrainingSettings, work: SurveyWork, refit: Refit) -> int:
    handed, advice = len(work.order), refit.advice
    budget = settings.goal.budget
    most = math.inf if budget is None else budget - handed
    if advice is None:
        return int(min(settings.batch or max(FIRST, handed // 2), most))
    number = settings.batch or max(STEP, advice.next_look - advice.labels)
    if advice.until is not None and advice.until > advice.labels:
        left = advice.until - advice.labels
        # a few items more are better than another round for them
        number = min(number, max(left, STEP))
    return int(min(number, most))


def _seeds(
    path: Path, material: Material, taken: NDArray[np.bool_], work: SurveyWork
) -> tuple[ChosenRow, ...]:
    """The items somebody names; they count as active."""
    ids = _read_seeds(path)
    strange = [item for item in ids if item not in material.place]
    if strange:
        raise InputError(
            f"The collection does not hold {counted(len(strange), 'item')} of {path.name!r} (the "
            f"first is {strange[0]!r}). Give ids of the collection, one in each line."
        )
    fresh = [item for item in ids if not taken[material.place[item]]]
    if not fresh:
        known = sum(item in work.cells for item in ids)
        why = "were handed out before" if known == len(ids) else "are kept for certification"
        raise InputError(f"All {counted(len(ids), 'item')} of {path.name!r} {why}.")
    return tuple(ChosenRow(row=material.place[item], random=False) for item in fresh)


def _read_seeds(path: Path) -> list[str]:
    """The ids of a file: its column 'id', or one id in each line; each once."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"The file {str(path)!r} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"The file {str(path)!r} is not UTF-8 text.") from error
    lines = [line for line in text.splitlines() if line.strip()]
    header = next(csv.reader(lines[:1]), [])
    if "id" in header:
        place = header.index("id")
        rows = csv.reader(lines[1:])
        ids = [row[place].strip() for row in rows if len(row) > place]
    else:
        ids = [line.strip() for line in lines]
    items = [item for item in dict.fromkeys(ids) if item]
    if not items:
        raise InputError(
            f"{path.name!r} names no item. Give one id in each line, or a column 'id'."
        )
    return items
