"""Who gets which item: each annotator a queue of their own, and nobody's item is lost.

What was answered is in the ledger; what is on somebody's screen is not. The desk shares these
leases with other servers of the same ledger.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from assaymark.ledger.events import State, live_surveys, read_twice
from assaymark.ledger.leases import Lease
from assaymark.records.survey_kinds import SURVEY_KINDS
from assaymark.sampling.tickets import blind_order

IN_HAND = 2  # the item on the screen and the one behind it, already loaded


@dataclass(frozen=True, kw_only=True)
class Work:
    """Items that wait for labels, in the order they are handed out, and the seed they came from.

    `settled` says that the ledger knows which of them two people read.
    """

    seed: str
    items: tuple[str, ...]
    settled: bool = False


def open_work(state: State) -> tuple[Work, ...]:
    """What may be labelled now: the open plan's items in draw order, then the surveys' items.

    The order of draws is random by the sealed seed and tells nothing about scores; a survey's
    draws come cell by cell, so they are mixed here.
    """
    works = []
    attempt = state.attempt
    if attempt is not None and attempt.open:
        works.append(Work(seed=attempt.plan.seed, items=tuple(attempt.order)))
    for survey in live_surveys(state):
        for batch in survey.files:
            order = blind_order(survey.survey.seed, [item.id for item in batch.items])
            works.append(Work(seed=survey.survey.seed, items=tuple(order)))
    for review in state.reviews:
        handouts: dict[int, list[str]] = {}
        for item, number in review.handed.items():
            handouts.setdefault(number, []).append(item)
        seed = review.opened.commitment
        for number, items in handouts.items():
            order = blind_order(f"{seed}:{number}", items)
            works.append(Work(seed=seed, items=tuple(order), settled=True))
    return tuple(works)


def purposes(state: State) -> tuple[str, ...]:
    """What the labels are for, of all items together: an item's own purpose could tell about it."""
    names = []
    attempt = state.attempt
    if attempt is not None and attempt.open:
        names.append(SURVEY_KINDS["claim"].why)
    for work in live_surveys(state):
        if any(not state.labelled(item) for item in work.order):
            names.append(SURVEY_KINDS[work.survey.purpose].why)
    if any(not state.labelled(item) for review in state.reviews for item in review.handed):
        names.append("to find the relevant records of a collection")
    return tuple(dict.fromkeys(names))


@dataclass(kw_only=True)
class Queue:
    """Hands out items: one person each, or two where the item is to be read twice."""

    share: float = 0.0
    minutes: float = 15.0
    wanted: dict[str, int] = field(default_factory=dict)
    waiting: dict[str, None] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)
    disputed: dict[str, None] = field(default_factory=dict)
    leases: dict[str, list[Lease]] = field(default_factory=dict)
    assigned: dict[str, str] = field(default_factory=dict)

    def reset(self, state: State) -> None:
        """Begin again from a state: a batch was drawn, a plan sealed or closed."""
        self.wanted = {}
        for work in open_work(state):
            for item in work.items:
                chosen = not work.settled and read_twice(work.seed, item, self.share)
                twice = chosen or item in state.twice
                self.wanted[item] = max(self.wanted.get(item, 1), 2 if twice else 1)
        self.waiting = {item: None for item in self.wanted if not self._done(state, item)}
        self.begun = {item for item in self.wanted if item in state.answers}
        self.disputed = {item: None for item in self.wanted if state.disputed(item)}
        self.leases = {item: held for item, held in self.leases.items() if item in self.waiting}

    def answered(self, state: State, items: Iterable[str]) -> None:
        """Take note that these items got answers."""
        for item in items:
            if item not in self.wanted:
                continue
            self.begun.add(item)
            if state.disputed(item):
                self.disputed[item] = None
            else:
                self.disputed.pop(item, None)
            if self._done(state, item):
                self.waiting.pop(item, None)
                self.leases.pop(item, None)

    def answered_by(self, state: State, annotator: str) -> int:
        """How many of the waiting items this person labelled: they want a second reviewer."""
        return sum(annotator in state.answers.get(item, ()) for item in self.waiting)

    def unread(self, state: State) -> int:
        """How many of the waiting items nobody has labelled yet."""
        return sum(not state.answers.get(item) for item in self.waiting)

    def _done(self, state: State, item: str) -> bool:
        answers = state.answers.of(item)
        return item in state.decided or len(answers) >= self.wanted[item]

    def hand(
        self, state: State, annotator: str, *, keep: Sequence[str] = (), now: float
    ) -> list[str]:
        """The annotator's next items: those still in hand first, then new ones, leased to them."""
        in_hand = [item for item in keep if self._may(state, item, annotator, now)]
        for item, held in self.leases.items():
            leased = any(lease.annotator == annotator for lease in held)
            if leased and item not in in_hand and self._may(state, item, annotator, now):
                in_hand.append(item)
        in_hand = in_hand[:IN_HAND]
        items = [item for item, name in self.assigned.items() if name == annotator]
        for item in (*items, *self.waiting):
            if len(in_hand) >= IN_HAND:
                break
            if item not in in_hand and self._may(state, item, annotator, now):
                in_hand.append(item)
        for item in in_hand:
            self._lease(item, annotator, now)
        return in_hand

    def _may(self, state: State, item: str, annotator: str, now: float) -> bool:
        """Whether the item still needs somebody, and this person may be the one."""
        if item not in self.waiting:
            return False
        answers = state.answers.of(item)
        if annotator in answers:
            return False
        owner = self.assigned.get(item)
        if owner is not None and owner != annotator and owner not in answers:
            return False
        others = [
            lease
            for lease in self.leases.get(item, ())
            if lease.annotator != annotator and lease.until > now and lease.annotator not in answers
        ]
        return len(answers) + len(others) < self.wanted[item]

    def _lease(self, item: str, annotator: str, now: float) -> None:
        kept = [lease for lease in self.leases.get(item, ()) if lease.annotator != annotator]
        fresh = Lease(item=item, annotator=annotator, until=now + 60 * self.minutes)
        self.leases[item] = [*(lease for lease in kept if lease.until > now), fresh]

    def adopt(self, leases: Iterable[Lease]) -> None:
        """Take these leases, of all servers, for the only ones."""
        self.leases = {}
        for lease in leases:
            self.leases.setdefault(lease.item, []).append(lease)

    def release(self, annotator: str) -> None:
        """Give back everything in this person's hands."""
        for item in list(self.leases):
            self.leases[item] = [x for x in self.leases[item] if x.annotator != annotator]
            if not self.leases[item]:
                del self.leases[item]
