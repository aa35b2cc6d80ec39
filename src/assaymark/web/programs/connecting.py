"""The lead's page of connections: tokens of programs, addresses to tell, Label Studio."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.labelling.desk import Desk
from assaymark.labelling.settings import Settings
from assaymark.labelling.texts import text_sources
from assaymark.project.connections import (
    EVENTS,
    RIGHTS,
    Right,
    add_hook,
    add_program,
    checked_address,
    read_connections,
    remove_hook,
    remove_program,
)
from assaymark.web.programs.description import PREFIX
from assaymark.web.programs.endpoints import record_export
from assaymark.web.programs.label_studio import LabelStudio
from assaymark.web.site import form, only, site_of

USES = {
    "read": "sees where things stand",
    "label": "fetches items and sends labels",
    "lead": "also draws and looks",
}
NAME = "Label Studio"


async def _page(request: Request, **values: Any) -> Response:
    site = site_of(request)
    shown = {"token": None, "told": None, "hook": None, **values}
    return site.page(
        request,
        "connect.html",
        known=await asyncio.to_thread(read_connections, site.served.folder),
        uses=USES,
        events=EVENTS,
        address=f"{site.root}{PREFIX}",
        **shown,
    )


@only("lead")
async def show(request: Request) -> Response:
    """Programs, addresses, and what they may do."""
    return await _page(request)


@only("lead")
async def add(request: Request) -> Response:
    """A new program; its token is shown on the answer and never again."""
    site, asked = site_of(request), await form(request)
    right = asked.get("right", "")
    if right not in RIGHTS:
        raise InputError("Choose what the program may do.")
    folder, name = site.served.folder, asked.get("name", "")
    token = await asyncio.to_thread(add_program, folder, name, cast("Right", right))
    return await _page(request, token=token)


@only("lead")
async def remove(request: Request) -> Response:
    """End the access of a program, or tell an address nothing more."""
    folder, asked = site_of(request).served.folder, await form(request)
    if asked.get("name"):
        await asyncio.to_thread(remove_program, folder, asked["name"])
    if asked.get("url"):
        await asyncio.to_thread(remove_hook, folder, asked["url"])
    return RedirectResponse("/connect", status_code=303)


@only("lead")
async def tell(request: Request) -> Response:
    """A new address to tell of events; the secret of its signatures is shown once."""
    folder, asked = site_of(request).served.folder, await form(request)
    events = tuple(name for name in EVENTS if asked.get(name) == "yes")
    hook = await asyncio.to_thread(add_hook, folder, asked.get("url", "").strip(), events)
    return await _page(request, hook=hook)


@only("lead")
async def label_studio(request: Request) -> Response:
    """Make a project in Label Studio, send the waiting items, and have annotations sent back."""
    site, asked = site_of(request), await form(request)
    studio = LabelStudio(
        url=checked_address(asked.get("url", "").strip()), token=asked.get("token", "").strip()
    )
    if asked.get("project"):
        number = asked["project"]
        if not number.isascii() or not number.isdecimal() or len(number) > 9:
            raise InputError("A project of Label Studio is named by its number.")
        text = await asyncio.to_thread(studio.export, int(number))
        done = await asyncio.to_thread(record_export, site.project, text, correct=True)
        await site.runner.ask(Desk.catch_up)
        sentence = f"Caught up: {counted(done.recorded, 'label')} recorded, {done.unchanged:,} known before."
        return await _page(request, told=sentence)
    back = checked_address(asked.get("back", "").strip().rstrip("/"))
    items, sources, classes = await site.runner.ask(_waiting)
    if not items:
        raise InputError("No item is waiting. Draw some first.")
    await asyncio.to_thread(site.shelf.fetch, sources, items)
    rows = [{"id": item, "fields": dict(site.shelf.fields(sources, item))} for item in items]
    columns = list(rows[0]["fields"])
    token = await asyncio.to_thread(add_program, site.served.folder, NAME, "label")

    def connect() -> tuple[int, int]:
        made = studio.create_project(site.title, columns, choices(site.settings, classes))
        sent = studio.import_tasks(made, rows)
        studio.add_hook(made, f"{back}{PREFIX}/hooks/label-studio", token)
        return made, sent

    made, sent = await asyncio.to_thread(connect)
    sentence = f"Project {made} in Label Studio has {sent:,} tasks; its annotations come back here."
    return await _page(request, told=sentence)


def choices(settings: Settings, classes: Sequence[str]) -> dict[str, str]:
    """The answers as annotators read them, and what each means here, whatever it is called later.

    >>> choices(Settings(relevant="Refund"), ())
    {'Refund': 'relevant', 'Not relevant': 'not relevant', 'Cannot tell': 'cannot tell'}
    """
    usual = {settings.relevant: "relevant", settings.not_relevant: "not relevant"}
    named = {name: name for name in classes} or usual
    named.setdefault(settings.cannot_tell, "cannot tell")
    return named


def _waiting(desk: Desk) -> tuple[list[str], Any, tuple[str, ...]]:
    desk.catch_up()
    unread = [item for item in desk.queue.waiting if not desk.state.answers.get(item)]
    return unread, text_sources(desk.state), desk.state.classes
