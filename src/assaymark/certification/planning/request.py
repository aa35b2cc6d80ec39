"""What the user asks of a plan."""

from dataclasses import dataclass

from assaymark.certification.planning.stakes import RiskRequest
from assaymark.claims.claim import Claim
from assaymark.claims.defaults import POWER
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.records.plan import Expectation


@dataclass(frozen=True, kw_only=True)
class PlanRequest:
    """What the user asks of a plan. Without a mode or design the usual one is taken.

    `one_by_one` is for a single annotator: a score-guided plan is then drawn without a lead. `method`
    names an earlier method, to compare with; otherwise it is the one of new plans.
    `anyway` seals a claim that looks false, or that says the classifier is bad.
    """

    claim: Claim
    mode: str | None = None
    design: str | None = None
    confidence: float = 0.95
    power: float = POWER
    budget: int | None = None
    expectation: Expectation | None = None
    seed: str | None = None
    reserve: float = 0.0
    claim_only: bool = False
    new_risk: bool = False
    family: bool = False
    commit: tuple[str, ...] = ()
    beacon: str | None = None
    again: bool = False
    one_by_one: bool = False
    method: str | None = None
    anyway: bool = False

    def __post_init__(self) -> None:
        """Score-guided is the name of a mode; plans store it as anytime with the design weighted."""
        guided = ("score-guided", "weighted")
        if self.design == "score-guided":
            object.__setattr__(self, "design", "weighted")
        if self.mode in guided and self.design in (None, "weighted"):
            object.__setattr__(self, "mode", "anytime")
            object.__setattr__(self, "design", "weighted")
        ways = [self.seed is not None, bool(self.commit), self.beacon is not None]
        if sum(ways) > 1:
            raise InputError(
                f"A seed comes from one place: {option('seed')}, {option('commit', 'HASH')} or "
                f"{option('beacon', 'NAME')}."
            )

    @property
    def is_shared(self) -> bool:
        """Whether no single side chooses the seed."""
        return self.beacon is not None or any(text != "own" for text in self.commit)

    @property
    def asked(self) -> RiskRequest:
        """What it asks of the risk."""
        return RiskRequest(
            confidence=self.confidence,
            reserve=self.reserve,
            claim_only=self.claim_only,
            new_risk=self.new_risk,
            ends=self.mode in ("fixed", "budget") and self.design != "weighted",
            again=self.again,
            family=self.family,
            joint=self.is_shared,
        )
