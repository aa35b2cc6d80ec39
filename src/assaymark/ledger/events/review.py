"""Events of a ranked review, and the review as it stands after them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from assaymark.claims.record import Record
from assaymark.ledger.events.chain import Entry
from assaymark.ledger.events.kinds import KINDS, Answered, Event, LabelAdjudicated, LabelCorrected
from assaymark.ledger.events.second_reader import read_twice

if TYPE_CHECKING:
    from assaymark.ledger.events.state import State

METHOD = "review/1"


@dataclass(frozen=True, kw_only=True)
class ReviewOpened(Event):
    """A review of a pool began: its target, its confidence, and a commitment to its secret.

    `target` and `confidence` are decimal text, because they decide. `ids` is the digest of the set
    of all ids; `ranking` says what orders directed reading: texts, none, or the column `score`,
    highest first (score) or lowest first (rank). `decisions` is blind where those who decide between
    readers see neither route nor figures, open where that is not promised. `merged` duplicates were
    left out of the pool; `duplicates` is the digest of their list. `twice` is the share of records, as
    decimal text, that two people read: such a record has no final label before both have read it.
    """

    review: int
    items: int
    ids: str
    target: str
    confidence: str
    method: str
    commitment: str
    ranking: Literal["texts", "score", "rank", "none"]
    software: str
    score: str | None = None
    terms: tuple[str, ...] = ()
    decisions: Literal["blind", "open"] = "blind"
    merged: int = 0
    duplicates: str | None = None
    twice: str = "0"


@dataclass(frozen=True, kw_only=True)
class KnownItem(Record):
    """The label of one item that came by another road; no value is "cannot tell"."""

    item: str
    value: int | None = None


@dataclass(frozen=True, kw_only=True)
class KnownLabels(Event):
    """Labels that came by another road than this review: an import, or ids known to be relevant."""

    review: int
    source: str
    labels: tuple[KnownItem, ...]


@dataclass(frozen=True, kw_only=True)
class ReviewDrawn(Event):
    """Items of a review were handed out: at random, in draw order, or directed, in rank order.

    The random part of a handout was drawn from `n` items with this digest: all without a final label
    that were not drawn before. Texts lie in a project file.
    """

    review: int
    batch: int
    handout: int
    route: Literal["random", "directed"]
    items: tuple[str, ...]
    file: str
    sha256: str
    n: int | None = None
    digest: str | None = None


@dataclass(frozen=True, kw_only=True)
class ReviewRanked(Event):
    """The unread items were ranked by a model fitted to the labels of this moment.

    `digest` is the SHA-256 of the lines "id label" of its training labels, `scores` that of the
    scores of all items.
    """

    review: int
    number: int
    labels: int
    digest: str
    learner: str
    scores: str


@dataclass(frozen=True, kw_only=True)
class ReviewCertified(Event):
    """A certificate of the review was issued; its SHA-256 is kept."""

    review: int
    target: str
    found: int
    bound: int
    certificate: str
    software: str


@dataclass(frozen=True, kw_only=True)
class SecretRevealed(Event):
    """The secret behind the draws was shown: they can be checked, and it draws no more."""

    review: int
    number: int
    secret: str


@dataclass(frozen=True, kw_only=True)
class SecretCommitted(Event):
    """A new secret was committed to, after the one before was revealed."""

    review: int
    number: int
    commitment: str


REVIEW_KINDS: tuple[type[Event], ...] = (
    ReviewOpened,
    KnownLabels,
    ReviewDrawn,
    ReviewRanked,
    ReviewCertified,
    SecretRevealed,
    SecretCommitted,
)
KINDS.update({kind.__name__: kind for kind in REVIEW_KINDS})


@dataclass(kw_only=True)
class ReviewWork:
    """One review and everything that happened under it.

    `outside` maps an item that left the sets drawn from to the number of random batches that were
    drawn before it left; once outside, an item never returns. `waiting` are items handed out and
    still inside. `late` are random draws whose relevant label was changed after it was final and their
    handout complete, `disputed` the items on which readers ever differed. `unanswered` counts the items
    of a handout that never had a final label, and `settled` those that had one.
    """

    opened: ReviewOpened
    opened_at: int
    known: dict[str, int | None] = field(default_factory=dict)
    sources: dict[str, int] = field(default_factory=dict)
    batches: list[ReviewDrawn] = field(default_factory=list)
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
    rankings: list[ReviewRanked] = field(default_factory=list)
    certificates: list[tuple[int, str, ReviewCertified]] = field(default_factory=list)
    settled: set[str] = field(default_factory=set)

    @property
    def order(self) -> list[str]:
        """Every item that was handed out, once, in the order of the handouts."""
        return list(self.handed)

    @property
    def random(self) -> list[ReviewDrawn]:
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
        closed = self.unanswered[handout] == 0 or handout < self.handouts
        if closed and item in self.drawn and item in self.settled and self._taken_back(event):
            self.late.add(item)
        if isinstance(event, LabelAdjudicated):
            self.decided[item] = event.label
        if item not in self.settled and state.labelled(item):
            self.settled.add(item)
            self.unanswered[handout] -= 1
        if state.disputed(item):
            self.disputed.add(item)

    def _taken_back(self, event: Answered) -> bool:
        if isinstance(event, LabelCorrected):
            return event.before == 1 and event.after != 1
        return isinstance(event, LabelAdjudicated) and self.decided.get(event.item) == 1


def review_of(state: "State") -> ReviewWork | None:
    """The review of the project; there is at most one."""
    return state.reviews[-1] if state.reviews else None


def decides_blind(state: "State") -> bool:
    """Whether the project is a review in which nobody who sees its figures decides between readers."""
    return any(review.opened.decisions == "blind" for review in state.reviews)


def _opened(state: "State", event: ReviewOpened, entry: Entry) -> None:
    work = ReviewWork(opened=event, opened_at=entry.seq)
    work.commitments.append(event.commitment)
    state.reviews.append(work)


def _known(state: "State", event: KnownLabels, _entry: Entry) -> None:
    work = state.reviews[event.review - 1]
    for label in event.labels:
        work.known[label.item] = label.value
        work.outside[label.item] = 0
    work.sources[event.source] = work.sources.get(event.source, 0) + len(event.labels)


def _drawn(state: "State", event: ReviewDrawn, _entry: Entry) -> None:
    work = state.reviews[event.review - 1]
    if event.route == "random":
        work.settle(state)
    number = len(work.random)
    work.batches.append(event)
    work.unanswered.setdefault(event.handout, 0)
    for item in event.items:
        if item not in work.handed:
            work.handed[item] = event.handout
            work.unanswered[event.handout] += 1
            if work.twice and read_twice(work.opened.commitment, item, work.twice):
                state.twice.add(item)
        if event.route == "random":
            work.waiting.pop(item, None)
            work.drawn[item] = number
            work.outside[item] = number + 1
        else:
            work.waiting[item] = None
        state.surveyed.add(item)


def _ranked(state: "State", event: ReviewRanked, _entry: Entry) -> None:
    state.reviews[event.review - 1].rankings.append(event)


def _certified(state: "State", event: ReviewCertified, entry: Entry) -> None:
    state.reviews[event.review - 1].certificates.append((entry.seq, entry.time, event))


def _revealed(state: "State", event: SecretRevealed, _entry: Entry) -> None:
    state.reviews[event.review - 1].secrets.append(event.secret)


def _committed(state: "State", event: SecretCommitted, _entry: Entry) -> None:
    state.reviews[event.review - 1].commitments.append(event.commitment)


REVIEW_RULES: dict[type[Event], Callable[["State", Any, Entry], None]] = {
    ReviewOpened: _opened,
    KnownLabels: _known,
    ReviewDrawn: _drawn,
    ReviewRanked: _ranked,
    ReviewCertified: _certified,
    SecretRevealed: _revealed,
    SecretCommitted: _committed,
}
