"""One small dataclass for each thing that can happen, in the past tense."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from assaymark.claims.canonical import canonical
from assaymark.claims.record import Record, rebuild, stored
from assaymark.errors import VerificationError
from assaymark.records.plan import Plan
from assaymark.records.pool import RegisteredPool
from assaymark.records.survey import Survey
from assaymark.records.training import Advice, TrainingLook
from assaymark.records.training_settings import TrainingSettings


@dataclass(frozen=True, kw_only=True)
class Event(Record):
    """Something that happened. `body` is what the ledger stores of it."""

    @property
    def kind(self) -> str:
        """The event's name in the ledger."""
        return type(self).__name__

    def body(self) -> str:
        """The event as canonical JSON."""
        return canonical(stored(self))


@dataclass(frozen=True, kw_only=True)
class PoolRegistered(Event):
    """A pool was read, found usable, and fingerprinted."""

    pool: RegisteredPool
    software: str


@dataclass(frozen=True, kw_only=True)
class PlanSealed(Event):
    """A claim was planned; from here on nothing about it may change."""

    plan: Plan
    software: str


@dataclass(frozen=True, kw_only=True)
class ReserveStored(Event):
    """The lowest tickets of the plan were written to a project file, before anything was drawn.

    `tickets` is the SHA-256 of the lines "stratum ticket id", in order.
    """

    plan: int
    file: str
    sha256: str
    items: int
    tickets: str


@dataclass(frozen=True, kw_only=True)
class DrawnItem(Record):
    """One draw. A repeat is an item drawn before: it counts again and needs no new label."""

    draw: int
    id: str
    stratum: int
    prediction: bool | None
    repeat: bool


@dataclass(frozen=True, kw_only=True)
class BatchDrawn(Event):
    """Items were drawn, in this order, and handed out for labelling.

    `sampling` are the chances per stratum that the weighted design fixed before it drew them.
    """

    plan: int
    batch: int
    items: tuple[DrawnItem, ...]
    sampling: tuple[float, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Answered(Event):
    """What every answer may carry: how long it took, a remark, and when another tool took it.

    Each is left out where there is none.
    """

    item: str
    annotator: str
    seconds: float | None = None
    note: str | None = None
    answered: str | None = None


@dataclass(frozen=True, kw_only=True)
class LabelRecorded(Answered):
    """An annotator labelled an item: 1 relevant, 0 not."""

    label: int


@dataclass(frozen=True, kw_only=True)
class LabelSkipped(Answered):
    """An annotator could not tell."""


@dataclass(frozen=True, kw_only=True)
class LabelCorrected(Answered):
    """An annotator changed their own answer. None stands for "cannot tell"."""

    before: int | None
    after: int | None


@dataclass(frozen=True, kw_only=True)
class LabelAdjudicated(Answered):
    """Somebody decided an item on which annotators differed."""

    label: int


@dataclass(frozen=True, kw_only=True)
class Looked(Event):
    """The verdict was read: peeking is on record."""

    plan: int
    decision: Literal["pass", "fail", "continue"]
    point: float | None
    low: float
    high: float
    labels: int
    draws: int


@dataclass(frozen=True, kw_only=True)
class PlanClosed(Event):
    """The plan ended without a certificate: it failed or was abandoned."""

    plan: int
    outcome: Literal["failed", "abandoned"]
    reason: str


@dataclass(frozen=True, kw_only=True)
class CertificateIssued(Event):
    """A certificate was issued; its SHA-256 is on record. This closes the plan."""

    plan: int
    certificate: str
    software: str


@dataclass(frozen=True, kw_only=True)
class SurveyOpened(Event):
    """Labels were asked for that serve no claim: which cells, which seed."""

    survey: Survey
    software: str


@dataclass(frozen=True, kw_only=True)
class SurveyedItem(Record):
    """One item of a survey, and the cell it was drawn from (counted from 0)."""

    id: str
    cell: int


@dataclass(frozen=True, kw_only=True)
class SurveyDrawn(Event):
    """Items of a survey were handed out; their texts lie in a project file with this digest."""

    survey: int
    batch: int
    items: tuple[SurveyedItem, ...]
    file: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class SurveyReported(Event):
    """What the labels of a survey said when somebody asked."""

    survey: int
    labels: int
    result: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class TrainingChanged(Event):
    """Somebody changed how the training goes on, or named the population that was only usual."""

    survey: int
    settings: TrainingSettings


@dataclass(frozen=True, kw_only=True)
class ModelTrained(Event):
    """A classifier was fitted to the training labels of this moment.

    `digest` is the SHA-256 of the lines "id label" of those labels, in the order the items were
    drawn; items that nobody could tell are not among them.
    """

    survey: int
    number: int
    labels: int
    digest: str
    learner: str
    look: TrainingLook
    advice: Advice
    software: str


@dataclass(frozen=True, kw_only=True)
class ClassifierFrozen(Event):
    """A trained classifier scored the items that are to be certified; its cut-off is final.

    From here on the project's pool is the scored file. `excluded` items of the collection are not
    in it, and `sentence` says what a certificate on it is about.
    """

    survey: int
    model: int
    threshold: float
    population: str
    pool: RegisteredPool
    excluded: int
    sentence: str
    software: str


@dataclass(frozen=True, kw_only=True)
class WitnessRecorded(Event):
    """Somebody outside keeps a head of this ledger, or signed it.

    `form` is head, git (`evidence` is the commit) or rfc3161 (`evidence` is the time stamp in base64).
    """

    form: Literal["head", "git", "rfc3161"]
    head: str
    by: str
    evidence: str | None = None


KINDS: dict[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        PoolRegistered,
        PlanSealed,
        ReserveStored,
        BatchDrawn,
        LabelRecorded,
        LabelSkipped,
        LabelCorrected,
        LabelAdjudicated,
        Looked,
        PlanClosed,
        CertificateIssued,
        SurveyOpened,
        SurveyDrawn,
        SurveyReported,
        TrainingChanged,
        ModelTrained,
        ClassifierFrozen,
        WitnessRecorded,
    )
}


def read_event(kind: str, body: str) -> Any:
    """The event that was stored under this kind."""
    if kind not in KINDS:
        raise VerificationError(
            f"The ledger holds an event of kind '{kind}', which this version of assaymark does not know. "
            "Install a newer assaymark to read it."
        )
    return rebuild(KINDS[kind], json.loads(body))
