"""The dashboard: verdict first, then its evidence. Opening it is a look."""

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from assaymark.certification.forecasts.lesser_claim import left_proven
from assaymark.certification.report.charts import path_chart
from assaymark.certification.report.collection_charts import score_chart
from assaymark.certification.view.dossier import CardNumber, Dossier, SurveySeen
from assaymark.claims.record import Record
from assaymark.claims.results import digits, percent, rounded, shown
from assaymark.composite.work import current_claim
from assaymark.errors import PlanError
from assaymark.labelling.blocking import NEW_ITEMS, Blocking, blocking_items
from assaymark.labelling.desk import Desk
from assaymark.labelling.settings import Settings
from assaymark.labelling.spending import spending
from assaymark.ledger.events import State
from assaymark.overview.answer_names import AnswerNames
from assaymark.overview.survey_sections import alarms, headline, survey_section
from assaymark.overview.watch import look_is_due
from assaymark.reports.section import Section
from assaymark.web.asking import Question, ask
from assaymark.web.charts import cut_offs, evidence_bar, picture, range_picture
from assaymark.web.pages.drawing_on import draw_next, waits_for_labels
from assaymark.web.rooms import loaded
from assaymark.web.site import Site, form, only, person_of, site_of

if TYPE_CHECKING:
    from assaymark.web.pages.surveys import Buttons

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

    `spent` is a sentence: how many answers were given, and what they cost.

    Of the items `drawn` those `waiting` need a label: `mine` from whoever asks, while `second` were
    labelled once and wait for a second reviewer. `lesser`: a failed plan proves less than was claimed,
    which has no certificate yet.
    """

    open: bool
    waiting: int
    mine: int
    second: int
    disputed: int
    can_draw: bool
    due: bool
    labels_at: int
    drawn: int
    spent: str
    proven: bool = False
    lesser: bool = False


def _now(desk: Desk, name: str, settings: Settings) -> Now:
    desk.catch_up()
    queue, state = desk.queue, desk.state
    claim = current_claim(state)
    return Now(
        open=_is_open(state) if claim is None else claim.open,
        waiting=len(queue.waiting),
        mine=len(queue.waiting) - queue.answered_by(state, name),
        second=len(queue.waiting) - queue.unread(state),
        disputed=len(queue.disputed),
        can_draw=_can_draw(state) if claim is None else claim.can_draw,
        due=look_is_due(state) if claim is None else claim.look_is_due(state),
        labels_at=state.labels_at,
        drawn=len(queue.wanted),
        spent=spending(state, settings).sentence,
        proven=claim is not None and claim.established,
        lesser=claim is None and _proves_less(state),
    )


def _proves_less(state: State) -> bool:
    attempt = state.attempt
    if attempt is None or attempt.certificate is not None:
        return False
    return left_proven(attempt) is not None


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
    names = AnswerNames.of(site.settings)
    dossier = names.dossier(await asyncio.to_thread(site.watch.look))
    name = person_of(request).name
    now = await site.runner.ask(lambda desk: _now(desk, name, site.settings))
    sections = await _sections(site, dossier) if dossier.surveys else []
    verdict, word = headline(dossier)
    tone, sign = TONES[verdict]
    return site.page(
        request,
        "watch.html",
        seen=dossier,
        now=now,
        word=word,
        tone=tone,
        sign=sign,
        path=path_chart(dossier),
        scores=score_chart(dossier),
        picture=picture,
        evidence=evidence_bar(dossier),
        ranges=_ranges(dossier),
        cut=cut_offs(dossier),
        sections=sections,
        broken=alarms(dossier.surveys),
        training=_training(dossier),
        drawn_before=request.query_params.get("drawn") == "before",
        working=site.busy["training"].stage if "training" in site.busy else "",
        percent=percent,
        rounded=rounded,
        digits=digits,
    )


async def _sections(site: Site, dossier: Dossier) -> list[tuple[SurveySeen, Section, "Buttons"]]:
    """Each survey with what it says and what can be done about it."""
    names = AnswerNames.of(site.settings)
    await loaded("assaymark.web.pages.surveys")  # the code of every kind of survey
    from assaymark.web.pages.surveys import buttons_of

    buttons = await site.runner.ask(
        lambda desk: [buttons_of(desk.state, one) for one in dossier.surveys]
    )
    return [
        (survey, names.section(survey_section(survey)), own)
        for survey, own in zip(dossier.surveys, buttons, strict=True)
    ]


def _training(dossier: Dossier) -> Record | None:
    """Where a training stands, if there is one."""
    return next((one.summary for one in dossier.surveys if one.summary), None)


@only("lead")
async def news(request: Request) -> Response:
    """Counts only, which are no look: what is waiting, and whether looking again would show anything new."""
    site, name = site_of(request), person_of(request).name
    now = await site.runner.ask(lambda desk: _now(desk, name, site.settings))
    return JSONResponse(
        {
            "due": now.due,
            "waiting": now.waiting,
            "mine": now.mine,
            "disputed": now.disputed,
            "at": now.labels_at,
            "drawn": now.drawn,
            "can_draw": now.can_draw,
        }
    )


@only("lead")
async def numbers(request: Request) -> Response:
    """The four numbers of the verdict on the screen, which does not wait for them at first."""
    site = site_of(request)
    dossier = await asyncio.to_thread(site.watch.numbers)
    if dossier is None:
        return Response(status_code=204)
    dossier = AnswerNames.of(site.settings).dossier(dossier)
    return site.page(request, "four.html", seen=dossier, ranges=_ranges(dossier), rounded=rounded)


def _ranges(dossier: Dossier) -> list[tuple[CardNumber, Markup | None, str]]:
    """The numbers of the card, each with its picture and, where it is known exactly, its value."""
    return [
        (
            number,
            range_picture(number),
            shown(number.low) if number.low is not None and number.low == number.high else "",
        )
        for number in dossier.card
    ]


@only("lead")
async def doubt(request: Request) -> Response:
    """What wrong labels would do to the verdict on the screen; it takes longer than the verdict."""
    site = site_of(request)
    sensitivity = await asyncio.to_thread(site.watch.sensitivity)
    sensitivity = AnswerNames.of(site.settings).sensitivity(sensitivity)
    return JSONResponse({"sentence": sensitivity.sentence if sensitivity else ""})


@only("lead")
async def draw(request: Request) -> Response:
    """Draw the next items; asks first where earlier items keep new ones from counting."""
    site = site_of(request)
    await site.runner.ask(Desk.catch_up)
    blocking = await site.runner.ask(lambda desk: blocking_items(desk.state))
    if blocking is not None and (await form(request)).get("anyway") != "yes":
        held = await asyncio.to_thread(waits_for_labels, site.project)
        return ask(request, _held_notice(blocking) if held else _draw_question(blocking))
    try:
        await draw_next(site)
    except PlanError:  # the page may have drawn them by itself in the meantime
        waiting = await site.runner.ask(_waiting)
        if blocking is not None or not waiting:
            raise
        return RedirectResponse("/watch?drawn=before", status_code=303)
    return RedirectResponse("/watch", status_code=303)


def _waiting(desk: Desk) -> int:
    desk.catch_up()  # what was drawn since is known to the ledger before it is known to the desk
    return len(desk.queue.waiting)


def _held_notice(blocking: Blocking) -> Question:
    """Where the next items are chosen by the labels that are missing, nothing can be drawn anyway."""
    return Question(
        title="No more items can be drawn yet",
        sentences=(f"{blocking.sentence} The next items are chosen by the labels before them.",),
        back=_settling(blocking),
        back_name="Decide them" if blocking.disputed else "See them",
    )


def _settling(blocking: Blocking) -> str:
    """The page on which the items that hold up others are settled."""
    return "/decide" if blocking.disputed else "/items?state=waiting"


def _draw_question(blocking: Blocking) -> Question:
    first = "Decide them" if blocking.disputed else "Have them labelled"
    return Question(
        title="Draw more items anyway?",
        sentences=(f"{blocking.sentence} {NEW_ITEMS}", f"{first} first, so that the labels count."),
        action="/watch/draw",
        fields={"anyway": "yes"},
        yes="Draw anyway",
        back=_settling(blocking),
    )


@only("lead")
async def certify(request: Request) -> Response:
    """Issue the certificate: the same step, and the same file, as the command line's."""
    await loaded("assaymark.composite.issuing")  # far more code than looking takes
    from assaymark.certification.issuing import certify as issue
    from assaymark.composite.issuing import certify_claim

    site = site_of(request)
    claimed = await site.runner.ask(lambda desk: current_claim(desk.state) is not None)
    bound = (await form(request)).get("bound") == "yes"
    step = certify_claim if claimed else partial(issue, bound=bound)
    await asyncio.to_thread(step, site.project)
    await site.runner.ask(Desk.catch_up)
    return RedirectResponse("/read", status_code=303)
