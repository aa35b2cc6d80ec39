"""What was promised before the first label: the sealed plan."""

import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from assaymark.claims.canonical import digest
from assaymark.claims.checks import choice, open_share
from assaymark.claims.claim import Claim, Counts
from assaymark.claims.pictures import InSentence
from assaymark.claims.ratio_metrics import domain
from assaymark.claims.record import Record, stored
from assaymark.claims.results import percent
from assaymark.errors import VerificationError
from assaymark.records.decimals import complement, decimal_text
from assaymark.records.modes import DESIGNS, MODES, ModeKind, kind_of
from assaymark.records.plan_shape import (
    COMPILER,
    ClaimShape,
    ExpectationShape,
    KnownShape,
    PlanShape,
    RenewalShape,
    RiskShape,
    SeedShape,
    StratumShape,
)
from assaymark.records.seeds import LAWS, SeedSource, in_order, seed_from

CELLS = {True: 0, False: 1, None: None}


@dataclass(frozen=True, kw_only=True)
class Stratum(Record):
    """Items of one predicted class (None: either) in a range of grid positions (None: any)."""

    shape: ClassVar[type] = StratumShape

    items: int
    prediction: bool | None = None
    grid_from: int | None = None
    grid_to: int | None = None
    mean_score: float | None = None

    def __str__(self) -> str:
        who = {None: "all items", True: "predicted positive", False: "predicted negative"}
        return who[self.prediction]

    def to_shape(self) -> StratumShape:
        """The stratum as it is stored, with its cell of the pool."""
        return StratumShape(
            items=self.items,
            cell=CELLS[self.prediction],
            grid_from=self.grid_from,
            grid_to=self.grid_to,
            mean_score=self.mean_score,
        )

    @classmethod
    def from_shape(cls, shape: StratumShape) -> "Stratum":
        """The stratum that `to_shape` described."""
        return cls(
            items=shape.items,
            prediction={cell: prediction for prediction, cell in CELLS.items()}[shape.cell],
            grid_from=shape.grid_from,
            grid_to=shape.grid_to,
            mean_score=shape.mean_score,
        )


BATCHES, SEALED = "batch/1", "sealed/1"
"""How chances are renewed: with every batch, or at sealed draw numbers."""
CLAIM, FAMILY, JOINT = "claim", "family", "joint"
"""Risk accounts: of one claim, of all claims on the pool, and of plans whose seed is drawn jointly."""


@dataclass(frozen=True, kw_only=True)
class Expectation(Record):
    """What the planner knows about the classifier: a pilot, or expected values."""

    pilot: Counts | None = None
    precision: float | None = None
    recall: float | None = None
    prevalence: float | None = None

    def __post_init__(self) -> None:
        for name in ("precision", "recall", "prevalence"):
            value = getattr(self, name)
            if value is not None and not (name != "prevalence" and value == 1):
                open_share(name, value)


@dataclass(frozen=True, kw_only=True)
class Stake(Record):
    """A plan's part of a risk that all plans on its claim share. Numbers are decimal text.

    `level` is absent where the plan runs at the whole risk, as every first plan does. `risk` is that
    of the account, where what is stated covers several accounts.
    """

    account: str = CLAIM
    level: str | None = None
    share: str = "1"
    claim_only: bool = False
    carried: str | None = None
    earlier: tuple[int, ...] = ()
    risk: str | None = None
    refutes: str | None = None

    @classmethod
    def from_risk(cls, shape: RiskShape) -> "Stake":
        """The stake that was stored as this."""
        return cls(
            account=shape.account,
            level=None if shape.level == complement(shape.confidence) else shape.level,
            share=shape.share,
            claim_only=bool(shape.claim_only),
            carried=shape.carried,
            earlier=shape.earlier or (),
            risk=shape.risk,
            refutes=shape.refutes,
        )


