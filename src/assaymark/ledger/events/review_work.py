"""A ranked review as it stands after its events."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from assaymark.ledger.events.event import Answered, Stamped

if TYPE_CHECKING:
    from assaymark.ledger.events.reviews import (
        ReviewCertified,
        ReviewDrawn,
        ReviewOpened,
        ReviewRanked,
    )
    from assaymark.ledger.events.state import State


@dataclass(kw_only=True)
class ReviewWork:
    """One review and everything that happened under it.

    `outside` maps an item that left the sets drawn from to the number of random batches that were
    drawn before it left; once outside, an item never returns. `waiting` are items handed out and
    still inside. `late` are random draws whose relevant label was changed after it was final and their
    handout complete, `disputed` the items on which readers ever differed. `unanswered` counts the items
    of a handout that never had a final label, and `settled` those that had one. `unmatched` records of
    an import were not found in the pool.
    """

    opened: "ReviewOpened"
    opened_at: int
    known: dict[str, int | None] = field(default_factory=dict)
    unmatched: int = 0
    sources: dict[str, int] = field(default_factory=dict)
    batches: "list[ReviewDrawn]" = field(default_factory=list)
    handed: dict[str, int] = field(default_factory=dict)
    drawn: dict[str, int] = field(default_factory=dict)
    outside: dict[str, int] = field(default_factory=dict)
    waiting: dict[str, None] = field(default_factory=dict)
    unanswered: dict[int, int] = field(default_factory=dict)
    late: set[str] = field(default_factory=set)
    disputed: set[str] = field(default_factory=set)
    decided: dict[str, int] = field(default_factory=dict)
    commitments: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    rankings: "list[ReviewRanked]" = field(default_factory=list)
    certificates: "list[Stamped[ReviewCertified]]" = field(default_factory=list)
    settled: set[str] = field(default_factory=set)

    @property
    def order(self) -> list[str]:
        """Every item that was handed out, once, in the order of the handouts."""
        return list(self.handed)

    @property
    def random(self) -> "list[ReviewDrawn]":
        """The random batches in order."""
        return [batch for batch in self.batches if batch.route == "random"]

    @property
    def handouts(self) -> int:
        """How many handouts there were."""
        return self.batches[-1].handout if self.batches else 0

    @property
    def twice(self) -> float:
        """The share of the records that two people read."""
        return float(Fraction(self.opened.twice))

    @property
    def drawable(self) -> bool:
        """Whether the latest secret is still one."""
        return len(self.commitments) > len(self.secrets)

    def is_issued(self, state: "State") -> bool:
        """Whether its latest certificate is newer than every label."""
        return bool(self.certificates) and self.certificates[-1].seq > state.labels_at

    def inside(self, state: "State", ids: Iterable[str]) -> list[str]:
        """Those of these items that a random batch would be drawn from now."""
        return [
            item
            for item in ids
            if item not in self.outside and not (item in self.waiting and state.labelled(item))
        ]

    def settle(self, state: "State") -> None:
        """Move items with a final label out of the set that the next random batch is drawn from."""
        number = len(self.random)
        for item in [item for item in self.waiting if state.labelled(item)]:
            del self.waiting[item]
            self.outside[item] = number

    def answered(self, state: "State", event: Answered) -> None:
        """Take note of an answer: changes that come after a handout was complete are remembered."""
        item = event.item
        if item not in self.handed:
            return
        handout = self.handed[item]
        over = item in self.settled and item in self.drawn and self._over(handout)
        if over and self._taken_back(event):
            self.late.add(item)
        if event.decision is not None:
            self.decided[item] = event.decision
        if item not in self.settled and state.labelled(item):
            self.settled.add(item)
            self.unanswered[handout] -= 1
        if state.disputed(item):
            self.disputed.add(item)

    def _over(self, handout: int) -> bool:
        return self.unanswered[handout] == 0 or handout < self.handouts

    def _taken_back(self, event: Answered) -> bool:
        overruled = event.decision is not None and self.decided.get(event.item) == 1
        return event.withdraws or overruled


def review_of(state: "State") -> ReviewWork | None:
    """The review of the project; there is at most one."""
    return state.reviews[-1] if state.reviews else None


def decides_blind(state: "State") -> bool:
    """Whether the project is a review in which nobody who sees its figures decides between readers."""
    return any(review.opened.decisions == "blind" for review in state.reviews)
