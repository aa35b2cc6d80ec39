"""Programs that may use the page's interface, and where events go: tokens as hashes, secrets private."""

import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from assaymark.claims.canonical import read_json
from assaymark.claims.checks import choice
from assaymark.claims.record import Record
from assaymark.errors import InputError
from assaymark.files.places import write_safely
from assaymark.project.users import checked_name, token_hash

FILE = "connections.json"
SENT = "hooks-sent.json"
"""Which events were sent to each address."""
MOST = 50
Right = Literal["read", "label", "lead"]
RIGHTS = ("read", "label", "lead")
"""What a program may do; each right holds those before it."""
EVENTS = ("established", "refuted", "not established", "stale")


@dataclass(frozen=True, kw_only=True)
class Program(Record):
    """A program with a token of its own; the token itself is nowhere on disk."""

    name: str
    right: Right
    token_sha256: str

    def __post_init__(self) -> None:
        choice("right", self.right, RIGHTS)

    def may(self, right: Right) -> bool:
        """Whether the program has this right."""
        return RIGHTS.index(self.right) >= RIGHTS.index(right)


@dataclass(frozen=True, kw_only=True)
class Hook(Record):
    """An address that events are sent to, and the secret that signs them."""

    url: str
    secret: str
    events: tuple[str, ...] = EVENTS

    def __post_init__(self) -> None:
        checked_address(self.url)
        for event in self.events:
            choice("event", event, EVENTS)

    def signature(self, body: bytes) -> str:
        """HMAC-SHA-256 of the body, as the header carries it."""
        return "sha256=" + hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Connections(Record):
    """All programs and hooks of a project."""

    programs: tuple[Program, ...] = ()
    hooks: tuple[Hook, ...] = ()


def checked_address(url: str) -> str:
    """An address of http or https without a user name; refused otherwise."""
    try:
        address = urlsplit(url)
        usable = address.scheme in ("http", "https") and address.hostname and not address.username
        usable = usable and (address.port is None or address.port > 0) and len(url) <= 2_000
    except ValueError:
        usable = False
    if not usable or not url.isascii() or not url.isprintable() or " " in url:
        raise InputError(
            f"An address begins with https:// or http:// and names a server, got {url[:80]!r}."
        )
    return url


def read_connections(folder: Path) -> Connections:
    """The programs and hooks of a project; none where there is no file."""
    path = folder / FILE
    if not path.exists():
        return Connections()
    try:
        value = read_json(path.read_text(encoding="utf-8"))
        return Connections(
            programs=tuple(Program.from_dict(row) for row in value["programs"]),
            hooks=tuple(Hook.from_dict(row) for row in value["hooks"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{FILE} cannot be read ({str(error)[:200]}). Correct it or remove it."
        ) from error


def _write(folder: Path, kept: Connections) -> None:
    rows = {
        "programs": [one.to_dict() for one in kept.programs],
        "hooks": [one.to_dict() for one in kept.hooks],
    }
    write_safely(folder / FILE, json.dumps(rows, indent=1) + "\n")


def add_program(folder: Path, name: str, right: Right) -> str:
    """A new program and its token, shown this once; one of that name gets a new token."""
    known = read_connections(folder)
    name, token = checked_name(name), secrets.token_urlsafe(32)
    others = tuple(one for one in known.programs if one.name != name)
    if len(others) >= MOST:
        raise InputError(f"There are {MOST} programs already. Remove one first.")
    program = Program(name=name, right=right, token_sha256=token_hash(token))
    _write(folder, Connections(programs=(*others, program), hooks=known.hooks))
    return token


def remove_program(folder: Path, name: str) -> None:
    """End a program's access at once."""
    known = read_connections(folder)
    left = tuple(one for one in known.programs if one.name != name)
    _write(folder, Connections(programs=left, hooks=known.hooks))


def add_hook(folder: Path, url: str, events: tuple[str, ...]) -> Hook:
    """A new hook with a fresh secret; one with that address is replaced."""
    known = read_connections(folder)
    others = tuple(one for one in known.hooks if one.url != url)
    if len(others) >= MOST:
        raise InputError(f"There are {MOST} addresses already. Remove one first.")
    if not events:
        raise InputError("Choose at least one event to be notified of.")
    hook = Hook(url=url, secret=secrets.token_urlsafe(32), events=events)
    _write(folder, Connections(programs=known.programs, hooks=(*others, hook)))
    return hook


def remove_hook(folder: Path, url: str) -> None:
    """Tell this address nothing more."""
    known = read_connections(folder)
    left = tuple(one for one in known.hooks if one.url != url)
    _write(folder, Connections(programs=known.programs, hooks=left))


def program_of(folder: Path, token: str) -> Program | None:
    """The program to which this token belongs."""
    digest = token_hash(token)
    known = read_connections(folder).programs
    fits = [one for one in known if hmac.compare_digest(one.token_sha256, digest)]
    return fits[0] if fits else None
