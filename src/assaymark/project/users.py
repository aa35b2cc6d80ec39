"""Who may use the page from elsewhere: names, roles, and the hashes of their tokens."""

import hashlib
import json
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assaymark.claims.canonical import read_json
from assaymark.claims.checks import choice
from assaymark.claims.record import Record
from assaymark.errors import InputError
from assaymark.files.places import write_safely


class UsersError(InputError):
    """The file of users cannot be read, so nobody can be let in."""


Role = Literal["annotator", "lead", "reader"]
ROLES = ("annotator", "lead", "reader")
USERS, KEY, ENDED = "users.json", "serve.key", "serve.ended"
LONGEST_NAME = 64


@dataclass(frozen=True, kw_only=True)
class User(Record):
    """Somebody who may sign in. The token itself is nowhere on disk."""

    name: str
    role: Role
    token_sha256: str

    def __post_init__(self) -> None:
        choice("role", self.role, ROLES)
        if not isinstance(self.name, str) or not _is_hash(self.token_sha256):
            raise InputError("a user needs a name and the SHA-256 of a token")


@dataclass(frozen=True, kw_only=True)
class Added:
    """A new user and their token, which is shown this once."""

    user: User
    token: str


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def token_hash(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def checked_name(name: str) -> str:
    """A name that can stand beside a label: printable, not empty, at most 64 characters."""
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError(
            f"A name is 1 to {LONGEST_NAME} printable characters, got {name[:70]!r}. Example: kim."
        )
    return name


def read_users(folder: Path) -> tuple[User, ...]:
    """The users of a project; none where there is no file."""
    path = folder / USERS
    if not path.exists():
        return ()
    try:
        rows = read_json(path.read_text(encoding="utf-8"))["users"]
        return tuple(User.from_dict(row) for row in rows)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError) as error:
        raise UsersError(
            f"{USERS} cannot be read ({str(error)[:200]}), so nobody can sign in. Correct it, or remove it "
            "and add the users again."
        ) from error


class Known:
    """The users of a project, read again when their file changes: who is removed is out at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stamp: tuple[int, int] | None = None
        self._users: tuple[User, ...] = ()

    def __call__(self) -> tuple[User, ...]:
        """Everybody who may sign in now."""
        try:
            stat = (self._folder / USERS).stat()
        except FileNotFoundError:
            return ()
        stamp = (stat.st_mtime_ns, stat.st_ino)
        if stamp != self._stamp:
            self._users, self._stamp = read_users(self._folder), stamp
        return self._users


def add_user(folder: Path, name: str, role: Role) -> Added:
    """A new user with a fresh token; an old user of that name gets a new token and this role."""
    name = checked_name(name)
    token = secrets.token_urlsafe(24)
    user = User(name=name, role=role, token_sha256=token_hash(token))
    _write(folder, [*(old for old in read_users(folder) if old.name != name), user])
    return Added(user=user, token=token)


def remove_user(folder: Path, name: str) -> None:
    """Take a user's access away at once. Their labels stay."""
    users = read_users(folder)
    if name not in {user.name for user in users}:
        known = ", ".join(user.name for user in users) or "none"
        raise InputError(f"There is no user {name!r}. Known: {known}.")
    _write(folder, [user for user in users if user.name != name])


def _write(folder: Path, users: list[User]) -> None:
    rows = [user.to_dict() for user in sorted(users, key=lambda user: user.name)]
    write_safely(folder / USERS, json.dumps({"users": rows}, indent=1, ensure_ascii=False) + "\n")
    (folder / USERS).chmod(0o600)


def server_key(folder: Path) -> bytes:
    """The key that signs cookies; made at the first start, readable by its owner only."""
    path = folder / KEY
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(secrets.token_hex(32))
    except FileExistsError:
        pass
    except OSError:
        if not path.exists():  # a folder that cannot be written to: sessions end with the server
            return secrets.token_bytes(32)
    try:
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except ValueError:
        key = b""
    if len(key) != 32:  # half a key would let anybody sign cookies
        raise InputError(f"{KEY} is damaged. Remove it; everybody will have to sign in again.")
    return key