@dataclass(frozen=True, kw_only=True)
class Plan(InSentence, Record):
    """A claim and how it will be tested. Nothing in it may change once labels are bought.

    `method` is the numbered method that judges it, `rows` the digest of what the claim compiles to.
    `size` is the number of draws that a fixed plan judges at and a budget plan ends at;
    `informative` is the number of informative items over which a budget plan spends its risk;
    `seed` decides every draw; it is empty until a `source` that is shared is revealed. `confidence`
    is what is stated, of all plans on this claim together; `stake` is this plan's part of their
    risk. `lead` says how far ahead of the labels a score-guided plan may be drawn: 0 for one
    annotator; None where chances are renewed with every batch. `power` and `expected_labels` are
    what was forecast when the plan was made, `staked` the sealed level where less is left of it now;
    they are not stored.
    """

    shape: ClassVar[type] = PlanShape

    number: int
    claim: Claim
    method: str
    mode: str
    design: str
    confidence: float
    seed: str
    source: SeedSource = field(default_factory=SeedSource)
    rows: str
    constants: tuple[tuple[str, str], ...] = ()
    strata: tuple[Stratum, ...]
    size: int | None = None
    informative: int | None = None
    power: float | None = None
    power_asked: float | None = None
    expectation: Expectation | None = None
    expected_labels: int | None = None
    stake: Stake = Stake()
    lead: int | None = None
    staked: str | None = None
    known: KnownShape | None = None
    protocol: str | None = None
    expires: str | None = None

    def __post_init__(self) -> None:
        choice("mode", self.mode, MODES)
        choice("design", self.design, DESIGNS)
        open_share("confidence", self.confidence)

    def __str__(self) -> str:
        sure = percent(self.confidence)
        return f"Plan {self.number}: {self.claim} with {sure} confidence, {self.kind.name}."

    @property
    def kind(self) -> ModeKind:
        """Its mode with its design."""
        return kind_of(self.mode, self.design)

    @property
    def is_scored(self) -> bool:
        """Whether its strata are made by scores; otherwise predictions alone steer its draws."""
        return any(stratum.mean_score is not None for stratum in self.strata)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many items of each stratum can be drawn: those known at the seal left a guided one."""
        left = self.known_in_strata
        return tuple(s.items - sum(gone) for s, gone in zip(self.strata, left, strict=True))

    @property
    def known_in_strata(self) -> tuple[tuple[int, int], ...]:
        """Per stratum, the items that left it with a label known at the seal: 0 and 1."""
        strata = self.known.strata if self.known else None
        return strata or ((0, 0),) * len(self.strata)

    @property
    def items(self) -> int:
        """How many items the plan draws from."""
        return sum(self.sizes)

    def to_buy(self, labels: float) -> int:
        """Of the labels that a simple plan counts, those to be bought: known ones are free."""
        known = self.known.items if self.known else 0
        return math.ceil(labels * (1 - known / self.items) - 1e-9)

    @property
    def domain(self) -> str:
        """Which items the claim is about: `predicted positive`, `predicted negative` or `all`."""
        return domain(self.claim)

    @property
    def bound(self) -> str:
        """The name of the bound that the mode reports."""
        return self.kind.bound

    @property
    def earlier(self) -> tuple[int, ...]:
        """The numbers of the plans that shared this one's risk before it."""
        return self.stake.earlier

    @property
    def capped(self) -> bool:
        """Whether it states nothing beyond its target: a later plan on a claim, or one of a family."""
        return bool(self.stake.earlier) or self.stake.account == FAMILY

    @property
    def level(self) -> str:
        """The error level at which this plan's own test runs, as decimal text."""
        return self.stake.level or complement(decimal_text(self.confidence))

    @property
    def tested_at(self) -> float:
        """One minus the level of this plan's own test; what is stated is `confidence`."""
        return float(complement(self.level))

    @property
    def refutes(self) -> str:
        """The level at which a plan that wagers declares its claim false, as decimal text; 0: never."""
        return self.stake.refutes or self.stake.risk or complement(decimal_text(self.confidence))

    @property
    def refutation(self) -> float | None:
        """One minus the level at which the claim is declared false; None: it never is."""
        return None if self.refutes == "0" else float(complement(self.refutes))

    def revealed(self, parts: tuple[str, ...]) -> "Plan":
        """The plan with the seed that these parts give; refused where they do not fit its seal."""
        ordered = in_order(self.source, parts)
        return replace(
            self,
            seed=seed_from(ordered, plan=self.seal),
            source=replace(self.source, parts=ordered),
        )

    @property
    def seal(self) -> str:
        """The hash of everything that was sealed, the seed aside."""
        source = replace(self.source, parts=())
        bare = replace(self, seed="", source=source)
        return digest(stored(bare))

    def to_shape(self) -> PlanShape:
        """The plan as it is stored."""
        expectation = ExpectationShape(
            power=self.power_asked, **(vars(self.expectation) if self.expectation else {})
        )
        return PlanShape(
            number=self.number,
            claim=ClaimShape(
                text=str(self.claim),
                tree=claim_tree(self.claim),
                compiler=COMPILER,
                rows=self.rows,
                constants=dict(self.constants) or None,
            ),
            method=self.method,
            mode=self.mode,
            design=self.design,
            strata=tuple(stratum.to_shape() for stratum in self.strata),
            seed=SeedShape(
                law=self.source.law,
                value=self.seed or None,
                commitments=self.source.commitments or None,
                round=self.source.round,
                beacon=self.source.beacon,
                parts=self.source.parts or None,
            ),
            tickets="plan/1",
            risk=self._risk(),
            renewal=self._renewal(),
            size=None if self.kind.guided else self.size,
            ceiling=self.size if self.kind.guided else None,
            informative=self.informative,
            told=None if expectation == ExpectationShape() else expectation,
            known=self.known,
            protocol=self.protocol,
            expires=self.expires,
        )

    def _renewal(self) -> RenewalShape | None:
        if not self.kind.guided:
            return None
        if self.lead is None:
            return RenewalShape(law=BATCHES)
        return RenewalShape(law=SEALED, lead=self.lead)

    def _risk(self) -> RiskShape:
        stake = self.stake
        return RiskShape(
            confidence=decimal_text(self.confidence),
            level=self.level,
            share=stake.share,
            account=stake.account,
            claim_only=stake.claim_only or None,
            carried=stake.carried,
            earlier=stake.earlier or None,
            risk=stake.risk,
            refutes=stake.refutes,
        )

    @classmethod
    def from_shape(cls, shape: PlanShape) -> "Plan":
        """The plan that `to_shape` described; refused where it asks for what is not known here."""
        laws = (shape.tickets, shape.claim.compiler)
        renewal = shape.renewal or RenewalShape(law=BATCHES)
        if (
            laws != ("plan/1", COMPILER)
            or shape.seed.law not in LAWS
            or renewal.law not in (BATCHES, SEALED)
        ):
            raise VerificationError(
                f"Plan {shape.number} was sealed by rules that this version of assaymark does not know "
                f"({', '.join((*laws, shape.seed.law, renewal.law))}). Install a newer assaymark to read it."
            )
        expectation = shape.told or ExpectationShape()
        values = {name: value for name, value in vars(expectation).items() if name != "power"}
        return cls(
            number=shape.number,
            claim=claim_of(shape.claim.tree),
            method=shape.method,
            mode=shape.mode,
            design=shape.design,
            confidence=float(shape.risk.confidence),
            seed=shape.seed.value or "",
            source=SeedSource(
                law=shape.seed.law,  # type: ignore[arg-type]
                commitments=shape.seed.commitments or (),
                beacon=shape.seed.beacon,
                round=shape.seed.round,
                parts=shape.seed.parts or (),
            ),
            rows=shape.claim.rows,
            constants=tuple(sorted((shape.claim.constants or {}).items())),
            strata=tuple(Stratum.from_shape(stratum) for stratum in shape.strata),
            size=shape.size if shape.ceiling is None else shape.ceiling,
            informative=shape.informative,
            lead=renewal.lead or 0 if renewal.law == SEALED else None,
            power_asked=expectation.power,
            expectation=Expectation(**values) if any(values.values()) else None,
            stake=Stake.from_risk(shape.risk),
            known=shape.known,
            protocol=shape.protocol,
            expires=shape.expires,
        )


def claim_tree(claim: Claim) -> dict[str, Any]:
    """The claim as the grammar's tree, with the target as decimal text."""
    part = {
        "kind": "threshold",
        "figure": {"metric": claim.metric},
        "side": claim.side,
        "target": decimal_text(claim.target),
    }
    return {"parts": [part]}


def claim_of(tree: dict[str, Any]) -> Claim:
    """The claim that `claim_tree` described."""
    try:
        (part,) = tree["parts"]
        claim = Claim(
            metric=part["figure"]["metric"], side=part["side"], target=float(part["target"])
        )
    except (KeyError, TypeError, ValueError) as error:
        raise VerificationError(_unheard(tree)) from error
    if claim_tree(claim) != tree:
        raise VerificationError(_unheard(tree))
    return claim


def _unheard(tree: dict[str, Any]) -> str:
    return f"This version of assaymark cannot judge the claim {tree!r}. Install a newer assaymark."


def known_labels(
    labels: dict[str, object], strata: tuple[tuple[int, int], ...] | None = None
) -> KnownShape | None:
    """How many labels are known at the seal, and their digest; None where there are none."""
    return KnownShape(items=len(labels), digest=digest(labels), strata=strata) if labels else None
