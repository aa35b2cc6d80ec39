"""Buttons of a survey on the dashboard: work out its result, draw on, certify what it proves."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assaymark.certification.view.dossier import SurveySeen
from assaymark.composite.drawing import draw_for_claim
from assaymark.composite.issuing import certify_claim
from assaymark.composite.looks import look_at_claim
from assaymark.composite.work import current_claim
from assaymark.errors import InputError
from assaymark.estimation.survey import current_estimate, design_of, draw_estimate, read_estimate
from assaymark.labelling.desk import Desk
from assaymark.ledger.events import State
from assaymark.project.folder import Project
from assaymark.triaging.survey import judge_labels, open_work
from assaymark.web.numbers import count_of
from assaymark.web.site import form, only, site_of

Step = Callable[[Project], Any]
USUAL = 50  # items that are offered where nothing says how many


@dataclass(frozen=True, kw_only=True)
class Steps:
    """What can be done about a kind of survey, each the command line's own step."""

    result: Step
    draw: Callable[..., Any] | None = None
    certify: Step | None = None


STEPS: dict[str, Steps] = {
    "estimate": Steps(result=read_estimate, draw=partial(draw_estimate, write=False)),
    "triage": Steps(result=judge_labels),
    "claim": Steps(
        result=look_at_claim, draw=partial(draw_for_claim, write=False), certify=certify_claim
    ),
}


@dataclass(frozen=True, kw_only=True)
class Buttons:
    """Which buttons a survey has now. `more` items are offered where all that were planned are drawn.

    `stale`: labels came after its result was worked out.
    """

    result: bool = False
    draw: bool = False
    more: int = 0
    certify: bool = False
    stale: bool = False


def buttons_of(state: State, survey: SurveySeen) -> Buttons:
    """The buttons of a survey: only the latest of its kind that is still open has any."""
    if survey.number != _current(state, survey.purpose) or _is_over(state, survey.purpose):
        return Buttons()
    steps = STEPS[survey.purpose]
    left = survey.labelled < survey.drawn
    more = _beyond(state) if survey.purpose == "estimate" else None
    return Buttons(
        # what is judged once is judged when all labels are there
        result=survey.labelled > 0 and (not left or survey.purpose != "triage"),
        draw=steps.draw is not None and not left and more != 0,
        more=more or 0,
        certify=steps.certify is not None and survey.established,
        stale=survey.purpose == "estimate" and _is_stale(state, survey.number),
    )


def _is_stale(state: State, number: int) -> bool:
    reports = next(work.reports for work in state.surveys if work.survey.number == number)
    return bool(reports) and reports[-1].seq < state.labels_at


def _beyond(state: State) -> int | None:
    """How many items to offer beyond what the latest estimate planned; None while some of it is left."""
    work = current_estimate(state)
    if work is None or len(work.order) < design_of(work).labels:
        return None
    return min(USUAL, design_of(work).items - len(work.order))


def _is_over(state: State, purpose: str) -> bool:
    """Whether the claim of several parts failed or is certified; a cut-off may still be improved."""
    claim = current_claim(state) if purpose == "claim" else None
    return claim is not None and claim.is_over(state) and not claim.can_draw


def _current(state: State, purpose: str) -> int | None:
    if purpose == "estimate":
        work = current_estimate(state)
        return work.survey.number if work else None
    if purpose == "triage":
        waiting = open_work(state)
        return waiting.survey.number if waiting else None
    if purpose == "claim":
        claim = current_claim(state)
        return claim.number if claim else None
    return None


@only("lead")
async def act(request: Request) -> Response:
    """Take the step that a button names."""
    site, asked = site_of(request), await form(request)
    state = await asyncio.to_thread(site.project.state)
    number, what = request.path_params["survey"], asked.get("step", "")
    chosen = [work for work in state.surveys if str(work.survey.number) == number]
    purpose = chosen[0].survey.purpose if chosen else ""
    step = (
        getattr(STEPS.get(purpose), what, None) if what in ("result", "draw", "certify") else None
    )
    if step is None or number != str(_current(state, purpose)):
        raise InputError("There is nothing to do for this survey any more. Reload the page.")
    if what == "draw":
        step = partial(step, count=count_of(asked, "count"))
    await asyncio.to_thread(step, site.project)
    await site.runner.ask(Desk.catch_up)
    return RedirectResponse("/watch", status_code=303)
