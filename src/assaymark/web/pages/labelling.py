"""The labelling page and what its script asks for."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from assaymark.errors import AssaymarkError, ConflictError, InputError, message_of
from assaymark.labelling.desk import Desk, Submission
from assaymark.labelling.queue import purposes
from assaymark.labelling.texts import Sources, text_sources
from assaymark.ledger.events import decides_blind
from assaymark.web.access.sessions import Person
from assaymark.web.attachments import attached
from assaymark.web.display import visible
from assaymark.web.markdown import rendered
from assaymark.web.pages.drawing_on import draw_when_low
from assaymark.web.pages.empty_queue import Drawing, standing
from assaymark.web.rooms import FORECASTS, loaded
from assaymark.web.site import Site, body, only, person_of, site_of
from assaymark.web.wording import for_page

ANSWERS: dict[str, int | None] = {"relevant": 1, "not": 0, "unclear": None}
LONGEST_NOTE = 2000
LONGEST_STAY = 1800.0  # seconds; whoever looks longer was away
MOST_KEPT = 5
AHEAD = 400  # texts fetched at once


@dataclass(frozen=True, kw_only=True)
class Handed:
    """What the desk says to somebody who wants items."""

    items: tuple[str, ...]
    ahead: tuple[str, ...]
    sources: Sources
    progress: dict[str, Any]
    standing: dict[str, Any]


@only("annotator", "lead")
async def show(request: Request) -> Response:
    """The page; its script fetches the first items."""
    site = site_of(request)
    return site.page(
        request,
        "label.html",
        purposes=await site.runner.ask(_purposes),
        classes=await site.runner.ask(lambda desk: desk.state.classes),
        tags=await site.runner.ask(lambda desk: desk.state.tags),
        decides=await site.runner.ask(lambda desk: decides_blind(desk.state)),
        protocol=rendered(site.settings.criteria) if site.settings.criteria.strip() else "",
    )


def _purposes(desk: Desk) -> tuple[str, ...]:
    desk.catch_up()
    return purposes(desk.state)


@only("annotator", "lead")
async def hand(request: Request) -> Response:
    """The next items for this person."""
    asked = await body(request)
    site, name = site_of(request), person_of(request).name
    answer = await _handed(site, person_of(request), _batch_kept(site, name, asked))
    draw_when_low(site)  # the first items too
    return JSONResponse(answer)


@only("annotator", "lead")
async def answer(request: Request) -> Response:
    """Record one answer, and send what comes next. "saved" is true only when it is on disk."""
    asked = await body(request)
    site, name = site_of(request), person_of(request).name
    classes = await site.runner.ask(lambda desk: desk.state.classes)
    submission = _submission(site, name, asked, classes)
    keep = [item for item in _batch_kept(site, name, asked) if item != submission.item]
    outcome = await site.runner.record(submission)
    try:
        handed = await _handed(site, person_of(request), keep)
    except (AssaymarkError, OSError) as error:  # it is saved all the same
        return JSONResponse(
            {"saved": True, "outcome": outcome, "trouble": for_page(message_of(error))}
        )
    draw_when_low(site)
    return JSONResponse({"saved": True, "outcome": outcome, **handed})


@only("annotator", "lead")
async def release(request: Request) -> Response:
    """Somebody left the page: what lay on their screen is free for others at once."""
    await site_of(request).release(person_of(request).name)
    return Response(status_code=204)


@only("annotator", "lead")
async def back(request: Request) -> Response:
    """The item that this person answered before the one on the screen."""
    asked = await body(request)
    site, name = site_of(request), person_of(request).name
    before = asked.get("before")
    item = await site.runner.ask(
        lambda desk: (
            desk.back(name, before if isinstance(before, str) else None),
            text_sources(desk.state),
            desk.state.classes,
        )
    )
    previous, sources, classes = item
    if previous is None:
        return JSONResponse({"item": None})
    await asyncio.to_thread(site.shelf.fetch, sources, [previous.item])
    return JSONResponse(
        {
            "item": await asyncio.to_thread(shown, site, name, sources, previous.item),
            "answer": answer_word(previous.label, classes),
        }
    )


def _batch_kept(site: Site, name: str, asked: dict[str, Any]) -> list[str]:
    """The items that are still on this person's screen, each with proof that it was handed to them."""
    kept = asked.get("keep", [])
    if not isinstance(kept, list) or not all(isinstance(one, dict) for one in kept):
        raise InputError("'keep' must be a list of items, each with its id and ticket.")
    for one in kept[:MOST_KEPT]:
        item = one.get("id")
        if not isinstance(item, str) or not site.sessions.fits(
            one.get("ticket"), site.sessions.item_mark(name, item)
        ):
            raise ConflictError("An item to keep was not handed to you. Reload the page.")
    return [one["id"] for one in kept[:MOST_KEPT]]


