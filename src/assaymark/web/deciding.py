"""Decide items on which annotators differ."""

import asyncio
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assaymark.errors import InputError
from assaymark.labelling.desk import Desk, Given
from assaymark.labelling.texts import Sources, text_sources
from assaymark.web.display import pieces, visible
from assaymark.web.labelling import LONGEST_NOTE, answers
from assaymark.web.site import form, only, person_of, site_of


@dataclass(frozen=True, kw_only=True)
class Dispute:
    """An item in dispute: what was said, without names, and the remarks."""

    item: str
    left: int
    said: tuple[tuple[int | None, str], ...]
    sources: Sources
    classes: tuple[str, ...]


def _next(desk: Desk, after: str | None) -> Dispute | None:
    desk.catch_up()
    items = list(desk.queue.disputed)
    if not items:
        return None
    place = items.index(after) + 1 if after in items else 0
    item = items[place % len(items)]
    notes = dict(desk.state.notes.get(item, []))
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
    )


@only("lead")
async def show(request: Request) -> Response:
    """The next item in dispute, or that there is none."""
    site, person = site_of(request), person_of(request)
    after = request.query_params.get("after")
    found = await site.runner.ask(lambda desk: _next(desk, after))
    fields: list[tuple[str, list[str]]] = []
    if found is not None:
        await asyncio.to_thread(site.shelf.fetch, found.sources, [found.item])
        texts = site.shelf.fields(found.sources, found.item)
        fields = [(visible(name), pieces(visible(text))) for name, text in texts]
    ticket = site.sessions.item_mark(person.name, found.item) if found else ""
    said = [(label, visible(note)) for label, note in found.said] if found else []
    return site.page(
        request,
        "decide.html",
        person=person,
        mark=site.mark(request),
        found=found,
        fields=fields,
        said=said,
        ticket=ticket,
        shown_id=visible(found.item) if found else "",
    )


@only("lead")
async def decide(request: Request) -> Response:
    """Settle an item; it goes on record with who decided."""
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
    await site.runner.record(
        Given(
            item=item,
            annotator=person.name,
            label=label,
            deciding=True,
            note=note or None,
        )
    )
    return RedirectResponse("/decide", status_code=303)
