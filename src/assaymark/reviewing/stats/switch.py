"""When to draw at random: the price of one more directed label against what it saves.

Efficiency only. No choice made here can spoil the guarantee.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from assaymark.reviewing.stats.bound import row_of_target
from assaymark.reviewing.stats.forecast import growth

PRIOR = 8.0
WINDOW = 50
SHARE = 0.15  # of all directed labels: a short window takes a run of bad luck for the end
PRICE = 0.6 / 3.5
AFTER_HIT = 10  # directed labels after a relevant random draw, before the question is asked again


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The labels of one handout, in order: answers of its random and of its directed items."""

    random: tuple[bool, ...] = ()
    directed: tuple[bool, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Experience:
    """What the labels so far say about how many relevant items are left.

    `hits` is discounted for relevant items that directed reading found since; `since_hit` counts
    directed labels since the latest relevant random draw, None where there was none.
    """

    hits: float
    draws: int
    directed: tuple[bool, ...]
    since_hit: int | None


def left_estimate(allowed: int, unread: int, *, hits: float, draws: int) -> float:
    """Relevant items that are probably still unread: a Gamma prior with mean allowed/8.

    >>> left_estimate(8, 1000, hits=0, draws=0)
    1.0
    """
    return (1 + hits) / (PRIOR / allowed + draws / max(1, unread))


def experience(
    readings: Sequence[Reading], *, relevant: int, unread: int, target: Fraction
) -> Experience:
    """The readings folded in order; directed finds after a hit take part of the hit back."""
    allowed = row_of_target(relevant, target) - relevant
    hits, draws = 0.0, 0
    directed: list[bool] = []
    since: int | None = None
    for reading in readings:
        directed += reading.directed
        finds = sum(reading.directed)
        if since is not None:
            since += len(reading.directed)
        if finds and hits:
            left = left_estimate(allowed, unread, hits=hits, draws=draws)
            hits *= max(0.0, 1 - finds / left)
        hits += sum(reading.random)
        draws += len(reading.random)
        if any(reading.random):
            since = 0
    return Experience(hits=hits, draws=draws, directed=tuple(directed), since_hit=since)


def wants_random(past: Experience, *, relevant: int, unread: int, target: Fraction) -> bool:
    """Whether random draws are the better use of the next labels.

    Finishing costs n·(1 − e^(−x)) draws, x = 3.3/(m·g(ρ)); its slope in the number of relevant items
    left, against the net price e^(−x) of a directed label, is the yield y* at which to switch. The
    yield is that of a window of directed labels which grows with them: drawing while more is left
    than the target allows is a fair game that a false certificate wins with nearly the full risk.
    """
    count = len(past.directed)
    if not relevant or not unread or (past.since_hit is not None and past.since_hit < AFTER_HIT):
        return False
    allowed = row_of_target(relevant, target) - relevant
    left = left_estimate(allowed, unread, hits=past.hits, draws=past.draws)
    share = min(0.9, max(0.01, left / allowed))
    least = PRICE * (allowed * growth(share)) ** 2 / (unread * math.log(1 / share))
    window = int(min(max(1 / least, WINDOW, SHARE * count), max(WINDOW, count / 2)))
    if count <= window:
        return False
    yielded = sum(past.directed[-window:])
    return (yielded + 0.5) / window < least or (yielded == 0 and window < 1 / least)
