"""The labelled prefix in draw order: what counts, and how it is counted.

Labels beyond the first unlabelled draw wait: hard items come late, and counting whatever happens
to be there would be biased. An item that nobody could tell counts in the way that hurts the claim.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.events import Attempt, DrawnItem, State
from assay.stats.metrics import worst_label
from assay.types.claim import Claim, Counts


@dataclass(frozen=True, kw_only=True)
class Prefix:
    """The draws that count, and what they show."""

    drawn: tuple[DrawnItem, ...]
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
    end = next(
        (i for i, draw in enumerate(attempt.draws) if not state.labelled(draw.id)),
        len(attempt.draws),
    )
    used = attempt.draws[:end]
    inside = {draw.id for draw in used}
    beyond = {draw.id for draw in attempt.draws[end:]} - inside
    return Prefix(
        drawn=tuple(used),
        labels=len(inside),
        skipped=sum(state.label(item) is None for item in inside),
        waiting=sum(state.labelled(item) for item in beyond),
        counts=tally(state, attempt.plan.claim, [draw.id for draw in used]),
    )


def counted_label(state: State, claim: Claim, item: str) -> int:
    """The item's label; where nobody could tell, the one that hurts the claim."""
    label = state.label(item)
    predicted = bool(state.predictions[item])
    return worst_label(claim, predicted=predicted) if label is None else label


def tally(state: State, claim: Claim, items: Sequence[str]) -> Counts:
    """The confusion counts of these items."""
    cells = {(True, 1): 0, (True, 0): 0, (False, 1): 0, (False, 0): 0}
    for item in items:
        cells[bool(state.predictions[item]), counted_label(state, claim, item)] += 1
    return Counts(tp=cells[True, 1], fp=cells[True, 0], fn=cells[False, 1], tn=cells[False, 0])
