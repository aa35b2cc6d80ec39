"""A project restored from a backup that anybody may have written: nothing in it is believed."""

import gzip
import hashlib
import json
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from assaymark.errors import InputError, VerificationError
from assaymark.ledger import Ledger
from assaymark.ledger.events import Entry, State, check_chain, check_file_name, check_story
from assaymark.project.backup import EVENTS, FILES, MANIFEST, SCHEMA, Backup, is_left_out
from assaymark.project.move import copy_entries
from assaymark.project.place import LEDGER, is_project, named_ledger, remember_ledger

CHUNK = 1 << 20
LONGEST_MANIFEST = 16 << 20
LONGEST_EVENT = 64 << 20
"""Bytes. A large batch is an event of a few million."""
TIGHTEST = 50
"""By how much events can be compressed: each holds two hashes, which cannot."""
BREAKAGE = (TypeError, KeyError, ValueError, AttributeError, IndexError)


@dataclass(frozen=True, kw_only=True)
class _Listed:
    """What the manifest says that the archive holds."""

    events: int
    head: str
    bytes: int
    files: dict[str, tuple[str, int]]


def restore(path: Path, folder: Path, *, ledger: str = LEDGER) -> Backup:
    """Restore the project from a backup, after everything in it was checked.

    Members are written to a folder of their own while they are checked, and the project appears
    when all is well; otherwise nothing is left behind.
    """
    _refuse_used(folder)
    store = named_ledger(ledger, folder)
    with _beside(folder) as made, _opened(path) as archive:
        listed, entries = _unpack(archive, made, size=path.stat().st_size)
        if ledger == LEDGER:
            target: Ledger = named_ledger(LEDGER, made)
            target.create()
            copy_entries(entries, target)
        else:
            store.create()
            copy_entries(entries, store)
            remember_ledger(made, store)
        made.replace(folder)
    return Backup(path=path, events=listed.events, head=listed.head, files=len(listed.files))


def _refuse_used(folder: Path) -> None:
    if is_project(folder):
        raise InputError(
            f"{str(folder)!r} already is an assaymark project. Restore into another folder."
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"The folder {str(folder)!r} is not empty. Restore into a new one.")


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """A private folder on the same disk, gone at the end with whatever is left in it."""
    missing = [parent for parent in folder.absolute().parents if not parent.exists()]
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as place:
            made = Path(place) / "project"
            made.mkdir(mode=0o700)
            yield made
    except OSError as error:
        raise InputError(
            f"The project cannot be restored to {str(folder)!r}: {error.strerror or error}."
        ) from error
    finally:
        for parent in missing:  # the innermost first; one that is in use stays
            if parent.is_dir() and not any(parent.iterdir()):
                parent.rmdir()


