"""How the rows of a test add up to one statement, whatever the dependence between their wealths."""

import math
from dataclasses import dataclass
from typing import Literal

from assaymark.errors import InputError


@dataclass(frozen=True, kw_only=True)
class One:
    """A single row, refuted by its mirror. Other rows may ride along; they are not judged."""


@dataclass(frozen=True, kw_only=True)
class AllOf:
    """Every row holds (intersection–union): each row reaches 1/level, at its own time.

    `refute`: "mean" where the rows hold exactly if the claim does: the mirrors' mean wealth, all at
    the same time, reaches 1/level, and a culprit is named at count/level; "every" where the rows
    only suffice for the claim: every mirror reaches 1/level; "never" where not even that refutes.
    `parts` are the rows of each part of the claim that mirrors may refute, for the mean: a part of
    several rows that only suffice counts with the least of its mirrors, which is below the fair one.
    """

    refute: Literal["mean", "every", "never"] = "mean"
    parts: tuple[tuple[int, ...], ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Ordered:
    """Rows in a sealed order: a row passes only if every row before it has. `claim` is judged.

    Chances aim at the claim, or, with `ahead`, at the furthest row believed to hold by this margin
    of the metric: a ladder of cut-offs is climbed faster if the next rungs are not starved.
    """

    claim: int = 0
    ahead: float | None = None


@dataclass(frozen=True, kw_only=True)
class Named:
    """Which parts hold, with the chance of one wrong name at most the level: e-Holm, closed test.

    `parts` are the rows of each; left out, every row is one. A part counts with its least wealth.
    `spared` are the numbers of the parts that no mirror refutes: one of their rows may fail though
    the part holds.
    """

    parts: tuple[tuple[int, ...], ...] | None = None
    spared: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Gap:
    """Cells of one or two rows on disjoint domains: each cell's product of wealths reaches 1/level.

    The truth lies in one cell, which is not known; so all of them must.
    """

    cells: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if any(len(cell) not in (1, 2) for cell in self.cells):
            raise InputError("A cell of a gap holds one or two rows.")


@dataclass(frozen=True, kw_only=True)
class Mixture:
    """Several ways to the same claim, each "all of" its rows: Σ share·min(wealths) reaches 1/level."""

    ways: tuple[tuple[int, ...], ...]
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.ways) != len(self.shares) or any(share <= 0 for share in self.shares):
            raise InputError("A mixture needs one share above 0 for every way.")
        if sum(self.shares) > 1 + 1e-12:
            raise InputError(f"The shares of a mixture sum to {sum(self.shares):g}, above 1.")


Rule = One | AllOf | Ordered | Named | Gap | Mixture


def goals(rule: Rule, count: int) -> tuple[float, float]:
    """How far a row and a mirror have to get, as multiples of 1/level. There they stop betting.

    A culprit, or the first name, may need count/level. Products and minima compare wealths at the
    same time, so there nothing ever stops.
    """
    if isinstance(rule, Gap | Mixture):
        return (math.inf, math.inf)
    row = float(count) if isinstance(rule, Named) else 1.0
    blame = isinstance(rule, Named) or (isinstance(rule, AllOf) and rule.refute == "mean")
    return (row, float(count) if blame else 1.0)


def mirrors(rule: Rule, count: int) -> tuple[int, ...]:
    """The rows whose mirrors are played: those that the rule looks at."""
    if isinstance(rule, Gap) or (isinstance(rule, AllOf) and rule.refute == "never"):
        return ()
    if isinstance(rule, One | Ordered):
        return (rule.claim if isinstance(rule, Ordered) else 0,)
    return tuple(range(count))
