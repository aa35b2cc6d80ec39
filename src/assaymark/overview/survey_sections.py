"""Which section tells the result of which kind of survey."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from assaymark.certification.view.dossier import SurveySeen
from assaymark.claims.results import counted
from assaymark.records.survey_kinds import SURVEY_KINDS
from assaymark.reports.section import Section, Table


def section_of(purpose: str) -> Callable[[Mapping[str, Any]], Section] | None:
    """What makes the section of such a survey from its result; None for a plain table."""
    place = SURVEY_KINDS[purpose].section
    if place is None:
        return None
    module, name = place.split(":")
    make: Callable[[Mapping[str, Any]], Section] = getattr(import_module(module), name)
    return make


def reported(surveys: Sequence[SurveySeen]) -> tuple[SurveySeen, ...]:
    """What a report tells: no plans without a draw, and of audits the one that tells all batches."""
    return tuple(
        survey
        for at, survey in enumerate(surveys)
        if (survey.drawn or survey.result) and not _continued(survey, surveys[at + 1 :])
    )


def _continued(survey: SurveySeen, later: Sequence[SurveySeen]) -> bool:
    if survey.purpose != "audit" or survey.result is None:
        return False
    names = [batch["name"] for batch in survey.result["batches"]]
    return any(
        [batch["name"] for batch in one.result["batches"][: len(names)]] == names
        for one in later
        if one.purpose == "audit" and one.result is not None
    )


def survey_section(survey: SurveySeen) -> Section:
    """The section of a survey: its purpose's own, or a plain table of the result."""
    make = section_of(survey.purpose)
    if survey.result is not None and make is not None:
        section = make(survey.result)
        if survey.purpose == "estimate":  # a project has several: by number, as on the command line
            name = survey.result["metrics"][0]["title"]
            return replace(section, title=f"Estimate {survey.number}: {name}")
        return section
    done = f"{counted(survey.labelled, 'label')} of {counted(survey.drawn, 'drawn item')}"
    if survey.result is None:
        return Section(
            title=f"Survey {survey.number}: {survey.purpose}",
            sentence=f"No result is recorded yet ({done}).",
        )
    table = Table(
        caption="The recorded result",
        header=("what", "value"),
        rows=tuple(_flat(survey.result)),
    )
    return Section(
        title=f"Survey {survey.number}: {survey.purpose}",
        sentence=f"The latest recorded result ({done}).",
        tables=(table,),
    )


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
