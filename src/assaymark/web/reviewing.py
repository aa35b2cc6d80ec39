"""The lead's page of a review: verdict, figures, recall curve, and the buttons to go on or certify.

Readers label on the same screen as always; nothing there tells a random record from another.
"""

import asyncio
from functools import partial

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assaymark.labelling.desk import ConflictError, Desk
from assaymark.ledger.events import replay
from assaymark.project.folder import Project
from assaymark.reports.render import svg
from assaymark.reviewing.certificate import certify_review
from assaymark.reviewing.handing import next_items, the_review
from assaymark.reviewing.history import history
from assaymark.reviewing.reporting import recall_chart
from assaymark.reviewing.status import ReviewStatus, status_of
from assaymark.reviewing.wording import rounded_down, to_go, verdict
from assaymark.web.site import form, only, person_of, site_of

BUSY = "review"
USUAL, MOST = 50, 1000


@only("lead")
async def show(request: Request) -> Response:
    """Where the review stands now."""
    site = site_of(request)
    waiting = await site.runner.ask(_waiting)
    now, picture = await asyncio.to_thread(_figures, site.project)
    certified = "none yet" if now.certified_recall is None else rounded_down(now.certified_recall)
    return site.page(
        request,
        "review.html",
        person=person_of(request),
        mark=site.mark(request),
        now=now,
        verdict=verdict(now),
        certified=certified,
        to_go=to_go(now),
        picture=picture,
        waiting=waiting,
        usual=USUAL,
    )


def _waiting(desk: Desk) -> int:
    desk.catch_up()
    return len(desk.queue.waiting)


def _figures(project: Project) -> tuple[ReviewStatus, Markup | None]:
    entries = project.ledger.entries()
    state = replay(entries)
    now = status_of(state, the_review(state))
    chart = recall_chart(history(entries, points=20), now)
    # drawn by our own renderer, which escapes the texts in it
    return now, None if chart is None else Markup(svg(chart.spec))  # noqa: S704


@only("lead")
async def go_on(request: Request) -> Response:
    """Hand out the next items, ranked by the labels of now; readers do not wait for it."""
    site = site_of(request)
    asked = await form(request)
    text = asked.get("count", "")
    count = min(int(text), MOST) if text.isdecimal() and int(text) else USUAL
    if BUSY in site.busy:
        raise ConflictError("The next records are being chosen at this moment. Look again soon.")
    site.busy[BUSY] = True
    try:
        await asyncio.to_thread(partial(next_items, site.project, count=count, write=False))
    finally:
        del site.busy[BUSY]
    await site.runner.ask(Desk.catch_up)
    return RedirectResponse("/review", status_code=303)


@only("lead")
async def certify(request: Request) -> Response:
    """Issue the certificate: the same step, and the same file, as the command line's."""
    site = site_of(request)
    await asyncio.to_thread(certify_review, site.project)
    await site.runner.ask(Desk.catch_up)
    return RedirectResponse("/review", status_code=303)
