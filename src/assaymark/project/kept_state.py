"""The state of a ledger, kept between commands, so that a short command need not read all of it.

So is the longest replay of a plan's wealth: a look goes on from the last block of draws that the
ledger holds as they were then, with the same labels and chances, to the last bit. And so is the course
of a long claim of several parts.

It is a cache of the user who ran the command and of nobody else: it lies in that user's cache
folder, sealed with a key of theirs, and is used only if the ledger still holds its last event.
Whatever is stale, cut short, forged or made by other code is left aside, and the whole ledger read.
Nothing that proves anything asks for it: `verify`, `check` and `certify` read every event.
"""

import contextlib
import gc
import hashlib
import hmac
import os
import pickle
import sys
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import assaymark
from assaymark.ledger.events import State

if TYPE_CHECKING:
    from assaymark.stats.score_guided.checkpoints import NamedWalk

FEWEST = 5_000  # events; a shorter ledger is read faster than anything is kept
NEXT = 1_000  # more events, and a 50th of those kept, after which a newer state is kept
DRAWS = 2_000  # a shorter replay of wealth takes no longer than reading one
MAC = 32  # bytes
UNUSED = 30 * 24 * 3600  # seconds; what nobody read for so long is deleted


def load_state(ledger: str) -> State | None:
    """The state that was kept for this ledger; None where there is none that can be trusted."""
    kept = _load(ledger)
    return kept if isinstance(kept, State) and kept.head is not None else None


def keep_state(ledger: str, state: State) -> None:
    """Keep the state of this ledger for the next command, where that can be done."""
    _keep(ledger, state)


def load_kept(ledger: str, what: str) -> object:
    """What was kept of this ledger under this name; None where there is none that can be trusted."""
    return _load(f"{ledger}\n{what}, {np.__version__}")


def keep(ledger: str, what: str, value: object) -> None:
    """Keep this of the ledger for the next command, where that can be done."""
    _keep(f"{ledger}\n{what}, {np.__version__}", value)


def load_walk(ledger: str) -> None:
    """Have replays of wealth go on from the one that was kept for this ledger, if there is one."""
    from assaymark.stats.score_guided.checkpoints import NamedWalk, take_up

    kept = _load(_walk_name(ledger))
    if isinstance(kept, NamedWalk):
        take_up(kept)
        _taken_up[ledger] = kept


def keep_walk(ledger: str) -> None:
    """Keep the longest replay of this command, if more than a twentieth of it was new."""
    from assaymark.stats.score_guided.checkpoints import longest_walk, same_draws

    known, longest = _taken_up.get(ledger), longest_walk()
    if longest is None or len(longest.walk.draws) < DRAWS:
        return
    same = 0
    if known is not None and known.name == longest.name:
        same = same_draws(known.walk.draws, longest.walk.draws)
    if 20 * same < 19 * len(longest.walk.draws):
        _keep(_walk_name(ledger), longest)


_taken_up: "dict[str, NamedWalk]" = {}


def _walk_name(ledger: str) -> str:
    return f"{ledger}\nwealth, {np.__version__}"


def _load(ledger: str) -> object:
    """What was kept under this name; None where there is nothing that can be trusted."""
    try:
        content = _file(ledger).read_bytes()
        key = _key(new=False)
        os.utime(_file(ledger))  # read today
    except (OSError, RuntimeError):
        return None
    seal, body = content[:MAC], content[MAC:]
    if not hmac.compare_digest(seal, _seal(key, ledger, body)):
        return None
    was_on = gc.isenabled()
    gc.disable()  # with many new objects it would look through all of them again and again
    try:
        kept: object = pickle.loads(body)  # noqa: S301 - sealed by this user's own key
    except Exception:  # noqa: BLE001 - whatever is wrong with it, the ledger is read instead
        return None
    finally:
        if was_on:
            gc.enable()
    return kept


def _keep(ledger: str, kept: object) -> None:
    import tempfile  # most ledgers are too short to be kept

    with contextlib.suppress(OSError, RuntimeError):
        body = pickle.dumps(kept, protocol=5)
        file = _file(ledger)
        handle, part = tempfile.mkstemp(dir=_folder(), prefix=".state-")  # its owner's only
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(_seal(_key(new=True), ledger, body))
                stream.write(body)
            Path(part).replace(file)
        finally:
            Path(part).unlink(missing_ok=True)
        _delete_unused()


def _delete_unused() -> None:
    """Delete what was kept for projects that nobody has worked on for a month."""
    for pattern in ("*.state", ".state-*"):
        for path in _folder().glob(pattern):
            with contextlib.suppress(OSError):  # another command deleted or renewed it
                if path.stat().st_mtime < time.time() - UNUSED:
                    path.unlink()


def _folder() -> Path:
    """The cache of this user; made for them alone."""
    place = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    folder = (Path(place) if place else Path.home() / ".cache") / "assaymark"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _file(ledger: str) -> Path:
    return _folder() / f"{hashlib.sha256(ledger.encode()).hexdigest()[:32]}.state"


def _key(*, new: bool) -> bytes:
    """The user's key; a file that others may read or that is too short is none."""
    path = _folder() / "key"
    if new and not path.exists():
        with contextlib.suppress(FileExistsError):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as stream:
                stream.write(os.urandom(MAC))
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise PermissionError(str(path))
    key = path.read_bytes()
    if len(key) != MAC:
        raise OSError(str(path))
    return key


def _seal(key: bytes, ledger: str, body: bytes) -> bytes:
    """What only this user's key, this ledger and this code give."""
    seal = hmac.new(key, b"\0".join((ledger.encode(), _code(), b"")), "sha256")
    seal.update(body)  # which may be large: it is not copied
    return seal.digest()


@cache
def _code() -> bytes:
    """What tells this code from other code: a state is only read by the code that made it."""
    root = Path(assaymark.__file__).parent
    parts = [sys.version]
    for room in ("claims", "records", "ledger/events", "stats", "composite"):
        for path in sorted((root / room).rglob("*.py")):
            about = path.stat()
            parts.append(f"{path.name} {about.st_size} {about.st_mtime_ns}")
    return "\n".join(parts).encode()
