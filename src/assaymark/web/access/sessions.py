"""Who is asking: signed cookies, the marks that tie a request to them, and who has signed out."""

import base64
import contextlib
import copy
import hashlib
import hmac
import json
import logging
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assaymark.project.users import ENDED, ROLES, Role, User, token_hash

log = logging.getLogger("assaymark.serve")


class Ended:
    """Ids of sessions that must not come back, in a file, so that a restart revives none."""

    def __init__(self, folder: Path, *, now: float) -> None:
        self._path = folder / ENDED
        self._until = {name: until for name, until in self._read() if until > now}

    def __contains__(self, session: object) -> bool:
        """Whether the session was signed out."""
        return session in self._until

    def add(self, session: str, *, until: float) -> None:
        """End a session for good."""
        self._until[session] = until
        try:
            place = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(place, "w", encoding="ascii") as stream:
                stream.write(f"{session} {until:.0f}\n")
        except OSError as error:  # it holds in memory, until the server ends
            log.warning("a sign-out could not be kept: %s", error)

    def _read(self) -> Iterator[tuple[str, float]]:
        try:
            lines = self._path.read_text(encoding="ascii", errors="replace").splitlines()
        except OSError:
            return
        for line in lines:
            name, _, until = line.partition(" ")
            with contextlib.suppress(ValueError):
                yield name, float(until)


LASTS = 7 * 24 * 3600  # seconds
LINKED: tuple[Role, ...] = ("lead", "annotator")


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody who signed in; `proxied` if a proxy in front did it for them."""

    name: str
    role: Role
    proxied: bool = False

    @property
    def leads(self) -> bool:
        """Whether this person may plan, look, draw, decide and certify."""
        return self.role == "lead"

    @property
    def labels(self) -> bool:
        """Whether this person may label."""
        return self.role in ("annotator", "lead")


@dataclass(frozen=True, kw_only=True)
class Session:
    """A session that the server vouches for. Without a person: a link was opened, no name given."""

    id: str
    role: Role
    person: Person | None


def start_links() -> dict[Role, str]:
    """A fresh secret for each role that a printed link gives."""
    return {role: secrets.token_urlsafe(24) for role in LINKED}


class Sessions:
    """Cookies that the server can check without remembering them, so a restart logs nobody out.

    `open` means that there are no named users: whoever has the link printed at the start comes in
    with the link's role and names themselves.
    """

    def __init__(
        self,
        key: bytes,
        users: Callable[[], tuple[User, ...]],
        *,
        links: Mapping[Role, str],
        ended: Ended,
    ) -> None:
        self._key = key
        self._read = users
        self._links = links
        self._ended = ended
        self._place = ""
        # decided at the start: nobody may open the page to all by removing a file
        self.open = not users()
        # two projects on one machine share cookies, whatever their ports
        self.cookie_name = f"assaymark_{self._sign('cookie', '')[:12]}"

    def within(self, place: str) -> "Sessions":
        """The same sessions for one of several projects: what was handed out there holds there."""
        sessions = copy.copy(self)
        sessions._place = place
        return sessions

    @property
    def _users(self) -> dict[str, User]:
        return {user.name: user for user in self._read()}

    def user(self, token: str) -> User | None:
        """The user to whom this token belongs."""
        digest = token_hash(token.strip())
        users = [u for u in self._users.values() if same(u.token_sha256, digest)]
        return users[0] if users else None

    def link(self, token: str) -> Role | None:
        """The role of the link that holds this secret."""
        fits = [role for role, secret in self._links.items() if same(secret, token.strip())]
        return fits[0] if fits and self.open else None

    def named(self, name: str) -> Person | None:
        """The user of that name, vouched for by a proxy."""
        user = self._users.get(name)
        return Person(name=user.name, role=user.role, proxied=True) if user else None

    def cookie(self, name: str, role: Role, *, now: float) -> str:
        """The cookie of a session that begins now; the name is empty until it is given."""
        session = secrets.token_hex(16)
        body = json.dumps([session, name, role, self._mark(name), int(now)]).encode()
        text = base64.urlsafe_b64encode(body).decode().rstrip("=")
        return f"{text}.{self._sign('session', text)}"

    def _mark(self, name: str) -> str:
        # a new token for the same name ends the sessions of the old one
        user = self._users.get(name)
        return user.token_sha256[:16] if user else ""

    def session(self, cookie: str | None, *, now: float) -> Session | None:
        """The session of a cookie; None where it is forged, too old, ended, or its user is gone."""
        text, _, mark = (cookie or "").partition(".")
        if not mark or not same(self._sign("session", text), mark):
            return None
        content = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        session, name, role, token, begun = content
        if now - begun > LASTS or session in self._ended or role not in ROLES:
            return None
        if self.open:
            person = Person(name=name, role=role) if name else None
            return None if token else Session(id=session, role=role, person=person)
        user = self._users.get(name)
        if user is None or token != self._mark(name):
            return None
        return Session(id=session, role=user.role, person=Person(name=user.name, role=user.role))

    def end(self, session: Session, *, now: float) -> None:
        """Have the session end here and now, whoever still holds its cookie."""
        self._ended.add(session.id, until=now + LASTS)

    def form_mark(self, cookie: str) -> str:
        """What a form or script of our own pages sends along, and no other site can know."""
        return self._sign("form", cookie)

    def item_mark(self, name: str, item: str) -> str:
        """Proof that this item was handed to this person; holds across restarts."""
        return self._sign("item", f"{self._place}\n{name}\n{item}")

    def fits(self, mark: object, expected: str) -> bool:
        """Whether a mark is the expected one, compared in constant time."""
        return isinstance(mark, str) and same(mark, expected)

    def _sign(self, purpose: str, text: str) -> str:
        sealed = f"{purpose}\n{text}".encode("utf-8", "surrogatepass")
        return hmac.new(self._key, sealed, hashlib.sha256).hexdigest()


def same(left: str, right: str) -> bool:
    """Whether two texts are equal, compared in constant time; any text may be given."""
    return hmac.compare_digest(
        left.encode("utf-8", "surrogatepass"), right.encode("utf-8", "surrogatepass")
    )
