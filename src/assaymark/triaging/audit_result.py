"""The nouns of the audit over time: what is sealed at its opening, and what its draws say."""

from dataclasses import dataclass
from typing import Literal

from assaymark.claims.checks import choice, open_share
from assaymark.claims.record import Record
from assaymark.claims.results import counted, percent, rounded, shown

Alarm = Literal["ever", "yearly", "average", "every-batch"]
ALARMS = ("ever", "yearly", "average", "every-batch")
AuditDecision = Literal["kept", "open", "broken"]


@dataclass(frozen=True, kw_only=True)
class Seal(Record):
    """What holds for one kind of decision, or for all: sizes that no later batch may go beyond.

    `largest` is the most automated items of a batch, `window` the fewest items a window of the
    alarm holds, `spread` the most items that one draw stands for.
    """

    largest: int
    window: int
    spread: float


@dataclass(frozen=True, kw_only=True)
class Account(Record):
    """The alarm of an audit, sealed before its first label: one seal, or one per kind of decision.

    When `deadline` later batches have been opened, a draw without an answer is one that nobody could
    tell, for good. Audits of before there was a deadline have none, and wait.
    """

    alarm: Alarm
    confidence: float
    year: int
    seals: tuple[Seal, ...]
    deadline: int | None = None

    def __post_init__(self) -> None:
        choice("alarm", self.alarm, ALARMS)
        open_share("confidence", self.confidence)

    def null(self, target: float) -> str:
        """What is true of a promise kept, as this alarm understands it, and how often it errs then."""
        share, risk = percent(target), percent(round(1 - self.confidence, 6))
        windows = " or ".join(dict.fromkeys(f"{seal.window:,}" for seal in self.seals))
        right = f"at least {share} of the automated items were right, each batch by its size"
        nulls = {
            "ever": f"so far and in every window of at least {windows} items, {right}; or each batch "
            f"was expected to be so, however batches scatter. Then it ever goes off with chance at "
            f"most {risk}",
            "yearly": f"in every window of at least {windows} items, {right}; or each batch was "
            f"expected to be so, however batches scatter. Then it goes off with chance at most {risk} in a "
            f"year of {self.year} batches",
            "average": f"so far, {right}; or each batch was expected to be so, however batches "
            f"scatter. Then it ever goes off with chance at most {risk}",
            "every-batch": f"every single batch held at most {percent(round(1 - target, 6))} wrong items, or "
            f"every item was wrong with at most that chance whatever came before. Then it ever goes off "
            f"with chance at most {risk}; batches that scatter around the promise set it off far more often",
        }
        return f"{nulls[self.alarm]}."


@dataclass(frozen=True, kw_only=True)
class AuditResult(Record):
    """What random automated items of later batches say about the promise.

    `low` bounds the accuracy of all automated items so far from below, unclear ones counted as wrong,
    `high` from above, unclear ones counted as right. `alarm_at` is the batch (for the alarm
    every-batch: the draw) at which the alarm rang, `since` the one from which on things have probably
    been wrong, or surely if `proved`; `drift` whether they were right before. The alarm takes unclear
    items as right; `broken_if_told` is the alarm among items that could be decided, `doubtful` the one
    that takes unclear items as wrong. With `each_side` the promise is about accepted and rejected
    items apart, and bounds and alarm are those of the worse side.
    """

    decision: AuditDecision
    alarm: Alarm
    null: str
    target: float
    confidence: float
    draws: int
    right: int
    unclear: int
    accuracy: float | None
    accuracy_high: float | None
    low: float
    high: float | None
    evidence: float
    needed: float
    alarm_at: int | None
    since: int | None
    drift: bool
    proved: bool = False
    broken_if_told: bool = False
    doubtful: bool = False
    each_side: bool = False

    @property
    def counts(self) -> str:
        """What the alarm counts: batches, or draws."""
        return "draw" if self.alarm == "every-batch" else "batch"

    @property
    def estimate(self) -> str:
        """The estimated accuracy of the items so far; a range where some are unclear."""
        if self.accuracy == self.accuracy_high:
            return shown(self.accuracy)
        return f"{shown(self.accuracy)} to {shown(self.accuracy_high)}"

    def __str__(self) -> str:
        if not self.draws:
            return f"Nothing is known yet about the promise of {percent(self.target)}: no label counts."
        counts = f"{self.right:,} of {counted(self.draws, 'audited decision')} were right"
        if self.unclear:
            counts += f", {self.unclear:,} unclear"
        promise = f"promise of {percent(self.target)}{' on each side' if self.each_side else ''}"
        bound = f"at least {rounded(self.low)} with {percent(self.confidence)} confidence"
        if self.decision == "kept":
            return f"The {promise} is kept so far: of all automated items {bound} ({counts})."
        if self.decision == "open":
            if self.accuracy_high is not None and self.accuracy_high < self.target:
                return f"The {promise} looks broken, but that is not proved: {counts}; {bound}."
            return f"No sign that the {promise} is broken: {counts}; {bound}."
        return f"The {promise} is broken{self._when()}: {counts}."

    def _when(self) -> str:
        kind = "drift is likely" if self.drift else "it was wrong from early on"
        known = "proved for the time since" if self.proved else "probably since"
        return (
            f", {known} {self.counts} {self.since:,} ({kind}; the alarm '{self.alarm}' went off at "
            f"{self.counts} {self.alarm_at:,})"
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the unclear items leave in doubt, each at its own risk."""
        if self.decision == "broken":
            return ()
        sentence = "Among the items that could be decided the promise is broken."
        doubt = (
            f"The promise is doubtful: {self.unclear:,} of {counted(self.draws, 'draw')} were unclear, "
            "and they decide. Kept can no longer be shown for the time in question."
        )
        return (sentence,) * self.broken_if_told + (doubt,) * self.doubtful
