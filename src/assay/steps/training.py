"""Train a classifier on labels of the project: hand items out, refit, be advised, hand out more."""

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay import __version__
from assay.errors import InputError, PlanError
from assay.events import (
    ModelTrained,
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
from assay.pool import Progress, silent
from assay.stats.policy import advise
from assay.steps.project import Project, Session, collection_of
from assay.steps.survey import SurveyBatch, hand_out, open_survey
from assay.steps.training_material import Material, material, refuse_untrainable
from assay.steps.training_seeds import read_seeds
from assay.steps.training_settings import TrainWish, changed_settings, first_settings
from assay.steps.training_told import told_of
from assay.text.choosing import ChosenRow, next_rows
from assay.text.training import Study, TooFewLabelsError, study
from assay.types.record import plain
from assay.types.results import counted
from assay.types.survey import Cell, Survey
from assay.types.training import Advice
from assay.types.training_settings import CELLS, TrainingSettings

FIRST, STEP = 50, 20


@dataclass(frozen=True, kw_only=True)
class Trained:
    """What one round of training did. `told` is where the training stands now.

    `reason` says why no model could be trained, or why nothing was handed out.
    """

    told: dict[str, Any]
    batch: SurveyBatch | None
    begun: bool
    refitted: bool
    advice: Advice | None
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class Where:
    """Where a batch is written, if at all: people who label on the page need no file."""

    output: Path | None
    write: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class Refit:
    """A model of the labels of one moment; None with a reason where they are too few."""

    digest: str
    study: Study | None
    advice: Advice | None
    event: ModelTrained | None
    reason: str | None = None
    hunch: NDArray[np.float64] | None = None


def train(
    project: Project,
    wish: TrainWish,
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
        return _begin(project, state, wish, output=output, progress=progress)
    settings = changed_settings(settings_of(work), wish, labels=len(training_labels(state, work)))
    seen = _standing(work)
    with material(project, collection_of(state), settings.learner, progress=progress) as found:
        refit = refit_on(state, work, settings, found, progress=progress)
        with project.writing() as session:
            work = _same_work(session.state, seen)
            if labels_digest(training_labels(session.state, work)) != refit.digest:
                # labels came in meanwhile; now nobody can write
                refit = refit_on(session.state, work, settings, found, progress=progress)
            if settings != work.training:
                session.record(TrainingChanged(survey=work.survey.number, settings=settings))
            if refit.event is not None:
                session.record(refit.event)
            chosen, reason = _next(session.state, work, settings, refit, found, wish)
            where = Where(output=output, write=write)
            batch = _hand(project, session, work, chosen, found, where) if chosen else None
    after = project.state()
    return Trained(
        told=told_of(after, after.surveys[work.survey.number - 1]),
        batch=batch,
        begun=False,
        refitted=refit.event is not None,
        advice=refit.advice,
        reason=" ".join(text for text in (refit.reason, reason) if text) or None,
    )


def training_now(project: Project) -> dict[str, Any]:
    """Where the training stands. Fits nothing and records nothing."""
    state = project.state()
    return told_of(state, required(state))


def required(state: State) -> SurveyWork:
    """The training of the project; refused where there is none."""
    work = training_of(state)
    if work is None:
        raise PlanError(
            'This project has no training yet. Begin one: assay train "f1 >= 0.75" --budget 3000.'
        )
    return work


def refuse_closed(state: State) -> None:
    """Refuse to train while a plan is open or a classifier is frozen."""
    attempt = state.attempt
    if attempt is not None and attempt.open:
        raise PlanError(
            f'Training is over while plan {attempt.plan.number} ("{attempt.plan.claim}") is open: its '
            "labels must not train what they judge. Go on with assay draw, label and look; when the "
            "plan has ended (assay plan --abandon REASON gives it up), training can go on."
        )
    if is_frozen(state):
        raise PlanError(
            "Training is over: the classifier is frozen, and its certification plan is not sealed "
            "yet. Seal it: assay train --stop."
        )


def _standing(work: SurveyWork) -> tuple[object, ...]:
    """What another round of training would have changed."""
    return len(work.models), work.batches, work.training


def _same_work(state: State, seen: tuple[object, ...]) -> SurveyWork:
    refuse_closed(state)
    work = required(state)
    if _standing(work) != seen:
        raise PlanError(
            "Another assay train ran at the same moment, and this one recorded nothing. See what the "
            "other one said: assay train --status."
        )
    return work


def _begin(
    project: Project, state: State, wish: TrainWish, *, output: Path | None, progress: Progress
) -> Trained:
    settings = first_settings(wish)
    collection = collection_of(state)
    refuse_untrainable(collection)
    _refuse_seed(state, wish.seed)
    with material(project, collection, settings.learner, progress=progress) as found:
        free = len(found.ids)
        if settings.population == "future":
            free -= sum(set_aside(settings, item) for item in found.ids)
        with project.writing() as session:
            refuse_closed(session.state)
            if training_of(session.state) is not None:
                raise PlanError(
                    "Another assay train began this training at the same moment. See where it "
                    "stands: assay train --status."
                )
            survey = Survey(
                number=len(session.state.surveys) + 1,
                purpose="training",
                seed=wish.seed or secrets.token_hex(16),
                cells=tuple(Cell(name=name, items=free) for name in CELLS),
                text=collection.columns.text,
                settings={"training": plain(settings)},
            )
            work = open_survey(session, survey)
            work.training = settings
            nothing = Refit(digest="", study=None, advice=None, event=None)
            chosen, _ = _next(session.state, work, settings, nothing, found, wish)
            if not chosen:
                raise PlanError(
                    "No item of the collection is left to train on: earlier plans drew them all."
                )
            batch = _hand(project, session, work, chosen, found, Where(output=output, write=True))
    after = project.state()
    return Trained(
        told=told_of(after, after.surveys[-1]),
        batch=batch,
        begun=True,
        refitted=False,
        advice=None,
        reason=None,
    )


def _refuse_seed(state: State, seed: str | None) -> None:
    used = {a.plan.seed for a in state.attempts} | {w.survey.seed for w in state.surveys}
    if seed in used:
        raise PlanError(
            f"The seed {seed!r} was used before on this pool. Use another, or leave --seed out."
        )


def refit_on(
    state: State,
    work: SurveyWork,
    settings: TrainingSettings,
    found: Material,
    *,
    progress: Progress,
) -> Refit:
    """Fit and cross-validate on the labels of this state; a model that is on record is not new."""
    labels = training_labels(state, work)
    digest = labels_digest(labels)
    rows = found.rows(labels)
    truth = np.array(list(labels.values()), dtype=np.int64) == 1
    random = np.array([CELLS[work.cells[item]] == "random" for item in labels], dtype=np.bool_)
    inside = found.certified(work)
    try:
        made = study(
            found.documents,
            rows,
            truth,
            random,
            settings.goal.claim,
            pool=inside if inside.any() else None,
            progress=progress,
        )
    except TooFewLabelsError as error:
        hunch = _hunch(found, rows, truth, settings, progress)
        return Refit(
            digest=digest, study=None, advice=None, event=None, reason=str(error), hunch=hunch
        )
    earlier = [event for _, _, event in work.models]
    name = found.documents.name
    last = earlier[-1] if earlier else None
    # the bands move when items are handed out; the classifier is the same
    same = (digest, name, made.look.counts, made.look.threshold)
    known = last is not None and _identity(last) == same
    looks = [event.look for event in earlier if event.labels < made.look.labels]
    advice = advise(settings.goal, [*looks, made.look])
    event = ModelTrained(
        survey=work.survey.number,
        number=len(earlier) + 1,
        labels=len(labels),
        digest=digest,
        learner=name,
        look=made.look,
        advice=advice,
        software=__version__,
    )
    return Refit(digest=digest, study=made, advice=advice, event=None if known else event)


def _identity(event: ModelTrained) -> tuple[object, ...]:
    """What tells one model from another."""
    return event.digest, event.learner, event.look.counts, event.look.threshold


def _hunch(
    found: Material,
    rows: NDArray[np.int64],
    truth: NDArray[np.bool_],
    settings: TrainingSettings,
    progress: Progress,
) -> NDArray[np.float64] | None:
    """Scores to choose active items by before anything can be cross-validated; never on record."""
    if settings.sampling == "random" or not truth.any() or truth.all():
        return None
    raw = found.documents.fit(rows, truth).everywhere(progress)
    return 1 / (1 + np.exp(-np.clip(raw, -30, 30)))


def _next(
    state: State,
    work: SurveyWork,
    settings: TrainingSettings,
    refit: Refit,
    found: Material,
    wish: TrainWish,
) -> tuple[tuple[ChosenRow, ...], str | None]:
    """The rows to hand out next, or why there are none."""
    taken = found.marked([*state.claimed, *work.order])
    if settings.population == "future":
        taken |= found.certified(work)
    if wish.seeds is not None:
        return _seeds(wish.seeds, found, taken, work), None
    insist = wish.insist or wish.batch is not None
    waiting = sum(not state.labelled(item) for item in work.order)
    if waiting and not insist:
        differ = sum(state.disputed(item) for item in work.order)
        why = f" ({differ:,} because annotators differ)" if differ else ""
        return (), (
            f"{counted(waiting, 'item')} that training handed out "
            f"{'waits' if waiting == 1 else 'wait'} for a label{why}, so no more were handed out."
        )
    if refit.advice is not None and refit.advice.action == "certify" and not insist:
        return (), None
    number = _how_many(settings, work, refit)
    if number < 1:
        return (), "The budget is used up, so no more items were handed out."
    chosen = next_rows(
        found.order(work.survey.seed),
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
    if settings.batch is not None:
        return int(min(settings.batch, most))
    if advice is None:
        return int(min(max(FIRST, handed // 2), most))
    number = max(STEP, advice.next_look - advice.labels)
    if advice.until is not None and advice.until > advice.labels:
        number = min(number, advice.until - advice.labels)
    return int(min(number, most))


def _seeds(
    path: Path, found: Material, taken: NDArray[np.bool_], work: SurveyWork
) -> tuple[ChosenRow, ...]:
    """The items somebody names; they count as active."""
    ids = read_seeds(path)
    strange = [item for item in ids if item not in found.place]
    if strange:
        raise InputError(
            f"The collection does not hold {counted(len(strange), 'item')} of {path.name!r} (the "
            f"first is {strange[0]!r}). Give ids of the collection, one in each line."
        )
    fresh = [item for item in ids if not taken[found.place[item]]]
    if not fresh:
        known = sum(item in work.cells for item in ids)
        why = "were handed out before" if known == len(ids) else "are kept for certification"
        raise InputError(f"All {counted(len(ids), 'item')} of {path.name!r} {why}.")
    return tuple(ChosenRow(row=found.place[item], random=False) for item in fresh)


def _hand(
    project: Project,
    session: Session,
    work: SurveyWork,
    chosen: Sequence[ChosenRow],
    found: Material,
    where: "Where",
) -> SurveyBatch:
    items = [
        SurveyedItem(
            id=str(found.ids[one.row]), cell=CELLS.index("random" if one.random else "active")
        )
        for one in chosen
    ]
    texts = found.pool.texts([item.id for item in items])
    return hand_out(project, session, work, items, texts, output=where.output, write=where.write)
