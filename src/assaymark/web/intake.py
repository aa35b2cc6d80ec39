"""Uploads of pictures and PDFs, for a project and for a table that becomes one: what both pages share."""

import asyncio
import contextlib
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from starlette.requests import Request

from assaymark.errors import InputError
from assaymark.project.attachment_archives import is_archive, unpack
from assaymark.project.attachments import (
    ENDINGS,
    LARGEST,
    MOST_BYTES,
    Arrival,
    Attachments,
    Intake,
    base_name,
)
from assaymark.web.display import visible
from assaymark.web.pieces import (
    BEGINNING,
    Pieces,
    Upload,
    names_at_work,
    owed_to_all,
    piece_of,
)

MOST_LISTED = 1_000  # names that a page is sent
UNPACKED = ".unpacked-"
UNPACKING = threading.Lock()  # one archive at a time, so that each finds the room it asked for
ACCEPTED = ",".join((*ENDINGS, ".zip"))


class AttachmentUploads:
    """Files on their way to the attachments of one project or table."""

    def __init__(self, attachments: Attachments) -> None:
        self.attachments = attachments
        self._pieces = Pieces(attachments.folder)
        at_work = names_at_work()
        for left in attachments.folder.glob(f"{UNPACKED}*"):  # of a server that was ended meanwhile
            if left.name not in at_work:
                shutil.rmtree(left, ignore_errors=True)

    def close(self) -> None:
        """End what is under way: the server ends."""
        self._pieces.close()

    def begin(self, name: str, size: int) -> str:
        """A new upload; its id. What can be refused before it is sent is refused now."""
        most = MOST_BYTES if is_archive(name) else LARGEST
        if not 0 < size <= most:
            raise InputError(f"“{visible(name)[:80]}” must have between 1 and {most:,} bytes.")
        with BEGINNING:
            owed = owed_to_all()
            self.attachments.room_for(size, owed=owed, expected=self._pieces.expected())
            return self._pieces.begin(base_name(name), size)

    def add(
        self,
        key: str,
        at: int,
        piece: bytes,
        *,
        replace: bool,
        unclear: Callable[[], Iterable[str] | None] = tuple,
    ) -> tuple[int, Intake | None]:
        """Take in the next piece; how much has arrived, and what became of the file when all has."""
        upload = self._pieces.add(key, at, piece)
        if upload.arrived < upload.size:
            return upload.arrived, None
        with self._pieces.working_on(upload.path):
            try:
                return upload.arrived, self._kept(upload, replace=replace, unclear=unclear())
            finally:
                upload.path.unlink(missing_ok=True)

    def _kept(self, upload: Upload, *, replace: bool, unclear: Iterable[str] | None) -> Intake:
        store = self.attachments
        if not is_archive(upload.name):
            arrival = Arrival(name=upload.name, size=upload.size, path=upload.path)
            return store.keep([arrival], replace=replace, unclear=unclear)
        with UNPACKING, contextlib.ExitStack() as until_kept:
            folder = Path(tempfile.mkdtemp(dir=store.folder, prefix=UNPACKED))
            until_kept.callback(shutil.rmtree, folder, ignore_errors=True)

            def room(size: int) -> None:
                with BEGINNING:
                    store.room_for(
                        size, copies=1, owed=owed_to_all(), expected=self._pieces.expected()
                    )
                    until_kept.enter_context(self._pieces.working_on(folder, size))

            return store.keep(unpack(upload.path, folder, room), replace=replace, unclear=unclear)


async def begun(uploads: AttachmentUploads, asked: dict[str, Any]) -> str:
    """A new upload of the file that a script names; its id."""
    name, size = asked.get("name"), asked.get("size")
    if not isinstance(name, str) or not isinstance(size, int) or isinstance(size, bool):
        raise InputError("An upload needs the file's name and its size.")
    return await asyncio.to_thread(uploads.begin, name[:1_000], size)


async def added(
    request: Request, uploads: AttachmentUploads, unclear: Callable[[], Iterable[str] | None]
) -> dict[str, Any]:
    """The answer to a script about a piece; of the last one, what became of the files."""
    key, at, piece = await piece_of(request)
    replace = request.query_params.get("replace") == "yes"
    arrived, intake = await asyncio.to_thread(
        lambda: uploads.add(key, at, piece, replace=replace, unclear=unclear)
    )
    return {"arrived": arrived, **({} if intake is None else _reply(intake))}


def _reply(intake: Intake) -> dict[str, Any]:
    return {
        "added": len(intake.added),
        "replaced": len(intake.replaced),
        "same": len(intake.same),
        "left_out": [
            {"name": visible(name)[:160], "reason": reason}
            for name, reason in intake.left_out[:MOST_LISTED]
        ],
        "left_out_count": len(intake.left_out),
    }
