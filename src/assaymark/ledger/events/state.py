"""Where a project stands: what follows from its events, and from nothing else."""

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from assaymark.ledger.events.chain import Entry
from assaymark.ledger.events.draws import Draws, labels_in_use, note_changes
from assaymark.ledger.events.event import KINDS, Answered, Event, Stamped
from assaymark.ledger.events.item_answers import AnswersByItem
from assaymark.ledger.events.review_work import ReviewWork
from assaymark.records.plan import Plan
from assaymark.records.pool import RegisteredPool
from assaymark.records.survey import Survey
from assaymark.records.training import TrainingSettings
from assaymark.records.value import Value, binary, class_code

if TYPE_CHECKING:
    from assaymark.ledger.events.labels import LabelAdjudicated, LabelCorrected, LabelKnown
    from assaymark.ledger.events.monitored import ClaimLocked, ScoresWatched
    from assaymark.ledger.events.plans import CertificateIssued, Looked, PlanClosed, ReserveStored
    from assaymark.ledger.events.surveys import SurveyDrawn, SurveyReported
    from assaymark.ledger.events.trainings import ClassifierFrozen, ModelTrained
    from assaymark.ledger.events.witnesses import WitnessRecorded


from assaymark.errors import VerificationError

SKIPPED = None


@dataclass(frozen=True, kw_only=True)
class Remark:
    """What an annotator wrote beside an answer."""

    annotator: str
    text: str


@dataclass(kw_only=True)
class Attempt:
    """One sealed plan and everything that happened under it. `pool` is what it draws from.

    `known` are the predictions of the items drawn so far, `sampling` the chances of each draw.
    `settled` is how many draws, from the first on, had their label when the plan ended; `bound` the
    target of a certificate of the bound as it stood. `used` are items whose labels entered chances
    at a sealed draw number, `changed` those of them whose label was changed afterwards. `before` are
    the labels known at the seal of a plan whose strata they left; `answered` items had a label at
    the seal of a simple plan, which draws them all the same.
    """

    plan: Plan
    sealed_at: int
    pool: RegisteredPool | None = None
    reserves: "list[ReserveStored]" = field(default_factory=list)
    draws: Draws = field(default_factory=Draws)
    order: list[str] = field(default_factory=list)
    known: dict[str, bool | None] = field(default_factory=dict)
    sampling: list[tuple[float, ...]] = field(default_factory=list)
    before: dict[str, int] = field(default_factory=dict)
    answered: frozenset[str] = frozenset()
    used: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    batches: int = 0
    looks: "list[Stamped[Looked]]" = field(default_factory=list)
    certificate: "Stamped[CertificateIssued] | None" = None
    closed: "PlanClosed | None" = None
    settled: int | None = None
    bound: str | None = None
    lock: "Stamped[ClaimLocked] | None" = None
    watches: "list[Stamped[ScoresWatched]]" = field(default_factory=list)

    @property
    def open(self) -> bool:
        """Whether the plan may still be drawn from and judged again."""
        return self.certificate is None and self.closed is None

    @property
    def outcome(self) -> str:
        """How the attempt ended, or that it has not."""
        if self.certificate:
            return "certified"
        return self.closed.outcome if self.closed else "open"

    @property
    def outcome_word(self) -> str:
        """The outcome as people read it."""
        return "not established" if self.outcome == "failed" else self.outcome


@dataclass(kw_only=True)
class SurveyWork:
    """One survey and everything that happened under it. `cells` tells each item's cell.

    A training survey also has its `models` and `freezes`, and `training` as settled last. `final` are
    the labels of its items as they stood when it was `closed` by the opening of a later survey.
    """

    survey: Survey
    opened_at: int
    order: list[str] = field(default_factory=list)
    cells: dict[str, int] = field(default_factory=dict)
    predictions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    files: "list[SurveyDrawn]" = field(default_factory=list)
    reports: "list[Stamped[SurveyReported]]" = field(default_factory=list)
    models: "list[Stamped[ModelTrained]]" = field(default_factory=list)
    freezes: "list[Stamped[ClassifierFrozen]]" = field(default_factory=list)
    training: TrainingSettings | None = None
    lock: "Stamped[ClaimLocked] | None" = None
    closed: bool = False
    final: dict[str, int | None] = field(default_factory=dict)

    @property
    def batches(self) -> int:
        """How many batches were drawn."""
        return len(self.files)

    @property
    def concluded(self) -> bool:
        """Whether a claim of several parts was certified, abandoned, or failed at a look."""
        results = [report.event.result for report in self.reports]
        return any(
            one.get("event") in ("certificate", "abandoned") or one.get("decision") == "fail"
            for one in results
        )


