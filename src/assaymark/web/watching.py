"""The dashboard: verdict first, then what it rests on. Opening it is a look."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from assaymark.certification.issuing import certify as issue
from assaymark.certification.report.charts import path_chart
from assaymark.certification.report.collection_charts import score_chart
from assaymark.certification.view.dossier import Dossier
from assaymark.claims.results import percent, rounded
from assaymark.composite.issuing import certify_claim
from assaymark.composite.work import current_claim
from assaymark.errors import PlanError
from assaymark.labelling.desk import Desk
from assaymark.ledger.events import State
from assaymark.overview.survey_sections import survey_section
from assaymark.overview.watch import look_is_due
from assaymark.web.charts import cut_offs, evidence_bar, picture, range_picture
from assaymark.web.drawing_on import draw_next
from assaymark.web.site import only, person_of, site_of
from assaymark.web.surveys import Buttons, buttons_of

TONES = {
    "pass": ("good", "✓"),
    "not yet": ("wait", "…"),
    "too early": ("wait", "…"),
    "fail": ("bad", "✗"),
    "abandoned": ("bad", "–"),
    "no plan": ("wait", "…"),
}


@dataclass(frozen=True, kw_only=True)
class Now:
    """What the lead can do next.

    `answers` were given so far, double readings too, for the money `spent`.

    Of the items that are `waiting`, `mine` can be labelled by whoever asks; `second` were labelled
    once and wait for a second reviewer.
    """

    open: bool
    waiting: int
    mine: int
    second: int
    disputed: int
    can_draw: bool
    due: bool
    labels_at: int
    answers: int
    spent: float
    proven: bool = False


def _now(desk: Desk, name: str, cost: float = 0.0) -> Now:
    desk.catch_up()
    queue, state = desk.queue, desk.state
    claim = current_claim(state)
    answers = sum(len(given) for given in state.answers.values())
    return Now(
        open=_is_open(state) if claim is None else claim.open,
        waiting=len(queue.waiting),
        mine=len(queue.waiting) - queue.answered_by(state, name),
        second=len(queue.waiting) - queue.unread(state),
        disputed=len(queue.disputed),
        can_draw=_can_draw(state) if claim is None else claim.can_draw,
        due=look_is_due(state) if claim is None else claim.look_is_due(state),
        labels_at=state.labels_at,
        answers=answers,
        spent=answers * cost,
        proven=claim is not None and claim.established,
    )


def _is_open(state: State) -> bool:
    return state.attempt is not None and state.attempt.open


def _can_draw(state: State) -> bool:
    attempt = state.attempt
    if attempt is None or not attempt.open:
        return False
    size, items = attempt.plan.size, attempt.plan.items
    return len(attempt.draws) < size if size else len(attempt.order) < items


@only("lead")
async def show(request: Request) -> Response:
    """The dashboard of now; a review has a page of its own."""
    site = site_of(request)
    if await site.runner.ask(lambda desk: bool(desk.state.reviews)):
        return RedirectResponse("/review", status_code=303)
    seen = await asyncio.to_thread(site.watch.look)
    name = person_of(request).name
    now = await site.runner.ask(lambda desk: _now(desk, name, site.settings.cost))
    buttons = await site.runner.ask(
        lambda desk: {one.number: buttons_of(desk.state, one) for one in seen.surveys}
    )
    tone, sign = TONES[seen.answer.tone]
    return site.page(
        request,
        "watch.html",
        person=person_of(request),
        mark=site.mark(request),
        seen=seen,
        now=now,
        tone=tone,
        sign=sign,
        path=path_chart(seen),
        scores=score_chart(seen),
        picture=picture,
        evidence=evidence_bar(seen),
        ranges=[(number, range_picture(number)) for number in seen.card],
        cut=cut_offs(seen),
        sections=[
            (survey, survey_section(survey), buttons.get(survey.number, Buttons()))
            for survey in seen.surveys
        ],
        training=_training(seen),
        working=site.busy["training"].told if "training" in site.busy else "",
        percent=percent,
        rounded=rounded,
    )


def _training(seen: Dossier) -> Mapping[str, Any] | None:
    """Where a training stands, if there is one."""
    return next((one.result for one in seen.surveys if one.purpose == "training"), None)


@only("lead")
async def news(request: Request) -> Response:
    """Counts only: whether looking again would show anything new."""
    name = person_of(request).name
    now = await site_of(request).runner.ask(lambda desk: _now(desk, name))
    return JSONResponse(
        {"due": now.due, "waiting": now.waiting, "disputed": now.disputed, "at": now.labels_at}
    )


@only("lead")
async def doubt(request: Request) -> Response:
    """What wrong labels would do to the verdict on the screen; it takes longer than the verdict."""
    found = await asyncio.to_thread(site_of(request).watch.sensitivity)
    return JSONResponse({"sentence": found.sentence if found else ""})


@only("lead")
async def draw(request: Request) -> Response:
    """Draw the next items; the page may have drawn them by itself in the meantime."""
    site = site_of(request)
    try:
        await draw_next(site)
    except PlanError:
        await site.runner.ask(Desk.catch_up)
        if not await site.runner.ask(lambda desk: len(desk.queue.waiting)):
            raise
    return RedirectResponse("/watch", status_code=303)


@only("lead")
async def certify(request: Request) -> Response:
    """Issue the certificate: the same step, and the same file, as the command line's."""
    site = site_of(request)
    claimed = await site.runner.ask(lambda desk: current_claim(desk.state) is not None)
    await asyncio.to_thread(certify_claim if claimed else issue, site.project)
    await site.runner.ask(Desk.catch_up)
    return RedirectResponse("/read", status_code=303)
