"""Events of surveys: labels that serve no claim."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assaymark.claims.record import Record
from assaymark.ledger.events.chain import Entry
from assaymark.ledger.events.event import Event, check_file_name, register, stamped
from assaymark.ledger.events.state import State, SurveyWork
from assaymark.ledger.events.training import training_of
from assaymark.ledger.events.trainings import drawn, opened
from assaymark.records.survey import Survey
from assaymark.records.training import TrainingSettings


@dataclass(frozen=True, kw_only=True)
class SurveyOpened(Event):
    """Labels were asked for that serve no claim: which cells, which seed."""

    survey: Survey
    software: str


@dataclass(frozen=True, kw_only=True)
class SurveyedItem(Record):
    """One item of a survey, and the cell it was drawn from (counted from 0).

    `predictions` are kept where a label is compared with them and the cell does not tell them, `score`
    where an estimate counts it.
    """

    id: str
    cell: int
    predictions: tuple[str, ...] | None = None
    score: float | None = None


@dataclass(frozen=True, kw_only=True)
class Renewed(Record):
    """The chances per stratum from draw `first` on, and the labels that they were computed from.

    `outcomes` are those of all earlier draws as they stood then: 1, 0, or ? where nobody could tell.
    """

    first: int
    outcomes: str
    chances: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class SurveyDrawn(Event):
    """Items of a survey were handed out; their texts lie in a project file with this digest.

    `renewed` are the chances of an estimate that were computed from labels before these draws.
    """

    survey: int
    batch: int
    items: tuple[SurveyedItem, ...]
    file: str
    sha256: str
    renewed: tuple[Renewed, ...] | None = None

    def __post_init__(self) -> None:
        check_file_name(self.file)


@dataclass(frozen=True, kw_only=True)
class SurveyReported(Event):
    """What the labels of a survey said when somebody asked."""

    survey: int
    labels: int
    result: dict[str, Any]


def _survey_opened(state: State, event: SurveyOpened, entry: Entry) -> None:
    closes = event.survey.settings.get("closes")
    if closes is not None:
        ended = state.surveys[closes - 1]
        ended.closed = True
        ended.final = {
            item: state.label(item) if state.labelled(item) else None for item in ended.order
        }
    work = SurveyWork(survey=event.survey, opened_at=entry.seq)
    if event.survey.purpose == "training":
        work.training = TrainingSettings.from_dict(event.survey.settings["training"])
    state.surveys.append(work)


def _survey(state: State, event: SurveyOpened) -> str | None:
    if event.survey.number != len(state.surveys) + 1:
        return "its number is not the next one"
    if event.survey.seed in state.seeds:
        return "its seed was used before"
    closes = event.survey.settings.get("closes")
    if closes is not None and not _may_close(state, event.survey, closes):
        return "it closes a survey that it cannot close"
    return opened(state, event) if event.survey.purpose == "training" else None


def _may_close(state: State, survey: Survey, number: Any) -> bool:
    """Only an earlier survey of the same purpose, and only once."""
    if type(number) is not int or not 1 <= number <= len(state.surveys):
        return False
    ended = state.surveys[number - 1]
    return ended.survey.purpose == survey.purpose and not ended.closed


def _survey_drawn(state: State, event: SurveyDrawn, _entry: Entry) -> None:
    work = state.surveys[event.survey - 1]
    work.files.append(event)
    work.order += [item.id for item in event.items]
    work.cells |= {item.id: item.cell for item in event.items}
    work.predictions |= {item.id: item.predictions for item in event.items if item.predictions}
    work.scores |= {item.id: item.score for item in event.items if item.score is not None}
    state.surveyed |= {item.id for item in event.items}


def _survey_batch(state: State, event: SurveyDrawn) -> str | None:
    if not 1 <= event.survey <= len(state.surveys):
        return "its survey was never opened"
    work = state.surveys[event.survey - 1]
    if event.batch != work.batches + 1:
        return "its number is not the next one"
    names = [item.id for item in event.items]
    if len(set(names)) < len(names) or any(name in work.cells for name in names):
        return "an item was drawn twice"
    if any(not 0 <= item.cell < len(work.survey.cells) for item in event.items):
        return "an item is in no cell of the survey"
    if event.renewed is not None and not _from_labels(state, [*work.order, *names], event):
        return "its chances were not computed from the labels before them"
    return drawn(state, work, event) if work is training_of(state) else None


def outcomes_of(state: State, items: Sequence[str]) -> str | None:
    """The labels of these items as text, ? where nobody could tell; None where one has no label."""
    if not all(state.labelled(item) for item in items):
        return None
    labels = (state.label(item) for item in items)
    return "".join("?" if label is None else str(int(label)) for label in labels)


def _from_labels(state: State, order: list[str], event: SurveyDrawn) -> bool:
    """Whether renewed chances begin within the batch, each with the labels of all draws before."""
    start = len(order) - len(event.items)
    return all(
        start < one.first <= len(order)
        and one.outcomes == outcomes_of(state, order[: one.first - 1])
        for one in event.renewed or ()
    )


def _survey_reported(state: State, event: SurveyReported, entry: Entry) -> None:
    state.surveys[event.survey - 1].reports.append(stamped(event, entry))


def _survey_report(state: State, event: SurveyReported) -> str | None:
    known = 1 <= event.survey <= len(state.surveys)
    return None if known else "its survey was never opened"


register(SurveyOpened, follows=_survey_opened, fault=_survey)
register(SurveyDrawn, follows=_survey_drawn, fault=_survey_batch)
register(SurveyReported, follows=_survey_reported, fault=_survey_report)
