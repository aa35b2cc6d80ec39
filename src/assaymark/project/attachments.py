"""Pictures and PDFs that people upload for a project: named, bounded, known by their first bytes.

Files are kept by their name alone. A table may write a path before it (scans/001.png); where two
paths of the table end with one name, the file of that name belongs to neither.
"""

import contextlib
import filecmp
import json
import os
import secrets
import shutil
import threading
import unicodedata
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.pool.named_files import ENDINGS as SHOWN
from assaymark.pool.named_files import LONGEST
from assaymark.project.place import private_folder

FOLDER = "uploads"
ENDINGS = tuple(f".{ending}" for ending in SHOWN)
LONGEST_NAME = 150  # characters
LARGEST = 50_000_000  # bytes of a file
MOST_FILES = 20_000
MOST_BYTES = 2_000_000_000  # of all files of a project
UNCHECKED = ".unchecked.json"  # names of files that came while nobody could ask the table
SPARE = 200_000_000  # bytes that stay free on the disk
MARKS = (
    (b"\x89PNG\r\n\x1a\n", "image", "image/png"),
    (b"\xff\xd8\xff", "image", "image/jpeg"),
    (b"GIF87a", "image", "image/gif"),
    (b"GIF89a", "image", "image/gif"),
    (b"%PDF-", "pdf", "application/pdf"),
)


@dataclass(frozen=True, kw_only=True)
class Attachment:
    """A file that may be shown."""

    path: Path
    kind: str
    type: str


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """A file that was sent, under the name it had; without a path where it was not even unpacked."""

    name: str
    size: int
    path: Path | None


@dataclass(kw_only=True)
class Intake:
    """What became of the files of one upload: names, and why the rest was left out."""

    added: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """The files that a table names beside those that are there.

    `named` is how many it names; `missing` holds the cells as they are written, `unclear` pairs of
    paths that end with one name, `unnamed` the files that no row names.
    """

    named: int
    missing: tuple[str, ...]
    unclear: tuple[tuple[str, str], ...]
    unnamed: tuple[str, ...]


