"""What stands before the server: which proxies it believes, and what they may say."""

import ipaddress
from dataclasses import dataclass

from starlette.types import Scope

from assaymark.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Front:
    """How far a proxy is believed.

    `behind` says that there is one, so that it may name the client's address. `header` is the
    header in which it names the person it signed in; None believes no header. `proxies` are the
    addresses of proxies; where none is named, this machine's own are meant.
    """

    behind: bool = False
    header: str | None = None
    proxies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for address in self.proxies:
            if _address(address) is None:
                raise InputError(
                    f"A proxy is named by its IP address, got {address!r}. Example: 10.0.0.2."
                )
        if self.header is not None and not self.header.replace("-", "").isalnum():
            raise InputError(
                f"A header's name is letters, digits and hyphens, got {self.header!r}. Example: "
                "X-Remote-User."
            )

    def believes(self, scope: Scope) -> bool:
        """Whether the other end of the connection is the proxy."""
        client = scope.get("client")
        peer = _address(str(client[0])) if client else None
        if peer is None or not (self.behind or self.header or self.proxies):
            return False
        if self.proxies:
            return peer in {_address(known) for known in self.proxies}
        return peer.is_loopback

    def name(self, scope: Scope) -> str | None:
        """Whom the proxy signed in; None where it says nothing, or two things."""
        if self.header is None or not self.believes(scope):
            return None
        values = _values(scope, self.header)
        return values[0].strip() or None if len(values) == 1 else None

    def address(self, scope: Scope) -> str:
        """The address that asks: the connection's own, or the one its proxy names last."""
        client = scope.get("client")
        if self.believes(scope):
            named = ",".join(_values(scope, "x-forwarded-for")).rpartition(",")[2].strip()
            if _address(named) is not None:
                return named
        return str(client[0]) if client else "unknown"


def _values(scope: Scope, header: str) -> list[str]:
    wanted = header.lower().encode("ascii")
    return [value.decode("utf-8", "replace") for name, value in scope["headers"] if name == wanted]


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped or address
