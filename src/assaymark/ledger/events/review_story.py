"""Whether the events of a review can have happened so: each rule names the fault, or None."""

import hashlib
from collections.abc import Callable
from typing import Any

from assaymark.ledger.events.kinds import Event
from assaymark.ledger.events.review import (
    METHOD,
    KnownLabels,
    ReviewCertified,
    ReviewDrawn,
    ReviewOpened,
    ReviewRanked,
    ReviewWork,
    SecretCommitted,
    SecretRevealed,
)
from assaymark.ledger.events.state import State

UNOPENED = "its review was never opened"


def _work(state: State, number: int) -> ReviewWork | None:
    return state.reviews[number - 1] if 1 <= number <= len(state.reviews) else None


def _opened(state: State, event: ReviewOpened) -> str | None:
    if state.reviews:
        return "the project has a review already"
    if event.review != 1:
        return "its number is not the next one"
    if state.attempts or state.surveys:
        return "items of its pool were drawn for something else"
    return None if event.method == METHOD else f"its method is not {METHOD}"


def _known(state: State, event: KnownLabels) -> str | None:
    work = _work(state, event.review)
    if work is None:
        return UNOPENED
    if work.batches:
        return "labels of another road came after the first handout"
    names = [label.item for label in event.labels]
    if len(set(names)) < len(names) or any(name in work.known for name in names):
        return "an item has two labels of another road"
    return None


def _drawn(state: State, event: ReviewDrawn) -> str | None:
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


def _ranked(state: State, event: ReviewRanked) -> str | None:
    work = _work(state, event.review)
    if work is None:
        return UNOPENED
    return None if event.number == len(work.rankings) + 1 else "its number is not the next one"


def _certified(state: State, event: ReviewCertified) -> str | None:
    return UNOPENED if _work(state, event.review) is None else None


def _revealed(state: State, event: SecretRevealed) -> str | None:
    work = _work(state, event.review)
    if work is None:
        return UNOPENED
    if not work.drawable or event.number != len(work.commitments):
        return "no such secret is kept"
    same = hashlib.sha256(event.secret.encode()).hexdigest() == work.commitments[-1]
    return None if same else "it is not the secret that was committed to"


def _committed(state: State, event: SecretCommitted) -> str | None:
    work = _work(state, event.review)
    if work is None:
        return UNOPENED
    if work.drawable:
        return "the secret before it is not revealed"
    return None if event.number == len(work.commitments) + 1 else "its number is not the next one"


REVIEW_STORY: dict[type[Event], Callable[[State, Any], str | None]] = {
    ReviewOpened: _opened,
    KnownLabels: _known,
    ReviewDrawn: _drawn,
    ReviewRanked: _ranked,
    ReviewCertified: _certified,
    SecretRevealed: _revealed,
    SecretCommitted: _committed,
}
