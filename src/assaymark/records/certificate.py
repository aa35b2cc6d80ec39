"""A certificate: a claim, its evidence in numbers, and where to find the rest; and what looks found."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NoReturn

from assaymark.claims.canonical import digest
from assaymark.claims.claim import Claim
from assaymark.claims.pictures import html_answer
from assaymark.claims.record import Record, stored
from assaymark.errors import VerificationError
from assaymark.records.claim_terms import LockNote
from assaymark.records.plan import Plan
from assaymark.records.pool_shape import CLASSIFIER, PoolCell
from assaymark.records.value import Value


@dataclass(frozen=True, kw_only=True)
class RowLook(Record):
    """What is proved of one row of the claim: where its metric lies, and the wealth of the bets.

    `log_wealth` is that after the last label counted; a method that does not bet has none.
    """

    decision: Literal["pass", "fail", "continue"]
    low: float
    high: float
    log_wealth: float | None = None


@dataclass(frozen=True, kw_only=True)
class Tally(Record):
    """How many draws of a cell got a value; no value: nobody could tell."""

    cell: int
    value: Value | None = None
    n: int


@dataclass(frozen=True, kw_only=True)
class Population(Record):
    """What is certified of a collection that also trained the classifier, in numbers.

    `items` are certified; training took `taken` others, of which `labels` got a settled label.
    For the population "future" a lot set the share `keep` aside before training.
    """

    population: str
    items: int
    taken: int | None = None
    labels: int | None = None
    keep: float | None = None


FORMAT = 1
CLAIM_KIND = "assaymark claim certificate"  # of several parts
CLOSED = {
    "refuted": "the claim was refuted",
    "not reached": "the bound did not reach the claim",
    "budget spent": "the budget was spent without proof",
    "census": "every item was labelled, and the claim does not hold",
    "given up": "given up",
}
"""Why a plan was closed, by the code that the ledger keeps."""


def refuse_other_number(data: dict[str, Any], field: str, known: int) -> None:
    """Refuse a certificate of another number than the known one, and name what reads it."""
    number, software = data.get(field), data.get("software")
    if type(number) is int and number == known:
        return
    writer = f" ({software})" if isinstance(software, str) and software else ""
    raise VerificationError(
        f"The certificate has {field} {number!r}, and this version of assaymark reads {field} {known}. "
        f"Install the assaymark that wrote it{writer} or a newer one."
    )


@dataclass(frozen=True, kw_only=True)
class PoolSeal(Record):
    """Which collection the claim is about."""

    source: str
    items: int
    cells: tuple[PoolCell, ...]
    fingerprint: str

    @property
    def predictions(self) -> tuple[bool | None, ...]:
        """What is predicted of the items in each cell."""
        answers = (cell.predictions.get(CLASSIFIER) for cell in self.cells)
        return tuple(None if value is None else bool(value) for value in answers)


@dataclass(frozen=True, kw_only=True)
class StratumCount(Record):
    """What was found in one stratum."""

    stratum: int
    items: int
    draws: int
    tallies: tuple[Tally, ...]


@dataclass(frozen=True, kw_only=True)
class LookSeen(Record):
    """One recorded look."""

    event: int
    time: str
    decision: str
    low: float
    high: float
    labels: int


@dataclass(frozen=True, kw_only=True)
class LabelNote(Record):
    """A correction or a decision between annotators, by the event that recorded it."""

    event: int
    kind: str
    item: str


@dataclass(frozen=True, kw_only=True)
class Annotator(Record):
    """Who labelled how many items of this plan."""

    name: str
    labels: int


@dataclass(frozen=True, kw_only=True)
class EarlierAttempt(Record):
    """A plan that was sealed on the same pool before this one, and why it ended without proof.

    Where it shared the risk: `wealth` of its row that counts, after the last labelled draw, and the
    `factor` by which it changed what was left. `pending` draws had no label when it was closed.
    """

    plan: int
    claim: Claim
    confidence: float
    method: str
    outcome: str
    looks: int
    draws: int
    reason: str | None = None
    note: str | None = None
    mode: str | None = None
    pending: int | None = None
    wealth: str | None = None
    factor: str | None = None

    @property
    def why(self) -> str | None:
        """Why it ended, in words."""
        return self.note or (None if self.reason is None else CLOSED.get(self.reason, self.reason))


@dataclass(frozen=True, kw_only=True)
class Account(Record):
    """The risk of the plan: what is stated, the level it ran at, and the plans that share it.

    Numbers are decimal text; `before` and `after` are the wealth of the account. `risk` is that of
    this account alone, where several share in what is stated.
    """

    name: str
    confidence: str
    level: str
    share: str
    earlier: tuple[int, ...] | None = None
    before: str | None = None
    after: str | None = None
    risk: str | None = None


@dataclass(frozen=True, kw_only=True)
class WitnessNote(Record):
    """Who is said to keep a head of the ledger, by the event that recorded it."""

    event: int
    form: str
    head: str
    by: str


@dataclass(frozen=True, kw_only=True)
class LedgerSeal(Record):
    """The ledger up to the certificate: number of events, and the hash of the last one."""

    events: int
    head: str


@dataclass(frozen=True, kw_only=True)
class Certificate(Record):
    """The facts that are needed to recompute a verdict from the ledger it names; no sentence.

    `rows` are the verdicts on the rows of the claim, `tallies` what they depend on: draws, or all
    items of the claim where `census` is true. `population` says what the claim is about where the
    classifier was trained in the project, and `witnesses` who keeps heads of the ledger.
    `lock` is the claim file that the plan was sealed for. `bound` is the target that is certified
    instead of the claim's: the bound as it stood. `changed` is how many labels were changed after
    the chances of sealed draws had been computed from them; `known` how many drawn items were
    answered by a label that was known before the plan.
    """

    kind: Literal["assaymark certificate"] = "assaymark certificate"
    format: int = FORMAT
    software: str
    issued: str
    plan: Plan
    rows: tuple[RowLook, ...]
    census: bool
    labels: int
    draws: int
    tallies: tuple[Tally, ...]
    account: Account
    strata: tuple[StratumCount, ...]
    looks: tuple[LookSeen, ...]
    annotators: tuple[Annotator, ...]
    corrections: tuple[LabelNote, ...]
    skipped: tuple[str, ...]
    earlier: tuple[EarlierAttempt, ...]
    pool: PoolSeal
    ledger: LedgerSeal
    population: Population | None = None
    witnesses: tuple[WitnessNote, ...] | None = None
    classifiers: dict[str, dict[str, str]] | None = None
    expires: str | None = None
    lock: LockNote | None = None
    bound: str | None = None
    changed: int | None = None
    known: int | None = None

    @property
    def claim(self) -> Claim:
        """What is certified: the claim of the plan, or the bound as it stood."""
        claim = self.plan.claim
        return claim if self.bound is None else replace(claim, target=float(self.bound))

    @cached_property
    def _stored(self) -> dict[str, Any]:
        fields: dict[str, Any] = stored(self)
        return fields

    def sealed(self) -> dict[str, Any]:
        """What is hashed and signed."""
        return self._stored

    @cached_property
    def digest(self) -> str:
        """Hex SHA-256 of what is sealed: the hash beside it, which the ledger keeps too."""
        return digest(self._stored)


@dataclass(frozen=True, kw_only=True)
class Check(Record):
    """One thing that verification looked at."""

    name: str
    outcome: Literal["ok", "failed", "not checked"]
    detail: str

    @classmethod
    def ok(cls, name: str, detail: str) -> "Check":
        """It is as it should be."""
        return cls(name=name, outcome="ok", detail=detail)

    @classmethod
    def failed(cls, name: str, detail: str) -> "Check":
        """It is not, and this is what is wrong."""
        return cls(name=name, outcome="failed", detail=detail)

    @classmethod
    def unchecked(cls, name: str, detail: str) -> "Check":
        """It could not be looked at, and why."""
        return cls(name=name, outcome="not checked", detail=detail)


@dataclass(frozen=True, kw_only=True)
class Verification(Record):
    """What a stranger found when recomputing a certificate."""

    status: Literal["verified", "verified in part", "consistent only", "failed"]
    statement: str
    checks: tuple[Check, ...]
    population: str | None = None
    account: str | None = None
    history: tuple[tuple[str, str], ...] = ()
    """Who labelled, looks, changed labels, the seed and earlier plans, as name and text."""
    missing: tuple[str, ...] = ()
    """Which of ledger, pool, witness and signature could not be checked."""

    def __str__(self) -> str:
        without = f" (not checked: {', '.join(self.missing)})" if self.missing else ""
        failed = [
            f"{check.name}: {check.detail}" for check in self.checks if check.outcome == "failed"
        ]
        return f"{self.status.capitalize()}{without}: {'; '.join(failed) or self.statement}"

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "A verification is neither true nor false: it may have succeeded in part. Compare .status "
            "with 'verified', or say what must be checked: verify(…, require=[…])."
        )

    def _repr_html_(self) -> str:
        marks = {"ok": "✓", "failed": "✗", "not checked": "–"}
        rows = [(f"{marks[check.outcome]} {check.name}", check.detail) for check in self.checks]
        return html_answer(str(self), [*rows, *self.history], None)
