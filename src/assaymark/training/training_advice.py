"""What is advised after a refit: computed from the recorded looks, never stored."""

from functools import lru_cache

from assaymark.ledger.events import SurveyWork, settings_of
from assaymark.records.training import Advice, TrainingGoal, TrainingLook
from assaymark.training.stats.stopping_policy import advise


def advice_of(work: SurveyWork, number: int | None = None) -> Advice:
    """What the policy advises after this model, or after the latest one."""
    events = [model.event for model in work.models][:number]
    last = events[-1]
    before = tuple(event.look for event in events if event.labels < last.labels)
    return advice_after(settings_of(work).goal, (*before, last.look))


@lru_cache(maxsize=256)
def advice_after(goal: TrainingGoal, looks: tuple[TrainingLook, ...]) -> Advice:
    """What the goal's policy advises after these looks."""
    return advise(goal, looks)
