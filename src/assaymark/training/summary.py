"""Where a training stands, from the ledger alone: looks, advice, what was frozen."""

from dataclasses import dataclass, replace

from assaymark.claims.claim import Counts
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.record import Record
from assaymark.claims.results import counted
from assaymark.ledger.events import (
    ClassifierFrozen,
    ModelTrained,
    State,
    SurveyWork,
    is_frozen,
    population_sentence,
    settings_of,
    training_labels,
    training_of,
)
from assaymark.records.training import CELLS, VERBS, Advice
from assaymark.training.training_advice import advice_of


@dataclass(frozen=True, kw_only=True)
class TrainingLook(Record):
    """A model on the learning curve, and what was advised when it was trained."""

    model: int
    time: str
    labels: int
    random: int
    positives: int
    counts: Counts
    cross_validated: float | None
    estimate: float | None
    low: float | None
    high: float | None
    chance_true: float | None
    certification: int | None
    total: int | None
    flagged: float | None
    action: str
    threshold: float
    learner: str
    digest: str


@dataclass(frozen=True, kw_only=True)
class FrozenSummary(Record):
    """The latest frozen classifier and the items that it scored."""

    model: int
    time: str
    labels: int
    threshold: float
    items: int
    flagged: int
    excluded: int
    population: str
    sentence: str
    file: str


@dataclass(frozen=True, kw_only=True)
class TrainingSummary(Record):
    """The goal of a training, its items by kind, its looks and its latest advice."""

    survey: int
    claim: str
    metric: str
    target: float
    confidence: float
    budget: int | None
    policy: str
    mode: str
    sampling: str
    population: str
    named: bool
    keep: float | None
    learner: str
    auto_certify: bool
    collection: int
    handed_out: int
    labels: int
    random: int
    active: int
    positives: int
    skipped: int
    waiting: int
    disputed: int
    phase: str
    looks: tuple[TrainingLook, ...]
    advice: Advice | None
    frozen: FrozenSummary | None
    freezes: int
    sentence: str = ""


def project_summary(state: State) -> TrainingSummary | None:
    """The training of the project; None where there is none."""
    work = training_of(state)
    return None if work is None else training_summary(state, work)


def training_summary(state: State, work: SurveyWork) -> TrainingSummary:
    """Where this training stands."""
    settings = settings_of(work)
    goal, labels = settings.goal, training_labels(state, work)
    random = sum(CELLS[work.cells[item]] == "random" for item in labels)
    looks = tuple(_look(work, model.event, model.time) for model in work.models)
    frozen = [_frozen(frozen.event, frozen.time, work) for frozen in work.freezes]
    collection = state.collection
    summary = TrainingSummary(
        survey=work.survey.number,
        claim=str(goal.claim),
        metric=metric(goal.claim.metric).title,
        target=goal.claim.target,
        confidence=goal.confidence,
        budget=goal.budget,
        policy=goal.policy,
        mode=goal.mode,
        sampling=settings.sampling,
        population=settings.population,
        named=settings.named,
        keep=settings.keep or None,
        learner=settings.learner,
        auto_certify=settings.auto_certify,
        collection=collection.summary.items if collection else 0,
        handed_out=len(work.order),
        labels=len(labels),
        random=random,
        active=len(labels) - random,
        positives=sum(labels.values()),
        skipped=sum(state.labelled(i) and state.label(i) is None for i in work.order),
        waiting=sum(not state.labelled(i) for i in work.order),
        disputed=sum(state.disputed(i) for i in work.order),
        phase=_phase(state, work),
        looks=looks,
        advice=advice_of(work) if work.models else None,
        frozen=frozen[-1] if frozen else None,
        freezes=len(frozen),
    )
    return replace(summary, sentence=_sentence(summary, work))


def _phase(state: State, work: SurveyWork) -> str:
    """`learning`; `frozen` while a classifier waits to be judged; `ended` when it was judged."""
    if is_frozen(state):
        return "frozen"
    since = work.freezes and work.models[-1].seq < work.freezes[-1].seq
    went_on = any(not state.labelled(item) for item in work.order)
    return "ended" if since and not went_on else "learning"


def _look(work: SurveyWork, event: ModelTrained, time: str) -> TrainingLook:
    advice, name = advice_of(work, event.number), settings_of(work).goal.claim.metric
    return TrainingLook(
        model=event.number,
        time=time,
        labels=event.labels,
        random=event.look.random,
        positives=event.look.positives,
        counts=event.look.counts,
        cross_validated=metric(name).value(event.look.counts.cells),
        estimate=advice.estimate,
        low=advice.low,
        high=advice.high,
        chance_true=advice.chance_true,
        certification=advice.certification,
        total=advice.total,
        flagged=advice.flagged,
        action=advice.action,
        threshold=event.look.threshold,
        learner=event.learner,
        digest=event.digest,
    )


def _frozen(event: ClassifierFrozen, time: str, work: SurveyWork) -> FrozenSummary:
    return FrozenSummary(
        model=event.model,
        time=time,
        labels=work.models[event.model - 1].event.labels,
        threshold=event.threshold,
        items=event.pool.summary.items,
        flagged=event.pool.summary.predicted_positive,
        excluded=event.excluded,
        population=event.population,
        sentence=population_sentence(work, event),
        file=event.pool.source,
    )


def _sentence(summary: TrainingSummary, work: SurveyWork) -> str:
    """Where the training stands."""
    labels = f"{counted(summary.labels, 'label')} ({summary.positives:,} relevant)"
    frozen = summary.frozen
    trained_on = frozen is not None and summary.looks[-1].model != frozen.model
    if frozen is not None and (summary.phase != "learning" or not trained_on):
        return (
            f"Model {frozen.model}, trained on {counted(frozen.labels, 'label')}, was frozen; it "
            f"flags {frozen.flagged:,} of {counted(frozen.items, 'item')} for reading."
        )
    if not summary.looks:
        if not summary.positives or summary.positives == summary.labels:
            return f"Training has begun with {labels}; a classifier needs labels of both kinds."
        return f"Training has begun with {labels}; no classifier was trained on them yet."
    last, advice = summary.looks[-1], advice_of(work)
    verb = VERBS[advice.action]
    belief = "" if advice.chance_true is None else f" (chance about {advice.chance_true:.0%})"
    return (
        f"After {counted(last.labels, 'training label')} {summary.metric} is about "
        f"{_two(last.estimate)}, likely between {_two(last.low)} and {_two(last.high)}; "
        f"{summary.target:g} is wanted{belief}. {verb}: {advice.reason}."
    )


def _two(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f}"
