"""What was promised before the first label: the sealed plan."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from assaymark.claims.canonical import digest
from assaymark.claims.checks import choice, open_share
from assaymark.claims.claim import Claim, Counts
from assaymark.claims.record import Record
from assaymark.errors import VerificationError
from assaymark.records.decimals import complement, decimal_text
from assaymark.records.modes import ModeKind, kind_of
from assaymark.records.plan_shape import (
    COMPILER,
    ClaimShape,
    ExpectationShape,
    KnownShape,
    PlanShape,
    RenewalShape,
    RiskShape,
    SeedShape,
)
from assaymark.records.strata import Stratum

Mode = Literal["fixed", "budget", "anytime"]
Design = Literal["simple", "census", "weighted"]
MODES = ("fixed", "budget", "anytime")
DESIGNS = ("simple", "weighted")
DOMAINS = {
    "precision": "predicted positive",
    "npv": "predicted negative",
    "elusion": "predicted negative",
}
"""The metrics that only one predicted class can tell about."""


@dataclass(frozen=True, kw_only=True)
class Expectation(Record):
    """What the planner was told about the classifier: a pilot, or expected values."""

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
class Plan(Record):
    """A claim and how it will be tested. Nothing in it may change once labels are bought.

    `method` is the numbered method that judges it, `rows` the digest of what the claim compiles to.
    `size` is the number of draws that a fixed plan judges at and a budget plan ends at;
    `informative` is the number of informative items over which a budget plan spends its risk;
    `seed` decides every draw. With `family`, the risk of all plans on this pool together is the one
    asked for, and `confidence` is this plan's part of it. `power` and `expected_labels` are what
    was forecast when the plan was made; they are not stored.
    """

    shape: ClassVar[type] = PlanShape

    number: int
    claim: Claim
    method: str
    mode: Mode
    design: Design
    confidence: float
    seed: str
    rows: str
    constants: tuple[tuple[str, str], ...] = ()
    strata: tuple[Stratum, ...]
    size: int | None = None
    informative: int | None = None
    power: float | None = None
    power_asked: float | None = None
    expectation: Expectation | None = None
    expected_labels: int | None = None
    family: float | None = None
    earlier: tuple[int, ...] = ()
    known: KnownShape | None = None
    protocol: str | None = None
    expires: str | None = None

    def __post_init__(self) -> None:
        choice("mode", self.mode, MODES)
        choice("design", self.design, (*DESIGNS, "census"))
        open_share("confidence", self.confidence)

    @property
    def kind(self) -> ModeKind:
        """Its mode with its design."""
        return kind_of(self.mode, self.design)

    @property
    def items(self) -> int:
        """How many items the plan draws from."""
        return sum(stratum.items for stratum in self.strata)

    @property
    def domain(self) -> str:
        """Which items the claim is about: `predicted positive`, `predicted negative` or `all`."""
        return DOMAINS.get(self.claim.metric, "all")

    @property
    def bound(self) -> str:
        """The name of the bound that the mode reports."""
        return self.kind.bound

    @property
    def refutation(self) -> float:
        """The confidence at which an anytime plan declares the claim false."""
        return self.confidence

    def to_shape(self) -> PlanShape:
        """The plan as it is stored."""
        told = ExpectationShape(
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
            seed=SeedShape(law="open", value=self.seed),
            tickets="plan/1",
            risk=self._risk(),
            renewal=RenewalShape(law="batch/1") if self.kind.guided else None,
            size=self.size,
            informative=self.informative,
            told=None if told == ExpectationShape() else told,
            known=self.known,
            protocol=self.protocol,
            expires=self.expires,
        )

    def _risk(self) -> RiskShape:
        return RiskShape(
            confidence=decimal_text(self.family or self.confidence),
            level=complement(decimal_text(self.confidence)),
            account="family" if self.family else "claim",
            earlier=self.earlier or None,
        )

    @classmethod
    def from_shape(cls, shape: PlanShape) -> "Plan":
        """The plan that `to_shape` described; refused where it asks for what is not known here."""
        laws = (shape.seed.law, shape.tickets, shape.claim.compiler, shape.risk.share)
        renewal = shape.renewal.law if shape.renewal else "batch/1"
        newer = shape.ceiling or shape.risk.carried or shape.risk.claim_only
        if laws != ("open", "plan/1", COMPILER, "1") or renewal != "batch/1" or newer:
            raise VerificationError(
                f"Plan {shape.number} was sealed by rules that this version of assaymark does not know "
                f"({', '.join((*laws, renewal))}). Install a newer assaymark to read it."
            )
        told = shape.told or ExpectationShape()
        given = {name: value for name, value in vars(told).items() if name != "power"}
        family = shape.risk.account == "family"
        return cls(
            number=shape.number,
            claim=claim_of(shape.claim.tree),
            method=shape.method,
            mode=shape.mode,  # type: ignore[arg-type]
            design=shape.design,  # type: ignore[arg-type]
            confidence=float(complement(shape.risk.level)),
            seed=shape.seed.value or "",
            rows=shape.claim.rows,
            constants=tuple(sorted((shape.claim.constants or {}).items())),
            strata=tuple(Stratum.from_shape(stratum) for stratum in shape.strata),
            size=shape.size,
            informative=shape.informative,
            power_asked=told.power,
            expectation=Expectation(**given) if any(given.values()) else None,
            family=float(shape.risk.confidence) if family else None,
            earlier=shape.risk.earlier or (),
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


def known_labels(labels: dict[str, object]) -> KnownShape | None:
    """How many labels are known at the seal, and their digest; None where there are none."""
    return KnownShape(items=len(labels), digest=digest(labels)) if labels else None
