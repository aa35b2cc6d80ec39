"""What was promised before the first label: the sealed plan."""

from dataclasses import dataclass
from typing import Literal

from assaymark.claims.checks import choice, open_share
from assaymark.claims.claim import Claim, Counts
from assaymark.claims.record import Record
from assaymark.records.strata import Stratum

Mode = Literal["fixed", "budget", "anytime"]
Design = Literal["simple", "census", "weighted"]
MODES = ("fixed", "budget", "anytime")
DESIGNS = ("simple", "weighted")


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

    `size` is the number of draws that a fixed plan judges at and a budget plan ends at;
    `informative` is the number of informative items over which a budget plan spends its risk;
    `refutation` is the confidence at which an anytime plan declares the claim false; `seed`
    decides every draw. With `family`, the risk of all plans on this pool together is the one
    asked for, and `confidence` is this plan's part of it.
    """

    number: int
    claim: Claim
    mode: Mode
    design: Design
    bound: str
    confidence: float
    seed: str
    domain: str
    strata: tuple[Stratum, ...]
    size: int | None = None
    informative: int | None = None
    refutation: float = 0.95
    power: float | None = None
    power_asked: float | None = None
    expectation: Expectation | None = None
    expected_labels: int | None = None
    family: float | None = None

    def __post_init__(self) -> None:
        choice("mode", self.mode, MODES)
        choice("design", self.design, (*DESIGNS, "census"))
        open_share("confidence", self.confidence)
        open_share("refutation", self.refutation)

    @property
    def items(self) -> int:
        """How many items the plan draws from."""
        return sum(stratum.items for stratum in self.strata)
