"""The facts of a look at a claim of several rows, as they are stored and printed: which keys, of what.

Stored looks are JSON, so these are dictionaries; the types say what each kind of claim holds.
"""

from typing import Literal, NotRequired, TypedDict

Decision = Literal["pass", "fail", "continue", "undecided", "better", "worse", "within"]
PartState = Literal["reached", "open", "failed"]


class PartFacts(TypedDict):
    """One part of a conjunction, in one group where the claim is about groups."""

    part: str
    group: list[str]
    state: PartState
    target: NotRequired[float | None]
    bound: NotRequired[float | None]
    labels: int
    items: int


class RungFacts(TypedDict):
    """One cut-off of a ladder."""

    cutoff: float
    items: int
    state: PartState
    labels: NotRequired[int]


class DisagreementFacts(TypedDict):
    """Who was right on labelled items of one pair of predictions, and of scores in a range."""

    predictions: list[str]
    low: float | None
    high: float | None
    items: int
    labels: int
    a_right: int
    b_right: int


class _Look(TypedDict):
    decision: Decision
    claim: str
    confidence: float
    judged: str
    most: int
    labels: int
    draws: int
    skipped: int
    decided_at: int | None
    certain: bool


class ComparisonFacts(_Look):
    """Two classifiers on one pool; the gap is the figure of b less that of a."""

    kind: Literal["comparison"]
    classifiers: list[str]
    metric: str
    gap_low: float
    gap_high: float
    disagree: int
    items: int
    margin: float | None
    within: bool
    not_worse: bool
    equal: bool
    disagreements: list[DisagreementFacts]


class ConjunctionFacts(_Look):
    """One or several parts that hold together, or that are named one by one.

    `so_far` are the bounds of the parts of an undecided claim, which hold all together; certificates
    have none.
    """

    kind: Literal["conjunction"]
    parts: list[PartFacts]
    so_far: NotRequired[list[float | None]]
    family: str
    left_out: list[list[str]]
    unreachable: bool


class CutOffFacts(_Look):
    """The best cut-off of a ladder that is proved so far."""

    kind: Literal["cut-off"]
    cutoff: float | None
    rungs: list[RungFacts]
    budget: NotRequired[int]


LookFacts = ComparisonFacts | ConjunctionFacts | CutOffFacts
