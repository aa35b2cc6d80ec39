"""A certificate: a claim, its evidence in numbers, and where to find the rest."""

from dataclasses import dataclass
from typing import Any, Literal

from assaymark.claims.claim import Claim, Counts
from assaymark.claims.record import Record, stored
from assaymark.claims.results import Verdict
from assaymark.records.plan import Plan


@dataclass(frozen=True, kw_only=True)
class PoolSeal(Record):
    """Which collection the claim is about."""

    source: str
    items: int
    predicted_positive: int
    predicted_negative: int
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class StratumCount(Record):
    """What was found in one stratum."""

    stratum: str
    items: int
    draws: int
    counts: Counts


@dataclass(frozen=True, kw_only=True)
class LookSeen(Record):
    """One look on record."""

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
    """A plan that was sealed on the same pool before this one, and why it ended without proof."""

    plan: int
    claim: Claim
    confidence: float
    outcome: str
    looks: int
    draws: int
    reason: str | None = None


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
    """Everything that is needed to recompute a verdict from the ledger it names.

    `population` says what the claim is about where the classifier was trained in the project, and
    `witnesses` who keeps heads of the ledger.
    """

    kind: Literal["assaymark certificate"] = "assaymark certificate"
    software: str
    issued: str
    statement: str
    plan: Plan
    verdict: Verdict
    strata: tuple[StratumCount, ...]
    looks: tuple[LookSeen, ...]
    annotators: tuple[Annotator, ...]
    corrections: tuple[LabelNote, ...]
    skipped: tuple[str, ...]
    earlier: tuple[EarlierAttempt, ...]
    pool: PoolSeal
    ledger: LedgerSeal
    population: str | None = None
    witnesses: tuple[WitnessNote, ...] = ()

    def sealed(self) -> dict[str, Any]:
        """What is hashed and signed."""
        return {"schema": self.schema, **stored(self)}


@dataclass(frozen=True, kw_only=True)
class Check(Record):
    """One thing that verification looked at."""

    name: str
    outcome: Literal["ok", "failed", "not checked"]
    detail: str


@dataclass(frozen=True, kw_only=True)
class Verification(Record):
    """What a stranger found when recomputing a certificate."""

    status: Literal["verified", "verified in part", "consistent only", "failed"]
    statement: str
    checks: tuple[Check, ...]
    population: str | None = None
    missing: tuple[str, ...] = ()
    """Which of ledger, pool, witness and signature could not be checked."""
