"""Files sent from a browser piece by piece: bounded, in order, under names of our own until all is there."""

import contextlib
import os
import secrets
import threading
import time
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import Request

from assaymark.errors import ConflictError, InputError

PIECE = 4_000_000  # bytes sent at once: each piece has the time that a request has
OPEN = 8  # uploads under way; a ninth ends the one that began first
IDLE = 600  # seconds without a piece after which an upload is given up
PART = ".upload-"
BEGINNING = threading.Lock()  # whoever asks for room begins before the next one asks


@dataclass(kw_only=True)
class Upload:
    """A file of which a part has arrived."""

    name: str
    size: int
    path: Path
    arrived: int = 0
    heard: float = field(default_factory=time.monotonic)

    @property
    def owed(self) -> int:
        """Bytes that the disk will still need: what has not arrived, and a copy of the whole."""
        return 2 * self.size - self.arrived


class Pieces:
    """The files on their way into one folder. Safe to call from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, Upload] = {}
        self._owed: dict[Path, int] = {}  # what is being unpacked or settled, and bytes it needs
        self._lock = threading.Lock()
        at_work = names_at_work()
        for left in folder.glob(f"{PART}*"):  # of a server that was ended meanwhile
            if left.name not in at_work:
                with contextlib.suppress(OSError):
                    left.unlink()
        _ALL.add(self)

    def at_work(self) -> set[str]:
        """Names of files and folders that somebody is writing to."""
        with self._lock:
            return {path.name for path in (*(one.path for one in self._open.values()), *self._owed)}

    def expected(self) -> int:
        """Bytes of the uploads that have begun."""
        with self._lock:
            return sum(upload.size for upload in self._open.values())

    def owed(self) -> int:
        """Bytes that the disk will still need for what has begun."""
        with self._lock:
            return sum(one.owed for one in self._open.values()) + sum(self._owed.values())

    @contextlib.contextmanager
    def working_on(self, path: Path, size: int = 0) -> Iterator[None]:
        """While this lasts, the path is in use and the disk needs room for the rest of its bytes."""
        with self._lock:
            self._owed[path] = size
        try:
            yield
        finally:
            with self._lock:
                self._owed.pop(path, None)

    def give_up(self, idle: float = IDLE) -> None:
        """End uploads that nobody has gone on with for so long: they would hold room for ever."""
        with self._lock:
            now = time.monotonic()
            for key in [key for key, one in self._open.items() if now - one.heard >= idle]:
                self._open.pop(key).path.unlink(missing_ok=True)

    def close(self) -> None:
        """End all uploads: nobody will go on with them."""
        self.give_up(idle=0)

    def begin(self, name: str, size: int) -> str:
        """A new upload of that number of bytes into the folder, which is there; its id."""
        key = secrets.token_hex(16)
        path = self._folder / f"{PART}{key}"
        with self._lock:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self._open[key] = Upload(name=name, size=size, path=path)
            while len(self._open) > OPEN:
                self._open.pop(next(iter(self._open))).path.unlink(missing_ok=True)
        return key

    def add(self, key: str, at: int, piece: bytes) -> Upload:
        """Take in the next piece; the upload is whole, and to be worked on, when all have arrived."""
        with self._lock:
            upload = self._open.get(key)
            if upload is None:
                raise ConflictError("This upload is not known any more. Begin again.")
            if at != upload.arrived or not piece or upload.arrived + len(piece) > upload.size:
                raise ConflictError(f"The piece from byte {at:,} does not fit. Begin again.")
            with upload.path.open("r+b") as stream:
                stream.seek(at)
                stream.write(piece)
            upload.arrived += len(piece)
            upload.heard = time.monotonic()
            if upload.arrived == upload.size:
                del self._open[key]
                self._owed[upload.path] = upload.size  # until whoever works on it is done
            return upload


_ALL: "weakref.WeakSet[Pieces]" = weakref.WeakSet()


def names_at_work() -> set[str]:
    """Names of files and folders that uploads of this process are writing to."""
    return {name for pieces in list(_ALL) for name in pieces.at_work()}


def owed_to_all() -> int:
    """Bytes that the uploads of this process still need, wherever they go; idle ones are ended."""
    for pieces in list(_ALL):
        pieces.give_up()
    return sum(pieces.owed() for pieces in list(_ALL))


async def piece_of(request: Request) -> tuple[str, int, bytes]:
    """Upload, place and bytes of a piece that a script sent."""
    asked, piece = request.query_params, await request.body()
    at = asked.get("at", "")
    if not at.isascii() or not at.isdecimal() or len(at) > 12 or len(piece) > PIECE:
        raise InputError("A piece needs the place where it begins, and is not too long.")
    return asked.get("upload", ""), int(at), piece
