"""Where a project stands: what follows from its events, and from nothing else."""

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import Any

from assaymark.errors import VerificationError
from assaymark.ledger.events.chain import Entry
from assaymark.ledger.events.chances import enter_chances, labels_in_use, note_changes
from assaymark.ledger.events.draws import DrawnItem, Draws
from assaymark.ledger.events.kinds import (
    Answered,
    BatchDrawn,
    CertificateIssued,
    ClaimLocked,
    ClassifierFrozen,
    Event,
    LabelAdjudicated,
    LabelCorrected,
    LabelKnown,
    LabelRecorded,
    Looked,
    ModelTrained,
    PlanClosed,
    PlanSealed,
    PoolRegistered,
    ReserveStored,
    ScoresWatched,
    SeedRevealed,
    SurveyDrawn,
    SurveyOpened,
    SurveyReported,
    TrainingChanged,
    WitnessRecorded,
)
from assaymark.ledger.events.review import REVIEW_RULES, ReviewWork
from assaymark.records.plan import Plan
from assaymark.records.pool import RegisteredPool
from assaymark.records.survey import Survey
from assaymark.records.training_settings import TrainingSettings
from assaymark.records.value import Value, binary, class_code

SKIPPED = None


@dataclass(kw_only=True)
class Attempt:
    """One sealed plan and everything that happened under it. `pool` is what it draws from.

    `known` are the predictions of the items drawn so far, `sampling` the chances of each draw.
    `settled` is how many draws, from the first on, had their label when the plan ended; `bound` the
    target of a certificate of the bound as it stood. `used` are items whose labels entered chances
    at a sealed draw number, `changed` those of them whose label was changed afterwards.
    """

    plan: Plan
    sealed_at: int
    pool: RegisteredPool | None = None
    reserves: list[ReserveStored] = field(default_factory=list)
    draws: Draws = field(default_factory=Draws)
    order: list[str] = field(default_factory=list)
    known: dict[str, bool | None] = field(default_factory=dict)
    sampling: list[tuple[float, ...]] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    batches: int = 0
    looks: list[tuple[int, str, Looked]] = field(default_factory=list)
    certificate: tuple[int, str, str] | None = None
    closed: PlanClosed | None = None
    settled: int | None = None
    bound: str | None = None
    lock: tuple[int, ClaimLocked] | None = None
    watches: list[tuple[int, str, ScoresWatched]] = field(default_factory=list)

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
class SurveyWork:
    """One survey and everything that happened under it. `cells` tells each item's cell.

    A training survey also has its `models` and `freezes`, and `training` as settled last.
    """

    survey: Survey
    opened_at: int
    order: list[str] = field(default_factory=list)
    cells: dict[str, int] = field(default_factory=dict)
    predictions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    files: list[SurveyDrawn] = field(default_factory=list)
    reports: list[tuple[int, str, SurveyReported]] = field(default_factory=list)
    models: list[tuple[int, str, ModelTrained]] = field(default_factory=list)
    freezes: list[tuple[int, str, ClassifierFrozen]] = field(default_factory=list)
    training: TrainingSettings | None = None

    @property
    def batches(self) -> int:
        """How many batches were drawn."""
        return len(self.files)


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
    answers: dict[str, dict[str, int | None]] = field(default_factory=dict)
    decided: dict[str, int] = field(default_factory=dict)
    corrections: list[tuple[int, LabelCorrected]] = field(default_factory=list)
    adjudications: list[tuple[int, LabelAdjudicated]] = field(default_factory=list)
    notes: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    witnesses: list[tuple[int, WitnessRecorded]] = field(default_factory=list)
    known: dict[str, LabelKnown] = field(default_factory=dict)
    labels_at: int = 0
    head: Entry | None = None

    @property
    def attempt(self) -> Attempt | None:
        """The latest plan, open or closed."""
        return self.attempts[-1] if self.attempts else None

    @property
    def seeds(self) -> set[str]:
        """Every seed that chose items here: one used again draws what is known by now."""
        found = {attempt.plan.seed for attempt in self.attempts}
        found |= {work.survey.seed for work in self.surveys}
        found |= {work.training.keep_seed for work in self.surveys if work.training}
        return found - {""}

    @property
    def classes(self) -> tuple[str, ...]:
        """The names that labels may have where they are classes; empty where they are 0 and 1."""
        return self.collection.columns.labels if self.collection else ()

    def code(self, value: Value | None) -> int | None:
        """An answer as the number that is counted: 0 and 1, or a class by its place in the list."""
        return class_code(value, self.classes) if self.classes else binary(value)

    def value(self, code: int | None) -> Value | None:
        """What is stored for a number that is counted."""
        return self.classes[code] if self.classes and code is not None else code

    def drawn(self, item: str) -> bool:
        """Whether the item was handed out, by a plan or by a survey."""
        return item in self.claimed or item in self.surveyed

    def labelled(self, item: str) -> bool:
        """Whether the item counts: it has a settled label, or all who saw it could not tell."""
        answers = self.answers.get(item)
        if answers is None or len(answers) == 1:  # nearly always, and asked for every item
            return item in self.decided or (answers is not None and item not in self.twice)
        return item in self.decided or not _differ(answers)

    def disputed(self, item: str) -> bool:
        """Whether annotators differ and nobody has decided yet."""
        return item not in self.decided and _differ(self.answers.get(item, {}))

    def label(self, item: str) -> int | None:
        """The settled label; None ("cannot tell") if all who saw the item skipped it."""
        if item in self.decided:
            return self.decided[item]
        answers = self.answers.get(item, {})
        told = answers.values() if len(answers) == 1 else _labels(answers)
        return next(iter(told), SKIPPED)

    def copy(self) -> "State":
        """The same state, to go on from apart from this one."""
        found: State = _copy(self)
        return found

    def apply(self, event: Event, entry: Entry) -> None:
        """Take one event into account."""
        steered = labels_in_use(self, event)
        RULES[type(event)](self, event, entry)
        if isinstance(event, Answered):
            note_changes(self, event, steered)
            self.labels_at = entry.seq
            _remark(self, event)
            for review in self.reviews:
                review.answered(self, event)


