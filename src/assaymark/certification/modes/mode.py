"""What a mode of certification is: draws, verdict, history and words, in one object."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from assaymark.certification.modes.prefix import Prefix
from assaymark.claims.record import Record
from assaymark.claims.results import Verdict
from assaymark.ledger.events import Attempt, Block, Entry, State
from assaymark.records.modes import ModeKind
from assaymark.records.plan import Plan
from assaymark.sampling.tickets import Draw

Values = Sequence[float | None]


@dataclass(frozen=True, kw_only=True)
class Range:
    """A range of a metric at the plan's confidence, and how it was found."""

    point: float | None
    low: float
    high: float
    method: str


@dataclass(frozen=True, kw_only=True)
class EvidenceNow(Record):
    """How strong the evidence is and how strong it must be: wealth, or successes at a boundary.

    `share` is the progress from 0 to 1 on the scale that the test uses (logarithm of the wealth).
    """

    kind: Literal["wealth", "boundary"]
    value: float
    needed: float
    share: float
    sentence: str


class Mode(ABC):
    """A way to draw and to judge. Everything that differs between modes is a method of it."""

    kind: ModeKind
    assumptions: tuple[str, ...]
    drawn: str  # how items are drawn, in a sentence with {domain} and {strata}
    judged: str  # when the claim is judged, in a sentence

    def assumptions_of(self, changed: int) -> tuple[str, ...]:  # noqa: ARG002 - some modes use it
        """What a verdict assumes when this many labels were changed after chances used them."""
        return self.assumptions

    def batch(self, attempt: Attempt) -> int:
        """How many items a batch holds where nobody says."""
        # small batches at first, so that what is learnt can steer the next; never tiny later on
        return max(30, min(200, len(attempt.order) // 4))

    @abstractmethod
    def is_sized(self, plan: Plan) -> bool:
        """Whether the plan seals the numbers that a plan of this mode needs, and no others."""

    @abstractmethod
    def steps(
        self, state: State, attempt: Attempt, new: int
    ) -> tuple[Sequence[Draw], tuple[Block, ...] | None]:
        """The next draws, as many as hold `new` new items, and the chances behind them."""

    @abstractmethod
    def left(self, attempt: Attempt) -> int:
        """How many new items the plan can still hand out."""

    @abstractmethod
    def replayed(self, attempt: Attempt) -> Iterator[Draw]:
        """The draws that seed and stored chances give, as many as were made."""

    @abstractmethod
    def check_chances(self, plan: Plan, entries: Sequence[Entry]) -> str:
        """What the chances were, recomputed; raises where the stored ones differ."""

    @abstractmethod
    def judge(self, state: State, attempt: Attempt) -> Verdict:
        """The verdict now. Refused where looking would void the promise."""

    @abstractmethod
    def holds(self, attempt: Attempt, prefix: Prefix) -> bool:
        """Whether these labels would establish the claim."""

    @abstractmethod
    def points(self, attempt: Attempt, prefix: Prefix, ends: Sequence[int]) -> Values:
        """The estimate after each of these numbers of draws."""

    @abstractmethod
    def bounds(self, attempt: Attempt, prefix: Prefix, ends: Sequence[int]) -> Values:
        """The bound after each of these numbers of draws; None where the mode has none on the way."""

    def passing(self, attempt: Attempt, prefix: Prefix, ends: Sequence[int]) -> Values:  # noqa: ARG002
        """The estimate that would pass after each of these numbers of draws; None where bounds tell."""
        return [None] * len(ends)

    @abstractmethod
    def metric_range(self, attempt: Attempt, prefix: Prefix, name: str) -> Range:
        """A range of another metric from the same labels."""

    @abstractmethod
    def evidence(self, attempt: Attempt, prefix: Prefix, verdict: Verdict) -> EvidenceNow | None:
        """The strength of the evidence; None where there is a single look."""
