"""The tuning of method number 2. None of it touches validity."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How stakes, blocks and chances are chosen.

    Wealth is split by `shares` over assumed truths: the believed one, raised to `least_margin`
    above the target where it is lower, and the belief tilted to each of `margins`, all in units of
    the metric, never more than the share `reach` of the room above the target, and never more than
    should have been certified by now (`stubborn` switches that rule off, for comparison only).
    Blocks hold `first_block` draws, later one `block_share`-th of the draws so far, and near the
    end one `rest_share`-th of the items left; a factor never falls below `floor`. With a ceiling
    the wealth is whole, the assumed margin at most `hedged_reach` of the room, and a block at most
    one `hedged_share`-th of the draws left. Chances assume at least the margin `caution`. A row
    passes after `fewest` draws in its domain at the earliest, or at the domain's end.
    """

    first_block: int = 10
    block_share: int = 15
    rest_share: int = 10
    least_margin: float = 0.04
    margins: tuple[float, ...] = (0.03, 0.06, 0.12)
    reach: tuple[float, ...] = (0.25, 0.3, 0.4, 0.75)
    shares: tuple[float, ...] = (0.4, 0.2, 0.2, 0.2)
    floor: float = 0.02
    hedged_reach: float = 0.75
    hedged_share: int = 8
    caution: float = 0.02
    fewest: int = 30
    stubborn: bool = False
