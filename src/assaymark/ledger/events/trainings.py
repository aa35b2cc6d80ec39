"""Events of a training, and whether they can have happened so."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assaymark.claims.ratio_metrics import right_decisions_help
from assaymark.ledger.events.chain import Entry
from assaymark.ledger.events.event import Event, check_file_name, register, stamped
from assaymark.ledger.events.state import State, SurveyWork
from assaymark.ledger.events.training import (
    is_frozen,
    labels_digest,
    random_items,
    set_aside,
    settings_of,
    training_labels,
    training_of,
)
from assaymark.records.pool import RegisteredPool
from assaymark.records.training import CELLS, TrainingLook, TrainingSettings, single

if TYPE_CHECKING:
    from assaymark.ledger.events.surveys import SurveyDrawn, SurveyOpened


@dataclass(frozen=True, kw_only=True)
class TrainingChanged(Event):
    """Somebody changed how the training goes on, or named the population that was only usual."""

    survey: int
    settings: TrainingSettings


@dataclass(frozen=True, kw_only=True)
class ModelTrained(Event):
    """A classifier was fitted to the training labels of this moment.

    `digest` is the SHA-256 of the lines "id label" of those labels, in the order the items were
    drawn; items that nobody could tell are not among them.
    """

    survey: int
    number: int
    labels: int
    digest: str
    learner: str
    look: TrainingLook
    software: str


@dataclass(frozen=True, kw_only=True)
class ClassifierFrozen(Event):
    """A trained classifier scored the items that are to be certified; its cut-off is final.

    From here on the project's pool is the scored file. `excluded` items of the collection are not
    in it.
    """

    survey: int
    model: int
    threshold: float
    population: str
    pool: RegisteredPool
    excluded: int
    software: str

    def __post_init__(self) -> None:
        check_file_name(self.pool.source)


def _training_changed(state: State, event: TrainingChanged, _entry: Entry) -> None:
    state.surveys[event.survey - 1].training = event.settings


def _model_trained(state: State, event: ModelTrained, entry: Entry) -> None:
    state.surveys[event.survey - 1].models.append(stamped(event, entry))


def _classifier_frozen(state: State, event: ClassifierFrozen, entry: Entry) -> None:
    state.surveys[event.survey - 1].freezes.append(stamped(event, entry))
    state.pool = event.pool


def opened(state: State, event: "SurveyOpened") -> str | None:
    """One training in a project, on a collection that no classifier has judged yet."""
    if training_of(state) is not None:
        return "the project has a training already"
    if state.pool is not None and (state.pool.columns.predicts or state.pool.columns.score):
        return "its pool came with a classifier"
    if tuple(cell.name for cell in event.survey.cells) != CELLS:
        return "its cells are not those of a training"
    settings = TrainingSettings.from_dict(event.survey.settings["training"])
    return _unproven(settings)


def _unproven(settings: TrainingSettings) -> str | None:
    if settings.sampling != "random" and not settings.named:
        return "active sampling began before the population was named"
    if settings.population == "whole" and not right_decisions_help(settings.goal.claim):
        return "its claim does not carry over to the whole collection"
    return None


def _closed(state: State, survey: int) -> tuple[SurveyWork | None, str | None]:
    """The training of that number and why it takes nothing now, if so."""
    work = training_of(state)
    if work is None or work.survey.number != survey:
        return None, "its survey is no training"
    if is_frozen(state):
        return work, "the classifier is frozen"
    if state.attempt is not None and state.attempt.open:
        return work, "a plan is open"
    return work, None


def drawn(state: State, work: SurveyWork, event: "SurveyDrawn") -> str | None:
    """Training takes no item that a claim drew, none that was set aside, and none when frozen."""
    fault = _closed(state, work.survey.number)[1]
    if fault:
        return fault
    settings = settings_of(work)
    for item in event.items:
        if item.id in state.claimed:
            return f"item {item.id!r} was drawn for a claim before"
        if set_aside(settings, item.id):
            return f"item {item.id!r} was set aside for certification"
        if CELLS[item.cell] == "active" and not settings.named:
            return "items were chosen before the population was named"
    return None


def _changed(state: State, event: TrainingChanged) -> str | None:
    """Of the claim only the target changes; the population only from the usual one to a named one."""
    work, fault = _closed(state, event.survey)
    if work is None or fault:
        return fault
    before, now = settings_of(work), event.settings
    if replace(now.goal.claim, target=before.goal.claim.target) != before.goal.claim:
        return "its metric was settled before"
    sealed = (before.population, before.keep, before.keep_seed)
    moved = (now.population, now.keep, now.keep_seed) != sealed
    final = before.named or "future" in (before.population, now.population)
    if (moved and final) or (before.named and not now.named):
        return "the population was sealed before"
    return _unproven(now)


def _model(state: State, event: ModelTrained) -> str | None:
    """Its labels are those recorded at that moment."""
    work, fault = _closed(state, event.survey)
    if work is None or fault:
        return fault
    if event.number != len(work.models) + 1:
        return "its number is not the next one"
    labels = training_labels(state, work)
    if event.digest != labels_digest(labels):
        return "its digest is not that of the training labels recorded then"
    random = len(random_items(work, labels))
    counts = (event.labels, event.look.labels, event.look.positives, event.look.random)
    if counts != (len(labels), len(labels), sum(labels.values()), random):
        return "its counts are not those of the training labels recorded then"
    return None


def _frozen(state: State, event: ClassifierFrozen) -> str | None:
    """The frozen classifier is the latest model, trained on the labels as they are."""
    work, fault = _closed(state, event.survey)
    if work is None or fault:
        return fault
    if not work.models or event.model != work.models[-1].event.number:
        return "its model is not the latest one"
    model = work.models[-1].event
    if labels_digest(training_labels(state, work)) != model.digest:
        return "training labels changed after its model was trained"
    cut = event.pool.columns.threshold
    if {event.threshold, cut} != {single(model.look.threshold)}:
        return "its cut-off is not that of its model"
    return _scored(state, work, event)


def _scored(state: State, work: SurveyWork, event: ClassifierFrozen) -> str | None:
    """Whether the scored part is the one that the population says."""
    settings, items = settings_of(work), event.pool.summary.items
    if event.population != settings.population:
        return "its population is not the one that was sealed"
    if state.collection is None or event.excluded != state.collection.summary.items - items:
        return "the items left out do not add up"
    if settings.population != "future" and event.excluded != len(work.order):
        return "the items left out are not those that training took"
    return None


register(TrainingChanged, follows=_training_changed, fault=_changed)
register(ModelTrained, follows=_model_trained, fault=_model)
register(ClassifierFrozen, follows=_classifier_frozen, fault=_frozen)
