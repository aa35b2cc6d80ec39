"""Pictures and PDFs uploaded beside a table, before it is a project."""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from assaymark.errors import InputError
from assaymark.pool.named_files import TooManyNamesError
from assaymark.pool.preview import Table
from assaymark.project.attachments import Attachments, coverage
from assaymark.web.file_coverage import coverage_reply, uncompared_reply
from assaymark.web.intake import AttachmentUploads, added, begun
from assaymark.web.site import body, only
from assaymark.web.start.workspace import Workspace, workspace_of


@only("lead")
async def begin_upload(request: Request) -> Response:
    """A new upload beside a table: its id."""
    asked = await body(request)
    uploads = _uploads(workspace_of(request), asked.get("table"))
    return JSONResponse({"upload": await begun(uploads, asked)})


@only("lead")
async def add_piece(request: Request) -> Response:
    """The next piece of a file; which columns name files is not settled yet, so all are taken."""
    uploads = _uploads(workspace_of(request), request.query_params.get("table"))
    return JSONResponse(await added(request, uploads, tuple))


def _uploads(here: Workspace, table: Any) -> AttachmentUploads:
    if not isinstance(table, str):
        raise InputError("Say which table the files belong to.")
    attachments = here.uploads.attachments(table)
    if table not in here.attaching:
        here.attaching[table] = AttachmentUploads(attachments)
    return here.attaching[table]


def compared(table: Table, texts: Sequence[str], attachments: Attachments) -> dict[str, Any] | None:
    """What these columns name beside what was uploaded; None where neither is anything."""
    try:
        names = table.file_names(texts)
    except TooManyNamesError as error:
        return uncompared_reply(error)
    present = attachments.names()
    return coverage_reply(coverage(names, present, ()), texts) if names or present else None
