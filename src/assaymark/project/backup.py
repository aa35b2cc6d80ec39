"""A project as one file: its ledger's entries, its files, and a manifest of both."""

import io
import json
import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from assaymark import __version__
from assaymark.errors import LedgerError
from assaymark.files.batch import refuse_existing
from assaymark.pool.tables import file_digest
from assaymark.project.connections import FILE as CONNECTIONS
from assaymark.project.connections import SENT
from assaymark.project.folder import Project
from assaymark.project.place import PLACE, SEED_PART
from assaymark.project.users import ENDED, KEY, USERS

MANIFEST, EVENTS, FILES = "manifest.json", "ledger.jsonl", "files"
SCHEMA = 2
FEATURES = "features"  # made again from the pool when needed
PRIVATE = (PLACE, KEY, USERS, ENDED, SEED_PART, CONNECTIONS, SENT)
"""A backup travels: with these somebody could sign in as anybody, let programs of theirs in, have
events or labels sent elsewhere, or know a seed early."""
LEFT_OUT = (".sqlite", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal", ".head", ".moved", ".lock")
"""Endings of the ledger and of what is kept beside it; its entries are in the backup instead."""


@dataclass(frozen=True, kw_only=True)
class Backup:
    """What a backup holds."""

    path: Path
    events: int
    head: str
    files: int


def backup(project: Project, output: Path) -> Backup:
    """Write ledger and files of the project to one archive, whole or not at all.

    The ledger is kept as its entries, so that it can be restored to any store. Events that come
    in while it is written are not in it; everything in it belongs together.
    """
    refuse_existing(output)
    entries = project.ledger.entries()
    listed = dict(_project_files(project.folder))
    lines = (json.dumps(asdict(entry), ensure_ascii=False) + "\n" for entry in entries)
    events = "".join(lines).encode()
    manifest = {
        "schema": SCHEMA,
        "software": __version__,
        "events": len(entries),
        "head": entries[-1].hash if entries else "",
        "bytes": len(events),
        "files": {
            name: {"sha256": file_digest(path), "size": path.stat().st_size}
            for name, path in listed.items()
        },
    }
    with _archive(output) as archive:
        _add(archive, MANIFEST, json.dumps(manifest, indent=1).encode())
        _add(archive, EVENTS, events)
        for name, path in listed.items():
            # a scored collection may be larger than memory
            entry = tarfile.TarInfo(f"{FILES}/{name}")
            entry.size = path.stat().st_size
            with path.open("rb") as stream:
                archive.addfile(entry, stream)
    return Backup(path=output, events=len(entries), head=str(manifest["head"]), files=len(listed))


def is_left_out(name: str) -> bool:
    """Whether a file of a project folder is no part of a backup, and is refused in one.

    >>> is_left_out("Users.json"), is_left_out("ledger.sqlite-wal"), is_left_out("batch-1-1.csv")
    (True, True, False)
    """
    known = name.casefold()  # some file systems do not tell the two apart
    parts = PurePosixPath(known).parts
    hidden = any(part.startswith(".") for part in parts)
    half = known.endswith(".part") or parts[:1] == (FEATURES,)
    return hidden or half or known in PRIVATE or known.endswith(LEFT_OUT)


def _project_files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not path.is_symlink() and not is_left_out(name):
            yield name, path


@contextmanager
def _archive(output: Path) -> Iterator[tarfile.TarFile]:
    """An archive to fill, readable by its owner only; it gets its name when it is whole."""
    part: Path | None = None
    try:
        handle, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}-")
        part = Path(name)
        with os.fdopen(handle, "wb") as stream:
            with tarfile.open(fileobj=stream, mode="w:gz") as archive:
                yield archive
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(output)
    except OSError as error:
        raise LedgerError(f"The backup cannot be written: {error.strerror or error}.") from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))
