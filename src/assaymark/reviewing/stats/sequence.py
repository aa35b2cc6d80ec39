"""The evidence of a review: random draws in the order they were drawn, with the facts of that moment.

A batch is drawn at one moment from all items without a final label that were not drawn before. Its
j-th item is judged by n and F of the moment it was drawn: n less the j − 1 items before it in the
batch, F plus the relevant ones among these. Labels that arrive while the batch is open never enter
it: whoever skips or labels pending items could otherwise choose which of them remain.
"""

from collections.abc import Sequence
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
