"""How far annotators agree, and what their errors could do to a verdict."""

from dataclasses import dataclass
from typing import Literal

from assaymark.claims.pictures import InSentence
from assaymark.claims.record import Record


@dataclass(frozen=True, kw_only=True)
class PairCounts(Record):
    """Items that two annotators both labelled: how often each said relevant."""

    both: int
    first_only: int
    second_only: int
    neither: int

    @property
    def items(self) -> int:
        """How many items both labelled."""
        return self.both + self.first_only + self.second_only + self.neither


@dataclass(frozen=True, kw_only=True)
class Coefficient(Record):
    """An agreement coefficient; None with a reason where it is undefined."""

    name: str
    value: float | None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class PairAgreement(Record):
    """Two annotators by name, what they said of the same items, and their coefficients."""

    first: str
    second: str
    counts: PairCounts
    raw: Coefficient
    kappa: Coefficient
    ac1: Coefficient


@dataclass(frozen=True, kw_only=True)
class Agreement(Record):
    """Agreement over all items that at least two annotators labelled.

    With more than two annotators `raw`, `kappa` and `ac1` are means over the pairs, weighted by
    the items that each pair shares. `disagreement` is the share of pairs of labels that differ.
    """

    items: int
    differing: int
    pairs: tuple[PairAgreement, ...]
    raw: Coefficient
    kappa: Coefficient
    ac1: Coefficient
    implied_error: Coefficient
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, kw_only=True)
class Tipping(Record):
    """How many labels of one kind must be wrong before the verdict falls; None: all may be wrong.

    `worst` is the number where the errors sit in the worst places found, `needed` where they are
    spread evenly over the draws, and `share` the latter as a share of the labels of that kind.
    """

    kind: Literal["false alarm", "miss"]
    given: int
    needed: int | None
    share: float | None
    worst: int | None = None


@dataclass(frozen=True, kw_only=True)
class Sensitivity(InSentence, Record):
    """What label errors would overturn the verdict. A what-if, not a guarantee."""

    tippings: tuple[Tipping, ...]
    sentence: str
    reason: str | None = None

    def __str__(self) -> str:
        return self.sentence


def what_if(what: str, tippings: tuple[Tipping, ...] = ()) -> Sensitivity:
    """What wrong labels would do, as a sentence that promises nothing."""
    return Sensitivity(
        tippings=tippings,
        sentence=f"What wrong labels would do to this verdict: {what}. This is a what-if, not a "
        "guarantee.",
    )