def answers(classes: Sequence[str]) -> dict[str, int | None]:
    """The words that the page sends, and the labels they stand for.

    >>> answers(("ham", "spam"))
    {'class-0': 0, 'class-1': 1, 'unclear': None}
    """
    if not classes:
        return ANSWERS
    return {**{f"class-{code}": code for code in range(len(classes))}, "unclear": None}


def answer_word(label: int | None, classes: Sequence[str]) -> str:
    """The word that stands for a label on the page."""
    return next(word for word, code in answers(classes).items() if code == label)


def _submission(site: Site, name: str, asked: dict[str, Any], classes: Sequence[str]) -> Submission:
    item, word, note = asked.get("item"), asked.get("answer"), asked.get("note") or None
    known = answers(classes)
    if not isinstance(item, str) or not isinstance(word, str) or word not in known:
        raise InputError(f"An answer needs an item and one of {', '.join(list(known)[-10:])}.")
    if not site.sessions.fits(asked.get("ticket"), site.sessions.item_mark(name, item)):
        raise ConflictError("This item was not handed to you. Reload the page.")
    if note is not None and (not isinstance(note, str) or len(note) > LONGEST_NOTE):
        raise InputError(f"A note may be {LONGEST_NOTE:,} characters long.")
    return Submission(
        item=item,
        annotator=name,
        label=known[word],
        correcting=asked.get("correcting") is True,
        seconds=_seconds(asked.get("seconds")),
        note=note,
    )


def _seconds(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        return None
    return round(min(float(value), LONGEST_STAY), 1)


async def _handed(site: Site, person: Person, keep: Sequence[str]) -> dict[str, Any]:
    name = person.name
    # before the desk is asked: nobody's answer waits for statistics to load
    await loaded(FORECASTS)
    drawing = Drawing(automatic=site.auto_draw, trouble=for_page(site.not_drawn))
    handed = await site.runner.ask(lambda desk: _hand(desk, person, keep, drawing))
    missing = [item for item in handed.items if not site.shelf.has(item)]
    if missing:
        await asyncio.to_thread(site.shelf.fetch, handed.sources, [*missing, *handed.ahead])
    items = await asyncio.to_thread(
        lambda: [shown(site, name, handed.sources, item) for item in handed.items]
    )
    return {
        "items": items,
        "progress": handed.progress,
        "standing": handed.standing,
    }


def _hand(desk: Desk, person: Person, keep: Sequence[str], drawing: Drawing) -> Handed:
    desk.catch_up()
    items = tuple(desk.hand(person.name, keep))
    ahead = []
    for item in desk.queue.waiting:
        ahead.append(item)
        if len(ahead) == AHEAD:
            break
    return Handed(
        items=items,
        ahead=tuple(ahead),
        sources=text_sources(desk.state),
        progress=_progress(desk, person.name),
        standing=standing(desk, person, drawing),
    )


def _progress(desk: Desk, name: str) -> dict[str, Any]:
    attempt = desk.state.attempt
    expected = None
    if attempt is not None and attempt.open:
        from assaymark.certification.sealing import expected_of  # loads the statistics

        expected = expected_of(desk.state)
    drawn, done = len(desk.queue.wanted), len(desk.queue.begun)
    if attempt is not None and not attempt.open and not desk.queue.waiting:
        # the queue holds what is open: after a closed plan that would be an earlier sample alone
        drawn = done = sum(bool(given) for given in desk.state.answers.values())
    known = expected is not None and expected >= drawn
    return {
        "done": done,
        "of": expected if known else drawn,
        "about": known and attempt is not None and attempt.plan.size is None,
        "mine": len(desk.history.get(name, {})),
        "waiting": len(desk.queue.waiting),
    }


def shown(site: Site, name: str, sources: Sources, item: str) -> dict[str, Any]:
    """An item as an annotator may see it: its id and texts, never score, prediction or label."""
    return {
        "id": item,
        "ticket": site.sessions.item_mark(name, item),
        "name": visible(item),
        "fields": shown_fields(site, name, sources, item),
    }


def shown_fields(site: Site, name: str, sources: Sources, item: str) -> list[dict[str, Any]]:
    """The item's texts and files, as the page's script lays them out."""
    fields = []
    texts = site.shelf.fields(sources, item)
    main = site.shelf.main_columns()  # the same on every screen, from the first item on
    for place, (field, text) in enumerate(texts):
        shown: dict[str, Any] = {"name": visible(field), "text": visible(text)}
        if len(texts) > 1:
            shown["main"] = field in main
        file = attached(site, name, item, place, text)
        fields.append({**shown, "file": file} if file else shown)
    return fields
