"""Tables sent from a browser piece by piece: bounded, whole or not at all, under names of our own."""

import contextlib
import shutil
from hashlib import sha256
from pathlib import Path

from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.project.attachments import Attachments
from assaymark.project.place import private_folder
from assaymark.project.tables import is_settled, safe_name, settle_table, table_ending
from assaymark.web.pieces import BEGINNING, Pieces, Upload, owed_to_all

MOST = 2_000_000_000  # bytes of a table
SPARE = 200_000_000  # bytes that stay free on the disk
FOLDER = "tables"
ATTACHED = ".files"


class Uploads:
    """The tables of a folder, and those on their way into it. Safe to call from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._home = folder
        self._pieces = Pieces(self._folder)
        self._copies: dict[tuple[str, int, int], Path] = {}  # of tables as they were then

    def close(self) -> None:
        """End what is under way: the server ends."""
        self._pieces.close()

    def begin(self, name: str, size: int) -> str:
        """A new upload of that number of bytes; its id."""
        table_ending(name)
        if size < 1:
            raise InputError("The file is empty.")
        if size > MOST:
            raise InputError(
                f"The table has {size:,} bytes; up to {MOST:,} can be uploaded. A larger one can lie in "
                "the folder that is served: choose it there."
            )
        private_folder(self._folder)
        with BEGINNING:
            if shutil.disk_usage(self._folder).free < 2 * size + owed_to_all() + SPARE:
                raise InputError("There is not enough room on the server's disk for this table.")
            return self._pieces.begin(safe_name(name), size)

    def add(self, key: str, at: int, piece: bytes) -> tuple[int, str | None]:
        """Take in the next piece; how much has arrived, and the table's name when all has."""
        upload = self._pieces.add(key, at, piece)
        if upload.arrived < upload.size:
            return upload.arrived, None
        with self._pieces.working_on(upload.path, upload.size):
            return upload.arrived, self._settled(upload)

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
        now = path.stat()
        version = (path.name, now.st_mtime_ns, now.st_size)
        if version not in self._copies or not self._copies[version].exists():
            self._copies[version] = self._copied(path)
        return self._copies[version]

    def _copied(self, path: Path) -> Path:
        private_folder(self._folder)
        copy = self._free(safe_name(path.name))
        shutil.copyfile(path, copy)
        settled = settle_table(copy)
        if settled != copy:
            copy.unlink(missing_ok=True)
        return settled

    def attachments(self, name: str) -> Attachments:
        """The pictures and PDFs that were uploaded beside this table."""
        return Attachments(self._folder / f"{_own_name(self.table(name).name)}{ATTACHED}")

    def table(self, name: str) -> Path:
        """The table of that name; a name is looked up, never turned into a path."""
        path = self.tables().get(name)
        if path is None:
            raise InputError(
                f"There is no table {name[:80]!r} here any more. "
                f"{counted(len(self.tables()), 'table')} can be chosen on the start page."
            )
        return path


def _own_name(name: str) -> str:
    """A plain name that no other table has: one that had to be changed gets a mark of the full one."""
    plain = safe_name(name)
    mark = sha256(name.encode(errors="surrogateescape")).hexdigest()[:12]
    return plain if plain == name else f"{plain}.{mark}"
