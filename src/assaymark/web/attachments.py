"""Pictures and PDFs that a text column names: of one folder, or uploaded; shown to whoever has the item.

A document is hostile, and so is a name in it: it is looked up below the folder that the lead chose,
what lies outside is not there, and the first bytes of a file, not its name, say what it is. Which files
the collection names is read once, since it never changes.
"""

import asyncio
import contextlib
from collections.abc import Collection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from assaymark.errors import AssaymarkError
from assaymark.labelling.texts import text_sources
from assaymark.pool.named_files import LONGEST, TooManyNamesError, files_named_by
from assaymark.project.attachments import (
    Attachment,
    attachment_at,
    base_name,
    names_file,
    unclear_names,
)
from assaymark.project.folder import collection_of
from assaymark.records.pool import RegisteredPool
from assaymark.web.display import visible
from assaymark.web.site import Site, only, person_of, refuse, site_of

ALONE = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; sandbox"


def find_attachment(folder: Path | None, text: str) -> Attachment | None:
    """The file that the text names, if it is a picture or a PDF below the folder."""
    name = text.strip()
    if folder is None or not name or len(name) > LONGEST or "\n" in name or "\x00" in name:
        return None
    try:
        root = folder.resolve()
        path = (root / name.replace("\\", "/")).resolve()
    except (OSError, ValueError):
        return None
    return attachment_at(path) if path.is_relative_to(root) else None


def attachment_of(site: Site, text: str) -> Attachment | None:
    """The file that the text names: of the project's folder of files, else an uploaded one."""
    return find_attachment(site.files, text) or site.attachments.find(
        text, lambda: hidden_for(site, text)
    )


def attached(site: Site, name: str, item: str, place: int, text: str) -> dict[str, Any] | None:
    """What the page's script needs to show the file that a field names."""
    attachment = attachment_of(site, text)
    if attachment is None:
        return {"kind": "missing"} if names_file(text) and site.attachments.begun else None
    asked = urlencode({"item": item, "field": place, "ticket": site.sessions.item_mark(name, item)})
    return {
        "kind": attachment.kind,
        "name": visible(attachment.path.name),
        "url": f"{site.root}/label/file?{asked}",
    }


@only("annotator", "lead")
async def show(request: Request) -> Response:
    """The file of a field, for whoever was handed the item."""
    site, asked = site_of(request), request.query_params
    item, place = asked.get("item", ""), asked.get("field", "")
    mark = site.sessions.item_mark(person_of(request).name, item)
    if not site.sessions.fits(asked.get("ticket"), mark):
        return refuse(request, "This item was not handed to you.", status=403)
    sources = await site.runner.ask(lambda desk: text_sources(desk.state))
    fields = await asyncio.to_thread(site.shelf.fields, sources, item)
    known = place.isascii() and place.isdecimal() and len(place) < 4 and int(place) < len(fields)
    text = fields[int(place)][1] if known else ""
    attachment = await asyncio.to_thread(attachment_of, site, text)
    if attachment is None:
        return refuse(request, "There is no such file.", status=404)
    headers = {"content-security-policy": ALONE} if attachment.kind == "image" else {}
    return FileResponse(
        attachment.path,
        media_type=attachment.type,
        headers=headers,
        content_disposition_type="inline",
    )


AGAIN = 60  # seconds until a collection that could not be read is asked again


def named_files(site: Site, collection: RegisteredPool) -> list[str]:
    """The files that the collection names in what reviewers read."""
    if site.named_files is None:
        pool = site.project.pool(collection)
        try:
            site.named_files = files_named_by(pool, len(collection.columns.text))
        finally:
            pool.close()
    return site.named_files


def unclear_files(site: Site) -> frozenset[str] | None:
    """Names that the collection uses for two different paths; None while it cannot be read.

    For a thread that may wait: the first to ask reads the collection.
    """
    if site.unclear_files is None:
        with site.naming:
            due = site.named_files is not None or site.clock() >= site.names_again
            if site.unclear_files is None and due:
                _read_unclear(site)
    return site.unclear_files


def hidden_for(site: Site, cell: str) -> Collection[str] | None:
    """Names whose uploaded file this cell does not show; None while nobody can say.

    Where the table names too many files to compare them, a cell with a folder shows none: another
    could end with the same name.
    """
    unclear = unclear_files(site)
    if site.uncompared and "/" in cell.strip().replace("\\", "/"):
        return {base_name(cell)}
    return unclear


def _read_unclear(site: Site) -> None:
    try:
        collection = site.runner.call(lambda desk: collection_of(desk.state))
        unclear = _unclear_in(site, collection)
    except (AssaymarkError, OSError):
        site.names_again = site.clock() + AGAIN
        return
    with contextlib.suppress(OSError):  # what cannot be noted is found out again
        site.attachments.settle(unclear)
    site.unclear_files = unclear


def _unclear_in(site: Site, collection: RegisteredPool) -> frozenset[str]:
    try:
        return frozenset(unclear_names(named_files(site, collection)))
    except TooManyNamesError:  # the page of files says so
        site.uncompared = True
        return frozenset()