@dataclass(kw_only=True)
class State:
    """A project after its events. Built by `replay` and read by everybody else.

    `pool` is what plans draw from: the registered `collection`, or the latest scored part of it
    once a classifier was trained here. `predictions` are those of the items drawn by plans on that
    pool, and `claimed` all items that any plan ever drew. `notes` are remarks per item with who made
    them, `seconds` the times per annotator, and `labels_at` is the number of the latest event that
    gave or changed a label. `known` are labels that no draw asked for, `twice` the items whose label is
    final only when two people gave one.
    """

    pool: RegisteredPool | None = None
    collection: RegisteredPool | None = None
    attempts: list[Attempt] = field(default_factory=list)
    surveys: list[SurveyWork] = field(default_factory=list)
    reviews: list[ReviewWork] = field(default_factory=list)
    predictions: dict[str, bool | None] = field(default_factory=dict)
    claimed: dict[str, None] = field(default_factory=dict)
    surveyed: set[str] = field(default_factory=set)
    twice: set[str] = field(default_factory=set)
    answers: AnswersByItem = field(default_factory=AnswersByItem)
    decided: dict[str, int] = field(default_factory=dict)
    corrections: "list[Stamped[LabelCorrected]]" = field(default_factory=list)
    adjudications: "list[Stamped[LabelAdjudicated]]" = field(default_factory=list)
    notes: dict[str, list[Remark]] = field(default_factory=dict)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    witnesses: "list[Stamped[WitnessRecorded]]" = field(default_factory=list)
    known: "dict[str, LabelKnown]" = field(default_factory=dict)
    labels_at: int = 0
    head: Entry | None = None

    @property
    def attempt(self) -> Attempt | None:
        """The latest plan, open or closed."""
        return self.attempts[-1] if self.attempts else None

    @property
    def seeds(self) -> set[str]:
        """Every seed that chose items here: one used again draws what is known by now."""
        plan_seeds = {attempt.plan.seed for attempt in self.attempts}
        plan_seeds |= {work.survey.seed for work in self.surveys}
        plan_seeds |= {work.training.keep_seed for work in self.surveys if work.training}
        return plan_seeds - {""}

    @property
    def classes(self) -> tuple[str, ...]:
        """The names that labels may have where they are classes; empty where they are 0 and 1."""
        return self.collection.columns.labels if self.collection else ()

    @property
    def tags(self) -> tuple[str, ...]:
        """What an item may have any number of; the classes are then the sets of them."""
        return (self.collection.columns.tags or ()) if self.collection else ()

    def code(self, value: Value | None) -> int | None:
        """An answer as the number that is counted: 0 and 1, or a class by its place in the list."""
        classes = self.classes
        return class_code(value, classes) if classes else binary(value)

    def value(self, code: int | None) -> Value | None:
        """What is stored for a number that is counted."""
        return self.classes[code] if self.classes and code is not None else code

    def drawn(self, item: str) -> bool:
        """Whether the item was handed out, by a plan or by a survey."""
        return item in self.claimed or item in self.surveyed

    def labelled(self, item: str) -> bool:
        """Whether the item counts: it has a settled label, or all who saw it could not tell."""
        answer = self.answers.get(item)
        return item in self.decided or (
            answer is not None and not answer.differ and (len(answer) > 1 or item not in self.twice)
        )

    def disputed(self, item: str) -> bool:
        """Whether reviewers differ and nobody has decided yet."""
        answer = self.answers.get(item)
        return answer is not None and answer.differ and item not in self.decided

    def label(self, item: str) -> int | None:
        """The settled label; None ("cannot tell") if all who saw the item skipped it."""
        if item in self.decided:
            return self.decided[item]
        answer = self.answers.get(item)
        return SKIPPED if answer is None else answer.label

    def labels(self) -> dict[str, int]:
        """Every settled label; items that nobody could tell have none."""
        items = dict.fromkeys((*self.answers, *self.decided))
        settled = ((item, self.label(item)) for item in items if self.labelled(item))
        return {item: label for item, label in settled if label is not SKIPPED}

    def unsettled(self, items: Iterable[str]) -> list[str]:
        """Those of these items that do not count."""
        return [item for item in items if not self.labelled(item)]

    def settled_items(self) -> list[str]:
        """Every item that counts, each once."""
        answered = [item for item in self.answers if self.labelled(item)]
        return answered + [item for item in self.decided if item not in self.answers]

    def settled(self, items: Iterable[str]) -> list[int | None]:
        """The labels of these items in order, up to the first item that does not count."""
        answers, decided, twice = self.answers, self.decided, self.twice
        labels: list[int | None] = []
        for item in items:
            answer = answers.get(item)
            if item in decided:
                labels.append(decided[item])
            elif answer is None or answer.differ or (len(answer) == 1 and item in twice):
                break
            else:
                labels.append(answer.label)
        return labels

    @property
    def changed_answers(self) -> "list[Stamped[Answered]]":
        """Corrections and decisions between annotators, in the order in which they came."""
        changes: list[Stamped[Answered]] = [*self.corrections, *self.adjudications]
        return sorted(changes, key=lambda change: change.seq)

    def copy(self) -> "State":
        """The same state, to go on from apart from this one."""
        state: State = _copy(self)
        return state

    def apply(self, event: Event, entry: Entry) -> None:
        """Take one event into account."""
        follows = KINDS[type(event).__name__].follows  # its kind
        if not isinstance(event, Answered):
            follows(self, event, entry)
            return
        steered = labels_in_use(self, event)
        follows(self, event, entry)
        if steered:
            note_changes(self, event, steered)
        self.labels_at = entry.seq
        if event.seconds is not None or event.note:
            _remark(self, event)
        for review in self.reviews:
            review.answered(self, event)


