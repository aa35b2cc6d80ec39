"""Secret tickets: which unread items a random batch takes.

The order must be unknown to whoever chooses the directed items, so it hangs on a secret that was
committed to before. A ticket holds no ledger hash: whoever knows the secret could otherwise draw
again by recording one more event.
"""

import hashlib
import heapq
from collections.abc import Iterable


def ticket(secret: str, batch: int, item: str) -> str:
    """Lowercase hex SHA-256 of "secret:batch:id".

    >>> ticket("s", 1, "a")[:8]
    'a9028dc9'
    """
    return hashlib.sha256(f"{secret}:{batch}:{item}".encode()).hexdigest()


def draw_batch(secret: str, batch: int, unread: Iterable[str], count: int) -> list[str]:
    """The `count` items with the lowest tickets of this batch, in draw order."""
    return heapq.nsmallest(count, unread, key=lambda item: (ticket(secret, batch, item), item))


def set_digest(items: Iterable[str]) -> str:
    """SHA-256 of the ids of a set, one per line in code point order."""
    lines = "".join(f"{item}\n" for item in sorted(items))
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()
