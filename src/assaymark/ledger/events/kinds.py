"""One small dataclass for each thing that can happen, in the past tense."""

from dataclasses import dataclass
from typing import Any, Literal

from assaymark.claims.canonical import canonical, read_json
from assaymark.claims.record import Record, restored, stored
from assaymark.errors import InputError, VerificationError, message_of
from assaymark.records.claim_terms import ClaimTerms
from assaymark.records.look import RowLook, Tally
from assaymark.records.plan import Plan
from assaymark.records.pool import PoolFile, RegisteredPool
from assaymark.records.survey import Survey
from assaymark.records.training import TrainingLook
from assaymark.records.training_settings import TrainingSettings
from assaymark.records.value import Value, binary


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
class SeedRevealed(Event):
    """The parts of a plan's seed became known, after everything else was sealed."""

    plan: int
    parts: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ReserveStored(Event):
    """The lowest tickets of the plan were written to a project file, before anything was drawn.

    `tickets` is the SHA-256 of the lines "stratum ticket id", in order; `limits` says how many
    tickets of each stratum were asked for.
    """

    plan: int
    file: str
    sha256: str
    items: int
    tickets: str
    limits: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Drawn(Record):
    """One draw: its number, the item, its stratum of the plan and its cell of the pool.

    An item that the plan drew before counts again and needs no new label.
    """

    draw: int
    id: str
    stratum: int
    cell: int


@dataclass(frozen=True, kw_only=True)
class Block(Record):
    """The chances per stratum from draw `first` on, computed from the first `labels` draws."""

    first: int
    chances: tuple[float, ...]
    labels: int


@dataclass(frozen=True, kw_only=True)
class BatchDrawn(Event):
    """Items were drawn, in this order, and handed out for labelling.

    `blocks` are the chances that a score-guided design fixed before it drew them; a design in
    which all items are alike has none.
    """

    plan: int
    batch: int
    draws: tuple[Drawn, ...]
    blocks: tuple[Block, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Answered(Event):
    """What every answer may carry: how long it took, a remark, and when another tool took it.

    Each is left out where there is none. So is `question` where the project asks only one.
    """

    item: str
    annotator: str
    seconds: float | None = None
    note: str | None = None
    answered: str | None = None
    question: str | None = None


@dataclass(frozen=True, kw_only=True)
class LabelRecorded(Answered):
    """An annotator labelled an item: 1 relevant, 0 not, or a class, or a list of classes.

    No value: they could not tell.
    """

    value: Value | None = None

    @property
    def label(self) -> int | None:
        """The value where labels are 0 and 1."""
        return binary(self.value)


@dataclass(frozen=True, kw_only=True)
class LabelCorrected(Answered):
    """An annotator changed their own answer. A value that is left out stands for "cannot tell"."""

    before: Value | None = None
    after: Value | None = None


@dataclass(frozen=True, kw_only=True)
class LabelAdjudicated(Answered):
    """Somebody decided an item on which annotators differed."""

    value: Value

    @property
    def label(self) -> int:
        """The value where labels are 0 and 1."""
        decided = binary(self.value)
        if decided is None:
            raise VerificationError("A decision between annotators names a label.")
        return decided


@dataclass(frozen=True, kw_only=True)
class LabelKnown(Event):
    """A label that came by another road than a draw: it is knowledge, and no evidence."""

    item: str
    value: Value
    source: Literal["training", "review", "import", "earlier survey"]


@dataclass(frozen=True, kw_only=True)
class Looked(Event):
    """The verdict was read: peeking is on record. One row for each row of the claim."""

    plan: int
    rows: tuple[RowLook, ...]
    tallies: tuple[Tally, ...]
    labels: int
    draws: int

    @property
    def decision(self) -> str:
        """What the look said of the claim."""
        return self.rows[0].decision

    @property
    def low(self) -> float:
        """The lower end of what was proved."""
        return self.rows[0].low

    @property
    def high(self) -> float:
        """The upper end of what was proved."""
        return self.rows[0].high


Closing = Literal["refuted", "not reached", "budget spent", "census", "given up"]


@dataclass(frozen=True, kw_only=True)
class PlanClosed(Event):
    """The plan ended without a certificate: it failed or was abandoned.

    `reason` is a code where the program closed it; `note` is what somebody gave as the reason.
    """

    plan: int
    outcome: Literal["failed", "abandoned"]
    reason: Closing
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class CertificateIssued(Event):
    """A certificate was issued; its SHA-256 is on record. This closes the plan.

    `bound` is the target that is certified instead of the claim's: the bound as it stood.
    """

    plan: int
    certificate: str
    software: str
    bound: str | None = None


@dataclass(frozen=True, kw_only=True)
class SurveyOpened(Event):
    """Labels were asked for that serve no claim: which cells, which seed."""

    survey: Survey
    software: str


@dataclass(frozen=True, kw_only=True)
class SurveyedItem(Record):
    """One item of a survey, and the cell it was drawn from (counted from 0).

    `predictions` are kept where a label is compared with them and the cell does not tell them.
    """

    id: str
    cell: int
    predictions: tuple[str, ...] | None = None


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
    software: str


@dataclass(frozen=True, kw_only=True)
class ClassifierFrozen(Event):
    """A trained classifier scored the items that are to be certified; its cut-off is final.

    From here on the project's pool is the scored file. `excluded` items of the collection are not
    in it.
    """

    survey: int
    model: int
    threshold: float
    population: str
    pool: RegisteredPool
    excluded: int
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


@dataclass(frozen=True, kw_only=True)
class ClaimLocked(Event):
    """A claim file was locked to the plan that was sealed for it, before anything was drawn.

    `file` is the SHA-256 of the file's bytes. `classifier` holds the names and digests that its owner
    gave the classifier. `replaces` is the `file` of the lock that this one takes the place of.
    """

    plan: int
    name: str
    file: str
    terms: ClaimTerms
    classifier: dict[str, str]
    software: str
    owner: str | None = None
    replaces: str | None = None


@dataclass(frozen=True, kw_only=True)
class ScoresWatched(Event):
    """Scores of new items were compared with the strata of a certified plan; no label was used.

    `strata` are today's items in each stratum and `outside` those beyond the certified scores.
    `bound` is the certified one, re-weighted to them; absent where the metric is undefined for them.
    """

    plan: int
    files: tuple[PoolFile, ...]
    strata: tuple[int, ...]
    outside: int
    decision: Literal["holds", "drifted"]
    bound: float | None = None
    software: str


KINDS: dict[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        PoolRegistered,
        PlanSealed,
        SeedRevealed,
        ReserveStored,
        BatchDrawn,
        LabelRecorded,
        LabelCorrected,
        LabelAdjudicated,
        LabelKnown,
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
        ClaimLocked,
        ScoresWatched,
    )
}


def read_event(kind: str, body: str) -> Any:
    """The event that was stored under this kind.

    A kind whose shape changes gets a number: `Kind/2`. One without a number is the first.
    """
    if kind not in KINDS:
        raise VerificationError(_unknown(kind, body))
    try:
        return restored(KINDS[kind], read_json(body))
    except (InputError, TypeError, ValueError, AttributeError) as error:
        raise VerificationError(
            f"An event of kind '{kind}' cannot be read: {message_of(error)}"
        ) from error


def _unknown(kind: str, body: str) -> str:
    try:
        software = read_json(body).get("software")
    except (ValueError, AttributeError):
        software = None
    reader = f"assaymark {software} or newer" if software else "a newer assaymark"
    return (
        f"The ledger holds an event of kind '{kind}', which this version of assaymark does not know. "
        f"Install {reader} to read it."
    )
