"""The draws of a plan, which may be many: packed when they are kept, unpacked when they are read.

A label that is changed after chances were computed from it leaves the chances as they are. Whoever
knows the seed could steer in that way, so such changes are counted.
"""

import marshal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, overload

from assaymark.claims.record import maker
from assaymark.ledger.events.event import Answered

if TYPE_CHECKING:
    from assaymark.ledger.events.plans import BatchDrawn
    from assaymark.ledger.events.state import Attempt, State


@dataclass(frozen=True, kw_only=True)
class DrawnItem:
    """One draw of a plan. A repeat is an item drawn before: it counts again, without a new label."""

    draw: int
    id: str
    stratum: int
    cell: int
    prediction: bool | None
    repeat: bool


class Draws(Sequence[DrawnItem]):
    """Draws in order. Their number is known without unpacking them."""

    def __init__(self, items: Sequence[DrawnItem] = ()) -> None:
        self._items: list[DrawnItem] = list(items)
        self._packed: bytes | None = None
        self._count = len(self._items)

    def extend(self, items: Sequence[DrawnItem]) -> None:
        """Add these draws to the end."""
        self._unpacked().extend(items)
        self._count += len(items)

    def copy(self) -> "Draws":
        """The same draws, to go on from apart from these."""
        return Draws(self._unpacked())

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[DrawnItem]:
        return iter(self._unpacked())

    @overload
    def __getitem__(self, place: int) -> DrawnItem: ...
    @overload
    def __getitem__(self, place: slice) -> list[DrawnItem]: ...
    def __getitem__(self, place: int | slice) -> DrawnItem | list[DrawnItem]:
        return self._unpacked()[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Draws) and self._unpacked() == other._unpacked()

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> tuple[int, bytes]:
        if self._packed is not None:
            return self._count, self._packed
        names = tuple(DrawnItem.__dataclass_fields__)
        return self._count, marshal.dumps(list(map(attrgetter(*names), self._items)))

    def __setstate__(self, kept: tuple[int, bytes]) -> None:
        self._items = []
        self._count, self._packed = kept

    def _unpacked(self) -> list[DrawnItem]:
        if self._packed is not None:
            names = tuple(DrawnItem.__dataclass_fields__)
            rows = marshal.loads(self._packed)  # noqa: S302 - part of a state that its owner sealed
            self._items = [drawn_item(dict(zip(names, row, strict=True))) for row in rows]
            self._packed = None
        return self._items


drawn_item = maker(DrawnItem)
"""A draw from a dictionary of its fields."""


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
