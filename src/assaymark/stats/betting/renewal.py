"""When chances are renewed: at draw numbers sealed with the plan, never where a batch happens to end.

One idea: if nobody can choose when chances are computed or from which labels, every draw is a
function of plan, seed and labels, and there is nothing left to steer.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from assaymark.errors import InputError

FEWEST, MOST, SHARE = 10, 200, 10
SEVERAL, LEAD_SHARE = 50, 2


@dataclass(frozen=True, kw_only=True)
class Segment:
    """Draws `first` to `last` (counted from 1) use chances computed from draws 1 to `known`.

    `known` are exactly the labels to use: all of them and no others, with the counts of items that
    remain after them.
    """

    first: int
    last: int
    known: int


def usual_batch(drawn: int) -> int:
    """How many items a batch holds after that number of draws, and how long a segment is.

    >>> [usual_batch(t) for t in (0, 150, 5000)]
    [10, 15, 200]
    """
    return max(FEWEST, min(MOST, drawn // SHARE))


def segments(*, lead: int = 0, most: int | None = None) -> Iterator[Segment]:
    """The segments of a plan in order, the last one cut at `most` draws (the pool, or a ceiling).

    With a `lead` (`SEVERAL` for several annotators) the next segment can be drawn before the last
    labels are there: at least that number of draws before its start are left out, and half of them later.

    >>> [(s.first, s.last, s.known) for s in segments(most=35)]
    [(1, 10, 0), (11, 20, 10), (21, 30, 20), (31, 35, 30)]
    """
    if most is not None and most < 0:
        raise InputError(f"A number of draws is at least 0, got {most}.")
    if lead < 0:
        raise InputError(f"A lead is a number of draws of at least 0, got {lead}.")
    start = 0
    while most is None or start < most:
        stop = start + usual_batch(start)
        behind = max(lead, start // LEAD_SHARE) if lead else 0
        yield Segment(
            first=start + 1,
            last=stop if most is None else min(stop, most),
            known=max(0, start - behind),
        )
        start = stop


def segment_at(drawn: int, *, lead: int = 0, most: int | None = None) -> Segment:
    """The segment of the draw after that number of draws.

    >>> segment_at(1500)
    Segment(first=1401, last=1540, known=1400)
    """
    for segment in segments(lead=lead, most=most):
        if segment.last > drawn:
            return segment
    raise InputError(f"The plan ends after {most} draws; there is no draw number {drawn + 1}.")
