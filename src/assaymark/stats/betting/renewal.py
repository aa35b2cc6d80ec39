"""When chances are renewed: at draw numbers sealed with the plan, never where a batch happens to end.

One idea: if nobody can choose when chances are computed or from which labels, every draw is a
function of plan, seed and labels, and there is nothing left to steer.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from assaymark.errors import InputError

FEWEST, MOST, SHARE = 10, 200, 10
LEAD, LEAD_SHARE = 50, 2


@dataclass(frozen=True, kw_only=True)
class Segment:
    """Draws `first` to `last` (counted from 1) use chances computed from draws 1 to `known`.

    `known` are exactly the labels to use: all of them and no others, with the counts of items that
    remain after them.
    """

    first: int
    last: int
    known: int


def segments(*, parallel: bool = False, most: int | None = None) -> Iterator[Segment]:
    """The segments of a plan in order, the last one cut at `most` draws (the pool, or a ceiling).

    With `parallel` annotators the next segment can be drawn before the last labels of this one.

    >>> [(s.first, s.last, s.known) for s in segments(most=35)]
    [(1, 10, 0), (11, 20, 10), (21, 30, 20), (31, 35, 30)]
    """
    if most is not None and most < 0:
        raise InputError(f"A number of draws is at least 0, got {most}.")
    start = 0
    while most is None or start < most:
        stop = start + max(FEWEST, min(MOST, start // SHARE))
        lead = max(LEAD, start // LEAD_SHARE) if parallel else 0
        yield Segment(
            first=start + 1,
            last=stop if most is None else min(stop, most),
            known=max(0, start - lead),
        )
        start = stop


def segment_at(drawn: int, *, parallel: bool = False, most: int | None = None) -> Segment:
    """The segment of the next draw when so many were made.

    >>> segment_at(1500)
    Segment(first=1401, last=1540, known=1400)
    """
    for segment in segments(parallel=parallel, most=most):
        if segment.last > drawn:
            return segment
    raise InputError(f"The plan ends after {most} draws; there is no draw number {drawn + 1}.")
