"""Everything that the dashboard and the report show of a project, in one frozen record."""

from dataclasses import dataclass
from typing import Literal

from assaymark.certification.modes import mode_of
from assaymark.certification.modes.mode import EvidenceNow
from assaymark.claims.claim import Claim, Counts
from assaymark.claims.record import Record
from assaymark.claims.results import Verdict
from assaymark.labelling.blocking import Blocking
from assaymark.ledger.events import Attempt
from assaymark.records.agreement import Agreement, Sensitivity
from assaymark.records.certificate import EarlierAttempt, LookSeen
from assaymark.records.plan import Plan
from assaymark.records.value import Value
from assaymark.reports.section import Section

Tone = Literal["pass", "not yet", "fail", "too early", "abandoned", "no plan"]


@dataclass(frozen=True, kw_only=True)
class Answer(Record):
    """The verdict as people say it: one word, then a sentence.

    `sentence` speaks of "the claim", for a reader from outside; `for_lead` says "you claimed".
    """

    tone: Tone
    word: str
    sentence: str
    for_lead: str
    advice: str | None = None

    def __str__(self) -> str:
        return f"{self.word}. {self.sentence}"


@dataclass(frozen=True, kw_only=True)
class PathPoint(Record):
    """What was known after this many labels, by the labels as they are now.

    `bound` is None where none may be shown or none exists yet. `passing` is the estimate that would
    pass there, in a mode that has a boundary in place of bounds.
    """

    labels: int
    draws: int
    point: float | None
    bound: float | None
    passing: float | None = None


@dataclass(frozen=True, kw_only=True)
class PathMark(Record):
    """Something that happened on the way: a look (with the bound it showed) or a correction."""

    kind: Literal["look", "correction", "decision"]
    event: int
    time: str
    labels: int
    bound: float | None = None
    item: str | None = None


@dataclass(frozen=True, kw_only=True)
class Path(Record):
    """The way so far. `reason` says why there is no bound, where there is none."""

    metric: str
    side: Literal["lower", "upper"]
    target: float
    points: tuple[PathPoint, ...]
    marks: tuple[PathMark, ...]
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class CardNumber(Record):
    """One of the four numbers as a range; None with a reason where the sample cannot say."""

    name: str
    title: str
    definition: str
    point: float | None
    low: float | None
    high: float | None
    confidence: float
    method: str | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class StratumRow(Record):
    """Where labels went and what may still hide there.

    `wrong` are the items labelled against their prediction; `hidden` is how many more of them
    there could be at most among the unlabelled items, with `confidence`, whenever one looks.
    """

    name: str
    prediction: bool | None
    score_low: float | None
    score_high: float | None
    items: int
    labels: int
    positives: int | None
    skipped: int
    wrong: int | None
    hidden: int | None
    confidence: float
    sentence: str


@dataclass(frozen=True, kw_only=True)
class ScoreBin(Record):
    """A bar of the score histogram: items by predicted class, and labelled items in it."""

    low: float
    high: float
    predicted_positive: int
    predicted_negative: int
    labelled: int | None


@dataclass(frozen=True, kw_only=True)
class ScorePicture(Record):
    """The scores of the collection with the cut-off; `threshold` None where predictions are given."""

    bins: tuple[ScoreBin, ...]
    threshold: float | None
    scored: bool


@dataclass(frozen=True, kw_only=True)
class Person(Record):
    """An annotator: answers given, and the usual time per label where it is known."""

    name: str
    labels: int
    relevant: int | None
    skipped: int
    corrections: int
    decisions: int
    first: str
    last: str
    seconds: float | None


@dataclass(frozen=True, kw_only=True)
class Note(Record):
    """A correction or a decision between annotators. None stands for "cannot tell"."""

    event: int
    time: str
    item: str
    annotator: str
    kind: Literal["correction", "decision"]
    before: Value | None
    after: Value | None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class SurveySeen(Record):
    """A survey and its latest recorded result (None: nobody asked for it yet), as its section tells it.

    `claim` is the claim as a title, where one was judged, and `established` whether it can be
    certified. `alarm`: a check of later items found that what was proved no longer holds. A training has
    a `summary` for who goes on with it.
    """

    number: int
    purpose: str
    drawn: int
    labelled: int
    time: str | None
    result: Section | None
    claim: str | None = None
    established: bool = False
    alarm: bool = False
    summary: Record | None = None


@dataclass(frozen=True, kw_only=True)
class Progress(Record):
    """How much is done and what is left to do."""

    drawn: int
    labelled: int
    missing: int
    disputed: int
    skipped: int
    waiting: int
    labels: int
    expected_left: int | None
    outlook: str | None = None
    ahead: tuple[int, int] | None = None
    blocking: Blocking | None = None


@dataclass(frozen=True, kw_only=True)
class Collection(Record):
    """What the claim is about."""

    source: str
    items: int
    predicted_positive: int
    predicted_negative: int
    predicts: bool
    id_column: str
    fingerprint: str
    files: int


@dataclass(frozen=True, kw_only=True)
class Proof(Record):
    """How anybody can check: hashes, and the commands that recompute everything."""

    head: str
    events: int
    fingerprint: str
    certificate: str | None
    issued: str | None
    software: str
    commands: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Dossier(Record):
    """A project as a reader sees it; everything follows from the ledger.

    `plan` and what depends on it are None or empty before a plan is sealed. `as_of` is the time
    of the last event, so that the same ledger always gives the same dossier. `sealed_terms` are those
    of a claim of several parts.
    """

    title: str
    as_of: str
    answer: Answer
    collection: Collection
    claim: Claim | None
    claim_title: str | None
    claim_text: str | None
    plan: Plan | None
    outcome: str
    sealed: str | None
    progress: Progress
    point: float | None
    bound: float | None
    confidence: float | None
    counts: Counts | None
    path: Path | None
    evidence: EvidenceNow | None
    card: tuple[CardNumber, ...]
    strata: tuple[StratumRow, ...]
    scores: ScorePicture | None
    people: tuple[Person, ...]
    agreement: Agreement | None
    sensitivity: Sensitivity | None
    looks: tuple[LookSeen, ...]
    notes: tuple[Note, ...]
    skipped: tuple[str, ...]
    disputed: tuple[str, ...]
    earlier: tuple[EarlierAttempt, ...]
    surveys: tuple[SurveySeen, ...]
    method: tuple[str, ...]
    assumptions: tuple[str, ...]
    limits: tuple[str, ...]
    proof: Proof
    card_note: str | None = None
    population: str | None = None
    account: str | None = None
    bound_certified: str | None = None
    sealed_terms: tuple[tuple[str, str], ...] = ()


def labels_in_all(attempt: Attempt, verdict: Verdict | None) -> int | None:
    """Labels in all; where a simple plan seals its draws and no range is known, those that they meet."""
    plan = attempt.plan
    sealed = verdict is None or (verdict.decision == "continue" and verdict.labels_ahead is None)
    if sealed and plan.kind.promise and not plan.kind.guided and plan.seed:
        return len(attempt.order) + mode_of(plan).left(attempt)
    return plan.size if verdict is None else verdict.labels_expected
