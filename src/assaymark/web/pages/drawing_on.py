"""When the queue runs low: draw on, if the server is set to."""

import asyncio
import logging
from typing import TYPE_CHECKING

from assaymark.errors import AssaymarkError, message_of
from assaymark.labelling.desk import Desk
from assaymark.ledger.events import Attempt
from assaymark.project.folder import Project
from assaymark.web.site import Site

if TYPE_CHECKING:
    from assaymark.composite.work import ClaimWork

LOW = 12  # items left at which the next are drawn, so that nobody waits for them
log = logging.getLogger("assaymark.serve")


def established(desk: Desk) -> bool:
    """Whether the claim was established at the last look."""
    attempt = desk.state.attempt
    if (claim := _claim(desk)) is not None:
        return claim.established
    if attempt is None:
        return False
    passed = bool(attempt.looks) and attempt.looks[-1].event.decision == "pass"
    return attempt.outcome == "certified" or (attempt.open and passed)


def waits_for_labels(project: Project) -> bool:
    """Whether the next items of the open plan or claim depend on labels that are missing."""
    from assaymark.certification import drawing  # loads the statistics
    from assaymark.composite import drawing as composite
    from assaymark.composite.work import current_claim

    state = project.state()
    if current_claim(state) is not None:
        return composite.waits_for_labels(project, state)
    return drawing.waits_for_labels(state)


def _claim(desk: Desk) -> "ClaimWork | None":
    """The claim of several parts that is worked on, if there is one."""
    if not any(work.survey.purpose == "claim" for work in desk.state.surveys):
        return None  # others start faster without its statistics
    from assaymark.composite.work import current_claim

    return current_claim(desk.state)


def draw_when_low(site: Site) -> None:
    """Look and draw in the background when few items are left, where nobody has to ask for it."""
    if site.auto_draw and "drawing" not in site.busy:
        site.busy["drawing"] = asyncio.create_task(_draw_on(site))
        site.busy["drawing"].add_done_callback(lambda _: site.busy.pop("drawing", None))


async def _draw_on(site: Site) -> None:
    low = await site.runner.ask(_runs_low)
    if not low:
        return
    try:
        if low == "review":
            from assaymark.web.pages.reviewing import hand_out_more  # loads the statistics

            await hand_out_more(site)
        elif low == "estimate":
            from assaymark.estimation.survey import draw_estimate  # loads the statistics

            await asyncio.to_thread(draw_estimate, site.project, write=False)
        else:
            await _look_and_draw(site)
        site.not_drawn = ""
    except AssaymarkError as error:
        log.info("not drawn: %s", error)
        site.not_drawn = message_of(error)
    await site.runner.ask(Desk.catch_up)


async def _look_and_draw(site: Site) -> None:
    if await site.runner.ask(_nothing_new):
        await draw_next(site)
        return
    dossier = await asyncio.to_thread(site.watch.look)
    if dossier.answer.tone == "not yet" or dossier.answer.tone == "too early":
        await draw_next(site)


def _nothing_new(desk: Desk) -> bool:
    """Whether no more labels count than at the last look: another would only fill the record."""
    attempt = desk.state.attempt
    if attempt is None or _claim(desk) is not None:
        return False
    seen = attempt.looks[-1].event.draws if attempt.looks else 0
    return len(desk.state.settled(draw.id for draw in attempt.draws)) <= seen


def few(attempt: Attempt | None) -> int:
    """The items left at which the next are drawn: none where each draw waits for all labels."""
    lead = None if attempt is None else attempt.plan.lead
    return LOW if lead is None else min(LOW, lead // 4)


def _runs_low(desk: Desk) -> str | None:
    """What needs more items: plan, claim, review or estimate; None where nothing does."""
    attempt = desk.state.attempt
    if desk.queue.unread(desk.state) > few(attempt):
        return None
    if _estimate_goes_on(desk):
        return "estimate"
    if (claim := _claim(desk)) is not None:
        return "claim" if claim.can_draw and not claim.established else None
    if attempt is None:
        return "review" if desk.state.reviews else None
    return "plan" if attempt.open and not established(desk) else None


def _estimate_goes_on(desk: Desk) -> bool:
    """Whether the latest estimate has planned items that wait for nothing but labels that are there."""
    state = desk.state
    if not any(work.survey.purpose == "estimate" for work in state.surveys):
        return False  # others start faster without its statistics
    from assaymark.estimation.survey import current_estimate, design_of

    work = current_estimate(state)
    if work is None or (state.attempt is not None and state.attempt.open):
        return False
    labelled = all(state.labelled(item) for item in work.order)
    return labelled and 0 < len(work.order) < design_of(work).labels


async def draw_next(site: Site, count: int | None = None) -> int:
    """Draw the next items; how many need a label. The same step as the command line's."""
    from assaymark.certification.drawing import draw_batch  # loads the statistics
    from assaymark.composite.drawing import draw_for_claim

    claimed = await site.runner.ask(lambda desk: _claim(desk) is not None)
    if claimed:
        handed = await asyncio.to_thread(draw_for_claim, site.project, count=count, write=False)
        handed_out = len(handed.items)
    else:
        batch = await asyncio.to_thread(draw_batch, site.project, count=count, write=False)
        handed_out = len(batch.items)
    await site.runner.ask(Desk.catch_up)
    return handed_out
