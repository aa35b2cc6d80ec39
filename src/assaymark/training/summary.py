"""What there is to tell of a training, from the ledger alone: looks, advice, what was frozen."""

from typing import Any

from assaymark.claims.ratio_metrics import metric
from assaymark.claims.record import plain
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
from assaymark.records.training import VERBS
from assaymark.records.training_settings import CELLS
from assaymark.training.training_advice import advice_of


def training_told(state: State) -> dict[str, Any] | None:
    """The training of the project as plain values; None where there is none."""
    work = training_of(state)
    return None if work is None else told_of(state, work)


def told_of(state: State, work: SurveyWork) -> dict[str, Any]:
    """The training as plain values."""
    settings = settings_of(work)
    goal, labels = settings.goal, training_labels(state, work)
    random = sum(CELLS[work.cells[item]] == "random" for item in labels)
    looks = [_look(work, event, time) for _, time, event in work.models]
    frozen = [_frozen(event, time, work) for _, time, event in work.freezes]
    collection = state.collection
    told: dict[str, Any] = {
        "survey": work.survey.number,
        "claim": str(goal.claim),
        "metric": metric(goal.claim.metric).title,
        "target": goal.claim.target,
        "confidence": goal.confidence,
        "budget": goal.budget,
        "policy": goal.policy,
        "mode": goal.mode,
        "sampling": settings.sampling,
        "population": settings.population,
        "named": settings.named,
        "keep": settings.keep or None,
        "learner": settings.learner,
        "auto_certify": settings.auto_certify,
        "collection": collection.summary.items if collection else 0,
        "handed_out": len(work.order),
        "labels": len(labels),
        "random": random,
        "active": len(labels) - random,
        "positives": sum(labels.values()),
        "skipped": sum(state.labelled(i) and state.label(i) is None for i in work.order),
        "waiting": sum(not state.labelled(i) for i in work.order),
        "disputed": sum(state.disputed(i) for i in work.order),
        "phase": _phase(state, work),
        "looks": looks,
        "advice": plain(advice_of(work)) if work.models else None,
        "frozen": frozen[-1] if frozen else None,
        "freezes": len(frozen),
    }
    return {**told, "sentence": _sentence(told, work)}


def _phase(state: State, work: SurveyWork) -> str:
    """`learning`; `frozen` while a classifier waits to be judged; `ended` when it was judged."""
    if is_frozen(state):
        return "frozen"
    since = work.freezes and work.models[-1][0] < work.freezes[-1][0]
    went_on = any(not state.labelled(item) for item in work.order)
    return "ended" if since and not went_on else "learning"


def _look(work: SurveyWork, event: ModelTrained, time: str) -> dict[str, Any]:
    advice, name = advice_of(work, event.number), settings_of(work).goal.claim.metric
    return {
        "model": event.number,
        "time": time,
        "labels": event.labels,
        "random": event.look.random,
        "positives": event.look.positives,
        "counts": plain(event.look.counts),
        "cross_validated": metric(name).value(event.look.counts.cells),
        "estimate": advice.estimate,
        "low": advice.low,
        "high": advice.high,
        "chance_true": advice.chance_true,
        "certification": advice.certification,
        "total": advice.total,
        "flagged": advice.flagged,
        "action": advice.action,
        "threshold": event.look.threshold,
        "learner": event.learner,
        "digest": event.digest,
    }


def _frozen(event: ClassifierFrozen, time: str, work: SurveyWork) -> dict[str, Any]:
    return {
        "model": event.model,
        "time": time,
        "labels": work.models[event.model - 1][2].labels,
        "threshold": event.threshold,
        "items": event.pool.summary.items,
        "flagged": event.pool.summary.predicted_positive,
        "excluded": event.excluded,
        "population": event.population,
        "sentence": population_sentence(work, event),
        "file": event.pool.source,
    }


def _sentence(told: dict[str, Any], work: SurveyWork) -> str:
    """Where the training stands."""
    seen = f"{counted(told['labels'], 'label')} ({told['positives']:,} positive)"
    if told["phase"] != "learning":
        frozen = told["frozen"]
        return (
            f"Model {frozen['model']}, trained on {counted(frozen['labels'], 'label')}, was frozen; it "
            f"flags {frozen['flagged']:,} of {counted(frozen['items'], 'item')} for reading."
        )
    if not told["looks"]:
        return f"Training has begun with {seen}; no classifier could be trained yet."
    last, advice = told["looks"][-1], advice_of(work)
    verb = VERBS[advice.action]
    belief = "" if advice.chance_true is None else f" (chance about {advice.chance_true:.0%})"
    return (
        f"After {counted(last['labels'], 'training label')} {told['metric']} is about "
        f"{_two(last['estimate'])}, likely between {_two(last['low'])} and {_two(last['high'])}; "
        f"{told['target']:g} is wanted{belief}. {verb}: {advice.reason}."
    )


def _two(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f}"
