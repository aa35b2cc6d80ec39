"""How a review went: found and certified recall at regular numbers of labels."""

from dataclasses import dataclass

from assaymark.ledger.events import Answered, Entry, State, review_of
from assaymark.reviewing.standing import account_of, confidence_of
from assaymark.reviewing.stats import upper_bound

POINTS = 40


@dataclass(frozen=True, kw_only=True)
class Point:
    """The review after this many labels: found, the bound then, and what was certified."""

    labels: int
    found: int
    bound: int

    @property
    def certified(self) -> float:
        """The recall that was proved at that moment."""
        return self.found / self.bound if self.bound else 0.0


def history(entries: list[Entry], *, points: int = POINTS) -> tuple[Point, ...]:
    """The review at about this many moments, the latest included."""
    answers = sum(entry.kind.startswith("Label") for entry in entries)
    step = max(1, answers // points)
    state, count = State(), 0
    course: list[Point] = []
    for entry in entries:
        event = entry.event
        state.apply(event, entry)
        if isinstance(event, Answered):
            count += 1
            if count % step == 0 or count == answers:
                course += _point(state)
    return tuple(course)


def _point(state: State) -> list[Point]:
    work = review_of(state)
    if work is None:
        return []
    account = account_of(state, work)
    bound = upper_bound(account.standing, confidence_of(work))
    labels = account.directed + account.random
    return [Point(labels=labels, found=account.standing.found, bound=bound)]
