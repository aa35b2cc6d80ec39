"""Pictures and PDFs that a text column names: files of one folder, shown to whoever has the item.

A document is hostile, and so is a name in it: it is looked up below the folder that the lead chose,
what lies outside is not there, and the first bytes of a file, not its name, say what it is.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from assaymark.labelling.texts import text_sources
from assaymark.web.display import visible
from assaymark.web.site import Site, only, person_of, refuse, site_of

LONGEST_NAME = 300
LARGEST = 50_000_000  # bytes
MARKS = (
    (b"\x89PNG\r\n\x1a\n", "image", "image/png"),
    (b"\xff\xd8\xff", "image", "image/jpeg"),
    (b"GIF87a", "image", "image/gif"),
    (b"GIF89a", "image", "image/gif"),
    (b"%PDF-", "pdf", "application/pdf"),
)
ALONE = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; sandbox"


@dataclass(frozen=True, kw_only=True)
class Attachment:
    """A file that may be shown."""

    path: Path
    kind: str
    type: str


def find_attachment(folder: Path | None, text: str) -> Attachment | None:
    """The file that the text names, if it is a picture or a PDF below the folder."""
    name = text.strip()
    if folder is None or not name or len(name) > LONGEST_NAME or "\n" in name or "\x00" in name:
        return None
    try:
        root = folder.resolve()
        path = (root / name.replace("\\", "/")).resolve()
        if not path.is_relative_to(root) or not path.is_file() or path.stat().st_size > LARGEST:
            return None
        with path.open("rb") as stream:
            head = stream.read(16)
    except (OSError, ValueError):
        return None
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return Attachment(path=path, kind="image", type="image/webp")
    for mark, kind, media in MARKS:
        if head.startswith(mark):
            return Attachment(path=path, kind=kind, type=media)
    return None


def attached(site: Site, name: str, item: str, place: int, text: str) -> dict[str, Any] | None:
    """What the page's script needs to show the file that a field names."""
    attachment = find_attachment(site.files, text)
    if attachment is None:
        return None
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
    attachment = await asyncio.to_thread(find_attachment, site.files, text)
    if attachment is None:
        return refuse(request, "There is no such file.", status=404)
    headers = {"content-security-policy": ALONE} if attachment.kind == "image" else {}
    return FileResponse(
        attachment.path,
        media_type=attachment.type,
        headers=headers,
        content_disposition_type="inline",
    )
