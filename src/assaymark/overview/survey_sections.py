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


def standing(surveys: Sequence[SurveySeen]) -> tuple[SurveySeen, ...]:
    """What a report tells: no plans without a draw, and of audits the one that tells all batches."""
    return tuple(
        seen
        for at, seen in enumerate(surveys)
        if (seen.drawn or seen.result) and not _continued(seen, surveys[at + 1 :])
    )


def _continued(seen: SurveySeen, later: Sequence[SurveySeen]) -> bool:
    if seen.purpose != "audit" or seen.result is None:
        return False
    told = [batch["name"] for batch in seen.result["batches"]]
    return any(
        [batch["name"] for batch in one.result["batches"][: len(told)]] == told
        for one in later
        if one.purpose == "audit" and one.result is not None
    )


def survey_section(seen: SurveySeen) -> Section:
    """The section of a survey: its purpose's own, or a plain table of the result."""
    make = section_of(seen.purpose)
    if seen.result is not None and make is not None:
        section = make(seen.result)
        if seen.purpose == "estimate":  # a project has several: by number, as on the command line
            name = seen.result["metrics"][0]["title"]
            return replace(section, title=f"Estimate {seen.number}: {name}")
        return section
    done = f"{counted(seen.labelled, 'label')} of {counted(seen.drawn, 'drawn item')}"
    if seen.result is None:
        return Section(
            title=f"Survey {seen.number}: {seen.purpose}",
            sentence=f"No result is on record yet ({done}).",
        )
    table = Table(
        caption="The result on record",
        header=("what", "value"),
        rows=tuple(_flat(seen.result)),
    )
    return Section(
        title=f"Survey {seen.number}: {seen.purpose}",
        sentence=f"The latest result on record ({done}).",
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
