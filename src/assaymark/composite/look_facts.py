"""The facts of a look at a claim of several rows: what each kind of claim holds.

They are stored, certified and printed as one JSON object; rooms hand one another these nouns.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from assaymark.claims.canonical import canonical, digest
from assaymark.claims.record import restored

Decision = Literal["pass", "fail", "continue", "undecided", "better", "worse", "within"]
PartState = Literal["reached", "open", "failed"]


@dataclass(frozen=True, kw_only=True)
class PartFacts:
    """One part of a conjunction, in one group where the claim is about groups."""

    part: str
    group: tuple[str, ...]
    state: PartState
    target: float | None = None
    bound: float | None = None
    labels: int
    items: int


@dataclass(frozen=True, kw_only=True)
class RungFacts:
    """One cut-off of a ladder."""

    cutoff: float
    items: int
    state: PartState
    labels: int | None = None


@dataclass(frozen=True, kw_only=True)
class DisagreementFacts:
    """Who was right on labelled items of one pair of predictions, and of scores in a range."""

    predictions: tuple[str, ...]
    low: float | None = None
    high: float | None = None
    items: int
    labels: int
    a_right: int
    b_right: int


@dataclass(frozen=True, kw_only=True)
class _Look:
    decision: Decision
    claim: str
    confidence: float
    judged: str
    most: int
    labels: int
    draws: int
    skipped: int
    decided_at: int | None = None
    certain: bool


@dataclass(frozen=True, kw_only=True)
class ComparisonFacts(_Look):
    """Two classifiers on one pool; the gap is the figure of b less that of a."""

    kind: Literal["comparison"]
    classifiers: tuple[str, ...]
    metric: str
    gap_low: float
    gap_high: float
    disagree: int
    items: int
    margin: float | None = None
    within: bool
    not_worse: bool
    equal: bool
    disagreements: tuple[DisagreementFacts, ...]


@dataclass(frozen=True, kw_only=True)
class ConjunctionFacts(_Look):
    """One or several parts that hold together, or that are named one by one.

    `so_far` are the bounds of the parts of an undecided claim, which hold all together; certificates
    have none.
    """

    kind: Literal["conjunction"]
    parts: tuple[PartFacts, ...]
    so_far: tuple[float | None, ...] | None = None
    family: str
    left_out: tuple[tuple[str, ...], ...]
    unreachable: bool


@dataclass(frozen=True, kw_only=True)
class CutOffFacts(_Look):
    """The best cut-off of a ladder that is proved so far."""

    kind: Literal["cut-off"]
    cutoff: float | None = None
    rungs: tuple[RungFacts, ...]
    budget: int | None = None


LookFacts = ComparisonFacts | ConjunctionFacts | CutOffFacts
KINDS: dict[str, type[LookFacts]] = {
    "comparison": ComparisonFacts,
    "conjunction": ConjunctionFacts,
    "cut-off": CutOffFacts,
}


def read_look(stored: Mapping[str, Any]) -> LookFacts:
    """The look that an event or a certificate holds; what is recorded beside it is left out."""
    kind = KINDS[stored["kind"]]
    names = {field.name for field in fields(kind)}
    facts: LookFacts = restored(kind, {name: stored[name] for name in names & stored.keys()})
    return facts


def written(facts: dict[str, Any]) -> str:
    """The certificate as canonical JSON text with its own hash."""
    return canonical({**facts, "hash": digest(facts)}) + "\n"
