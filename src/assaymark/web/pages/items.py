"""The lead's list of items: search, filter, open one, give it to somebody, bring labels in and out."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assaymark.certification.view.hidden_positives import row_name
from assaymark.errors import InputError
from assaymark.files.tools import READERS
from assaymark.labelling.blocking import open_claim
from assaymark.labelling.desk import Desk
from assaymark.labelling.overdue import effect_of
from assaymark.labelling.texts import Sources, text_sources
from assaymark.ledger.events import State
from assaymark.overview.answer_names import AnswerNames
from assaymark.project.users import checked_name
from assaymark.web.display import readable, visible
from assaymark.web.numbers import count_of
from assaymark.web.pages.labelling import shown_fields
from assaymark.web.site import Site, form, only, person_of, refuse, site_of

PER_PAGE = 50
MOST_SEARCHED = 50_000
STATES = {
    "waiting": "waiting",
    "second": "waiting for a second reviewer",
    "labelled": "labelled",
    "conflict": "conflict",
    "decided": "conflict decided",
    "unclear": "cannot tell",
    "closed": "not labelled",
}
FILTERS = ("search", "person", "answer", "state", "stratum", "note")


@dataclass(frozen=True, kw_only=True)
class ItemRow:
    """An item of the list: who said what, whose turn it is. Answers are None while nobody may look."""

    item: str
    state: str
    answers: tuple[tuple[str, int | None], ...] | None
    people: tuple[str, ...]
    decision: int | None
    own_decision: bool
    notes: tuple[tuple[str, str], ...]
    stratum: str
    assigned: str | None
    open_at: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Listing:
    """All items that were ever handed out, with what filters may choose from."""

    rows: tuple[ItemRow, ...]
    people: tuple[str, ...]
    strata: tuple[str, ...]
    sources: Sources
    classes: tuple[str, ...]
    hidden: bool
    effect: str | None


def listing(desk: Desk) -> Listing:
    """The items of the open work in the order they were handed out, then those of what has ended."""
    desk.catch_up()
    state, queue = desk.state, desk.queue
    hidden = _hidden(desk)
    strata = _strata(desk)
    rows = []
    for item in dict.fromkeys((*queue.wanted, *_ended(desk))):
        answers = state.answers.of(item)
        decided = state.decided.get(item)
        rows.append(
            ItemRow(
                item=item,
                state=_state(desk, item),
                answers=None if hidden else tuple(answers.items()),
                people=tuple(answers),
                decision=None if hidden else decided,
                own_decision=_decider(desk, item) in answers,
                notes=tuple((said.annotator, said.text) for said in state.notes.get(item, ())),
                stratum=strata.get(item, ""),
                assigned=queue.assigned.get(item),
                open_at=tuple(lease.annotator for lease in queue.leases.get(item, ())),
            )
        )
    people = {name for row in rows for name in (*row.people, row.assigned) if name}
    return Listing(
        rows=tuple(rows),
        people=tuple(sorted(people)),
        strata=tuple(sorted(set(strata.values()))),
        sources=text_sources(state),
        classes=state.classes,
        hidden=hidden,
        effect=effect_of(state) if _goes_on(state) else None,
    )


def _goes_on(state: State) -> bool:
    """Whether a plan, a claim of several parts or a review waits for labels."""
    plan = state.attempt is not None and state.attempt.open
    return plan or bool(state.reviews) or open_claim(state) is not None


def _ended(desk: Desk) -> Iterator[str]:
    """The items of plans, surveys and reviews, closed ones too."""
    state = desk.state
    for attempt in reversed(state.attempts):
        yield from attempt.order
    for survey in state.surveys:
        yield from survey.order
    for review in state.reviews:
        yield from review.order


def _hidden(desk: Desk) -> bool:
    """A plan that is judged once shows no answers before its last one."""
    attempt = desk.state.attempt
    judged_once = attempt is not None and attempt.open and attempt.plan.kind.judged_once
    return judged_once and bool(desk.queue.waiting or desk.queue.disputed)


def _state(desk: Desk, item: str) -> str:
    answers = desk.state.answers.of(item)
    if item in desk.state.decided:
        return "decided"
    if item in desk.queue.disputed:
        return "conflict"
    if item in desk.queue.waiting:
        return "second" if answers else "waiting"
    if not answers:
        return "closed"  # the plan ended before anybody read it
    if desk.state.disputed(item):
        return "conflict"
    return "unclear" if all(label is None for label in answers.values()) else "labelled"


def _decider(desk: Desk, item: str) -> str:
    return desk.deciders.get(item, "")


def _strata(desk: Desk) -> dict[str, str]:
    """Which part of the collection an item was drawn from, by the plan's or the survey's parts."""
    names = {}
    attempt = desk.state.attempt
    if attempt is not None:
        for draw in attempt.draws:
            word = "part" if draw.prediction is None else row_name(draw.prediction)
            several = len(attempt.plan.strata) > 1  # numbered as on the page of progress
            names[draw.id] = f"{word} {draw.stratum + 1}" if several else word
    for work in desk.state.surveys:
        for item, cell in work.cells.items():
            names.setdefault(item, work.survey.cells[cell].name)
    return names


def _fits(row: ItemRow, asked: Mapping[str, str], classes: tuple[str, ...]) -> bool:
    person, answer = asked.get("person"), asked.get("answer")
    if asked.get("state") and row.state != asked["state"]:
        return False
    if person and person not in (*row.people, row.assigned):
        return False
    if asked.get("stratum") and row.stratum != asked["stratum"]:
        return False
    if asked.get("note") == "yes" and not row.notes:
        return False
    if answer:
        words = {_word(label, classes) for _, label in row.answers or ()}
        return answer in words
    return True


def _word(label: int | None, classes: tuple[str, ...]) -> str:
    if label is None:
        return "unclear"
    return f"class-{label}" if classes else "relevant" if label == 1 else "not"


@only("lead")
async def show(request: Request) -> Response:
    """The list, filtered, a page at a time."""
    site, asked = site_of(request), dict(request.query_params)
    items = await site.runner.ask(listing)
    names = AnswerNames.of(site.settings)
    rows = await _filtered(site, items, asked)
    number = asked.get("page", "1")
    last = max(-(-len(rows) // PER_PAGE), 1)
    at = min(int(number), last) if number.isdecimal() and len(number) < 9 and int(number) else 1
    part = rows[(at - 1) * PER_PAGE : at * PER_PAGE]
    await asyncio.to_thread(site.shelf.fetch, items.sources, [row.item for row in part])
    return site.page(
        request,
        "items.html",
        rows=[(row, visible(row.item), _snippet(site, items.sources, row.item)) for row in part],
        count=len(rows),
        whole=len(items.rows),
        page=at,
        last=last,
        asked={key: asked.get(key, "") for key in FILTERS},
        filters=_query(asked),
        found=items,
        effect=items.effect,
        waits=any(row.state == "waiting" for row in items.rows),
        states=STATES,
        word=partial(answer_text, site, items.classes),
        batches=_batches(items),
        people_pairs=[(name, name) for name in items.people],
        formats=tuple(READERS),
        strata_pairs=[(name, names.text(name)) for name in items.strata],
        answer_pairs=[
            (_word(label, items.classes), answer_text(site, items.classes, label))
            for label in (*(range(len(items.classes)) if items.classes else (1, 0)), None)
        ],
    )  # fmt: skip


async def _filtered(site: Site, items: Listing, asked: Mapping[str, str]) -> list[ItemRow]:
    rows = [row for row in items.rows if _fits(row, asked, items.classes)]
    search = asked.get("search", "").strip().lower()
    if not search:
        return rows
    return await asyncio.to_thread(_searched, site, items.sources, rows, search)


def _query(asked: Mapping[str, str]) -> str:
    """The filters that are set, as links carry them."""
    return urlencode({key: asked[key] for key in FILTERS if asked.get(key)})


def answer_text(site: Site, classes: tuple[str, ...], label: int | None) -> str:
    """A label in the project's own words."""
    if label is None:
        return site.settings.cannot_tell
    if classes:
        return classes[label]
    return site.settings.relevant if label == 1 else site.settings.not_relevant


