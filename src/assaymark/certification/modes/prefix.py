"""The labelled prefix in draw order: what counts, and how it is counted.

Labels beyond the first unlabelled draw wait: hard items come late, and counting whatever happens
to be there would be biased. An item that nobody could tell counts in the way that hurts the claim.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from assaymark.claims.claim import Claim, Counts
from assaymark.claims.ratio_metrics import worst_label
from assaymark.ledger.events import Attempt, DrawnItem, State


@dataclass(frozen=True, kw_only=True)
class Prefix:
    """The draws that count, and what they show."""

    drawn: tuple[DrawnItem, ...]
    answers: tuple[int | None, ...]
    labels: int
    skipped: int
    waiting: int
    counts: Counts

    @property
    def draws(self) -> int:
        """How many draws count."""
        return len(self.drawn)


def labelled_prefix(state: State, attempt: Attempt) -> Prefix:
    """The draws up to the first one without a settled label."""
    ids = list(map(attrgetter("id"), attempt.draws))
    answers = tuple(state.settled(ids))
    end = len(answers)
    used = attempt.draws[:end]
    inside = dict(zip(ids, answers, strict=False))
    beyond = set[str]()
    if end < len(ids):
        # far more is drawn than labelled, so what waits is looked for among the answers
        outside = (state.answers.keys() | state.decided.keys()) - inside.keys()
        beyond = outside.intersection(ids[end:])
    return Prefix(
        drawn=tuple(used),
        answers=answers,
        labels=len(inside),
        skipped=sum(answer is None for answer in inside.values()),
        waiting=sum(state.labelled(item) for item in beyond),
        counts=counts_of(
            attempt.plan.claim,
            zip(map(bool, map(attrgetter("prediction"), used)), answers, strict=True),
        ),
    )


def counted_label(claim: Claim, *, predicted: bool, answer: int | None) -> int:
    """The answer; where nobody could tell, the label that hurts the claim."""
    return worst_label(claim, predicted=predicted) if answer is None else answer


def tally(state: State, claim: Claim, items: Sequence[str]) -> Counts:
    """The confusion counts of these items."""
    pairs = ((bool(state.predictions[item]), state.label(item)) for item in items)
    return counts_of(claim, pairs)


def counts_of(claim: Claim, pairs: Iterable[tuple[bool, int | None]]) -> Counts:
    """The confusion counts of these predictions and answers."""
    tally = Counter(pairs)
    cells = {(True, 1): 0, (True, 0): 0, (False, 1): 0, (False, 0): 0}
    for (predicted, answer), number in tally.items():
        cells[predicted, counted_label(claim, predicted=predicted, answer=answer)] += number
    return Counts(tp=cells[True, 1], fp=cells[True, 0], fn=cells[False, 1], tn=cells[False, 0])


def changed_since(state: State, attempt: Attempt) -> tuple[str, ...]:
    """Items that left the strata with a label which is another one now."""
    return tuple(
        item
        for item, label in attempt.before.items()
        if not state.labelled(item) or state.label(item) != label
    )
