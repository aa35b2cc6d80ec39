"""A zip of pictures and PDFs, opened as if a stranger had made it: checked whole, then unpacked.

An archive with a path that leads out of its folder, a link, a password or far more bytes than its
size lets one expect is refused as a whole. Folders in it are dropped, since files are kept by name.
"""

import errno
import stat
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from assaymark.errors import InputError
from assaymark.files.formats.workbook_limits import RATIO, SMALL
from assaymark.project.attachments import MOST_BYTES, MOST_FILES, Arrival, base_name, refusal

PIECE = 1 << 20
UTF8 = 0x800  # the flag of a name in UTF-8
ENCRYPTED = 0x1
MOST_LISTED = 2 * MOST_FILES  # entries: folders are listed too
MOST_DIRECTORY = 8_000_000  # bytes of the list of entries, which is read into memory at once
END, END_64, LOCATOR = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
END_SIZE, END_64_SIZE, LOCATOR_SIZE = 22, 56, 20
LONGEST_COMMENT = 0xFFFF
DAMAGED = (BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError, OverflowError)
OF_SYSTEMS = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")


def is_archive(name: str) -> bool:
    """Whether a file's name is that of a zip."""
    return name.lower().endswith(".zip")


def unpack(path: Path, folder: Path, room: Callable[[int], None] = lambda _: None) -> list[Arrival]:
    """The files of the archive, written into an empty folder; what cannot be shown is not unpacked.

    `room` gets the number of bytes before the first one is written, and may refuse them.
    """
    with _damage_refused():
        _check_directory(path)
        with ZipFile(path) as archive:
            entries = checked_entries(archive, path.stat().st_size)
            room(sum(entry.file_size for entry in entries if _refusal_of(entry) is None))
            return [_arrival(archive, entry, folder / f"{n}") for n, entry in enumerate(entries)]


@contextmanager
def _damage_refused() -> Iterator[None]:
    """Say in one sentence what zipfile says in many ways."""
    try:
        yield
    except InputError:
        raise
    except DAMAGED as error:
        raise _refused("it is damaged, or no zip at all") from error
    except OSError as error:
        if error.errno != errno.EINVAL:  # a full disk is not the archive's fault
            raise
        raise _refused(
            "it is damaged, or no zip at all"
        ) from error  # a place before its first byte


def _check_directory(path: Path) -> None:
    """Refuse a list of entries that is too long before zipfile reads all of it into memory."""
    size = path.stat().st_size
    tail_size = END_SIZE + LONGEST_COMMENT + END_64_SIZE + LOCATOR_SIZE
    with path.open("rb") as stream:
        stream.seek(max(0, size - tail_size))
        tail = stream.read(tail_size)
    count, length = _directory(tail, size)
    if count > MOST_LISTED:
        raise _refused(f"it lists {count:,} files, and {MOST_FILES:,} can be taken")
    if length > MOST_DIRECTORY:
        raise _refused(f"its list of files has {length:,} bytes")


def _directory(tail: bytes, size: int) -> tuple[int, int]:
    """Entries and bytes of the directory, as the end of an archive of this size states them."""
    end = len(tail) - END_SIZE
    if tail[-END_SIZE:][:4] != END or tail[-2:] != b"\0\0":
        end = tail.rfind(END)
    count, length = struct.unpack_from("<HL", tail, end + 10) if end >= 0 else (0, 0)
    locator = end - LOCATOR_SIZE
    if locator < 0 or tail[locator : locator + 4] != LOCATOR:
        return count, length
    # readers look for the record of a large archive here or there: it must be where all find it
    large = locator - END_64_SIZE
    (stated,) = struct.unpack_from("<Q", tail, locator + 8)
    if large < 0 or tail[large : large + 4] != END_64 or stated != size - len(tail) + large:
        raise BadZipFile
    count, length = struct.unpack_from("<QQ", tail, large + 32)
    return count, length


def checked_entries(archive: ZipFile, size: int) -> list[ZipInfo]:
    """The files that the archive lists; refused where one of them is hostile."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MOST_FILES:
        raise _refused(f"it holds {len(entries):,} files, and {MOST_FILES:,} can be taken")
    for entry in entries:
        _check(entry)
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > MOST_BYTES or unpacked > max(SMALL, RATIO * size):
        raise _refused(f"its {size:,} bytes unpack to {unpacked:,}")
    kept = [entry for entry in entries if not _of_system(_name(entry))]
    _refuse_twice(kept)
    return kept


def _check(entry: ZipInfo) -> None:
    name = _name(entry)
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or "" in parts[:1] or ":" in parts[0] or not name.isprintable():
        raise _refused(f"the path {name[:80]!r} leads out of it")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise _refused(f"{name[:80]!r} is a link")
    if entry.flag_bits & ENCRYPTED:
        raise _refused("it has a password")
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise _refused(f"{name[:80]!r} is packed in an unusual way")


def _refuse_twice(entries: list[ZipInfo]) -> None:
    """Refuse two files of one name: folders are dropped, and one would take the other's place."""
    first: dict[str, str] = {}
    for entry in entries:
        path = _name(entry)
        before = first.setdefault(base_name(path), path)
        if before is not path:
            raise _refused(
                f"it holds two files of one name ({before[:80]!r} and {path[:80]!r}), and files are "
                "kept by their name alone"
            )


def _of_system(path: str) -> bool:
    return path.startswith(OF_SYSTEMS[0]) or path.rpartition("/")[2] in OF_SYSTEMS[1:]


def _name(entry: ZipInfo) -> str:
    """The entry's path; some tools write UTF-8 and do not say so."""
    # zipfile cuts a name at its first NUL and turns the system's separators
    if entry.flag_bits & UTF8:
        return entry.orig_filename
    try:
        return entry.orig_filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return entry.orig_filename


def _refusal_of(entry: ZipInfo) -> str | None:
    return refusal(base_name(_name(entry)), entry.file_size)


def _arrival(archive: ZipFile, entry: ZipInfo, place: Path) -> Arrival:
    name = base_name(_name(entry))
    if _refusal_of(entry) is not None:
        return Arrival(name=name, size=entry.file_size, path=None)
    left = entry.file_size
    with place.open("xb") as target, archive.open(entry) as stream:
        while piece := stream.read(PIECE):
            left -= len(piece)
            if left < 0:
                raise _refused(f"{name!r} is longer than the archive says")
            target.write(piece)
    return Arrival(name=name, size=entry.file_size, path=place)


def _refused(why: str) -> InputError:
    return InputError(f"The archive is refused: {why}. Nothing of it was taken.")
