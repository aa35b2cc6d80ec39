"""How a plan is stored: the claim and its rows, the method by number, seed, risk and knowledge."""

from dataclasses import dataclass
from typing import Any

from assaymark.claims.claim import Counts
from assaymark.claims.record import Record

COMPILER = "claims/1"


@dataclass(frozen=True, kw_only=True)
class ClaimShape(Record):
    """A claim as it was written, as a tree, and as the rows it was compiled to.

    Numbers that decide are decimal text. `rows` is the SHA-256 of the rows as canonical JSON;
    `constants` are those that the compiler chose.
    """

    text: str
    tree: dict[str, Any]
    compiler: str
    rows: str
    constants: dict[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class SeedShape(Record):
    """Where the randomness comes from: `open` (in the plan), `committed`, `joint` or `beacon`.

    `commitments` are hashes of the parts, `beacon` and `round` name a public value to come. Once
    revealed, `parts` and the `value` that follows from them and the plan are there too.
    """

    law: str
    value: str | None = None
    commitments: tuple[str, ...] | None = None
    round: int | None = None
    beacon: str | None = None
    parts: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class RenewalShape(Record):
    """When chances are renewed: with every batch, or in sealed steps with a lead."""

    law: str
    lead: int | None = None


@dataclass(frozen=True, kw_only=True)
class RiskShape(Record):
    """The confidence that is stated, and the level at which this plan runs, as decimal text.

    `share` of the account is at stake; `carried` is the wealth that `earlier` plans left in it.
    `risk` is that of this account alone, where several accounts share in what is stated;
    `refutes` the level at which the claim is declared false, where it is not the risk itself.
    """

    confidence: str
    level: str
    share: str = "1"
    account: str = "claim"
    claim_only: bool | None = None
    carried: str | None = None
    earlier: tuple[int, ...] | None = None
    risk: str | None = None
    refutes: str | None = None


@dataclass(frozen=True, kw_only=True)
class KnownShape(Record):
    """Labels known at the seal: how many, and the SHA-256 of them as canonical JSON.

    `strata` are the items that left each stratum of a score-guided plan, labelled 0 and labelled 1.
    """

    items: int
    digest: str
    strata: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True, kw_only=True)
class StratumShape(Record):
    """Items of one cell of the pool (absent: any) in a range of grid positions (absent: any)."""

    items: int
    cell: int | None = None
    grid_from: int | None = None
    grid_to: int | None = None
    mean_score: float | None = None


@dataclass(frozen=True, kw_only=True)
class ExpectationShape(Record):
    """What the user expects of the classifier."""

    pilot: Counts | None = None
    precision: float | None = None
    recall: float | None = None
    prevalence: float | None = None
    power: float | None = None


@dataclass(frozen=True, kw_only=True)
class PlanShape(Record):
    """A sealed plan as it is stored."""

    number: int
    claim: ClaimShape
    method: str
    mode: str
    design: str
    strata: tuple[StratumShape, ...]
    seed: SeedShape
    tickets: str
    risk: RiskShape
    renewal: RenewalShape | None = None
    size: int | None = None
    informative: int | None = None
    ceiling: int | None = None
    told: ExpectationShape | None = None
    known: KnownShape | None = None
    protocol: str | None = None
    expires: str | None = None
