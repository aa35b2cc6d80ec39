"""Decide items on which reviewers differ."""

import asyncio
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assaymark.errors import ConflictError, InputError
from assaymark.labelling.desk import Desk, Submission
from assaymark.labelling.texts import Sources, text_sources
from assaymark.ledger.events import decides_blind
from assaymark.web.access.sessions import Person
from assaymark.web.display import visible
from assaymark.web.pages.drawing_on import draw_when_low
from assaymark.web.pages.labelling import LONGEST_NOTE, answers, shown_fields
from assaymark.web.site import form, only, person_of, refuse, site_of


@dataclass(frozen=True, kw_only=True)
class Dispute:
    """An item in dispute: what was said, without names, and the remarks; `own` if the decider answered."""

    item: str
    left: int
    said: tuple[tuple[int | None, str], ...]
    sources: Sources
    classes: tuple[str, ...]
    own: bool


def _next(desk: Desk, after: str | None, wanted: str | None, person: Person) -> Dispute | None:
    desk.catch_up()
    items = [item for item in desk.queue.disputed if _may_decide(desk, item, person)]
    if not items:
        return None
    # what others differ about comes first: who answered an item should not decide it
    items.sort(key=lambda item: person.name in desk.state.answers.of(item))
    place = items.index(after) + 1 if after in items else 0
    item = wanted if wanted in items else items[place % len(items)]
    notes = {said.annotator: said.text for said in desk.state.notes.get(item, [])}
    said = sorted(
        ((label, notes.get(name, "")) for name, label in desk.state.answers[item].items()),
        key=lambda pair: (pair[0] is None, -(pair[0] or 0)),
    )
    return Dispute(
        item=item,
        left=len(items),
        said=tuple(said),
        sources=text_sources(desk.state),
        classes=desk.state.classes,
        own=person.name in desk.state.answers[item],
    )


def _may_decide(desk: Desk, item: str, person: Person) -> bool:
    """Where decisions are blind, nobody decides about a record that they read themselves."""
    answered = person.name in desk.state.answers.of(item)
    return not (answered and decides_blind(desk.state))


async def _unfit(request: Request) -> Response | None:
    """The lead decides, except in a review whose decisions are blind: the lead sees its figures."""
    blind = await site_of(request).runner.ask(lambda desk: decides_blind(desk.state))
    leads = person_of(request).role == "lead"
    if leads != blind:
        return None
    sentence = (
        "Decisions between readers are blind in this review, and you may see its figures: an annotator "
        "decides who did not read the record. A review that begins with open decisions lets leads decide."
        if blind
        else "Only the lead can open this page."
    )
    return refuse(request, sentence, status=403)


@only("annotator", "lead")
async def show(request: Request) -> Response:
    """The next item in dispute, or that there is none."""
    if (refusal := await _unfit(request)) is not None:
        return refusal
    site, person = site_of(request), person_of(request)
    after = request.query_params.get("after")
    wanted = request.query_params.get("item")
    dispute = await site.runner.ask(lambda desk: _next(desk, after, wanted, person))
    fields: list[dict[str, Any]] = []
    if dispute is not None:
        await asyncio.to_thread(site.shelf.fetch, dispute.sources, [dispute.item])
        fields = await asyncio.to_thread(
            shown_fields, site, person.name, dispute.sources, dispute.item
        )
    ticket = site.sessions.item_mark(person.name, dispute.item) if dispute else ""
    said = [(label, visible(note)) for label, note in dispute.said] if dispute else []
    return site.page(
        request,
        "decide.html",
        found=dispute,
        fields=fields,
        said=said,
        ticket=ticket,
        shown_id=visible(dispute.item) if dispute else "",
        decides=True,
    )


@only("annotator", "lead")
async def decide(request: Request) -> Response:
    """Settle an item; it is recorded with who decided."""
    if (refusal := await _unfit(request)) is not None:
        return refusal
    site, person, fields = site_of(request), person_of(request), await form(request)
    item, word, note = fields.get("item", ""), fields.get("answer"), fields.get("note", "").strip()
    classes = await site.runner.ask(lambda desk: desk.state.classes)
    label = answers(classes).get(str(word))
    if label is None:
        raise InputError("Decide which label the item has.")
    if len(note) > LONGEST_NOTE:
        raise InputError(f"A note may be {LONGEST_NOTE:,} characters long.")
    if not site.sessions.fits(fields.get("ticket"), site.sessions.item_mark(person.name, item)):
        raise InputError("This item was not shown to you. Reload the page.")
    if not await site.runner.ask(lambda desk: _may_decide(desk, item, person)):
        raise ConflictError("You read this record yourself, so somebody else decides.")
    await site.runner.record(
        Submission(
            item=item,
            annotator=person.name,
            label=label,
            deciding=True,
            note=note or None,
        )
    )
    draw_when_low(site)  # what was held up can go on
    return RedirectResponse("/decide", status_code=303)
