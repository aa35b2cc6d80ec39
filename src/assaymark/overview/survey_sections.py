"""The surveys of a project: which section tells the result of which kind."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from assaymark.certification.view.dossier import SurveySeen
from assaymark.claims.results import counted
from assaymark.composite.wording import claim_title
from assaymark.composite.work import ClaimWork
from assaymark.ledger.events import State, SurveyWork
from assaymark.records.survey_kinds import SURVEY_KINDS
from assaymark.reports.section import Section, Table
from assaymark.training.summary import training_summary


def section_of(purpose: str) -> Callable[[Any], Section] | None:
    """What makes the section of such a survey from its result; None for a plain table."""
    place = SURVEY_KINDS[purpose].section
    if place is None:
        return None
    module, name = place.split(":")
    make: Callable[[Any], Section] = getattr(import_module(module), name)
    return make


def reported(surveys: Sequence[SurveySeen]) -> tuple[SurveySeen, ...]:
    """What a report tells: no plans without a draw, and of audits the one that tells all batches."""
    return tuple(
        survey
        for at, survey in enumerate(surveys)
        if (survey.drawn or survey.result) and not _continued(survey, surveys[at + 1 :])
    )


def _continued(survey: SurveySeen, later: Sequence[SurveySeen]) -> bool:
    names = survey.batches
    return bool(names) and any(one.batches[: len(names)] == names for one in later)


def surveys_of(state: State) -> tuple[SurveySeen, ...]:
    """The surveys of a project, each with what it found when it was last asked."""
    return tuple(
        _with_result(
            state,
            work,
            SurveySeen(
                number=work.survey.number,
                purpose=work.survey.purpose,
                drawn=len(work.order),
                labelled=sum(state.labelled(item) for item in work.order),
                time=work.reports[-1].time if work.reports else None,
                result=None,
            ),
        )
        for work in state.surveys
    )


def _with_result(state: State, work: SurveyWork, survey: SurveySeen) -> SurveySeen:
    """With what it found: a training by its models, a claim by its latest look."""
    if survey.purpose == "training":
        summary = training_summary(state, work)
        return replace(with_section(survey, summary), summary=summary)
    if survey.purpose == "claim":  # renewals of chances and certificates are no results
        last = ClaimWork(survey=work).last_look
        if last is None:
            return survey
        look = last.facts
        decided = look.decision in ("pass", "better", "worse", "within")
        return replace(with_section(survey, look), claim=claim_title(look), established=decided)
    return with_section(survey, work.reports[-1].event.result) if work.reports else survey


def with_section(survey: SurveySeen, stored: Any) -> SurveySeen:
    """The survey with its result as it is stored: its purpose's own section, or a plain table."""
    make = section_of(survey.purpose)
    if make is None:
        table = Table(
            caption="The recorded result", header=("what", "value"), rows=tuple(_flat(stored))
        )
        sentence = f"The latest recorded result ({_done(survey)})."
        title = SURVEY_KINDS[survey.purpose].title
        return replace(survey, result=Section(title=title, sentence=sentence, tables=(table,)))
    section = make(stored)
    if survey.purpose == "estimate":  # a project has several: by number, as on the command line
        name = stored["metrics"][0]["title"]
        section = replace(section, title=f"Estimate {survey.number}: {name}")
    audited = stored["batches"] if survey.purpose == "audit" else ()
    return replace(survey, result=section, batches=tuple(batch["name"] for batch in audited))


def survey_section(survey: SurveySeen) -> Section:
    """What is said of a survey: its result, or that there is none yet."""
    if survey.result is not None:
        return survey.result
    title = SURVEY_KINDS[survey.purpose].title
    return Section(title=title, sentence=f"No result yet ({_done(survey)}).")


def _done(survey: SurveySeen) -> str:
    return f"{counted(survey.labelled, 'label')} of {counted(survey.drawn, 'drawn item')}"


def _flat(value: Any, name: str = "") -> list[tuple[str, str]]:
    """Nested values as rows, named by the way to them."""
    if isinstance(value, Mapping):
        pairs = list(value.items())
    elif isinstance(value, list):
        pairs = [(str(number + 1), item) for number, item in enumerate(value)]
    else:
        return [
            (
                name,
                "–"
                if value is None
                else f"{value:.6g}"
                if isinstance(value, float)
                else str(value),
            )
        ]
    return [row for key, item in pairs for row in _flat(item, f"{name} {key}".strip())]