def attachment_at(path: Path) -> Attachment | None:
    """The file, if its first bytes are those of a picture or a PDF and it is not too large."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
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


def names_file(value: str) -> bool:
    """Whether a cell of a table reads like the name of a picture or a PDF.

    >>> [names_file(text) for text in ("scans/001.PNG", "see 001.png.", "a\\nb.pdf")]
    [True, False, False]
    """
    text = value.strip()
    return text.lower().endswith(ENDINGS) and len(text) <= LONGEST and text.isprintable()


def base_name(value: str) -> str:
    """The name that a path or an address ends with, in one spelling of its letters.

    >>> base_name(" C:\\\\scans\\\\001.png ")
    '001.png'
    """
    return unicodedata.normalize("NFC", value.strip().replace("\\", "/").rpartition("/")[2])


def refusal(name: str, size: int = 1) -> str | None:
    """Why a file of this name and size is not taken; None where it is."""
    if not name.lower().endswith(ENDINGS):
        return "only PNG, JPEG, GIF and WebP pictures and PDF files can be shown"
    plain = name.isprintable() and not set(name) & set('/\\:*?"<>|')
    stem = name.rpartition(".")[0]
    if not plain or not stem or name.startswith((".", "-", " ")) or stem.endswith((" ", ".")):
        return "its name has characters that a file name cannot have everywhere"
    if len(name) > LONGEST_NAME or len(name.encode()) > 240:
        return f"its name is longer than {LONGEST_NAME} characters"
    return None if size <= LARGEST else f"it is larger than {LARGEST // 1_000_000} MB"


def _refusal_inside(arrival: Arrival, unclear: frozenset[str]) -> str | None:
    if arrival.path is None or attachment_at(arrival.path) is None:
        return "it is no picture or PDF, whatever its name says"
    if arrival.name in unclear:
        return "the table writes two different paths before this name; give each file its own"
    return None


_LOCKS: dict[str, threading.Lock] = {}


def _lock_of(folder: Path) -> threading.Lock:
    """One lock for all who write to this folder: what is not there yet is put there once."""
    return _LOCKS.setdefault(str(folder.resolve()), threading.Lock())


class Attachments:
    """The uploaded files of one folder, by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def begun(self) -> bool:
        """Whether anything was ever uploaded."""
        return self.folder.is_dir()

    def names(self) -> list[str]:
        """The names of the files that are there."""
        if not self.folder.is_dir():
            return []
        return sorted(
            entry.name
            for entry in os.scandir(self.folder)
            if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False)
        )

    def find(
        self, value: str, unclear: Callable[[], Collection[str] | None] = tuple
    ) -> Attachment | None:
        """The file that a cell of the table names.

        `unclear` are the names that the table uses for two different paths, whose files belong to
        neither; asked for only where there is a file. None where nobody can say: then a file is
        shown if it was compared with the table when it came.
        """
        if not names_file(value):
            return None
        name = base_name(value)
        path = self.folder / name
        if refusal(name) is not None or path.is_symlink():
            return None
        attachment = attachment_at(path)
        if attachment is None:
            return None
        hidden = unclear()
        return None if name in (self._unchecked() if hidden is None else hidden) else attachment

    def settle(self, unclear: Collection[str]) -> None:
        """Note that the table was asked at last: of the unchecked names, these stay hidden."""
        with _lock_of(self.folder):
            before = self._unchecked()
            if before - set(unclear):
                self._write_unchecked(before & set(unclear))

    def _unchecked(self) -> set[str]:
        with contextlib.suppress(FileNotFoundError):
            return set(json.loads((self.folder / UNCHECKED).read_text(encoding="utf-8")))
        return set()

    def _write_unchecked(self, names: set[str]) -> None:
        part = self.folder / f".{secrets.token_hex(8)}.part"
        part.write_text(json.dumps(sorted(names)), encoding="utf-8")
        part.replace(self.folder / UNCHECKED)

    def room_for(self, size: int, *, copies: int = 2, owed: int = 0, expected: int = 0) -> None:
        """Refuse an upload that the disk, or the limit of a project, has no room for.

        `owed` are bytes that the disk needs for uploads under way, `expected` those of this folder.
        """
        private_folder(self.folder)
        if shutil.disk_usage(self.folder).free < copies * size + owed + SPARE:
            raise InputError("There is not enough room on the server's disk for these files.")
        present = expected + sum((self.folder / name).stat().st_size for name in self.names())
        if present + size > MOST_BYTES:
            raise InputError(
                f"The files of a project may have {MOST_BYTES:,} bytes together; {present:,} are "
                f"here{' or on their way' if expected else ''}, and this upload has {size:,} more."
            )

    def keep(
        self, arrivals: Iterable[Arrival], *, replace: bool, unclear: Iterable[str] | None = ()
    ) -> Intake:
        """Move files into the folder under their names; each is taken, or left out with a reason.

        `unclear` are names that the table uses for two different paths; None where nobody can say.
        """
        sent, intake = list(arrivals), Intake()
        with _lock_of(self.folder):
            if unclear is None:
                self._mark_unchecked(sent, replace=replace)
            self._keep_each(sent, intake, replace=replace, doubtful=frozenset(unclear or ()))
        return intake

    def _mark_unchecked(self, arrivals: Iterable[Arrival], *, replace: bool) -> None:
        """Before the files are there to be seen; one that stays as it is stays checked."""
        staying = set() if replace else set(self.names())
        new = {arrival.name for arrival in arrivals if refusal(arrival.name) is None} - staying
        if new:
            self._write_unchecked(self._unchecked() | new)

    def _keep_each(
        self,
        arrivals: Iterable[Arrival],
        intake: Intake,
        *,
        replace: bool,
        doubtful: frozenset[str],
    ) -> None:
        present = set(self.names())
        for arrival in arrivals:
            known = arrival.name in present
            reason = refusal(arrival.name, arrival.size) or _refusal_inside(arrival, doubtful)
            if reason is None and not known and len(present) >= MOST_FILES:
                reason = f"a project can have {counted(MOST_FILES, 'file')}"
            if reason is not None or arrival.path is None:
                intake.left_out.append((arrival.name, reason or "it was not unpacked"))
                continue
            self._take(arrival.name, arrival.path, intake, replace=replace, known=known)
            present.add(arrival.name)

    def _take(self, name: str, path: Path, intake: Intake, *, replace: bool, known: bool) -> None:
        target = self.folder / name
        if known and filecmp.cmp(path, target, shallow=False):
            intake.same.append(name)
        elif known and not replace:
            reason = "another file of this name is here already, and reviewers may have seen it"
            intake.left_out.append((name, reason))
        else:
            path.chmod(0o600)
            path.replace(target)
            (intake.replaced if known else intake.added).append(name)

    def copy_to(self, folder: Path, *, without: Iterable[str] = ()) -> None:
        """The same files for another folder; they share the disk's space where that can be."""
        left_out = frozenset(without)
        for name in self.names():
            if name not in left_out:
                private_folder(folder)
                _link_or_copy(self.folder / name, folder / name)


def _link_or_copy(source: Path, target: Path) -> None:
    """Files are never written to again, only replaced, so that two folders can share one."""
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        os.link(source, part)
    except OSError:  # another disk, or one without links
        shutil.copyfile(source, part)
    part.replace(target)


def unclear_names(values: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Names that two different cells end with, each with these two.

    >>> unclear_names(["a/1.png", "b/1.png", "2.png"])
    {'1.png': ('a/1.png', 'b/1.png')}
    """
    first: dict[str, str] = {}
    pairs: dict[str, tuple[str, str]] = {}
    for value in values:
        name = base_name(value)
        before = first.setdefault(name, value)
        if before != value:
            pairs.setdefault(name, (before, value))
    return pairs


def coverage(values: Iterable[str], present: Iterable[str], elsewhere: Iterable[str]) -> Coverage:
    """Which files these cells name, and which of them are there.

    `present` are the uploaded files; `elsewhere` are cells whose files lie in the project's folder.
    """
    cells = list(dict.fromkeys(value.strip() for value in values))
    uploaded, in_folder = set(present), {value.strip() for value in elsewhere}
    pairs = unclear_names(cells)
    missing = (
        cell
        for cell in cells
        if cell not in in_folder and (base_name(cell) not in uploaded or base_name(cell) in pairs)
    )
    named = {base_name(cell) for cell in cells}
    return Coverage(
        named=len(cells),
        missing=tuple(missing),
        unclear=tuple(pairs.values()),
        unnamed=tuple(sorted(uploaded - named)),
    )
