"""The chances of a plan's draws, and which labels they were computed from.

A label that is changed after chances were computed from it leaves the chances as they are. Whoever
knows the seed could steer in that way, so such changes are counted.
"""

from typing import TYPE_CHECKING

from assaymark.ledger.events.event import Answered

if TYPE_CHECKING:
    from assaymark.ledger.events.plans import BatchDrawn
    from assaymark.ledger.events.state import Attempt, State

InUse = list[tuple["Attempt", int | None]]


def enter_chances(attempt: "Attempt", event: "BatchDrawn") -> None:
    """Take the chances of the batch into account, and the labels that they were computed from.

    A design in which all items are alike has none.
    """
    starts = {block.first: block.chances for block in event.blocks or ()}
    now: tuple[float, ...] = ()
    for item in event.draws:
        now = starts.get(item.draw, now)
        attempt.sampling.append(now)
    if attempt.plan.lead is not None:
        known = max((block.labels for block in event.blocks or ()), default=0)
        attempt.used |= {draw.id for draw in attempt.draws[len(attempt.used) : known]}


def labels_in_use(state: "State", event: Answered) -> InUse:
    """The plans whose chances used the label of the answered item, and that label."""
    item = event.item
    return [(attempt, state.label(item)) for attempt in state.attempts if item in attempt.used]


def note_changes(state: "State", event: Answered, before: InUse) -> None:
    """Count the item where its label is another one, or none, after the answer."""
    for attempt, label in before:
        if state.disputed(event.item) or state.label(event.item) != label:
            attempt.changed.add(event.item)
