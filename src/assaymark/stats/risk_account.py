"""Risk account: one error level for all plans about one claim on one pool.

One idea: a plan's evidence is a bet that cannot be expected to gain while its claim is false. Bets
made one after the other multiply, so a later plan starts from what the earlier ones left instead
of from 1, and the product reaches 1/α with chance at most α over all plans together (Ville).

Every target that a plan makes a statement about (its claim, and the other targets that make up its
bound) is a *row*. Rows are ordered from the easiest to the hardest, and a row counts as proven only
if every easier row of the plan is.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from assaymark.claims.checks import open_share
from assaymark.errors import InputError

Side = Literal["lower", "upper"]
# What a draw that nobody labelled is worth when its plan is closed: the least factor of any bet.
PENDING_FACTOR = 0.02


@dataclass(frozen=True, kw_only=True)
class ClosedRow:
    """One row of a closed plan: its target, and the wealth after the last labelled draw."""

    target: float
    wealth: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.wealth) and self.wealth >= 0):
            raise InputError(f"'wealth' must be a number from 0 on, got {self.wealth!r}.")


@dataclass(frozen=True, kw_only=True)
class ClosedPlan:
    """What a closed plan leaves to later ones. `share` of the account was at stake in it."""

    side: Side
    rows: tuple[ClosedRow, ...]
    share: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise InputError(f"'share' must be above 0 and at most 1, got {self.share!r}.")

    def factors(self) -> tuple[tuple[float, float], ...]:
        """(target, 1 − share + share·wealth) of every row, from the easiest to the hardest."""
        ordered = sorted(self.rows, key=lambda row: hardness(row.target, self.side))
        return tuple((r.target, 1 - self.share + self.share * r.wealth) for r in ordered)


def hardness(target: float, side: Side) -> float:
    """A number that grows as the target gets harder to prove."""
    return target if side == "lower" else -target


def carried(plans: Iterable[ClosedPlan], *, target: float, side: Side) -> float:
    """The wealth that earlier plans leave for a row with this target.

    Each plan gives the least factor among its rows from the easiest to the first that is at least
    as hard as the target. Where none is as hard, it can only cost, never help.

    >>> row = ClosedRow(target=0.7, wealth=4.0)
    >>> carried([ClosedPlan(side="lower", rows=(row,))], target=0.7, side="lower")
    4.0
    >>> carried([ClosedPlan(side="lower", rows=(row,))], target=0.8, side="lower")
    1.0
    """
    wealth = 1.0
    for plan in plans:
        if plan.side == side:
            wealth *= _left_by(plan, target)
    return wealth


def _left_by(plan: ClosedPlan, target: float) -> float:
    least = math.inf
    for row, factor in plan.factors():
        least = min(least, factor)
        if hardness(row, plan.side) >= hardness(target, plan.side):
            return least
    return min(1.0, least)


def plan_level(*, risk: float, wealth: float, share: float = 1.0) -> float:
    """The error level at which a plan runs when it starts from this wealth.

    A row passes when wealth·(1 − share + share·W) reaches 1/risk, that is, when W reaches one over
    this level. It is 1 where the account alone has reached 1/risk already, and 0 where nothing is
    left. The first plan of an account (wealth 1, share 1) runs at the risk itself.

    >>> plan_level(risk=0.05, wealth=1.0)
    0.05
    >>> round(plan_level(risk=0.05, wealth=0.5), 6)
    0.025
    """
    open_share("risk", risk)
    if wealth <= 0:
        return 0.0
    if risk * wealth >= 1:
        return 1.0
    return share / (1 / (risk * wealth) - (1 - share))


def at_closing(
    wealth: Sequence[float], *, labelled: int, drawn: int, passed_at: int | None = None
) -> float:
    """The wealth of a row when its plan is closed: after the last draw of the labelled prefix.

    `wealth[i]` is what the row held after draw i + 1. A row that has passed keeps what it held when
    it crossed. Draws beyond the prefix were seen and not labelled: each counts as the worst label.
    Never the largest value on the way: that would be a second chance.

    >>> at_closing([2.0, 8.0, 1.0], labelled=3, drawn=3)
    1.0
    """
    if drawn == 0:
        return 1.0
    if passed_at is not None:
        return float(wealth[passed_at - 1])
    last = float(wealth[labelled - 1]) if labelled else 1.0
    return last * PENDING_FACTOR ** (drawn - labelled)


def claim_only_factor(*, passed: bool, chance: float, risk: float, wealth: float) -> float:
    """What a plan that states its claim and no bound leaves for an easier target.

    `chance` is the probability that it passes if the truth lies at the easier target, `wealth`
    what the account held for that target when the plan was sealed. Chosen at the seal: with bounds
    stated as well the same factor would approach twice the risk.
    """
    open_share("chance", chance)
    stake = min(1.0, chance * (1 / (risk * wealth) - 1) / (1 - chance))
    return 1 - stake + (stake / chance if passed else 0.0)


def joint_seed_level(risk: float, number: int) -> float:
    """The level of plan `number` on a claim among those whose seed is drawn jointly.

    0.9 of the risk for the first, 0.1/(k(k − 1)) for plan k after it: all of them together use the
    risk and no more, whatever anybody knows about labels and seeds (Bonferroni).

    >>> [round(joint_seed_level(0.05, k), 6) for k in (1, 2, 3)]
    [0.045, 0.0025, 0.000833]
    """
    return 0.9 * risk if number == 1 else 0.1 * risk / (number * (number - 1))


def joint_confidence(risks: Iterable[float]) -> float:
    """The confidence of several accounts together: one minus the sum of the largest risks used.

    >>> round(joint_confidence([0.05, 0.05]), 6)
    0.9
    """
    return max(0.0, 1 - sum(risks))
