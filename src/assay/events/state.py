"""Where a project stands: what follows from its events, and from nothing else."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import singledispatchmethod

from assay.events.chain import Entry
from assay.events.kinds import (
    BatchDrawn,
    CertificateIssued,
    DrawnItem,
    Event,
    LabelAdjudicated,
    LabelCorrected,
    LabelRecorded,
    LabelSkipped,
    Looked,
    PlanClosed,
    PlanSealed,
    PoolRegistered,
    ReserveStored,
    read_event,
)
from assay.types.plan import Plan
from assay.types.pool import RegisteredPool

SKIPPED = None


@dataclass(kw_only=True)
class Attempt:
    """One sealed plan and everything that happened under it."""

    plan: Plan
    sealed_at: int
    reserves: list[ReserveStored] = field(default_factory=list)
    draws: list[DrawnItem] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    sampling: list[tuple[float, ...]] = field(default_factory=list)
    batches: int = 0
    looks: list[tuple[int, str, Looked]] = field(default_factory=list)
    certificate: tuple[int, str, str] | None = None
    closed: PlanClosed | None = None

    @property
    def open(self) -> bool:
        """Whether the plan may still be drawn from and judged anew."""
        return self.certificate is None and self.closed is None

    @property
    def outcome(self) -> str:
        """How the attempt ended, or that it has not."""
        if self.certificate:
            return "certified"
        return self.closed.outcome if self.closed else "open"


@dataclass(kw_only=True)
class State:
    """A project after its events. Built by `replay` and read by everybody else."""

    pool: RegisteredPool | None = None
    attempts: list[Attempt] = field(default_factory=list)
    predictions: dict[str, bool | None] = field(default_factory=dict)
    answers: dict[str, dict[str, int | None]] = field(default_factory=dict)
    decided: dict[str, int] = field(default_factory=dict)
    corrections: list[tuple[int, LabelCorrected]] = field(default_factory=list)
    adjudications: list[tuple[int, LabelAdjudicated]] = field(default_factory=list)
    head: Entry | None = None

    @property
    def attempt(self) -> Attempt | None:
        """The latest plan, open or closed."""
        return self.attempts[-1] if self.attempts else None

    def labelled(self, item: str) -> bool:
        """Whether the item counts: it has a settled label, or all who saw it could not tell."""
        return item in self.decided or (item in self.answers and not self.disputed(item))

    def disputed(self, item: str) -> bool:
        """Whether annotators differ and nobody has decided yet."""
        return item not in self.decided and len(self._labels(item)) > 1

    def label(self, item: str) -> int | None:
        """The settled label; None ("cannot tell") if all who saw the item skipped it."""
        if item in self.decided:
            return self.decided[item]
        labels = self._labels(item)
        return next(iter(labels)) if labels else SKIPPED

    def _labels(self, item: str) -> set[int]:
        return {answer for answer in self.answers.get(item, {}).values() if answer is not SKIPPED}

    @singledispatchmethod
    def apply(self, event: Event, entry: Entry) -> None:
        """Take one event into account."""
        raise TypeError(f"no rule for {event.kind} at event {entry.seq}")

    @apply.register
    def _(self, event: PoolRegistered, _entry: Entry) -> None:
        self.pool = event.pool

    @apply.register
    def _(self, event: PlanSealed, entry: Entry) -> None:
        self.attempts.append(Attempt(plan=event.plan, sealed_at=entry.seq))

    @apply.register
    def _(self, event: ReserveStored, _entry: Entry) -> None:
        self.attempts[event.plan - 1].reserves.append(event)

    @apply.register
    def _(self, event: BatchDrawn, _entry: Entry) -> None:
        attempt = self.attempts[event.plan - 1]
        attempt.batches = event.batch
        for item in event.items:
            attempt.draws.append(item)
            attempt.sampling.append(event.sampling or ())
            if not item.repeat:
                attempt.order.append(item.id)
            self.predictions[item.id] = item.prediction

    @apply.register
    def _(self, event: LabelRecorded, _entry: Entry) -> None:
        self.answers.setdefault(event.item, {})[event.annotator] = event.label

    @apply.register
    def _(self, event: LabelSkipped, _entry: Entry) -> None:
        self.answers.setdefault(event.item, {})[event.annotator] = SKIPPED

    @apply.register
    def _(self, event: LabelCorrected, entry: Entry) -> None:
        self.answers.setdefault(event.item, {})[event.annotator] = event.after
        self.corrections.append((entry.seq, event))

    @apply.register
    def _(self, event: LabelAdjudicated, entry: Entry) -> None:
        self.decided[event.item] = event.label
        self.adjudications.append((entry.seq, event))

    @apply.register
    def _(self, event: Looked, entry: Entry) -> None:
        self.attempts[event.plan - 1].looks.append((entry.seq, entry.time, event))

    @apply.register
    def _(self, event: PlanClosed, _entry: Entry) -> None:
        self.attempts[event.plan - 1].closed = event

    @apply.register
    def _(self, event: CertificateIssued, entry: Entry) -> None:
        attempt = self.attempts[event.plan - 1]
        attempt.certificate = (entry.seq, entry.time, event.certificate)


def replay(entries: Iterable[Entry]) -> State:
    """The state after these events."""
    state = State()
    for entry in entries:
        state.apply(read_event(entry.kind, entry.body), entry)
        state.head = entry
    return state
