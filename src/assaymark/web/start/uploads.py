"""Tables sent from a browser piece by piece: bounded, whole or not at all, under names of our own."""

import contextlib
import os
import secrets
import shutil
import threading
from dataclasses import dataclass
from pathlib import Path

from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.labelling.desk import ConflictError
from assaymark.project.place import private_folder
from assaymark.project.tables import is_settled, safe_name, settle_table, table_ending

MOST = 2_000_000_000  # bytes of a table
PIECE = 4_000_000  # bytes sent at once: each piece has the time that a request has
OPEN = 8  # uploads under way; a ninth ends the one that began first
SPARE = 200_000_000  # bytes that stay free on the disk
FOLDER = "tables"
PART = ".upload-"


@dataclass(kw_only=True)
class Upload:
    """A table of which a part has arrived."""

    name: str
    size: int
    path: Path
    arrived: int = 0


class Uploads:
    """The tables of a folder, and those on their way into it. Safe to call from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._home = folder
        self._open: dict[str, Upload] = {}
        self._lock = threading.Lock()
        for left in self._folder.glob(f"{PART}*"):  # of a server that was ended meanwhile
            with contextlib.suppress(OSError):
                left.unlink()

    def begin(self, name: str, size: int) -> str:
        """A new upload of so many bytes; its id."""
        table_ending(name)
        if not 0 < size <= MOST:
            raise InputError(
                f"The table has {size:,} bytes; between 1 and {MOST:,} can be uploaded. A larger one "
                "can lie in the folder that is served: choose it there."
            )
        private_folder(self._folder)
        if shutil.disk_usage(self._folder).free < 2 * size + SPARE:
            raise InputError("There is not enough room on the server's disk for this table.")
        key = secrets.token_hex(16)
        path = self._folder / f"{PART}{key}"
        with self._lock:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self._open[key] = Upload(name=safe_name(name), size=size, path=path)
            while len(self._open) > OPEN:
                self._drop(next(iter(self._open)))
        return key

    def add(self, key: str, at: int, piece: bytes) -> tuple[int, str | None]:
        """Take in the next piece; how much has arrived, and the table's name when all has."""
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
            if upload.arrived < upload.size:
                return upload.arrived, None
            del self._open[key]
        return upload.size, self._settled(upload)

    def _settled(self, upload: Upload) -> str:
        """The table under its name, as a pool is read from; refused, and gone, where it cannot be."""
        path = self._free(upload.name)
        upload.path.rename(path)
        try:
            settled = settle_table(path)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        if settled != path:
            path.unlink(missing_ok=True)
        return settled.name

    def _free(self, name: str) -> Path:
        ending = table_ending(name)
        stem = name[: -len(ending)]
        taken = {path.name.split(".", 1)[0].lower() for path in self._folder.iterdir()}
        number = 1
        while (stem if number == 1 else f"{stem}-{number}").lower() in taken:
            number += 1
        return self._folder / f"{stem if number == 1 else f'{stem}-{number}'}{ending}"

    def _drop(self, key: str) -> None:
        self._open.pop(key).path.unlink(missing_ok=True)

    def tables(self) -> dict[str, Path]:
        """The tables at hand, by name: those that were uploaded, then those that lie in the folder."""
        paths: dict[str, Path] = {}
        for folder in (self._folder, self._home):
            for path in sorted(folder.iterdir()) if folder.is_dir() else ():
                with contextlib.suppress(InputError, OSError):
                    table_ending(path.name)
                    if path.is_file() and not path.name.startswith("."):
                        paths.setdefault(path.name, path)
        return paths

    def readable(self, name: str) -> Path:
        """The table as a pool is read from; what lies in the folder itself is never changed."""
        path = self.table(name)
        if path.parent == self._folder or is_settled(path):
            return path
        private_folder(self._folder)
        copy = self._free(safe_name(path.name))
        shutil.copyfile(path, copy)
        settled = settle_table(copy)
        if settled != copy:
            copy.unlink(missing_ok=True)
        return settled

    def table(self, name: str) -> Path:
        """The table of that name; a name is looked up, never turned into a path."""
        path = self.tables().get(name)
        if path is None:
            raise InputError(
                f"There is no table {name[:80]!r} here any more. "
                f"{counted(len(self.tables()), 'table')} can be chosen on the start page."
            )
        return path
