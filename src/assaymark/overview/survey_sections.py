"""The surveys of a project: which section tells the result of which kind."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from assaymark.certification.view.dossier import Dossier, SurveySeen, Tone
from assaymark.claims.results import counted
from assaymark.composite.wording import claim_title
from assaymark.composite.work import ClaimWork, current_claim
from assaymark.ledger.events import State, SurveyWork
from assaymark.records.survey_kinds import SURVEY_KINDS
from assaymark.reports.section import Section, Table
from assaymark.training.summary import training_summary

WATCHES = ("audit", "sentinel")  # checks of later items, batch by batch


def section_of(purpose: str) -> Callable[[Any], Section] | None:
    """What makes the section of such a survey from its result; None for a plain table."""
    place = SURVEY_KINDS[purpose].section
    if place is None:
        return None
    module, name = place.split(":")
    make: Callable[[Any], Section] = getattr(import_module(module), name)
    return make


def reported(surveys: Sequence[SurveySeen]) -> tuple[SurveySeen, ...]:
    """What a report tells: all but plans without a draw."""
    return tuple(survey for survey in surveys if survey.drawn or survey.result)


def alarms(surveys: Sequence[SurveySeen]) -> tuple[str, ...]:
    """What checks of later items found broken, a sentence each."""
    return tuple(survey_section(survey).sentence for survey in surveys if survey.alarm)


def headline(dossier: Dossier) -> tuple[Tone, str]:
    """The verdict in a word; of what was proved and fails on later items, that it no longer holds."""
    answer = dossier.answer
    if alarms(dossier.surveys) and answer.tone in ("pass", "no plan"):
        return "fail", "No longer holds"
    return answer.tone, answer.word


def surveys_of(state: State) -> tuple[SurveySeen, ...]:
    """The surveys of a project, each with what it found when it was last asked; one for all batches
    of an audit, and one for all units of sentinels."""
    series: dict[tuple[str, str], list[SurveyWork]] = {}
    for work in state.surveys:
        series.setdefault((work.survey.purpose, _series(work)), []).append(work)
    return tuple(_joined(state, works) for works in series.values())


def _series(work: SurveyWork) -> str:
    """What joins the surveys that are judged together: thresholds of an audit, terms of sentinels."""
    number, settings = work.survey.number, work.survey.settings
    if work.survey.purpose == "audit":
        return str(settings.get("thresholds", number))
    return str(settings.get("of", number)) if work.survey.purpose == "sentinel" else str(number)


def _joined(state: State, works: Sequence[SurveyWork]) -> SurveySeen:
    last = max(works, key=lambda work: work.reports[-1].seq if work.reports else -1)
    order = [item for work in works for item in work.order]
    survey = _with_result(
        state,
        last,
        SurveySeen(
            number=last.survey.number,
            purpose=last.survey.purpose,
            drawn=len(order),
            labelled=sum(state.labelled(item) for item in order),
            time=last.reports[-1].time if last.reports else None,
            result=None,
        ),
    )
    if survey.result is None or survey.purpose not in WATCHES:
        return survey
    broken = last.reports[-1].event.result.get("decision") in ("broken", "refuted")
    later = sum(work.opened_at > last.reports[-1].seq for work in works)
    note = f"{counted(later, 'batch', 'batches')} drawn after this was worked out: not in it yet."
    paragraphs = (*survey.result.paragraphs, *((note,) if later else ()))
    return replace(
        survey,
        result=replace(survey.result, paragraphs=paragraphs),
        alarm=broken and _in_force(state, works),
    )


def _in_force(state: State, works: Sequence[SurveyWork]) -> bool:
    """Whether they check what holds now: the latest thresholds, or the certificate of the latest claim."""
    settings, opened = works[0].survey.settings, works[-1].opened_at
    if works[0].survey.purpose == "audit":
        kinds = [work.survey.purpose for work in state.surveys if work.opened_at > opened]
        return not {"audit", "triage"} & set(kinds)
    claim, plan = current_claim(state), state.attempt
    if claim is not None:
        return bool(settings.get("claim_survey") == claim.number)
    return plan is not None and bool(settings.get("plan") == plan.plan.number)


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
    return replace(survey, result=section)


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
