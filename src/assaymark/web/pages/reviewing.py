"""The lead's page of a review: verdict, figures, recall curve, and the buttons to go on or certify.

Readers label on the same screen as always; nothing there tells a random record from another.
"""

import asyncio
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from assaymark.errors import ConflictError
from assaymark.labelling.desk import Desk
from assaymark.labelling.spending import spending
from assaymark.ledger.events import replay
from assaymark.project.folder import Project
from assaymark.reviewing.certificate import certify_review
from assaymark.reviewing.handing import next_items
from assaymark.reviewing.history import history
from assaymark.reviewing.reporting import recall_chart
from assaymark.reviewing.standing import NEW_DRAWS, HeldUp, account_of, held_up, the_review
from assaymark.reviewing.starting import FloorRow, floor_table
from assaymark.reviewing.status import ReviewStatus, status_of
from assaymark.reviewing.wording import certified, next_step, to_go, verdict, waiting
from assaymark.web.asking import Question, ask
from assaymark.web.charts import picture
from assaymark.web.site import Site, form, only, site_of

BUSY = "review"
USUAL, MOST = 50, 1000


@only("lead")
async def show(request: Request) -> Response:
    """Where the review stands now."""
    site = site_of(request)
    desk = await site.runner.ask(_desk)
    now, picture = await asyncio.to_thread(_figures, site.project)
    return site.page(
        request,
        "review.html",
        now=now,
        verdict=verdict(now),
        certified=certified(now),
        to_go=to_go(now),
        next_step=next_step(now),
        held_up=waiting(now),
        picture=picture,
        price=_price(now) if not now.found else (),
        desk=desk,
        spent=await site.runner.ask(lambda desk: spending(desk.state, site.settings).sentence),
        busy=BUSY in site.busy,
        usual=USUAL,
    )


@dataclass(frozen=True, kw_only=True)
class AtDesk:
    """Records that wait for labels or for a decision, and the event of the latest label."""

    waiting: int
    disputed: int
    certified: bool
    at: int


def _desk(desk: Desk) -> AtDesk:
    desk.catch_up()
    work = the_review(desk.state)
    return AtDesk(
        waiting=len(desk.queue.waiting),
        disputed=len(desk.queue.disputed),
        certified=bool(work.certificates),
        at=desk.state.labels_at,
    )


def _figures(project: Project) -> tuple[ReviewStatus, Markup | None]:
    entries = project.ledger.entries()
    state = replay(entries)
    now = status_of(state, the_review(state))
    chart = recall_chart(history(entries, points=20), now)
    return now, picture(chart)


def _price(now: ReviewStatus) -> tuple[FloorRow, ...]:
    """What a proof costs at least, for those who have yet to choose how much to read."""
    targets = [Fraction(str(one.recall)) for one in now.targets]
    return floor_table(now.items, targets, Fraction(str(now.confidence)))


@only("lead")
async def news(request: Request) -> Response:
    """Counts only: whether the page on the screen is out of date."""
    site = site_of(request)
    desk = await site.runner.ask(_desk)
    return JSONResponse({"at": desk.at, "waiting": desk.waiting, "busy": BUSY in site.busy})


@only("lead")
async def go_on(request: Request) -> Response:
    """Hand out the next items, ranked by the labels of now; asks first where they would not count yet."""
    site = site_of(request)
    asked = await form(request)
    text = asked.get("count", "")
    count = min(int(text), MOST) if text.isdecimal() and int(text) else USUAL
    desk = await site.runner.ask(_desk)
    held = await asyncio.to_thread(_held_up, site.project)
    if held is not None and asked.get("anyway") != "yes":
        return ask(request, _question(held, count, decide=bool(desk.disputed)))
    if BUSY in site.busy:
        raise ConflictError(
            "The next records are being chosen at this moment. Refresh the page soon."
        )
    await _hand_out(site, count)
    return RedirectResponse("/review", status_code=303)


def _held_up(project: Project) -> HeldUp | None:
    state = project.state()
    return held_up(account_of(state, the_review(state)))


def _question(held: HeldUp, count: int, *, decide: bool) -> Question:
    first = "Decide the records on which readers differ" if decide else "Have them labelled"
    return Question(
        title="Hand out more records anyway?",
        sentences=(f"{held.sentence} {NEW_DRAWS}", f"{first} first, so that the labels count."),
        action="/review/next",
        fields={"anyway": "yes", "count": str(count)},
        yes="Hand out anyway",
        back="/decide" if decide else "/items?state=waiting",
    )


async def hand_out_more(site: Site) -> None:
    """As many records as last time, where the review goes on; nobody waits for the ranking."""
    state = await asyncio.to_thread(site.project.state)  # not at the desk: answers go on meanwhile
    work = the_review(state)
    now = await asyncio.to_thread(status_of, state, work)
    if BUSY not in site.busy and work.handouts and now.decision == "continue":
        last = sum(len(batch.items) for batch in work.batches if batch.handout == work.handouts)
        await _hand_out(site, min(last, MOST))


async def _hand_out(site: Site, count: int) -> None:
    site.busy[BUSY] = True
    try:
        await asyncio.to_thread(partial(next_items, site.project, count=count, write=False))
    finally:
        del site.busy[BUSY]
    await site.runner.ask(Desk.catch_up)


@only("lead")
async def certify(request: Request) -> Response:
    """Issue the certificate: the same step, and the same file, as the command line's."""
    site = site_of(request)
    await asyncio.to_thread(certify_review, site.project)
    await site.runner.ask(Desk.catch_up)
    return RedirectResponse("/read", status_code=303)
