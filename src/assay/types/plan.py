"""What was promised before the first label: the sealed plan."""

from dataclasses import dataclass
from typing import Literal

from assay.types.checks import choice, open_share
from assay.types.claim import Claim, Counts
from assay.types.record import Record
from assay.types.strata import Stratum

Mode = Literal["fixed"]
Design = Literal["simple", "census"]
MODES = ("fixed",)


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

    `size` is the number of draws that a fixed plan judges at; `seed` decides every draw.
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
    size: int
    power: float | None = None
    power_asked: float | None = None
    expectation: Expectation | None = None

    def __post_init__(self) -> None:
        choice("mode", self.mode, MODES)
        choice("design", self.design, ("simple", "census"))
        open_share("confidence", self.confidence)

    @property
    def items(self) -> int:
        """How many items the plan draws from."""
        return sum(stratum.items for stratum in self.strata)