class _Bounded:
    """A stream that refuses to hand out much at once: headers of an archive have no other bound."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self.seek, self.tell, self._stream = stream.seek, stream.tell, stream

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= CHUNK:
            raise VerificationError("The backup is damaged: it has a header of unheard-of length.")
        return self._stream.read(size)


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    try:
        with gzip.open(path, "rb") as stream:
            bounded: Any = _Bounded(stream)
            with tarfile.open(fileobj=bounded, mode="r:") as archive:
                yield archive
    except (gzip.BadGzipFile, zlib.error, tarfile.TarError, EOFError, RecursionError) as error:
        raise InputError(f"The backup {str(path)!r} cannot be read: {error}.") from error
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        if error.filename != str(path):
            raise
        raise InputError(f"The backup {str(path)!r} cannot be read: {error.strerror}.") from error


def _unpack(archive: tarfile.TarFile, made: Path, *, size: int) -> tuple[_Listed, list[Entry]]:
    """Everything in the archive of this size, in the order in which a backup is written."""
    with _member(archive, archive.next(), MANIFEST, LONGEST_MANIFEST) as stream:
        listed = _manifest(b"".join(iter(lambda: stream.read(CHUNK), b"")))
    needed, free = sum(long for _, long in listed.files.values()), shutil.disk_usage(made).free
    if needed + listed.bytes > free:
        raise InputError(
            f"The backup needs {(needed + listed.bytes) / 1e9:,.1f} GB, and {free / 1e9:,.1f} GB are "
            "free. Restore it to a larger disk."
        )
    if listed.bytes > max(LONGEST_EVENT, TIGHTEST * size):  # they are kept in memory
        raise VerificationError(
            f"The backup is damaged: {listed.bytes / 1e6:,.0f} MB of events cannot lie in a file of "
            f"{size / 1e6:,.1f} MB."
        )
    with _member(archive, archive.next(), EVENTS, listed.bytes) as stream:
        entries = _entries(stream, listed)
    waiting = dict(listed.files)
    while (member := archive.next()) is not None:
        name = member.name.removeprefix(f"{FILES}/")
        if name == member.name or not _is_restorable(name):
            raise VerificationError(f"The backup holds {member.name!r}, which is no file of ours.")
        if name not in waiting:
            raise _other_files()
        digest, long = waiting.pop(name)
        with _member(archive, member, f"{FILES}/{name}", long) as stream:
            _write(stream, _inside(made, name), name, digest, long)
    if waiting:
        raise _other_files()
    return listed, entries


@contextmanager
def _member(
    archive: tarfile.TarFile, member: tarfile.TarInfo | None, name: str, most: int
) -> Iterator[IO[bytes]]:
    """One member, if it has this name, is a plain file and no longer than it may be."""
    if member is None or member.name != name:
        raise InputError(
            f"The file is not a backup that assaymark wrote: it has no {name} where one should be."
        )
    plain = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not member.issparse()
    stream = archive.extractfile(member) if plain else None
    if stream is None:
        raise VerificationError(f"The backup holds {member.name!r}, which is no file of ours.")
    if member.size > most:
        raise VerificationError(
            f"The backup is damaged: {member.name!r} was changed, it is longer than {most:,} bytes."
        )
    with stream:
        yield stream


def _is_restorable(name: str) -> bool:
    """Whether a file of this name may be written into a project folder.

    >>> [_is_restorable(name) for name in ("reserve/plan-1-1.parquet", "/etc/x", "a/../../x", "a//b", "")]
    [True, False, False, False, False]
    """
    try:
        check_file_name(name)
    except InputError:
        return False
    return not is_left_out(name)


def _inside(made: Path, name: str) -> Path:
    path = made / name
    if not path.resolve().is_relative_to(made.resolve()):
        raise VerificationError(f"The backup holds {name!r}, which is no file of ours.")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def _write(stream: IO[bytes], path: Path, name: str, digest: str, size: int) -> None:
    """The member on disk, hashed on the way."""
    checksum = hashlib.sha256()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as target:
        while content := stream.read(CHUNK):
            checksum.update(content)
            target.write(content)
        whole = target.tell() == size
        target.flush()
        os.fsync(handle)
    if not whole or checksum.hexdigest() != digest:
        raise VerificationError(f"The backup is damaged: {name!r} was changed.")


def _manifest(text: bytes) -> _Listed:
    try:
        manifest = dict(json.loads(text))
        schema = int(manifest["schema"])
        if schema != SCHEMA:
            raise InputError(
                f"The backup has schema {schema}, and this version of assaymark reads {SCHEMA}. "
                "Restore it with the version that wrote it."
            )
        files = {str(n): (str(f["sha256"]), int(f["size"])) for n, f in manifest["files"].items()}
        listed = _Listed(
            events=int(manifest["events"]), head=str(manifest["head"]), bytes=int(manifest["bytes"]),
            files=files,
        )  # fmt: skip
    except InputError:
        raise
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            "The file is not a backup that assaymark wrote: its manifest cannot be read."
        ) from error
    if min([listed.bytes, *(size for _, size in files.values())]) < 0:
        raise VerificationError("The backup is damaged: its manifest has sizes below 0.")
    return listed


def _entries(stream: IO[bytes], listed: _Listed) -> list[Entry]:
    entries: list[Entry] = []
    state = State()
    try:
        while line := stream.readline(LONGEST_EVENT):
            entry = Entry(**json.loads(line))
            check_chain([entry], entries[-1] if entries else None)
            state = check_story([entry], state)  # one by one: nothing is kept that is no event
            entries.append(entry)
    except (*BREAKAGE, RecursionError) as error:
        raise VerificationError("The backup is damaged: its events cannot be read.") from error
    head = entries[-1].hash if entries else ""
    if head != listed.head or len(entries) != listed.events:
        raise VerificationError("The backup is damaged: events are missing at its end.")
    return entries


def _other_files() -> VerificationError:
    return VerificationError(
        "The backup is damaged: its files are not those of its manifest, each once."
    )
