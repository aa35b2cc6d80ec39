"""What the user asks of a plan."""

from dataclasses import dataclass

from assaymark.claims.claim import Claim
from assaymark.claims.defaults import POWER
from assaymark.errors import InputError
from assaymark.hints import option, switch
from assaymark.records.modes import OFFERED, ModeKind, kind_asked_for
from assaymark.records.plan import Expectation


@dataclass(frozen=True, kw_only=True)
class RiskRequest:
    """What somebody asks of the risk: the confidence, and how much of what is left to use.

    `ends` says that the plan ends at a number of draws; `again` proves a claim once more that earlier
    plans have proven, at the risk itself: their error, if any, has been made already. `family` puts
    it in the account of all claims on the pool; `joint` plans have levels of their own, and no account.
    """

    confidence: float = 0.95
    reserve: float = 0.0
    claim_only: bool = False
    new_risk: bool = False
    ends: bool = False
    again: bool = False
    family: bool = False
    joint: bool = False

    def __post_init__(self) -> None:
        ways = {
            "new-risk": self.new_risk,
            "family": self.family,
        }
        if sum(ways.values()) > 1:
            raise InputError(
                f"{switch('family')} shares one risk account among all claims, so a claim has no "
                f"second one: leave {switch('new-risk')} out."
            )
        if self.joint and (self.new_risk or self.family or self.claim_only or self.reserve):
            raise InputError(
                "Plans with a jointly drawn seed share no risk account: each has its own risk of "
                f"error. Leave {option('reserve')}, {switch('claim-only')}, {switch('new-risk')} "
                f"and {switch('family')} out."
            )


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
        guided = OFFERED["score-guided"]
        if self.design == guided.name:
            object.__setattr__(self, "design", guided.design)
        if self.mode in (guided.name, guided.design) and self.design in (None, guided.design):
            object.__setattr__(self, "mode", guided.mode)
            object.__setattr__(self, "design", guided.design)
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
    def kind(self) -> ModeKind | None:
        """The kind of plan that it asks for, if the pool predicts; None where there is none."""
        return kind_asked_for(self.mode, self.design)

    @property
    def asked(self) -> RiskRequest:
        """What it asks of the risk."""
        return RiskRequest(
            confidence=self.confidence,
            reserve=self.reserve,
            claim_only=self.claim_only,
            new_risk=self.new_risk,
            ends=self.kind is not None and not self.kind.wagers,
            again=self.again,
            family=self.family,
            joint=self.is_shared,
        )
