"""Who is asking: signed cookies, and the marks that tie a request to them."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass

from assaymark.steps.users import Role, User, token_hash

COOKIE = "assaymark_session"
LASTS = 7 * 24 * 3600  # seconds


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody who signed in."""

    name: str
    role: Role

    @property
    def leads(self) -> bool:
        """Whether this person may plan, look, draw, decide and certify."""
        return self.role == "lead"

    @property
    def labels(self) -> bool:
        """Whether this person may label."""
        return self.role in ("annotator", "lead")


class Sessions:
    """Cookies that the server can check without remembering them, so a restart logs nobody out.

    `open` means that nobody needs a token: on this machine, without named users.
    """

    def __init__(self, key: bytes, users: Callable[[], tuple[User, ...]]) -> None:
        self._key = key
        self._read = users
        # decided at the start: nobody may open the page to all by removing a file
        self.open = not users()

    @property
    def _users(self) -> dict[str, User]:
        return {user.name: user for user in self._read()}

    def user(self, token: str) -> User | None:
        """The user to whom this token belongs."""
        given = token_hash(token.strip())
        found = [u for u in self._users.values() if hmac.compare_digest(u.token_sha256, given)]
        return found[0] if found else None

    def cookie(self, name: str, *, now: float) -> str:
        """The cookie of a session that begins now."""
        body = json.dumps([name, self._mark(name), int(now)]).encode()
        text = base64.urlsafe_b64encode(body).decode().rstrip("=")
        return f"{text}.{self._sign('session', text)}"

    def _mark(self, name: str) -> str:
        # a new token for the same name ends the sessions of the old one
        user = self._users.get(name)
        return user.token_sha256[:16] if user else ""

    def person(self, cookie: str | None, *, now: float) -> Person | None:
        """Whose cookie this is; None where it is forged, too old, or its user is gone."""
        text, _, mark = (cookie or "").partition(".")
        if not mark or not hmac.compare_digest(self._sign("session", text), mark):
            return None
        name, token, begun = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        if now - begun > LASTS or token != self._mark(name):
            return None
        if self.open:
            return Person(name=name, role="lead")
        user = self._users.get(name)
        return Person(name=user.name, role=user.role) if user else None

    def form_mark(self, cookie: str) -> str:
        """What a form or script of our own pages sends along, and no other site can know."""
        return self._sign("form", cookie)

    def item_mark(self, name: str, item: str) -> str:
        """Proof that this item was handed to this person; holds across restarts."""
        return self._sign("item", f"{name}\n{item}")

    def fits(self, given: object, expected: str) -> bool:
        """Whether a mark is the expected one, compared in constant time."""
        return isinstance(given, str) and hmac.compare_digest(given.encode(), expected.encode())

    def _sign(self, purpose: str, text: str) -> str:
        return hmac.new(self._key, f"{purpose}\n{text}".encode(), hashlib.sha256).hexdigest()