def _batches(shown: Listing) -> list[tuple[str, int, int]]:
    """Per person: items given to them that still wait, and items they labelled."""
    return [
        (
            name,
            sum(row.assigned == name and name not in row.people for row in shown.rows),
            sum(name in row.people for row in shown.rows),
        )
        for name in shown.people
    ]


def _searched(site: Site, sources: Sources, rows: list[ItemRow], search: str) -> list[ItemRow]:
    if len(rows) > MOST_SEARCHED:
        raise InputError(f"Texts of at most {MOST_SEARCHED:,} items are searched. Filter first.")
    site.shelf.fetch(sources, [row.item for row in rows])
    return [
        row
        for row in rows
        if search in row.item.lower()
        or any(
            search in text.lower() or search in readable(text).lower()
            for _, text in site.shelf.fields(sources, row.item)
        )
        or any(search in note.lower() for _, note in row.notes)
    ]


def _snippet(site: Site, sources: Sources, item: str) -> str:
    fields = site.shelf.fields(sources, item)
    texts = " · ".join(readable(text) for _, text in fields if text.strip())
    return visible(" ".join(texts[:400].split())[:160])


@only("lead")
async def one(request: Request) -> Response:
    """One item: its text, what was said of it and by whom; its neighbours are those of the list."""
    site, asked = site_of(request), dict(request.query_params)
    items = await site.runner.ask(listing)
    row = next((row for row in items.rows if row.item == asked.get("item")), None)
    if row is None:
        return refuse(request, "This item was not handed out.", status=404)
    filtered = await _filtered(site, items, asked)
    rows = filtered if row in filtered else list(items.rows)  # it may have left the list by now
    place = rows.index(row)
    await asyncio.to_thread(site.shelf.fetch, items.sources, [row.item])
    fields = await asyncio.to_thread(
        shown_fields, site, person_of(request).name, items.sources, row.item
    )
    near = [rows[at].item if 0 <= at < len(rows) else None for at in (place - 1, place + 1)]
    return site.page(
        request,
        "item.html",
        row=row,
        shown_id=visible(row.item),
        stratum=AnswerNames.of(site.settings).text(row.stratum),
        fields=fields,
        notes=[(who, visible(text)) for who, text in row.notes],
        before=near[0],
        after=near[1],
        place=place + 1,
        count=len(rows),
        page=place // PER_PAGE + 1,
        filters=_query(asked),
        found=items,
        states=STATES,
        word=partial(answer_text, site, items.classes),
    )


