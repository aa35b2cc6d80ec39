"""A project as one file, and back, checked both ways."""

import hashlib
import io
import json
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from assaymark import __version__
from assaymark.errors import InputError, LedgerError, VerificationError
from assaymark.events import Entry, check_chain, check_story
from assaymark.files.batch import refuse_existing
from assaymark.pool.tables import file_digest
from assaymark.steps.move import copy_entries
from assaymark.steps.place import LEDGER, PLACE, is_project, named_ledger, remember_ledger
from assaymark.steps.project import Project
from assaymark.steps.users import KEY, USERS

MANIFEST, EVENTS, FILES = "manifest.json", "ledger.jsonl", "files"
SCHEMA = 1
FEATURES = "features"
LEFT_OUT = (".lock", ".part", "-wal", "-shm")


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
    events = "".join(json.dumps(asdict(entry), ensure_ascii=False) + "\n" for entry in entries)
    manifest = {
        "schema": SCHEMA,
        "software": __version__,
        "events": len(entries),
        "head": entries[-1].hash if entries else "",
        "files": {name: file_digest(path) for name, path in listed.items()},
    }
    part = output.with_name(output.name + ".part")
    try:
        with tarfile.open(part, "w:gz") as archive:
            _add(archive, MANIFEST, json.dumps(manifest, indent=1).encode())
            _add(archive, EVENTS, events.encode())
            for name, path in listed.items():
                # a scored collection may be larger than memory
                entry = tarfile.TarInfo(f"{FILES}/{name}")
                entry.size = path.stat().st_size
                with path.open("rb") as stream:
                    archive.addfile(entry, stream)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise LedgerError(f"The backup cannot be written: {error.strerror or error}.") from error
    part.replace(output)
    return Backup(path=output, events=len(entries), head=str(manifest["head"]), files=len(listed))


def restore(path: Path, folder: Path, *, ledger: str = LEDGER) -> Backup:
    """Make the project anew from a backup, after everything in it was checked."""
    if is_project(folder):
        raise InputError(
            f"{str(folder)!r} already is an assaymark project. Restore into another folder."
        )
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"The folder {str(folder)!r} is not empty. Restore into a new one.")
    contents = _read(path)
    manifest = _manifest(contents)
    entries = _entries(contents, manifest)
    files = _files(contents, manifest)
    folder.parent.mkdir(parents=True, exist_ok=True)
    store = named_ledger(ledger, folder)
    if ledger != LEDGER:
        store.create()
        copy_entries(entries, store)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as temporary:
        made = Path(temporary) / "project"
        for name, content in files.items():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            (made / name).write_bytes(content)
            if name in (KEY, USERS):
                (made / name).chmod(0o600)
        made.mkdir(exist_ok=True)
        if ledger == LEDGER:
            own = named_ledger(LEDGER, made)
            own.create()
            copy_entries(entries, own)
        else:
            remember_ledger(made, store)
        made.replace(folder)
    return Backup(path=path, events=len(entries), head=str(manifest["head"]), files=len(files))


def _project_files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        # a backup travels; whoever has the page's key could sign in as anybody
        own = name.startswith(LEDGER) or name in (PLACE, KEY) or name.endswith(LEFT_OUT)
        own = own or name.startswith(f"{FEATURES}/")  # made again from the pool when needed
        if path.is_file() and not path.is_symlink() and not own:
            yield name, path


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def _read(path: Path) -> dict[str, bytes]:
    try:
        with tarfile.open(path, "r:gz") as archive:
            found = {}
            for member in archive:
                stream = archive.extractfile(member)
                if stream is None or not _inside(member.name):
                    raise VerificationError(
                        f"The backup holds {member.name!r}, which is no file of ours."
                    )
                found[member.name] = stream.read()
            return found
    except (OSError, tarfile.TarError, EOFError) as error:
        raise InputError(f"The backup {str(path)!r} cannot be read: {error}.") from error


def _inside(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return not name.startswith("/") and ".." not in parts


def _manifest(contents: dict[str, bytes]) -> dict[str, object]:
    try:
        manifest = dict(json.loads(contents[MANIFEST]))
        schema = int(manifest["schema"])
    except (KeyError, ValueError, TypeError) as error:
        raise InputError(
            "The file is not a backup that assaymark wrote: it has no manifest."
        ) from error
    if schema > SCHEMA:
        raise InputError(
            f"The backup has schema {schema}, and this version of assaymark reads {SCHEMA}. "
            "Install a newer assaymark to restore it."
        )
    return manifest


def _entries(contents: dict[str, bytes], manifest: dict[str, object]) -> list[Entry]:
    try:
        lines = contents[EVENTS].decode("utf-8").splitlines()
        entries = [Entry(**json.loads(line)) for line in lines]
    except (KeyError, ValueError, TypeError) as error:
        raise VerificationError("The backup is damaged: its events cannot be read.") from error
    check_chain(entries)
    check_story(entries)
    head = entries[-1].hash if entries else ""
    if head != manifest.get("head") or len(entries) != manifest.get("events"):
        raise VerificationError("The backup is damaged: events are missing at its end.")
    return entries


def _files(contents: dict[str, bytes], manifest: dict[str, object]) -> dict[str, bytes]:
    listed = manifest.get("files")
    prefix = f"{FILES}/"
    found = {n.removeprefix(prefix): c for n, c in contents.items() if n.startswith(prefix)}
    if not isinstance(listed, dict) or set(listed) != set(found):
        raise VerificationError("The backup is damaged: its files are not those of its manifest.")
    changed = [name for name, content in found.items() if _sha256(content) != listed[name]]
    if changed:
        raise VerificationError(f"The backup is damaged: {changed[0]!r} was changed.")
    return found


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
