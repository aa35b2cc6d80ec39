"""What a look found: a verdict for each row of the claim, and the counts it depends on."""

from dataclasses import dataclass
from typing import Literal

from assaymark.claims.record import Record
from assaymark.records.value import Value


@dataclass(frozen=True, kw_only=True)
class RowLook(Record):
    """What is proved of one row of the claim: where its metric lies, and the wealth of the bets.

    `log_wealth` is that after the last label counted; a method that does not bet has none.
    """

    decision: Literal["pass", "fail", "continue"]
    low: float
    high: float
    log_wealth: float | None = None


@dataclass(frozen=True, kw_only=True)
class Tally(Record):
    """How many draws of a cell got a value; no value: nobody could tell."""

    cell: int
    value: Value | None = None
    n: int
