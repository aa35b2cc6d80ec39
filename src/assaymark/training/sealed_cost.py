"""What a freeze will cost, shown before it is final: the same forecast that the advice printed."""

from dataclasses import dataclass

from assaymark.claims.record import Record
from assaymark.claims.results import chance, counted
from assaymark.records.plan import Plan
from assaymark.records.pool import RegisteredPool
from assaymark.records.training import Advice


@dataclass(frozen=True, kw_only=True)
class SealedCost(Record):
    """What freezing the classifier now would seal: before it is final.

    `expected` labels certification will take, `low` to `high` with luck and without (None where
    nobody can tell), `left` are those that the budget has; the classifier would flag `flagged` of
    `items`.
    """

    claim: str
    flagged: int
    items: int
    expected: int | None
    left: int | None
    chance_true: float | None
    low: int | None = None
    high: int | None = None

    @property
    def labels(self) -> str:
        """The forecast of the labels to buy, as a range where there is one."""
        if self.expected is None:
            return "an unknown number of labels"
        if self.high is None:
            more = "" if self.low is None else ", and possibly many more"
            return f"about {counted(self.expected, 'label')}{more}"
        if self.low == self.high:
            return f"about {counted(self.expected, 'label')}"
        return f"about {self.low:,}–{self.high:,} labels, most likely near {self.expected:,}"

    @property
    def sentence(self) -> str:
        """The cost, what is left of the budget, and how likely the claim is."""
        text = f"Certifying {self.claim} will take {self.labels}"
        if self.left is not None:
            text += f"; the budget has {self.left:,} left"
        if self.chance_true is not None:
            text += f". The claim is true with a chance of about {chance(self.chance_true)}"
        if self.expected is None or (self.left is not None and self.expected > self.left):
            text += ". Freezing is not advised: lower the target, raise the budget, or leave it"
        return f"{text}. After the freeze training cannot go on until the plan has ended."


def sealed_cost(
    claim: str, scored: RegisteredPool, plan: Plan, left: int | None, advice: Advice | None
) -> SealedCost:
    """What is shown before the freeze: a plan's own size where it ends at one, else the forecast
    that the advice printed.
    """
    forecast = advice or Advice(action="train", reason="", labels=0)
    return SealedCost(
        claim=claim,
        flagged=scored.summary.predicted_positive,
        items=scored.summary.items,
        expected=plan.size or forecast.certification,
        left=left,
        chance_true=forecast.chance_true,
        low=plan.size or _less(forecast.total_low, forecast.labels),
        high=plan.size or _less(forecast.total_high, forecast.labels),
    )


def _less(total: int | None, training: int) -> int | None:
    return None if total is None else total - training