def _copy(value: Any) -> Any:
    """The value with lists, sets, dicts and works of its own; events and records are shared."""
    if isinstance(value, list):
        works = value and isinstance(value[0], Attempt | SurveyWork | ReviewWork)
        return [_copy(work) for work in value] if works else value.copy()
    if isinstance(value, dict):
        nested = any(isinstance(part, dict | list) for part in value.values())
        return {key: part.copy() for key, part in value.items()} if nested else value.copy()
    if isinstance(value, set | Draws):
        return value.copy()
    if isinstance(value, State | Attempt | SurveyWork | ReviewWork):
        found = copy.copy(value)
        for field_ in fields(value):
            setattr(found, field_.name, _copy(getattr(value, field_.name)))
        return found
    return value


def _remark(state: State, event: Answered) -> None:
    if event.seconds is not None:
        state.seconds.setdefault(event.annotator, []).append(event.seconds)
    if event.note:
        state.notes.setdefault(event.item, []).append((event.annotator, event.note))


def _differ(answers: dict[str, int | None]) -> bool:
    """Whether these answers hold two labels; skips aside."""
    return len(set(answers.values())) > 1 and len(_labels(answers)) > 1


def _labels(answers: dict[str, int | None]) -> set[int]:
    return {answer for answer in answers.values() if answer is not SKIPPED}


def _pool_registered(state: State, event: PoolRegistered, _entry: Entry) -> None:
    state.pool = state.collection = event.pool


def _plan_sealed(state: State, event: PlanSealed, entry: Entry) -> None:
    if state.attempt is not None and state.attempt.pool is not state.pool:
        state.predictions = {}  # those were another classifier's
    state.attempts.append(Attempt(plan=event.plan, sealed_at=entry.seq, pool=state.pool))


def _reserve_stored(state: State, event: ReserveStored, _entry: Entry) -> None:
    state.attempts[event.plan - 1].reserves.append(event)


def _batch_drawn(state: State, event: BatchDrawn, _entry: Entry) -> None:
    attempt = state.attempts[event.plan - 1]
    attempt.batches = event.batch
    cells = attempt.pool.cells if attempt.pool else (None,)
    for item in event.draws:
        repeat, prediction = item.id in attempt.known, cells[item.cell]
        attempt.draws.append(
            DrawnItem(
                draw=item.draw,
                id=item.id,
                stratum=item.stratum,
                cell=item.cell,
                prediction=prediction,
                repeat=repeat,
            )
        )
        if not repeat:
            attempt.order.append(item.id)
            attempt.known[item.id] = prediction
        state.predictions[item.id] = prediction
        state.claimed[item.id] = None
    enter_chances(attempt, event)


def _label_recorded(state: State, event: LabelRecorded, _entry: Entry) -> None:
    state.answers.setdefault(event.item, {})[event.annotator] = state.code(event.value)


def _label_known(state: State, event: LabelKnown, _entry: Entry) -> None:
    state.known[event.item] = event


def _label_corrected(state: State, event: LabelCorrected, entry: Entry) -> None:
    state.answers.setdefault(event.item, {})[event.annotator] = state.code(event.after)
    state.corrections.append((entry.seq, event))


