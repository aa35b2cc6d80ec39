"""Stop training: freeze the classifier, score what is to be certified, seal the plan that judges it."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assaymark import __version__
from assaymark.certification.drawing import Batch, draw_batch
from assaymark.certification.planning import PlanRequest, make_plan
from assaymark.certification.sealing import refuse_spent, seal_plan
from assaymark.claims.results import counted
from assaymark.errors import InputError, PlanError
from assaymark.hints import command, option
from assaymark.ledger.events import (
    ClassifierFrozen,
    ModelTrained,
    State,
    SurveyWork,
    is_frozen,
    labels_digest,
    population_sentence,
    settings_of,
    training_labels,
)
from assaymark.pool import Progress, silent
from assaymark.project.folder import SCORES, Project, collection_of
from assaymark.records.modes import OFFERED
from assaymark.records.plan import Expectation, Plan
from assaymark.records.pool import RegisteredPool
from assaymark.records.training import single
from assaymark.training.material import open_material
from assaymark.training.refit import Refit, refit_on
from assaymark.training.rounds import Trained, refuse_closed, required, revision_of, train
from assaymark.training.scored_files import (
    decisions_file,
    registered_scores,
    write_decisions,
    write_scored,
)
from assaymark.training.scoring import save_model
from assaymark.training.sealed_cost import SealedCost, sealed_cost
from assaymark.training.settings import TrainingRequest
from assaymark.training.training_advice import advice_of

Agree = Callable[[SealedCost], bool]


class NotAgreedError(Exception):
    """Whoever was asked saw what the freeze would cost and said no; nothing was recorded."""


@dataclass(frozen=True, kw_only=True)
class Stopped:
    """The frozen classifier and the plan that will judge it. `left` labels of the budget remain.

    `unsettled` items were handed out for training and have no label: they trained nothing.
    `sentence` says what a certificate is about; `cost` is what was shown before the freeze.
    """

    frozen: ClassifierFrozen
    plan: Plan
    cost: SealedCost
    left: int | None
    unsettled: int
    sentence: str
    batch: Batch | None = None


@dataclass(frozen=True, kw_only=True)
class _PlanOptions:
    """What somebody asks of the plan; None where the goal of the training decides."""

    mode: str | None
    labels: int | None
    seed: str | None
    family: bool


@dataclass(frozen=True, kw_only=True)
class Round:
    """A round of training, and the freeze that it led to by itself."""

    trained: Trained
    stopped: Stopped | None


def train_on(
    project: Project,
    request: TrainingRequest,
    *,
    output: Path | None = None,
    write: bool = True,
    progress: Progress = silent,
) -> Round:
    """A round of training; with `auto_certify`, freeze, seal and draw as soon as it is advised."""
    done = train(project, request, output=output, write=write, progress=progress)
    ready = done.advice is not None and done.advice.action == "certify" and done.batch is None
    stopped = None
    if ready and done.summary.auto_certify and not done.summary.waiting:
        stopped = stop_training(project, draw=True, write=write, progress=progress)
    return Round(trained=done, stopped=stopped)


def stop_training(
    project: Project,
    *,
    mode: str | None = None,
    labels: int | None = None,
    seed: str | None = None,
    family: bool = False,
    draw: bool = False,
    write: bool = True,
    agree: Agree = lambda _cost: True,
    progress: Progress = silent,
) -> Stopped:
    """Freeze the classifier of the labels as they are and seal its certification plan.

    `agree` is asked with what the plan will cost before anything is recorded; where it says no,
    nothing is. With `family` the plan shares one risk with all claims on the pool that say so.

    Where the classifier is frozen already and only its plan is missing, the plan is sealed.
    """
    asked = _PlanOptions(mode=mode, labels=labels, seed=seed, family=family)
    state = project.state()
    work = required(state)
    attempt = state.attempt
    if is_frozen(state) and not (attempt is not None and attempt.open):
        frozen = work.freezes[-1].event
        _complete(project, state, frozen, progress=progress)
    else:
        refuse_closed(state)
        frozen = _freeze(project, state, asked, agree, progress=progress)
        state = project.state()
        work = required(state)
    request = _plan_request(state, work, asked)
    unsettled = sum(not state.labelled(item) for item in work.order)
    left = _left(state, work)
    plan = seal_plan(project, request, progress=progress)
    batch = draw_batch(project, write=write) if draw else None
    return Stopped(
        frozen=frozen,
        plan=plan,
        cost=sealed_cost(str(plan.claim), frozen.pool, plan, left, advice_of(work)),
        left=left,
        unsettled=unsettled,
        sentence=population_sentence(work, frozen),
        batch=batch,
    )


def _left(state: State, work: SurveyWork) -> int | None:
    """Labels of the budget that neither training nor an earlier certification used.

    Items that nobody labelled cost nothing: the frozen classifier takes their labels no more.
    """
    budget = settings_of(work).goal.budget
    read = sum(item in state.answers or item in state.decided for item in work.order)
    return None if budget is None else max(0, budget - read - len(state.claimed))


def _plan_request(
    state: State,
    work: SurveyWork,
    asked: _PlanOptions,
    *,
    model: ModelTrained | None = None,
) -> PlanRequest:
    """The plan that judges the classifier: as the goal says, or as asked for now."""
    goal = settings_of(work).goal
    mode, labels = asked.mode or goal.mode, asked.labels
    if mode not in OFFERED:
        raise InputError(f"'mode' must be one of {', '.join(OFFERED)}, got {mode!r}.")
    kind = OFFERED[mode]
    if labels is not None and not kind.promise:
        raise InputError(
            f"{option('labels')} belongs to a plan that ends at a number: "
            f"{option('mode', 'fixed')} or budget, not {mode}."
        )
    look = (model or work.models[-1].event).look
    left = _left(state, work)
    takes_the_rest = kind.promise and not kind.judged_once
    if takes_the_rest and labels is None and not left:
        raise PlanError(
            "Training used the whole budget, so none is left for a plan that ends at a number. Say how "
            f"many labels certification may use: {option('labels', 'N')}."
        )
    return PlanRequest(
        claim=goal.claim,
        mode=kind.mode,
        design=kind.design,
        confidence=goal.confidence,
        power=goal.power,
        budget=labels or (left if takes_the_rest else None),
        expectation=Expectation(pilot=look.counts) if kind.promise else None,
        seed=asked.seed,
        family=asked.family,
        anyway=True,  # what is believed of the claim was said before the freeze
    )


def _freeze(
    project: Project, state: State, asked: _PlanOptions, agree: Agree, *, progress: Progress
) -> ClassifierFrozen:
    work = required(state)
    settings, revision = settings_of(work), revision_of(work)
    collection = collection_of(state)
    with open_material(project, collection, settings.learner, progress=progress) as material:
        refit = refit_on(state, work, settings, material, progress=progress)
        if refit.study is None:
            raise PlanError(f"There is no classifier to certify yet. {refit.reason}")
        scores = refit.study.scores
        inside = material.certified(work)
        threshold = single(refit.study.look.threshold)
        _refuse_useless(scores[inside], threshold)
        number = len(work.freezes) + 1
        final = project.folder / SCORES / f"scored-{number}.parquet"
        part = final.with_name(f".scored-{number}-{uuid.uuid4().hex[:8]}.parquet")
        try:
            progress("writing the scores", None)
            write_scored(material, collection, scores, inside, part)
            scored = registered_scores(part, final, project, collection, threshold, progress)
            model = refit.event or work.models[-1].event
            # what the plan would refuse is refused before anything is frozen
            request = _plan_request(state, work, asked, model=model)
            plan = _refuse_unsealable(request, scored, state)
            claim, left = str(settings.goal.claim), _left(state, work)
            if not agree(sealed_cost(claim, scored, plan, left, refit.advice)):
                raise NotAgreedError("Nothing was frozen and nothing was sealed.")
            frozen = _record(project, revision, refit, scored, part, final)
        finally:
            part.unlink(missing_ok=True)
        progress("writing the decisions", None)
        save_model(project, refit, frozen.threshold, number)
        write_decisions(project, material, scores, frozen, number)
        return frozen


def _complete(
    project: Project, state: State, frozen: ClassifierFrozen, *, progress: Progress
) -> None:
    """Write the decisions if the freeze was broken off after it was recorded."""
    work = required(state)
    number = len(work.freezes)
    if decisions_file(project, number).exists():
        return
    settings = settings_of(work)
    with open_material(
        project, collection_of(state), settings.learner, progress=progress
    ) as material:
        refit = refit_on(state, work, settings, material, progress=progress)
        if refit.study is None or refit.event is not None:
            raise PlanError(
                "The frozen classifier cannot be made again: its learner or its words changed. The "
                "scores it gave are recorded; put back what changed, then run it again."
            )
        save_model(project, refit, frozen.threshold, number)
        write_decisions(project, material, refit.study.scores, frozen, number)


def _refuse_unsealable(request: PlanRequest, scored: RegisteredPool, state: State) -> Plan:
    refuse_spent(state, request)
    try:
        return make_plan(request, scored.summary, number=len(state.attempts) + 1, seed="trial")
    except PlanError as error:
        raise PlanError(
            error.message.replace(option("budget", "N"), option("labels", "N"))
        ) from error


def _refuse_useless(scores: NDArray[np.float64], threshold: float) -> None:
    flagged = int((scores >= threshold).sum())
    if not len(scores):
        raise PlanError(
            "Training took every item of the collection, or the random draw set none aside, so none is left "
            "to certify the classifier on. Begin a project on a larger collection."
        )
    if flagged in (0, len(scores)):
        how = "no item" if flagged == 0 else "every item"
        raise PlanError(
            f"The classifier flags {how} of the {counted(len(scores), 'item')} to be certified, so "
            f"there is nothing to prove about it. Keep labelling: {command('train')}."
        )


def _record(
    project: Project,
    revision: tuple[object, ...],
    refit: Refit,
    scored: RegisteredPool,
    part: Path,
    final: Path,
) -> ClassifierFrozen:
    """Put the scored file in its place and record the frozen classifier."""
    with project.writing() as session:
        now = session.state
        refuse_closed(now)
        work = required(now)
        if (
            revision_of(work) != revision
            or labels_digest(training_labels(now, work)) != refit.digest
        ):
            raise PlanError(
                "Training labels came in while the collection was scored, so nothing was frozen. Run "
                "it again."
            )
        if refit.event is not None:
            session.record(refit.event)
        frozen = ClassifierFrozen(
            survey=work.survey.number,
            model=(refit.event or work.models[-1].event).number,
            threshold=scored.columns.threshold or 0.0,
            population=settings_of(work).population,
            pool=scored,
            excluded=collection_of(now).summary.items - scored.summary.items,
            software=__version__,
        )
        part.replace(final)  # an older file of this name is on no record
        session.record(frozen)
    return frozen
