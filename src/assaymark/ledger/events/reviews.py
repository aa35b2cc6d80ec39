"""Events of a ranked review."""

import hashlib
from dataclasses import dataclass
from typing import Literal

from assaymark.claims.record import Record
from assaymark.errors import VerificationError
from assaymark.ledger.events.chain import Entry
from assaymark.ledger.events.event import Event, check_file_name, register, stamped
from assaymark.ledger.events.item_answers import read_twice
from assaymark.ledger.events.review_work import ReviewWork
from assaymark.ledger.events.state import State

METHOD = "review/1"
UNOPENED = "its review was never opened"


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

    def __post_init__(self) -> None:
        if self.method != METHOD:
            raise VerificationError(
                f"The review is judged by the method {self.method!r}, and this version of assaymark "
                f"knows {METHOD}. Install assaymark {self.software} or newer to read it."
            )


@dataclass(frozen=True, kw_only=True)
class KnownItem(Record):
    """The label of one item that came by another road; no value is "cannot tell"."""

    item: str
    value: int | None = None


@dataclass(frozen=True, kw_only=True)
class KnownLabels(Event):
    """Labels that came by another road than this review: an import, or ids known to be relevant.

    `unmatched` records of the import were not found in the pool and left out.
    """

    review: int
    source: str
    labels: tuple[KnownItem, ...]
    unmatched: int | None = None


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

    def __post_init__(self) -> None:
        check_file_name(self.file)


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


def _opened(state: State, event: ReviewOpened, entry: Entry) -> None:
    work = ReviewWork(opened=event, opened_at=entry.seq)
    work.commitments.append(event.commitment)
    state.reviews.append(work)


def _opened_fault(state: State, event: ReviewOpened) -> str | None:
    if state.reviews:
        return "the project has a review already"
    if event.review != 1:
        return "its number is not the next one"
    if state.attempts or state.surveys:
        return "items of its pool were drawn for something else"
    return None


def _known(state: State, event: KnownLabels, _entry: Entry) -> None:
    work = state.reviews[event.review - 1]
    for label in event.labels:
        work.known[label.item] = label.value
        work.outside[label.item] = 0
    work.unmatched += event.unmatched or 0
    work.sources[event.source] = work.sources.get(event.source, 0) + len(event.labels)


def _known_fault(state: State, event: KnownLabels) -> str | None:
    work = _work(state, event.review)
    if work is None:
        return UNOPENED
    if work.batches:
        return "labels of another road came after the first handout"
    names = [label.item for label in event.labels]
    if len(set(names)) < len(names) or any(name in work.known for name in names):
        return "an item has two labels of another road"
    return None


def _drawn(state: State, event: ReviewDrawn, _entry: Entry) -> None:
    work = state.reviews[event.review - 1]
    if event.route == "random":
        work.settle(state)
    number, twice = len(work.random), work.twice
    work.batches.append(event)
    work.unanswered.setdefault(event.handout, 0)
    for item in event.items:
        if item not in work.handed:
            work.handed[item] = event.handout
            work.unanswered[event.handout] += 1
            if twice and read_twice(work.opened.commitment, item, twice):
                state.twice.add(item)
        if event.route == "random":
            work.waiting.pop(item, None)
            work.drawn[item] = number
            work.outside[item] = number + 1
        else:
            work.waiting[item] = None
        state.surveyed.add(item)


def _drawn_fault(state: State, event: ReviewDrawn) -> str | None:
    work = _work(state, event.review)
    if work is None:
        return UNOPENED
    if event.batch != len(work.batches) + 1:
        return "its number is not the next one"
    if event.handout not in (work.handouts, work.handouts + 1):
        return "its handout is not the next one"
    if len(set(event.items)) < len(event.items):
        return "an item was drawn twice"
    return _random(state, work, event) if event.route == "random" else _directed(work, event)


def _random(state: State, work: ReviewWork, event: ReviewDrawn) -> str | None:
    if not work.drawable:
        return "the secret behind it was revealed before"
    work.settle(state)
    if any(item in work.outside for item in event.items):
        return "an item has a final label or was drawn before"
    if event.n != work.opened.items - len(work.outside):
        return "it was not drawn from all items without a final label"
    return None


def _directed(work: ReviewWork, event: ReviewDrawn) -> str | None:
    if any(item in work.handed or item in work.outside for item in event.items):
        return "an item was handed out before or is known"
    return None


def _ranked(state: State, event: ReviewRanked, _entry: Entry) -> None:
    state.reviews[event.review - 1].rankings.append(event)


def _ranked_fault(state: State, event: ReviewRanked) -> str | None:
    work = _work(state, event.review)
    if work is None:
        return UNOPENED
    return None if event.number == len(work.rankings) + 1 else "its number is not the next one"


def _certified(state: State, event: ReviewCertified, entry: Entry) -> None:
    state.reviews[event.review - 1].certificates.append(stamped(event, entry))


def _certified_fault(state: State, event: ReviewCertified) -> str | None:
    return UNOPENED if _work(state, event.review) is None else None


def _revealed(state: State, event: SecretRevealed, _entry: Entry) -> None:
    state.reviews[event.review - 1].secrets.append(event.secret)


def _revealed_fault(state: State, event: SecretRevealed) -> str | None:
    work = _work(state, event.review)
    if work is None:
        return UNOPENED
    if not work.drawable or event.number != len(work.commitments):
        return "no such secret is kept"
    same = hashlib.sha256(event.secret.encode()).hexdigest() == work.commitments[-1]
    return None if same else "it is not the secret that was committed to"


def _committed(state: State, event: SecretCommitted, _entry: Entry) -> None:
    state.reviews[event.review - 1].commitments.append(event.commitment)


def _committed_fault(state: State, event: SecretCommitted) -> str | None:
    work = _work(state, event.review)
    if work is None:
        return UNOPENED
    if work.drawable:
        return "the secret before it is not revealed"
    return None if event.number == len(work.commitments) + 1 else "its number is not the next one"


def _work(state: State, number: int) -> ReviewWork | None:
    return state.reviews[number - 1] if 1 <= number <= len(state.reviews) else None


register(ReviewOpened, follows=_opened, fault=_opened_fault)
register(KnownLabels, follows=_known, fault=_known_fault)
register(ReviewDrawn, follows=_drawn, fault=_drawn_fault)
register(ReviewRanked, follows=_ranked, fault=_ranked_fault)
register(ReviewCertified, follows=_certified, fault=_certified_fault)
register(SecretRevealed, follows=_revealed, fault=_revealed_fault)
register(SecretCommitted, follows=_committed, fault=_committed_fault)
