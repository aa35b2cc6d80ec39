"""The evidence of a review: random draws in the order they were drawn, with the facts of that moment.

A batch is drawn at one moment from all items without a final label that were not drawn before. Its
j-th item is judged by n and F of the moment it was drawn: n less the j − 1 items before it in the
batch, F plus the relevant ones among these. Labels that arrive while the batch is open never enter
it: whoever skips or labels pending items could otherwise choose which of them remain.
"""

import hashlib
import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Batch:
    """One random batch: `items` in the set drawn from, `found` relevant outside that set.

    `found` counts by the labels of today, items that nobody could tell included, and items of older
    batches too. `hits` are the answers in draw order: True for relevant or cannot tell, None for an
    item without a final label.
    """

    items: int
    found: int
    hits: tuple[bool | None, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Draws:
    """The labelled prefix in draw order: items left, relevant ones known, and the answer.

    `pending` counts the draws after the first one without a final label, that one included.
    """

    left: Ints
    found: Ints
    hits: Flags
    pending: int = 0

    @property
    def count(self) -> int:
        """How many draws the evidence holds."""
        return len(self.hits)


def draws_of(batches: Sequence[Batch]) -> Draws:
    """The evidence in these batches, up to the first draw without a final label.

    >>> draws_of([Batch(items=9, found=2, hits=(False, True, False, None))]).found.tolist()
    [2, 2, 3]
    """
    left: list[int] = []
    counts: list[int] = []
    hits: list[bool] = []
    for batch in batches:
        known = batch.found
        for place, hit in enumerate(batch.hits):
            if hit is None:
                return _frozen(left, counts, hits, sum(len(b.hits) for b in batches))
            left.append(batch.items - place)
            counts.append(known)
            hits.append(hit)
            known += hit
    return _frozen(left, counts, hits, len(hits))


def _frozen(left: list[int], counts: list[int], hits: list[bool], total: int) -> Draws:
    return Draws(
        left=np.array(left, dtype=np.int64),
        found=np.array(counts, dtype=np.int64),
        hits=np.array(hits, dtype=np.bool_),
        pending=total - len(hits),
    )


def ticket(secret: str, batch: int, item: str) -> str:
    """Secret ticket: lowercase hex SHA-256 of "secret:batch:id".

    The order of random items must be unknown to whoever chooses the directed ones, so it hangs on a
    secret that was committed to before. A ticket holds no ledger hash: whoever knows the secret could
    otherwise draw again by recording one more event.

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
