"""What a locked claim file promised: its terms, field by field, as they were when it was locked."""

from dataclasses import dataclass

from assaymark.claims.record import Record


@dataclass(frozen=True, kw_only=True)
class PoolTerms(Record):
    """The table `[pool]` of a claim file: where the pool is, and which column holds what.

    `a` and `b` are the predictions of two classifiers to be compared. `classes` are the names that
    predictions have, or true for those that are predicted; `tags` likewise, where an item has any
    number of them.
    """

    path: str
    id: str
    score: str | None = None
    prediction: str | None = None
    threshold: float | None = None
    text: tuple[str, ...] = ()
    group: str | tuple[str, ...] | None = None
    least_group: int | None = None
    positive: str | None = None
    classes: bool | tuple[str, ...] | None = None
    tags: bool | tuple[str, ...] | None = None
    a: str | None = None
    b: str | None = None
    score_a: str | None = None
    score_b: str | None = None


@dataclass(frozen=True, kw_only=True)
class ClaimTerms(Record):
    """What may not change in a claim file once it is locked. `expires` is the last day, as a date."""

    claim: str
    confidence: float
    pool: PoolTerms
    mode: str | None = None
    budget: int | None = None
    expires: str | None = None
    protocol: str | None = None


@dataclass(frozen=True, kw_only=True)
class LockNote(Record):
    """The lock that a certificate is bound to: the event, the file's SHA-256, and what it named.

    `classifier` is the classifier's identity as its owner gives it: names and digests.
    """

    event: int
    name: str
    file: str
    classifier: dict[str, str]
    expires: str | None = None
    owner: str | None = None
