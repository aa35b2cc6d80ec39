"""What every request passes before a page sees it: host, size, rate; and what every answer carries."""

import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

RATE, BURST = 40.0, 120.0  # failed requests per second and at once, of one session or address
MOST_KNOWN = 10_000


class Buckets:
    """A number of failures at once, refilled at a steady rate, for each who asks."""

    def __init__(self, *, rate: float, burst: float, clock: Callable[[], float]) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, who: str) -> bool:
        """Count a failure of theirs; whether it was still a fair one."""
        left = self._now_left(who)
        self._left.pop(who, None)  # whoever failed last is forgotten last
        self._left[who] = (max(left - 1, 0.0), self._clock())
        if len(self._left) > MOST_KNOWN:  # nobody may fill the memory with invented addresses
            del self._left[next(iter(self._left))]
        return left >= 1

    def spent(self, who: str) -> bool:
        """Whether they failed so often that they must wait."""
        return self._now_left(who) < 1

    def _now_left(self, who: str) -> float:
        now = self._clock()
        left, then = self._left.get(who, (self._burst, now))
        return min(self._burst, left + (now - then) * self._rate)


LARGEST = 128_000  # bytes of a request; criteria are the longest thing anybody sends
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
ONLY_HTTPS = "max-age=31536000"
UNCOUNTED = (409, 429)  # somebody was faster; asked to wait already
ALWAYS = ("/enter", "/static/", "/alive")  # signing in has a limit of its own


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the page is: the names it answers to, its prefix behind a proxy, whether by https."""

    hosts: frozenset[str] = frozenset()
    root: str = ""
    secure: bool = False

    def knows(self, host: str) -> bool:
        """Whether a Host header names this server.

        A page of another site can make its own name point here (DNS rebinding), but it cannot
        make a browser send a bare address as Host, so addresses are fine.
        """
        name = _bare(host)
        return name in self.hosts or name == "localhost" or _is_address(name)

    def pins(self, host: str) -> bool:
        """Whether browsers shall use https alone for this name; never for names that others share."""
        name = _bare(host)
        return self.secure and name != "localhost" and not _is_address(name)

    def put(self, scope: Scope) -> Scope:
        """The request under its prefix, whether the proxy took the prefix off or not."""
        if not self.root:
            return scope
        path, raw = scope["path"], scope.get("raw_path") or b""
        if path != self.root and not path.startswith(f"{self.root}/"):
            path, raw = self.root + path, self.root.encode() + raw
        return {**scope, "root_path": self.root, "path": path, "raw_path": raw}


class Guard:
    """The outermost layer of the application."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        place: Place,
        failures: Buckets,
        who: Callable[[Scope], str],
        limits: Mapping[str, int],
    ) -> None:
        self._app = app
        self._limits = limits
        self._place = place
        self._failures = failures
        self._who = who

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a bad request here; let a good one through, and dress its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope = self._place.put(scope)
        who = self._who(scope)

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._dress(MutableHeaders(scope=message), Headers(scope=scope))
                if 400 <= message["status"] < 500 and message["status"] not in UNCOUNTED:
                    self._failures.take(who)
            await send(message)

        refusal = self._refusal(scope, who)
        if refusal is not None:
            await refusal(scope, receive, dressed)
            return
        await self._app(scope, _limited(receive, self._most(scope)), dressed)

    def _most(self, scope: Scope) -> int:
        """How many bytes a request to this address may hold."""
        return self._limits.get(scope["path"].removeprefix(self._place.root), LARGEST)

    def _dress(self, headers: MutableHeaders, asked: Headers) -> None:
        for name, value in HEADERS.items():
            headers.setdefault(name, value)
        headers.setdefault("cache-control", "no-store")
        if self._place.pins(asked.get("host", "")):
            headers["strict-transport-security"] = ONLY_HTTPS
        where = headers.get("location", "")
        if where.startswith("/"):
            headers["location"] = self._place.root + where

    def _refusal(self, scope: Scope, who: str) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        if not self._place.knows(headers.get("host", "")):
            return PlainTextResponse(
                "This server does not answer to that name. Start it with --allow-host NAME to let "
                "people use it.",
                status_code=421,
            )
        most = self._most(scope)
        if _too_long(headers.get("content-length", "0"), most):
            return PlainTextResponse(f"A request may be {most:,} bytes long.", status_code=413)
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Only GET and POST are answered.", status_code=405)
        if scope["method"] == "POST" and not _own_origin(headers):
            return PlainTextResponse("This came from another site.", status_code=403)
        path = scope["path"].removeprefix(self._place.root)
        if not path.startswith(ALWAYS) and self._failures.spent(who):
            answer = PlainTextResponse("Too many failed requests. Wait a moment.", status_code=429)
            answer.headers["retry-after"] = "1"
            return answer
        return None


def _too_long(length: str, most: int) -> bool:
    plain = length.isascii() and length.isdigit() and len(length) < 20
    return not plain or int(length) > most


def _bare(host: str) -> str:
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    return name.strip("[]").lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _own_origin(headers: Headers) -> bool:
    """Whether a form was sent from a page of ours; programs send no origin and need the mark."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2].lower() == headers.get("host", "").lower()


class TooLargeError(Exception):
    """A body that goes on after the most it may hold."""


def _limited(receive: Receive, most: int) -> Receive:
    """The request's body, cut off where it exceeds what it may hold, whatever its header says."""
    size = 0

    async def limited() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > most:
            raise TooLargeError
        return message

    return limited