def _copy(value: Any) -> Any:
    """The value with lists, sets, dicts and works of its own; events and records are shared."""
    if isinstance(value, list):
        works = value and isinstance(value[0], Attempt | SurveyWork | ReviewWork)
        return [_copy(work) for work in value] if works else value.copy()
    if isinstance(value, dict):
        nested = value and isinstance(next(iter(value.values())), list)
        return {key: part.copy() for key, part in value.items()} if nested else value.copy()
    if isinstance(value, set | Draws):
        return value.copy()
    if isinstance(value, State | Attempt | SurveyWork | ReviewWork):
        twin = copy.copy(value)
        for field_ in fields(value):
            setattr(twin, field_.name, _copy(getattr(value, field_.name)))
        return twin
    return value


def _remark(state: State, event: Answered) -> None:
    if event.seconds is not None:
        state.seconds.setdefault(event.annotator, []).append(event.seconds)
    if event.note:
        state.notes.setdefault(event.item, []).append(
            Remark(annotator=event.annotator, text=event.note)
        )


def replay(entries: Iterable[Entry]) -> State:
    """The state after these events."""
    state = State()
    advance(state, entries)
    return state


def advance(state: State, entries: Iterable[Entry]) -> None:
    """Take further events into account, in a state that somebody keeps."""
    for entry in entries:
        state.apply(entry.event, entry)
        state.head = entry


def current(state: State, number: int) -> Attempt | None:
    """The plan of that number, if it is the one being worked on."""
    attempt = state.attempt
    return (
        attempt if attempt is not None and attempt.open and attempt.plan.number == number else None
    )


def check_story(entries: Iterable[Entry], state: State | None = None) -> State:
    """The state after these events; refused if, though chained, they cannot have followed each other.

    They follow those of `state`, which moves on, or are the whole ledger.
    """
    state = state or State()
    for entry in entries:
        event = entry.event
        fault = KINDS[event.kind].fault(state, event)
        if state.pool is None and event.kind != "PoolRegistered":
            fault = "no pool is registered yet"
        if fault:
            raise VerificationError(
                f"The ledger cannot be genuine: event {entry.seq} ({entry.kind}): {fault}."
            )
        state.apply(event, entry)
        state.head = entry
    return state