@only("lead")
async def assign(request: Request) -> Response:
    """Give an item, or the next ones, to one person; without a name, back to everybody."""
    site, asked = site_of(request), await form(request)
    name = checked_name(asked["person"]) if asked.get("person", "").strip() else None
    item = asked.get("item", "")
    if item:
        number = await site.runner.ask(lambda desk: desk.assign([item], name))
        if not number:
            raise InputError(
                "This item waits for nobody any more, so it cannot be given to anybody."
            )
        return RedirectResponse(f"/items/one?item={quote(item, safe='')}", status_code=303)
    if name is None:
        raise InputError("Say who shall get the items.")
    take_back = asked.get("take_back") == "yes"
    count = None if take_back else count_of(asked, "count")
    if count is None and not take_back:
        raise InputError("Say how many items they shall get.")
    await site.runner.ask(lambda desk: _give(desk, name, count))
    return RedirectResponse("/items#people", status_code=303)


def _give(desk: Desk, name: str, count: int | None) -> None:
    """The next items that nobody has begun; with no count, take back what was given."""
    queue, state = desk.queue, desk.state
    if count is None:
        mine = [item for item, who in queue.assigned.items() if who == name]
        desk.assign(mine, None)
        return
    free = [i for i in queue.waiting if i not in queue.assigned and not state.answers.get(i)]
    if not desk.assign(free[:count], name):
        raise InputError("No items are left that nobody has begun. Draw more first.")
