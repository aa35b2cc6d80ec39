"""What every request passes before a page sees it: host, size, rate; and what every answer carries."""

import ipaddress
from collections.abc import Callable, Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST = 128_000  # bytes of a request; criteria are the longest thing anybody sends
RATE, BURST = 40.0, 120.0  # requests per second and at once, from one session or address
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


class Buckets:
    """So many requests at once, refilled at a steady rate, for each who asks."""

    def __init__(self, *, rate: float, burst: float, clock: Callable[[], float]) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, who: str) -> bool:
        """Whether one more request of theirs is fine."""
        now = self._clock()
        left, then = self._left.get(who, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._rate)
        if len(self._left) > 10_000:  # nobody may fill the memory with invented names
            self._left.clear()
        self._left[who] = (max(left - 1, 0.0), now)
        return left >= 1


class Guard:
    """The outermost layer of the application."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Iterable[str],
        clock: Callable[[], float],
        rate: float = RATE,
        burst: float = BURST,
    ) -> None:
        self._app = app
        self._hosts = {host.lower() for host in hosts}
        self._buckets = Buckets(rate=rate, burst=burst, clock=clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a bad request here; let a good one through, and dress its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, dressed)
            return
        await self._app(scope, _limited(receive), dressed)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        if not self.knows(headers.get("host", "")):
            return PlainTextResponse(
                "This server does not answer to that name. Start it with --allow-host NAME to let "
                "people use it.",
                status_code=421,
            )
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > LARGEST:
            return PlainTextResponse(f"A request may be {LARGEST:,} bytes long.", status_code=413)
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Only GET and POST are answered.", status_code=405)
        if scope["method"] == "POST" and not _own_origin(headers):
            return PlainTextResponse("This came from another site.", status_code=403)
        client = scope.get("client") or ("unknown", 0)
        if not self._buckets.take(headers.get("cookie", "")[:200] or str(client[0])):
            answer = PlainTextResponse("Too many requests. Wait a moment.", status_code=429)
            answer.headers["retry-after"] = "1"
            return answer
        return None

    def knows(self, host: str) -> bool:
        """Whether a Host header names this server.

        A page of another site can make its own name point here (DNS rebinding), but it cannot
        make a browser send a bare address as Host, so addresses are fine.
        """
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        name = name.strip("[]").lower()
        if name in self._hosts or name == "localhost":
            return True
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


def _limited(receive: Receive) -> Receive:
    """The request's body, cut off where it exceeds what it may hold, whatever its header says."""
    seen = 0

    async def limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > LARGEST:
            raise TooLargeError
        return message

    return limited
