"""Pictures and PDFs of a project: the lead uploads them, and sees which are missing."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from assaymark.pool.named_files import TooManyNamesError
from assaymark.project.attachments import coverage
from assaymark.project.folder import collection_of
from assaymark.records.pool import RegisteredPool
from assaymark.web.attachments import find_attachment, named_files, unclear_files
from assaymark.web.file_coverage import coverage_reply, uncompared_reply
from assaymark.web.intake import ACCEPTED, added, begun
from assaymark.web.pieces import PIECE
from assaymark.web.site import Site, body, only, site_of


@only("lead")
async def show(request: Request) -> Response:
    """The upload, and what the table names."""
    site = site_of(request)
    return site.page(
        request,
        "files.html",
        piece=PIECE,
        accepted=ACCEPTED,
    )


@only("lead")
async def state(request: Request) -> Response:
    """Which files the table names, and which of them are here."""
    site = site_of(request)
    collection = await _collection(site)
    return JSONResponse(await asyncio.to_thread(_compared, site, collection))


@only("lead")
async def begin_upload(request: Request) -> Response:
    """A new upload: its id."""
    site, asked = site_of(request), await body(request)
    return JSONResponse({"upload": await begun(site.uploads, asked)})


@only("lead")
async def add_piece(request: Request) -> Response:
    """The next piece of a file; the last one answers with what became of it."""
    site = site_of(request)
    return JSONResponse(await added(request, site.uploads, lambda: unclear_files(site)))


async def _collection(site: Site) -> RegisteredPool:
    return await site.runner.ask(lambda desk: collection_of(desk.state))


def _compared(site: Site, collection: RegisteredPool) -> dict[str, Any]:
    try:
        names = named_files(site, collection)
    except TooManyNamesError as error:
        return uncompared_reply(error)
    here = [name for name in names if find_attachment(site.files, name) is not None]
    covered = coverage(names, site.attachments.names(), here)
    return coverage_reply(covered, collection.columns.text)