def _label_adjudicated(state: State, event: LabelAdjudicated, entry: Entry) -> None:
    decided = state.code(event.value)
    if decided is None:
        raise VerificationError("A decision between annotators names a label.")
    state.decided[event.item] = decided
    state.adjudications.append((entry.seq, event))


def _looked(state: State, event: Looked, entry: Entry) -> None:
    state.attempts[event.plan - 1].looks.append((entry.seq, entry.time, event))


def _plan_closed(state: State, event: PlanClosed, _entry: Entry) -> None:
    attempt = state.attempts[event.plan - 1]
    attempt.closed = event
    _settle(state, attempt)


def _settle(state: State, attempt: Attempt) -> None:
    if attempt.settled is None:
        ends = (i for i, draw in enumerate(attempt.draws) if not state.labelled(draw.id))
        attempt.settled = next(ends, len(attempt.draws))


def _certificate_issued(state: State, event: CertificateIssued, entry: Entry) -> None:
    attempt = state.attempts[event.plan - 1]
    attempt.certificate = (entry.seq, entry.time, event.certificate)
    attempt.bound = event.bound
    _settle(state, attempt)


def _survey_opened(state: State, event: SurveyOpened, entry: Entry) -> None:
    work = SurveyWork(survey=event.survey, opened_at=entry.seq)
    if event.survey.purpose == "training":
        work.training = TrainingSettings.from_dict(event.survey.settings["training"])
    state.surveys.append(work)


def _survey_drawn(state: State, event: SurveyDrawn, _entry: Entry) -> None:
    work = state.surveys[event.survey - 1]
    work.files.append(event)
    work.order += [item.id for item in event.items]
    work.cells |= {item.id: item.cell for item in event.items}
    work.predictions |= {item.id: item.predictions for item in event.items if item.predictions}
    state.surveyed |= {item.id for item in event.items}


def _survey_reported(state: State, event: SurveyReported, entry: Entry) -> None:
    state.surveys[event.survey - 1].reports.append((entry.seq, entry.time, event))


def _training_changed(state: State, event: TrainingChanged, _entry: Entry) -> None:
    state.surveys[event.survey - 1].training = event.settings


def _model_trained(state: State, event: ModelTrained, entry: Entry) -> None:
    state.surveys[event.survey - 1].models.append((entry.seq, entry.time, event))


def _classifier_frozen(state: State, event: ClassifierFrozen, entry: Entry) -> None:
    state.surveys[event.survey - 1].freezes.append((entry.seq, entry.time, event))
    state.pool = event.pool


def _witness_recorded(state: State, event: WitnessRecorded, entry: Entry) -> None:
    state.witnesses.append((entry.seq, event))


def _claim_locked(state: State, event: ClaimLocked, entry: Entry) -> None:
    state.attempts[event.plan - 1].lock = (entry.seq, event)


def _scores_watched(state: State, event: ScoresWatched, entry: Entry) -> None:
    state.attempts[event.plan - 1].watches.append((entry.seq, entry.time, event))


def _seed_revealed(state: State, event: SeedRevealed, _entry: Entry) -> None:
    attempt = state.attempts[event.plan - 1]
    attempt.plan = attempt.plan.revealed(event.parts)


RULES: dict[type[Event], Callable[[State, Any, Entry], None]] = {
    PoolRegistered: _pool_registered,
    PlanSealed: _plan_sealed,
    SeedRevealed: _seed_revealed,
    ReserveStored: _reserve_stored,
    BatchDrawn: _batch_drawn,
    LabelRecorded: _label_recorded,
    LabelKnown: _label_known,
    LabelCorrected: _label_corrected,
    LabelAdjudicated: _label_adjudicated,
    Looked: _looked,
    PlanClosed: _plan_closed,
    CertificateIssued: _certificate_issued,
    SurveyOpened: _survey_opened,
    SurveyDrawn: _survey_drawn,
    SurveyReported: _survey_reported,
    TrainingChanged: _training_changed,
    ModelTrained: _model_trained,
    ClassifierFrozen: _classifier_frozen,
    WitnessRecorded: _witness_recorded,
    **REVIEW_RULES,
    ClaimLocked: _claim_locked,
    ScoresWatched: _scores_watched,
}


def replay(entries: Iterable[Entry]) -> State:
    """The state after these events."""
    state = State()
    go_on(state, entries)
    return state


def go_on(state: State, entries: Iterable[Entry]) -> None:
    """Take further events into account, in a state that somebody keeps."""
    for entry in entries:
        state.apply(entry.event, entry)
        state.head = entry
